package hold

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"

	"devtools/runner/proc"
	"devtools/runner/pty"
	"devtools/runner/wire"
	"devtools/screen"
	"devtools/screen/keys"
)

const (
	// queueBytes is how much the kernel's terminal takes ahead of the reader, N_TTY_BUF_SIZE less one (n_tty.c). Of
	// a line beyond that it drops the rest.
	queueBytes = 4095

	// pieceTyped is how much is typed before the reader is waited for: a program that discards what it has not
	// read yet, as at a password prompt, discards no more.
	pieceTyped = 1024

	// readerPatience is how long a program that does not read may take to begin, and startPatience the same for
	// one that was started less than youth ago: it may discard what comes before.
	readerPatience = 500 * time.Millisecond
	startPatience  = 2 * time.Second
	youth          = 5 * time.Second

	// takePatience is how long a reader that does not go on may take: then the rest is not typed, or it is said
	// that the keys are not consumed.
	takePatience = 2 * time.Second

	// escapeTime is how long programs take an Escape for the beginning of another key, 100 ms in vim.
	escapeTime = 150 * time.Millisecond

	// registeredTime is how long a program must have waited for events of the terminal, among others, to count as
	// one that reads it while the terminal is in canonical mode: one with an interface of its own is about to leave
	// that mode.
	registeredTime = 100 * time.Millisecond

	// lookFirst and lookMost are the times between two looks at what the reader does. The kernel tells nobody when
	// a terminal is read; a look takes microseconds.
	lookFirst = 100 * time.Microsecond
	lookMost  = 5 * time.Millisecond
)

// lineEnds are the characters after which the kernel begins a line of canonical mode anew, as they are unless the program
// has chosen others: CR, LF, EOF, INTR, QUIT and KILL (termios(3)).
const lineEnds = "\r\n\x04\x03\x1c\x15"

// A inputWriter gives keys to the terminal, in order: a goroutine of its own.
type inputWriter struct {
	h     *holder
	tty   *pty.Terminal
	watch *proc.Watch
	deaf  int // a foreground process group that did not read when it was waited for, 0 for none

	inputs  int        // of which typedAt tells
	partial int        // bytes of a line, in canonical mode, that is not ended
	early   proc.Block // a wait that does not count as reading before registeredTime has passed
	since   time.Time  // when it was seen first
	escaped time.Time  // when an Escape was typed, if nothing was since
}

// writeInput writes keystrokes to the terminal, in order. It waits where the program does not read.
func (h *holder) writeInput() {
	t := &inputWriter{h: h, tty: h.program.Tty, watch: h.program.Tty.Watch()}
	for k := range h.keys {
		var r wire.Receipt
		var err error
		if k.typed != nil {
			r, err = t.request(k.typed)
		} else {
			err = t.raw(k)
		}
		h.done <- func() { h.written(k, r, err) }
	}
}

// errNotTaken reports keys that were for a program that is not in front any more.
var errNotTaken = errors.New("another program is in front")

// raw writes bytes as they are: those of a terminal, or the reply to a query.
func (t *inputWriter) raw(k keystrokes) error {
	if k.still != nil && !k.still() {
		return errNotTaken
	}
	if k.link != nil {
		t.note(k.data)
	}
	t.touch(k.data)
	if k.reply {
		defer func() { t.h.repliedAt.Store(time.Now().UnixNano()) }()
	}
	return t.tty.Write(k.data)
}

// count keeps up with how much of a line is typed.
func (t *inputWriter) count(data []byte, canonical bool) {
	for _, b := range data {
		switch {
		case !canonical || strings.IndexByte(lineEnds, b) >= 0:
			t.partial = 0
		case b == 0x7f || b == '\b': // VERASE
			t.partial = max(0, t.partial-1)
		default:
			t.partial++
		}
	}
}

// touch lets those know who watch the reader that data is about to be typed.
func (t *inputWriter) touch(data []byte) {
	block, _ := t.watch.Blocked() // the zero Block if nobody sleeps
	now := time.Now()
	t.watch.Written(now, block.Number())
	m, err := t.tty.Modes()
	if err != nil || !m.Canonical || bytes.ContainsAny(data, lineEnds) {
		t.inputs++
	}
	t.count(data, err == nil && m.Canonical)
	t.h.typed.Store(&typedAt{now, block.Number(), t.inputs})
}

// note has the loop note what is typed now, before anything that the program prints in answer.
func (t *inputWriter) note(data []byte) {
	m, err := t.tty.Modes()
	now := time.Now()
	noted := make(chan struct{})
	t.h.done <- func() {
		t.h.noteInput(data, err == nil && m.Echo, now)
		close(noted)
	}
	<-noted
}

