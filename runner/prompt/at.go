package prompt

import (
	"strings"
	"unicode/utf8"
)

// AtPrompt reports whether the line of the cursor ends like a prompt. It serves for programs about which the kernel
// tells too little. Such a program is a relay, for example ssh or docker attach, or it may not be inspected. hidden
// means that it may not be inspected. A program that uses the whole screen (the alternate screen) then counts as a
// prompt too.
func (b *Book) AtPrompt(s Scene, hidden bool) bool {
	if s.Picture == nil {
		return false
	}
	if hidden && s.Picture.Modes.Alternate {
		return true
	}
	v := look(s)
	if !v.visible() || v.at.drawn || v.col == 0 || v.answered || v.first < 0 || v.last < v.row || !v.open() {
		return false
	}
	text := v.before
	for _, p := range b.own {
		if p.RE.MatchString(bounded(text, true)) {
			return true
		}
	}
	return prompting(text, v.alternate() && v.row == len(v.rows)-1)
}

// open reports whether the cursor stands directly behind the text, as where something is to be typed. At most two
// blanks may lie between. Behind the cursor there may only be what a shell shows at the right edge.
func (v *view) open() bool {
	text := strings.TrimRight(v.before, " \u00a0")
	if text == "" || utf8.RuneCountInString(v.before)-utf8.RuneCountInString(text) > 2 {
		return false
	}
	return v.after == "" || strings.HasPrefix(v.after, "    ")
}

// prompting reports whether a line that ends at the cursor ends like a prompt. status says that the line is the last row
// of a screen that a program draws entirely.
func prompting(line string, status bool) bool {
	text := strings.TrimRight(line, " \u00a0")
	spaced := text != line
	switch {
	case status && pagerStatus.find(text):
		return true
	case spins(text):
		return false
	case pagerPrompt.find(text), confirmPrompt.find(line), keyPrompt.find(line), replPrompt.find(line), passwordPrompt.find(line):
		return true
	case shellEnd(line):
		return !progressBar.find(text)
	case ends(text, "?？"):
		return (spaced || wordy(text)) && !logLine.find(line)
	case ends(text, ":："):
		return (spaced || wordy(text)) && !logLine.find(line)
	case choicePrompt.find(line), defaultShown.find(line):
		return !logLine.find(line)
	}
	return false
}

// spins reports whether a line begins or ends with a spinner, which shows that work goes on.
func spins(text string) bool {
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(text, " "))
	last, _ := utf8.DecodeLastRuneInString(text)
	return spinner(first) || spinner(last)
}

func spinner(c rune) bool {
	return c >= 0x2800 && c < 0x2900 || strings.ContainsRune("◐◓◑◒◴◷◶◵◜◝◞◟⣾", c)
}

// wordy reports whether a line has more than its final sign.
func wordy(text string) bool { return len(strings.Trim(text, " :?：？")) > 1 }
