package hold

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"

	"devtools/runner/blocked"
	"devtools/runner/pty"
	"devtools/runner/wire"
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
	input *input
	tty   *pty.Terminal
	watch *blocked.Watch
	deaf  int // foreground process group that did not read when it was waited for; 0 for none

	inputs  int // inputs that a program can read, for typedAt
	replies replies
	partial int           // bytes of an unfinished line in canonical mode
	early   blocked.Block // a wait that counts as reading only after registeredTime
	since   time.Time     // when early was first seen
	escaped time.Time     // time of an Escape, if nothing was typed since
}

// write is the goroutine of the input writer. It waits while the program does not read.
func (in *input) write() {
	t := &inputWriter{input: in, tty: in.program.Tty, watch: watchTerminal(in.program.Tty)}
	for {
		select {
		case k := <-in.keys:
			r, err := t.take(k)
			in.done <- func() { in.written(k, r, err) }
		case <-t.replies.look():
			t.typeReplies()
		}
	}
}

// take types keys, or keeps a reply to a query until a program reads it.
func (t *inputWriter) take(k keystrokes) (r wire.Receipt, err error) {
	if k.discard {
		t.discardReplies()
		return r, nil
	}
	if k.reply {
		t.hold(k)
	}
	t.typeReplies()
	switch {
	case k.typed != nil:
		return t.request(k.typed)
	case !k.reply:
		return r, t.raw(k)
	}
	return r, nil
}

// errNotTaken reports keys for a program that is no longer in front.
var errNotTaken = errors.New("another program is in front")

// raw writes bytes as they are: those of a terminal, or the holder's own keys.
func (t *inputWriter) raw(k keystrokes) error {
	if k.still != nil && !k.still() {
		return errNotTaken
	}
	if k.link != nil {
		t.note(k.data)
	}
	t.touch(k.data)
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
	t.input.typed.Store(&typedAt{now, block.Number(), t.inputs})
}

// note makes the loop note what is typed now, before anything that the program prints in answer.
func (t *inputWriter) note(data []byte) {
	m, err := t.tty.Modes()
	now := time.Now()
	noted := make(chan struct{})
	t.input.done <- func() {
		t.input.noteInput(data, err == nil && m.Echo, now)
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
		if t.input.ended.Load() {
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
	if t.input.ended.Load() && ask.size > 0 && r.Written == 0 {
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
	case !t.input.caughtUp():
		return wire.ErrAnswered
	}
	asked := make(chan *openQuestion, 1)
	t.input.done <- func() { asked <- t.input.questions.standing(n) }
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

// renew encodes the keys again for their piece i, if the program has printed since they were encoded. The
// program may have set modes in which a key sends something else. Text and control characters are left as they
// are. Programs that want control characters in another form accept this form, too.
func (t *inputWriter) renew(ask *typed, i int) {
	if p := ask.pieces[i]; !p.Paste && !bytes.HasPrefix(p.Data, []byte("\x1b")) {
		return
	}
	t.await(settlePatience, t.input.caughtUp)
	renewed := make(chan []keys.Piece, 1)
	t.input.done <- func() {
		at := t.input.log.Next()
		if at == ask.encoded {
			renewed <- nil
			return
		}
		ask.encoded = at
		err := t.input.display.picture(func(pic frame, err error) {
			var pieces []keys.Piece
			if err == nil {
				// Keys that cannot be sent now stay as they were.
				pieces, _ = ask.req.Type.Keys.Pieces(ask.strokes, pic.Snapshot.Modes)
			}
			renewed <- pieces
		})
		if err != nil {
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
			if t.input.ended.Load() {
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
