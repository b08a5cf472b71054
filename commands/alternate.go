package commands

import (
	"bytes"
	"io"
)

// An alternateScreen passes on the output of a command to a person's terminal, and knows whether it has
// left the terminal on the alternate screen (xterm ctlseqs, DECSET 1049, 1047 and 47): when the view ends
// while the program goes on, nobody else switches back.
type alternateScreen struct {
	w    io.Writer
	on   bool
	tail []byte // of what was written: a sequence may come in two pieces
}

// longestSwitch is the length of the longest sequence that switches screens.
const longestSwitch = len("\x1b[?1049h")

func (a *alternateScreen) Write(p []byte) (int, error) {
	seen := append(a.tail, p...)
	last := -1
	for _, mode := range []string{"\x1b[?1049", "\x1b[?1047", "\x1b[?47"} {
		for _, final := range []byte("hl") {
			if i := bytes.LastIndex(seen, append([]byte(mode), final)); i > last {
				last, a.on = i, final == 'h'
			}
		}
	}
	a.tail = append([]byte(nil), seen[max(0, len(seen)-longestSwitch+1):]...)
	return a.w.Write(p)
}

// leave switches back to the main screen, and takes back what full-screen programs set besides: a hidden
// cursor, colours, mouse reports and bracketed paste.
func (a *alternateScreen) leave() error {
	if !a.on {
		return nil
	}
	_, err := io.WriteString(a.w, "\x1b[?1049l\x1b[?25h\x1b[m\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l")
	return err
}
