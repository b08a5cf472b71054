package hold

import (
	"bytes"
	"strings"

	"devtools/runner/wire"
	"devtools/stack/line"
)

// maxHalfLine is how much of a line is kept, in bytes: its end.
const maxHalfLine = wire.MaxHalfLine

// A halfLine is what was typed since the last key that ends a command: an Enter, unless a shell reads on behind it. A policy judges
// it with what is typed behind it. It is in the memory of the holder alone: it may be a part of a secret.
type halfLine []byte

// take takes what was typed. A C-c or C-u stays in it: the program may have given these keys another meaning. atPrompt says that the
// main process has the keyboard and edits lines, as a shell does at its prompt; otherwise something else may get the line.
func (h *halfLine) take(data []byte, atPrompt bool) {
	if !atPrompt && bytes.ContainsAny(data, "\r\n") {
		h.take([]byte{wire.NotToShell}, true)
	}
	if end := bytes.LastIndexAny(data, "\r\n") + 1; end > 0 {
		if !readsOn(append(*h, data[:end]...)) {
			*h = nil
			data = data[end:]
		}
	}
	all := append(*h, data...)
	*h = all[max(0, len(all)-maxHalfLine):]
}

// readsOn reports whether a shell reads on behind a line. A text that is too long to be kept whole is forgotten at its end: it is no
// command, and an editor that gets it has no brackets to close.
func readsOn(text []byte) bool {
	at := bytes.LastIndexByte(text, 0x03)
	if len(text) >= maxHalfLine && at < 0 {
		return false
	}
	lines := string(bytes.ReplaceAll(text[at+1:], []byte("\r"), []byte("\n")))
	printed := strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f {
			return -1
		}
		return r
	}, lines)
	return line.Waits(printed) || len(printed) != len(lines) && line.Waits(erased(lines))
}

// erased returns a text as it is after the keys in it that erase.
func erased(text string) string {
	var left []byte
	for _, b := range []byte(text) {
		switch {
		case b == 0x7f || b == '\b':
			left = left[:max(0, len(left)-1)]
		case b == 0x15: // C-u
			left = left[:bytes.LastIndexByte(left, '\n')+1]
		case b >= ' ' || b == '\n' || b == '\t':
			left = append(left, b)
		}
	}
	return string(left)
}

// checkHalfLine refuses a request if something else was typed since a policy has judged it: what the program gets would not be what
// was judged.
func (in *input) checkHalfLine(ask *wire.TypeRequest) error {
	if !ask.Judged {
		return nil
	}
	same := make(chan bool, 1)
	in.done <- func() { same <- bytes.Equal(in.half, ask.Behind) }
	if !<-same {
		return in.named(wire.ErrTypedBefore)
	}
	return nil
}