// request types what a client asks for. On an error the receipt tells how much of it was written.
func (t *inputWriter) request(ask *typed) (r wire.Receipt, err error) {
	noWait := ask.req.Type.NoWait
	reads := noWait && t.hasRoom(ask) || t.awaitReader(ask.pieces, noWait)
	ask.deaf = !reads
	if err := t.check(ask); err != nil {
		return r, err
	}
	if !reads && !t.awaitRoom(ask) {
		if t.h.ended.Load() {
			return r, wire.ErrProgramEnded
		}
		return r, fmt.Errorf("%w: the program does not read, and the terminal takes no %d bytes ahead of it", wire.ErrNotTyped, ask.size)
	}
	for i := range ask.pieces {
		p := ask.pieces[i]
		if i > 0 && !noWait {
			t.awaitTaken()
		}
		if !noWait {
			t.awaitEscape()
			t.renew(ask, i)
			p = ask.pieces[i]
		}
		if i == 0 {
			if err := t.checkQuestion(ask); err != nil {
				return r, err
			}
		}
		n, err := t.typePiece(p.Data)
		if t.escaped = (time.Time{}); p.Escape {
			t.escaped = time.Now()
		}
		if r.Written += int64(n); err != nil {
			return r, fmt.Errorf("%w: %w; %d of %d bytes were typed", wire.ErrNotTyped, err, r.Written, ask.size)
		}
	}
	ask.partial = t.partial
	if t.h.ended.Load() && ask.size > 0 && r.Written == 0 {
		return r, wire.ErrProgramEnded
	}
	return r, nil
}

// check refuses what cannot arrive whole before any of it is written: a program that reads lines gets of a long
// one what the terminal has room for.
func (t *inputWriter) check(ask *typed) error {
	m, err := t.tty.Modes()
	if err != nil || !m.Canonical {
		return err
	}
	length := t.partial
	for _, p := range ask.pieces {
		for _, b := range p.Data {
			if length++; length > queueBytes {
				return fmt.Errorf("%w: a line of more than %d bytes: its program reads whole lines, and the terminal would drop the rest", wire.ErrNotTyped, queueBytes)
			}
			if strings.IndexByte(lineEnds, b) >= 0 {
				length = 0
			}
		}
	}
	return nil
}

// checkQuestion refuses an answer when the program does not wait for it any more, which may ask something else by now.
func (t *inputWriter) checkQuestion(ask *typed) error {
	n := ask.req.Type.Question
	switch {
	case n == 0:
		return nil
	case !t.h.caughtUp():
		return wire.ErrAnswered
	}
	asked := make(chan *openQuestion, 1)
	t.h.done <- func() { asked <- t.h.standing(n) }
	q := <-asked
	m, err := t.tty.Modes()
	if q == nil || err != nil || !q.nested && (m.Canonical != q.Waiting.Canonical || m.Echo != q.Waiting.Echo) {
		return wire.ErrAnswered
	}
	block, ok := t.watch.Blocked()
	if number := block.Number(); q.block != 0 && (!ok || proc.SameThread(number, q.block) && number != q.block) {
		return wire.ErrAnswered // it has run
	}
	if t.partial > 0 && m.Echo {
		return fmt.Errorf("%w: somebody has typed half a line", wire.ErrNotTyped)
	}
	if t.partial > 0 { // nobody sees it, and it may have been discarded
		t.partial = 0
		return t.tty.Write([]byte{killLine})
	}
	return nil
}

// killLine is what discards half a line, VKILL of termios(3), unless the program has chosen another.
const killLine = 0x15

// awaitRoom waits until the terminal takes all of the keys ahead of the reader, or that reads, and reports whether it
// is so.
func (t *inputWriter) awaitRoom(ask *typed) bool {
	return t.await(time.Until(ask.until()), func() bool {
		if _, ok := t.watch.Blocked(); ok {
			t.deaf = 0
			return true
		}
		return t.hasRoom(ask)
	})
}

// hasRoom reports whether the terminal takes all of the keys ahead of the reader.
func (t *inputWriter) hasRoom(ask *typed) bool {
	unread, err := t.tty.Unread()
	return err != nil || unread+t.partial+ask.size <= queueBytes
}

// awaitReader waits for the program in front to read the terminal, and reports whether it does. One that was waited
// for in vain is not waited for again until it has read.
func (t *inputWriter) awaitReader(pieces []keys.Piece, noWait bool) bool {
	if t.reads() {
		t.deaf = 0
		return true
	}
	if !t.watch.Sees() {
		return true // nobody can tell: it is as good as any other
	}
	group, err := t.tty.Foreground()
	if err != nil || group == t.deaf || noWait {
		return false
	}
	patience := readerPatience
	if id, err := proc.Identify(group); err == nil && time.Since(id.Started()) < youth && !t.interrupts(pieces) {
		patience = startPatience
	}
	if !t.await(patience, t.reads) {
		t.deaf = group
		return false
	}
	t.deaf = 0
	return true
}

