package hold

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"

	"devtools/runner/blocked"
	"devtools/runner/proc"
	"devtools/runner/pty"
	"devtools/runner/wire"
	"devtools/screen"
	"devtools/screen/keys"
)

const (
	// queueBytes is how many bytes the kernel's terminal takes ahead of the reader: N_TTY_BUF_SIZE less one
	// (n_tty.c). It drops the rest of a longer line.
	queueBytes = 4095

	// pieceTyped is how many bytes are typed before the input writer waits for the reader. Some programs
	// discard input that they have not read yet, as at a password prompt. They then discard no more than this.
	pieceTyped = 1024

	// readerPatience is how long a program that does not read may take to begin. startPatience is the same for
	// a program that was started less than youth ago: it may discard input that comes before it reads.
	readerPatience = 500 * time.Millisecond
	startPatience  = 2 * time.Second
	youth          = 5 * time.Second

	// takePatience is how long a reader may make no progress. After that the rest is not typed, or the receipt
	// says that the keys are not consumed.
	takePatience = 2 * time.Second

	// escapeTime is how long programs take an Escape for the beginning of another key. vim does so for 100 ms.
	escapeTime = 150 * time.Millisecond

	// registeredTime is how long a program must have waited for events of the terminal, among others, to count
	// as its reader in canonical mode. A program with an interface of its own is about to leave that mode.
	registeredTime = 100 * time.Millisecond

	// lookFirst and lookMost are the shortest and the longest time between two looks at the reader. The kernel
	// does not report when a terminal is read. A look takes microseconds.
	lookFirst = 100 * time.Microsecond
	lookMost  = 5 * time.Millisecond
)

// lineEnds are the characters after which the kernel begins a new line in canonical mode: CR, LF, EOF, INTR,
// QUIT and KILL (termios(3)). This holds unless the program has chosen others.
const lineEnds = "\r\n\x04\x03\x1c\x15"

// An inputWriter types keys into the terminal, in order, in a goroutine of its own.
type inputWriter struct {
	h     *holder
	tty   *pty.Terminal
	watch *blocked.Watch
	deaf  int // foreground process group that did not read when it was waited for; 0 for none

	inputs  int           // inputs that a program can read, for typedAt
	partial int           // bytes of an unfinished line in canonical mode
	early   blocked.Block // a wait that does not count as reading before registeredTime has passed
	since   time.Time     // when early was first seen
	escaped time.Time     // time of an Escape, if nothing was typed since
}

// writeInput is the goroutine of the input writer. It waits while the program does not read.
func (h *holder) writeInput() {
	t := &inputWriter{h: h, tty: h.program.Tty, watch: watchTerminal(h.program.Tty)}
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

// errNotTaken reports keys for a program that is no longer in front.
var errNotTaken = errors.New("another program is in front")

// raw writes bytes as they are: those of a terminal, a reply to a query, or the holder's own keys.
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

// count keeps track of how much of a line is typed.
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

// touch tells everything that watches the reader that data is about to be typed.
func (t *inputWriter) touch(data []byte) {
	block, _ := t.watch.Blocked() // the zero Block if no reader sleeps
	now := time.Now()
	t.watch.Written(now, block.Number())
	m, err := t.tty.Modes()
	if err != nil || !m.Canonical || bytes.ContainsAny(data, lineEnds) {
		t.inputs++
	}
	t.count(data, err == nil && m.Canonical)
	t.h.typed.Store(&typedAt{now, block.Number(), t.inputs})
}

// note makes the loop note what is typed now, before anything that the program prints in answer.
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

// request types the keys of a client's request. On an error, the receipt tells how many bytes were written.
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

// check refuses keys that cannot arrive whole, before any of them is written. A program that reads lines gets
// only as much of a long line as the terminal has room for.
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

// checkQuestion refuses an answer if the program no longer waits for it. The program may ask something else by
// now.
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
	if number := block.Number(); q.block != 0 && (!ok || blocked.SameThread(number, q.block) && number != q.block) {
		return wire.ErrAnswered // the reader has run since
	}
	if t.partial > 0 && m.Echo {
		return fmt.Errorf("%w: somebody has typed half a line", wire.ErrNotTyped)
	}
	if t.partial > 0 { // no person sees it, and the program may have discarded it
		t.partial = 0
		return t.tty.Write([]byte{killLine})
	}
	return nil
}

// killLine discards half a line: VKILL of termios(3), unless the program has chosen another character.
const killLine = 0x15

// awaitRoom waits until the terminal takes all of the keys ahead of the reader, or the program reads. It
// reports whether either has happened.
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

// awaitReader waits for the program in front to read the terminal, and reports whether it does. If it waited
// in vain, it does not wait for the same program again until that program has read.
func (t *inputWriter) awaitReader(pieces []keys.Piece, noWait bool) bool {
	if t.reads() {
		t.deaf = 0
		return true
	}
	if !t.watch.Sees() {
		return true // this system cannot tell: the moment is as good as any other
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

// interrupts reports whether the terminal turns the first of the keys into a signal. Such a key is also for
// programs that do not read.
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

// awaitTaken waits until the program has read the last keys and reads again. The next keys would mean
// something else to the program if they came in the same read. Programs drop an Enter that comes with text,
// and take an Escape for the beginning of another key. At a new prompt they discard the input that they have
// not read.
func (t *inputWriter) awaitTaken() {
	if m, err := t.tty.Modes(); err != nil || m.Canonical && t.partial > 0 {
		return // no program reads half a line
	}
	if t.deaf != 0 {
		return
	}
	if !t.await(takePatience, func() bool { n, err := t.tty.Unread(); return err != nil || n == 0 }) {
		return
	}
	t.await(readerPatience, func() bool { _, ok := t.watch.Blocked(); return ok })
}

// awaitEscape waits until the program has taken an Escape as a key of its own. Before that, the program reads
// again with a time limit of its own, perhaps several times.
func (t *inputWriter) awaitEscape() {
	if !t.escaped.IsZero() {
		t.await(time.Until(t.escaped.Add(escapeTime)), func() bool { return false })
	}
}

// renew encodes the keys again for their piece i, if the program has printed since they were encoded. The
// program may have set modes in which a key sends something else. Text and control characters are left as they
// are. Programs that want control characters in another form accept this form, too.
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
				// Keys that cannot be sent now stay as they were.
				pieces, _ = ask.req.Type.Keys.Pieces(ask.strokes, pic.Snapshot.Modes)
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

// typePiece writes one piece and returns how many bytes it has written. It writes no more ahead of the reader
// than the terminal takes.
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

// await is the function await, but it ends when the program ends.
func (t *inputWriter) await(patience time.Duration, there func() bool) bool {
	return await(patience, func() bool { return t.h.ended.Load() || there() }) && !t.h.ended.Load()
}

// await looks again and again until there reports true or the time is over. It reports whether there was true.
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
