package prompt

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// The patterns of a workspace that are accepted are few and short, and a question can be read with them.
func FuzzPatterns(f *testing.F) {
	f.Add([]byte("[[prompt]]\npattern = 'deploy\\? $'\nkind = 'confirm'\n"), "deploy? ")
	f.Add([]byte("[[prompt]]\npattern = '(a*)*b|((x{9}){9}){9}'\nkind = 'line'\n"), "aaaaaaaaaaaaaaaaaaaaaaaac")
	f.Add([]byte("[[prompt]]\npattern = ''\n[[prompt"), "")
	f.Fuzz(func(t *testing.T, file []byte, question string) {
		own, err := Parse(file)
		if err != nil {
			if own != nil {
				t.Errorf("patterns beside %v", err)
			}
			return
		}
		if len(own) > maxPatterns || slices.ContainsFunc(own, func(p Pattern) bool { return !slices.Contains(kinds, p.Kind) || len(p.RE.String()) > maxExpression }) {
			t.Errorf("%d patterns: %v", len(own), own)
		}
		before, _, _ := shots(question, "")
		if q := NewBook(own).Read(Scene{Picture: before.Picture, Command: "x"}); len(q.Text) > most || !utf8.ValidString(q.Text) {
			t.Errorf("%q", q.Text)
		}
	})
}

// What became of an answer is told from what a program has printed since, whatever that is. What it asks then is a text.
func FuzzAfterAnswer(f *testing.F) {
	f.Add("Deploy? [y/N] ", "y\r\nRegion: ", "y", false)
	f.Add("Password: ", "\r\nSorry\r\nPassword: ", "x", true)
	f.Add("\x1b[3;3H? ", "\x1b[2J\x1b[31m世\x1b[1;1H", "世", false)
	f.Fuzz(func(t *testing.T, question, output, text string, secret bool) {
		before, after, printed := shots(question, output)
		answer := TypedAnswer{Text: text, Kind: Line, Secret: secret, Output: printed}
		AfterAnswer(before, after, answer)
		scene := Scene{Picture: after.Picture, Command: "x"}
		for _, o := range NewBook(nil).Details(scene, NewBook(nil).Read(scene)).Choices {
			if n := utf8.RuneCountInString(o.Text); n == 0 || n > maxOption || !utf8.ValidString(o.Text) {
				t.Errorf("a choice is %q", o.Text)
			}
		}
		typed := &Typed{Row: before.place().row, Before: BeforeCursor(before.Picture), Text: text, Whole: secret}
		if asked := NewBook(nil).Read(Scene{Picture: after.Picture, Typed: typed}).Text; !utf8.ValidString(asked) || strings.Contains(asked, "\x1b") {
			t.Errorf("it asks %q", asked)
		}
		if n := ToErase(before, after, answer); n < 0 || n > 30*12 { // the screen of shots
			t.Errorf("%d characters are to be erased", n)
		}
		Erasing(before, after, text)
		AfterErasing(before, after)
	})
}
