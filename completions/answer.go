package completions

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Word is a word that can come next, and what is said of it.
type Word struct{ Text, About string }

// What the shell itself completes.
const (
	Files   = "files"   // paths
	Folders = "folders" // paths of folders
	Command = "command" // the command line of another program
)

// An Answer says what can come next.
type Answer struct {
	Words []Word
	Left  string // what is left to the shell: Files, Folders, Command, or "" for nothing
	At    int    // number of characters of the word before the path; with Command the index of the word that names the program
}

// Lines returns the answer as the scripts of zsh, fish and PowerShell read it: each word on a line, with a tab before what is
// said of it. A line that begins with a tab says what is left to the shell.
func (a Answer) Lines() string {
	var b strings.Builder
	for _, w := range a.Words {
		if w.complete() {
			fmt.Fprintf(&b, "%s\t%s\n", w.Text, w.about())
		}
	}
	if a.Left != "" {
		fmt.Fprintf(&b, "\t%s %d\n", a.Left, a.At)
	}
	return b.String()
}

// complete reports whether the word reaches the command line as it is: a control character would not, nor bytes that are no text.
func (w Word) complete() bool {
	return w.Text != "" && utf8.ValidString(w.Text) && !strings.ContainsFunc(w.Text, unicode.IsControl)
}

// about returns what is said of the word, in one line. It may be the command line of a program, with any characters: one that
// controls a terminal, or changes the direction of text (Unicode's Cf), becomes a blank.
func (w Word) about() string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return ' '
		}
		return r
	}, w.About)
}

// open reports whether more text follows the word directly.
func (w Word) open() bool { return strings.HasSuffix(w.Text, ":") || strings.HasSuffix(w.Text, "=") }
