package attach

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"devtools/ledger"
	"devtools/screen"
)

// A notice is a text for the person, in the rows below the picture. It covers nothing: the picture has fewer rows meanwhile.
type notice struct {
	text  string // "": there is none
	until time.Time
}

// readingTime returns how long a text must be there for a person to read it: two seconds to notice it, and one for each 20
// characters, which are four words (Brysbaert 2019: 238 words a minute).
func readingTime(text string) time.Duration {
	return 2*time.Second + time.Duration(utf8.RuneCountInString(text))*time.Second/20
}

// add adds a text below the one that is there, in lines that are safe for a terminal. The time to read both begins now.
func (n *notice) add(text string) {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = screen.Escaped(line)
	}
	text = strings.Join(lines, "\n")
	if n.text != "" {
		text = n.text + "\n" + text
	}
	n.text, n.until = text, time.Now().Add(readingTime(text))
}

// timer returns the timer for the end of the notice, or nil without one.
func (n *notice) timer() <-chan time.Time {
	if n.text == "" {
		return nil
	}
	return time.After(time.Until(n.until))
}

// lines returns the notice as rows for a window. One row is left for the picture.
func (n *notice) lines(window ledger.Size) []string {
	if n.text == "" {
		return nil
	}
	lines, most := screen.Wrap(n.text, window.Cols), max(window.Rows-1, 0)
	if len(lines) > most && most > 0 {
		lines[most-1] = "… (devtools ps shows it whole)"
	}
	return lines[:min(len(lines), most)]
}

// paintNotice returns output that shows rows of a notice at the bottom of a window.
func paintNotice(lines []string, window ledger.Size) (out []byte) {
	for i, line := range lines {
		pad := max(window.Cols-screen.Width(line), 0)
		out = fmt.Appendf(out, "\x1b[%d;1H\x1b[0;7m%s%s\x1b[m", window.Rows-len(lines)+i+1, line, strings.Repeat(" ", pad))
	}
	return out
}
