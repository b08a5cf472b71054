package commands

import (
	"bytes"
	"io"
)

// An alternateScreen passes the output of a command on to a person's terminal. It knows whether the output has left
// the terminal on the alternate screen (xterm ctlseqs, DECSET 1049, 1047 and 47). When the view ends while the
// program continues, nobody else switches back.
type alternateScreen struct {
	w    io.Writer
	on   bool
	tail []byte // end of what was written: a sequence may come in two pieces
}

// longestSwitch is the length of the longest sequence that switches screens, in bytes.
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

// leave switches back to the main screen. It also undoes the other settings of full-screen programs: a hidden cursor,
// colours, mouse reports and bracketed paste.
func (a *alternateScreen) leave() error {
	if !a.on {
		return nil
	}
	_, err := io.WriteString(a.w, "\x1b[?1049l\x1b[?25h\x1b[m\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l")
	return err
}
