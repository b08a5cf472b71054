package prompt

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"devtools/screen"
)

// A Typed is the last input, and where the cursor was when it was typed.
type Typed struct {
	Row    int    // as Scene.Since
	Before string // what the row showed before the cursor
	Text   string
	Whole  bool // it is an answer behind which nothing follows, not even an Enter
	Echo   bool // the terminal echoed it
	Taken  bool // the program has taken it: another one reads now, or the settings of the terminal are others
}

// BeforeCursor returns what the row of the cursor shows before the cursor.
func BeforeCursor(p *screen.Snapshot) string {
	if len(p.Lines) == 0 {
		return ""
	}
	v := look(Scene{Picture: p})
	before, _ := v.split(v.row, v.row)
	return before
}

// beginBehind makes the line of the cursor begin where the last input was typed, if the program has asked something behind it. What
// is before was answered. If the row shows something else there now, the program has drawn it again.
func (v *view) beginBehind(t *Typed) {
	if t == nil || !v.visible() || v.at.drawn {
		return
	}
	row := t.Row - v.Picture.First
	if row < 0 || row > v.row || v.unbroken(row+1) <= v.row {
		return
	}
	line, _ := v.split(row, v.row)
	v.placeholder = "" // it is found anew
	printed, same := strings.CutPrefix(line, t.Before)
	if asked := t.asked(printed); same && asked != "" {
		v.top, v.behind, v.answered = row, strings.TrimSuffix(line, asked), false
	}
}

// asked returns what a program asks behind the input, in the text that it has printed there. It returns "" if that may only be the
// field of the question from before. Behind an Enter, any words ask.
func (t *Typed) asked(printed string) string {
	typed := strings.TrimRight(t.Text, "\r\n")
	entered := len(typed) < len(t.Text)
	text, shown := strings.CutPrefix(printed, typed)
	if next, _ := utf8.DecodeRuneInString(text); shown && !t.Echo && unicode.IsLower(next) {
		text, shown = printed, false // "name?" behind an n that is not shown
	}
	switch {
	case (entered || t.Taken || t.Whole) && strings.IndexFunc(text, wordCharacter) >= 0:
	case strings.ContainsFunc(typed, unicode.IsControl) || !asksBehind(printed, typed): // a Tab completes what is in the field
		return ""
	}
	if !shown && !entered && utf8.RuneCountInString(typed) > 1 { // several questions may have taken a part of it
		text = text[lastQuestion(text):]
	}
	return strings.TrimLeft(text, blanks)
}

// asksBehind reports whether a text that was printed behind a question is more than the answer in its field: it ends as a question.
func asksBehind(printed, answer string) bool {
	asked := strings.TrimPrefix(printed, answer)
	return strings.IndexFunc(asked, wordCharacter) >= 0 && ends(asked, ":?>›❯»：？])") && !strings.EqualFold(letters(printed), letters(answer))
}

// lastQuestion returns where the last question in a text begins: behind the mark of the one before.
func lastQuestion(text string) int {
	for marks := inField().marks.FindAllStringIndex(text, -1); len(marks) > 0; marks = marks[:len(marks)-1] {
		if end := marks[len(marks)-1][1]; strings.IndexFunc(text[end:], wordCharacter) >= 0 {
			return end
		}
	}
	return 0
}
