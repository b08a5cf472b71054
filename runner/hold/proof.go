package hold

import (
	"bytes"
	"strings"
	"unicode"

	"devtools/runner/blocked"
	"devtools/runner/pty"
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
	taken    bool  // the reader was seen to have read as many bytes as were typed
}

// look returns how many bytes wait in the terminal. As long as no key was read, what was read and thrown away so far did not
// concern the keys: a program that is starting reads files.
func (p *proof) look(tty *pty.Terminal) (unread int, err error) {
	discards := tty.Discards()
	read, alive := p.reader.BytesRead()
	if unread, err = tty.Unread(); err != nil || int64(unread) < p.size {
		p.see()
		return unread, err
	}
	if p.discards = discards; alive {
		p.read = read
	}
	return unread, nil
}

// see sees whether the reader has read the keys. Later it may have ended.
func (p *proof) see() bool {
	if !p.taken && p.counted && !p.edited {
		now, alive := p.reader.BytesRead()
		p.taken = alive && now-p.read >= p.size
	}
	return p.taken
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
	block, reads := t.watch.Blocked()
	sleep, sleeps := t.watch.Asleep()
	switch {
	case reads:
		p.reader, p.line = block, block.Read && p.lines
	case sleeps:
		p.reader = sleep
	case t.watch.Hides():
		p.line = p.lines && !m.Echo // a hidden program that asks for a password
	}
	p.read, p.counted = p.reader.BytesRead()
	return p
}

// fate returns what became of the keys: wire.Read, wire.Discarded or wire.Unknown. No key waits in the terminal any more, and
// discards is what the terminal says now.
func (p *proof) fate(discards int64) wire.Delivery {
	if discards == p.discards {
		return wire.Read
	}
	taken := p.see()
	_, alive := p.reader.BytesRead()
	switch {
	case taken:
		return wire.Read
	case !p.counted || !alive || p.edited:
		if p.line || p.counted && !alive && (p.reader.Timeout < 0 || p.reader.Timeout >= longWait) {
			return wire.Read
		}
		return wire.Unknown
	}
	return wire.Discarded
}

// exactFate is fate for a program that may do anything: it was not seen to wait for the keys. If input was thrown away, and the
// process has read more than the keys since, nobody can tell.
func (p *proof) exactFate(discards int64) wire.Delivery {
	if now, alive := p.reader.BytesRead(); discards != p.discards && (!alive || now-p.read > p.size) {
		return wire.Unknown
	}
	return p.fate(discards)
}