// interrupts reports whether the first of the keys is one that the terminal makes a signal of: it is for programs
// that do not read, too.
func (t *inputWriter) interrupts(pieces []keys.Piece) bool {
	if len(pieces) == 0 || len(pieces[0].Data) == 0 {
		return false
	}
	m, err := t.tty.Modes()
	return err == nil && m.Signals && strings.IndexByte("\x03\x1c\x1a", pieces[0].Data[0]) >= 0
}

// reads reports whether the program in front reads the terminal.
func (t *inputWriter) reads() bool {
	block, ok := t.watch.Blocked()
	if !ok || !block.Registered {
		return ok
	}
	if m, err := t.tty.Modes(); err != nil || !m.Canonical {
		return true
	}
	if block != t.early {
		t.early, t.since = block, time.Now()
	}
	return time.Since(t.since) >= registeredTime
}

// awaitTaken waits until the program has read what was typed last and reads again: what comes next in the same read
// is not the same to it. Programs drop an Enter that comes with text, take an Escape for the beginning of
// another key, and discard at a new prompt what they have not read.
func (t *inputWriter) awaitTaken() {
	if m, err := t.tty.Modes(); err != nil || m.Canonical && t.partial > 0 {
		return // nobody reads half a line
	}
	if t.deaf != 0 {
		return
	}
	if !t.await(takePatience, func() bool { n, err := t.tty.Unread(); return err != nil || n == 0 }) {
		return
	}
	t.await(readerPatience, func() bool { _, ok := t.watch.Blocked(); return ok })
}

// awaitEscape waits until the program has taken an Escape for itself. It reads again before that, with a time limit
// of its own, and may do so several times.
func (t *inputWriter) awaitEscape() {
	if !t.escaped.IsZero() {
		t.await(time.Until(t.escaped.Add(escapeTime)), func() bool { return false })
	}
}

// renew encodes the keys anew for the piece i of them if the program has printed since that was done: it may have set
// modes in which a key sends something else. Text and control characters are left as they are: programs that want the
// latter in another form take this one, too.
func (t *inputWriter) renew(ask *typed, i int) {
	if p := ask.pieces[i]; !p.Paste && !bytes.HasPrefix(p.Data, []byte("\x1b")) {
		return
	}
	t.await(settlePatience, t.h.caughtUp)
	renewed := make(chan []keys.Piece, 1)
	t.h.done <- func() {
		at := t.h.log.Next()
		if at == ask.encoded {
			renewed <- nil
			return
		}
		ask.encoded = at
		s := show{view: screen.Visible(), at: at, until: time.Now().Add(maxPaintLag)}
		s.answer = func(pic frame, err error) {
			var pieces []keys.Piece
			if err == nil {
				pieces, _ = ask.req.Type.Keys.Pieces(ask.strokes, pic.Snapshot.Modes) // what cannot be sent now stays as it was
			}
			renewed <- pieces
		}
		if !t.h.screenFeed.order(order{show: &s}) {
			renewed <- nil
		}
	}
	if pieces := <-renewed; len(pieces) == len(ask.pieces) {
		ask.pieces = pieces
	}
}

// typePiece writes one piece, no more of it ahead of the reader than the terminal takes, and returns how much
// was written.
func (t *inputWriter) typePiece(data []byte) (n int, err error) {
	for len(data) > 0 {
		if _, err := t.tty.Modes(); err != nil {
			return n, err
		}
		room := 0
		last := -1
		deadline := time.Now().Add(takePatience)
		free := func() bool {
			unread, err := t.tty.Unread()
			if err != nil {
				room = len(data)
				return true
			}
			if unread != last {
				last, deadline = unread, time.Now().Add(takePatience) // the reader goes on
			}
			room = queueBytes - unread - t.partial
			return room >= min(len(data), pieceTyped)
		}
		for !t.await(lookMost, free) {
			if t.h.ended.Load() {
				return n, wire.ErrProgramEnded
			}
			if time.Now().After(deadline) {
				return n, errors.New("the program does not go on reading")
			}
		}
		piece := data[:min(len(data), pieceTyped, room)]
		t.note(piece)
		t.touch(piece)
		if err := t.tty.Write(piece); err != nil {
			return n, err
		}
		n, data = n+len(piece), data[len(piece):]
	}
	return n, nil
}

// await is await, as long as the program lives.
func (t *inputWriter) await(patience time.Duration, there func() bool) bool {
	return await(patience, func() bool { return t.h.ended.Load() || there() }) && !t.h.ended.Load()
}

// await looks again and again until there is what is looked for, or the time is over. It reports whether it is
// there.
func await(patience time.Duration, there func() bool) bool {
	if there() {
		return true
	}
	deadline := time.Now().Add(patience)
	for pause := lookFirst; time.Now().Before(deadline); pause = min(2*pause, lookMost) {
		<-time.After(min(pause, time.Until(deadline)))
		if there() {
			return true
		}
	}
	return false
}
