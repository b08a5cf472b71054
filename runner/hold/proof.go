package hold

import (
	"devtools/runner/blocked"
	"devtools/runner/wire"
)

// A proof is what was known just before keys were typed. It tells afterwards whether the program has read them or has thrown
// them away.
//
// The kernel tells that the input was flushed, but not how much of it. A program that asks for a password flushes the
// input just after it has read the line (getpass(3)). What it had read by then is known in three ways: a line went to a
// read that waited for it already, or the process has read at least as many bytes as were typed, or it has ended, which
// only the keys can have made it do.
type proof struct {
	discards int64 // pty.Terminal.Discards
	reader   blocked.Block
	read     int64 // Block.BytesRead of the reader
	counted  bool  // read is known
	line     bool  // the reader waited for a line
	size     int64 // bytes that were typed since
}

// newProof returns the proof for keys that are about to be typed.
func (t *inputWriter) newProof() proof {
	p := proof{discards: t.tty.Discards()}
	m, err := t.tty.Modes()
	if block, ok := t.watch.Blocked(); ok {
		p.reader = block
		p.read, p.counted = block.BytesRead()
		p.line = block.Read && err == nil && m.Canonical
	} else if t.watch.Hides() {
		p.line = err == nil && m.Canonical && !m.Echo // a hidden program that asks for a password
	}
	return p
}

// fate returns what became of the keys: wire.Read, wire.Discarded or wire.Unknown. No key waits in the terminal any more, and
// discards is what the terminal says now.
func (p proof) fate(discards int64) wire.Delivery {
	if discards == p.discards || p.line {
		return wire.Read
	}
	now, ok := p.reader.BytesRead()
	switch {
	case p.counted && !ok && p.reader.Alone:
		return wire.Read // the keys have ended it, as a q ends a pager: nothing else was to wake it
	case !p.counted || !ok:
		return wire.Unknown
	case now-p.read < p.size:
		return wire.Discarded
	}
	return wire.Read
}
