package hold

import (
	"bytes"
	"strings"
	"unicode"

	"devtools/runner/blocked"
	"devtools/runner/wire"
)

// A proof is what was known just before keys were typed. It tells afterwards whether the program has read them or has thrown
// them away.
//
// The kernel tells that the input was flushed, but not how much of it. A program that asks for a password flushes the
// input just after it has read the line (getpass(3)). So the number of bytes decides that the process has read since. Where
// that is not known, a line counts as read if a read waited for it. So do the keys if the process slept until they came and
// has ended since, as a pager does after q.
type proof struct {
	discards int64 // pty.Terminal.Discards
	reader   blocked.Block
	read     int64 // Block.BytesRead of the reader
	counted  bool  // read is known
	lines    bool  // the program reads lines
	line     bool  // the reader waited for a line
	edited   bool  // the terminal takes some of the bytes itself to edit the line
	size     int64 // bytes that were typed since
	taken    bool  // the reader was seen to have read so many bytes
}

// look sees whether the reader has read the keys. Later it may have ended.
func (p *proof) look() {
	if !p.taken && p.counted && !p.edited {
		now, alive := p.reader.BytesRead()
		p.taken = alive && now-p.read >= p.size
	}
}

// add notes that data is typed.
func (p *proof) add(data []byte) {
	p.size += int64(len(data))
	p.edited = p.edited || p.lines && bytes.ContainsFunc(data, func(r rune) bool { return unicode.IsControl(r) && !strings.ContainsRune("\r\n\t", r) })
}

// newProof returns the proof for keys that are about to be typed.
func (t *inputWriter) newProof() proof {
	p := proof{discards: t.tty.Discards()}
	m, err := t.tty.Modes()
	p.lines = err == nil && m.Canonical
	if block, ok := t.watch.Blocked(); ok {
		p.reader = block
		p.read, p.counted = block.BytesRead()
		p.line = block.Read && p.lines
	} else if t.watch.Hides() {
		p.line = p.lines && !m.Echo // a hidden program that asks for a password
	}
	return p
}

// fate returns what became of the keys: wire.Read, wire.Discarded or wire.Unknown. No key waits in the terminal any more, and
// discards is what the terminal says now.
func (p *proof) fate(discards int64) wire.Delivery {
	if discards == p.discards {
		return wire.Read
	}
	p.look()
	_, alive := p.reader.BytesRead()
	switch {
	case p.taken:
		return wire.Read
	case !p.counted || !alive || p.edited:
		if p.line || p.counted && !alive && (p.reader.Timeout < 0 || p.reader.Timeout >= longWait) {
			return wire.Read
		}
		return wire.Unknown
	}
	return wire.Discarded
}
