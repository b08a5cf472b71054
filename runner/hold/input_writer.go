package hold

import (
	"bytes"
	"errors"
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

	// hiddenPatience is how long a program that the system hides may take to begin to read. youngPatience is the same for
	// a program that was started less than youth ago: it may discard input that comes before it reads.
	hiddenPatience = 500 * time.Millisecond
	youngPatience  = 2 * time.Second
	youth          = 5 * time.Second

	// takePatience is how long a hidden reader, or one that was not waited for, may make no progress.
	takePatience = 2 * time.Second

	// oldSleep is how long a reader may sleep on after keys or a signal for it. It has not got them until it has run, unless
	// it ignores the signal.
	oldSleep = 150 * time.Millisecond

	// escapeTime is how long programs take an Escape for the beginning of another key. vim does so for 100 ms.
	escapeTime = 150 * time.Millisecond

	// registeredTime is how long a program must have waited for events of the terminal, among others, to count
	// as its reader in canonical mode. A program with an interface of its own is about to leave that mode.
	registeredTime = 100 * time.Millisecond

	// longWait is the shortest time limit with which a wait counts as reading at once. A program that waits for less may be
	// reading away what was typed too early, as loops with read -t 0.1 in bash scripts do, or may wait for a reply of the
	// terminal. It counts when it waits again. A thread that was not seen waiting for timedPause begins anew.
	longWait   = time.Second
	timedPause = 300 * time.Millisecond

	// calmTime is how long an event loop must wait for nothing but input to count as one that is not at work. In less time
	// threads of node read a file.
	calmTime = 30 * time.Millisecond

	// workTime is how long after an Enter an event loop may be at work.
	workTime = 5 * time.Second

	// lookFirst and lookMost are the shortest and the longest time between two looks at the reader. The kernel
	// does not report when a terminal is read. A look takes microseconds.
	lookFirst = 100 * time.Microsecond
	lookMost  = 5 * time.Millisecond
)

// lineEnds are the characters after which the kernel begins a new line in canonical mode: CR, LF, EOF, INTR,
// QUIT, SUSP and KILL (termios(3)). This holds unless the program has chosen others.
const lineEnds = "\r\n\x04\x03\x1c\x1a\x15"

// An inputWriter types keys into the terminal, in order, in a goroutine of its own.
type inputWriter struct {
	input *input
	tty   *pty.Terminal
	watch *blocked.Watch

	hidden   int       // foreground process group that the system hides and that has got keys; 0 for none
	before   uint64    // number of the sleep of the reader when something was typed last
	beforeAt time.Time // time of that

	noted     int // inputs of persons and of clients
	inputs    int // inputs that a program can read, for typedAt
	replies   replies
	partial   int           // bytes of an unfinished line in canonical mode
	early     blocked.Block // a wait that counts as reading only after registeredTime
	since     time.Time     // when early was first seen
	earlySeen time.Time     // when any wait of that thread was seen

	seen bool // the last look for a reader found a thread that waits for the terminal

	answered int64 // offset up to which the queries in the output are known

	first               blocked.Block // first wait that was seen of a thread that waits with a short time limit
	firstSeen, lastSeen time.Time     // when that wait, and any wait of that thread, was seen

	escaped time.Time // time of an Escape, if nothing was typed since
	entered bool      // the last key of the request that the program gets was an Enter

	enteredAt time.Time // time of the last Enter
	poller    int       // pid of a program that has read a key between its sleeps; 0 for none
	caused    int64     // how often at most the terminal has thrown input away because of what was typed

	calm      uint64    // number of the wait of an event loop that only input can end
	calmSince time.Time // when it was first seen
}

// write is the goroutine of the input writer. It waits while the program does not read.
func (in *input) write() {
	t := &inputWriter{input: in, tty: in.program.Tty, watch: watchTerminal(in.program.Tty)}
	for {
		select {
		case k := <-in.urgent:
			t.write(k)
		case k := <-in.early:
			t.write(k)
		case k := <-in.keys:
			t.write(k)
		case <-t.replies.look():
			t.typeReplies()
		}
	}
}

// write types keys, or keeps a reply to a query until a program reads it, and tells the loop.
func (t *inputWriter) write(k keystrokes) {
	r, err := t.take(k)
	t.input.done <- func() { t.input.written(k, r, err) }
}

func (t *inputWriter) take(k keystrokes) (r wire.Receipt, err error) {
	switch {
	case k.discard:
		t.discardReplies()
		return r, nil
	case k.urgency == reply:
		t.hold(k)
	}
	t.typeReplies()
	switch {
	case k.typed != nil:
		return t.request(k.typed)
	case k.urgency != reply:
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
	if k.by != "" {
		t.note(k.data, k.by, false)
	}
	t.touch(k.data)
	if t.tty.TakesItself(k.data) {
		t.caused++
	}
	return t.tty.Write(k.data)
}

// discardInput throws away what waits in the terminal.
func (t *inputWriter) discardInput() error {
	t.caused++
	return t.tty.DiscardInput()
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
		t.before, t.beforeAt = block.Number(), now
	}
	t.count(data, err == nil && m.Canonical)
	t.input.typed.Store(&typedAt{now, block.Number(), t.inputs})
}

// note makes the loop note what is typed now, before anything that the program prints in answer.
func (t *inputWriter) note(data []byte, by string, whole bool) {
	m, _ := t.tty.Modes() // without them, the input counts as one that is not echoed
	taken := takenInput{data, time.Now(), by, whole}
	if by != "" {
		t.noted++
	}
	noted := make(chan struct{})
	t.input.done <- func() {
		t.input.noteInput(taken, m)
		close(noted)
	}
	<-noted
}

// typeKeys types one piece of a request, and notes what is needed to tell what becomes of it.
func (t *inputWriter) typeKeys(ask *typed, p keys.Piece) (n int, err error) {
	if ask.itself {
		return t.typeItself(ask, p.Data)
	}
	if !ask.req.Type.NoWait {
		if t.partial == 0 || ask.proof.size == 0 {
			ask.proof = t.newProof()
		}
		ask.proof.add(p.Data)
	}
	n, err = t.typePiece(ask, p.Data)
	if t.entered = p.Enter; p.Enter {
		t.enteredAt = time.Now()
	}
	if t.escaped = (time.Time{}); p.Escape {
		t.escaped = time.Now()
		t.input.escapeRead.Store(0)
	}
	return n, err
}

// typeItself types a key that the terminal takes itself. It adds nothing to the line that is being typed.
func (t *inputWriter) typeItself(ask *typed, data []byte) (n int, err error) {
	partial := t.partial
	t.note(data, ask.req.Type.Typist(), false)
	t.touch(data)
	t.caused++
	t.partial = min(t.partial, partial)
	ask.signalled, ask.proof = true, proof{}
	if err := t.tty.Write(data); err != nil {
		return 0, err
	}
	return len(data), nil
}

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
func (t *inputWriter) typePiece(ask *typed, data []byte) (n int, err error) {
	for len(data) > 0 {
		if _, err := t.tty.Modes(); err != nil {
			return n, err
		}
		room := 0
		last := -1
		deadline := time.Now().Add(ask.limit)
		free := func() bool {
			unread, err := t.tty.Unread()
			if err != nil {
				room = len(data)
				return true
			}
			if unread != last {
				last, deadline = unread, time.Now().Add(ask.limit) // the reader goes on
			}
			room = queueBytes - unread - t.partial
			return room >= min(len(data), pieceTyped)
		}
		for !t.await(lookMost, free) {
			t.typeUrgent()
			switch {
			case t.input.ended.Load():
				return n, wire.ErrProgramEnded
			case ask.link.left.Load():
				return n, errClientGone
			}
			if time.Now().After(deadline) {
				return n, errors.New("the program does not go on reading")
			}
		}
		piece := data[:min(len(data), pieceTyped, room)]
		t.note(piece, ask.req.Type.Typist(), ask.req.Type.Whole)
		t.touch(piece)
		if err := t.tty.Write(piece); err != nil {
			return n, err
		}
		n, data = n+len(piece), data[len(piece):]
	}
	return n, nil
}
