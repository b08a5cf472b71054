package hold

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"devtools/runner/wire"
	"devtools/screen"
	"devtools/screen/keys"
)

// typePatience is how long a request waits for the program to read if the client sets no limit. noLimit is for a client that
// waits for ever.
const (
	typePatience = 10 * time.Second
	noLimit      = 365 * 24 * time.Hour
)

// A typed is a request to type that is being carried out.
type typed struct {
	link    *link
	req     *wire.Request
	begun   time.Time
	strokes []keys.Stroke
	pieces  []keys.Piece // encoded strokes, in the modes of the picture
	encoded int64        // offset of that picture, or an earlier one
	size    int
	partial int    // bytes of an unfinished line
	before  string // hash of the picture before
	offset  int64
	waiter  *waiter
	result  *wire.WaitAnswer
	receipt *wire.Receipt

	limit     time.Duration // longest time that the program may go without reading
	checked   bool          // the keys can arrive whole
	started   bool          // some of the keys are typed
	noted     int           // inputs that were typed when the last of them was, see inputWriter
	polls     bool          // the program looks for input between its sleeps
	tried     int           // bytes that such a program was tried with, and that it has read
	unsure    bool          // the system does not tell whether the program has read all earlier keys
	untold    bool          // the system does not tell whether the program reads
	itself    bool          // the terminal takes the last key itself
	signalled bool          // nothing was typed since such a key
	proof     proof         // for the last keys
	end       int64         // when the program has read so many bytes of the pipe, it has read this request, see pty.InputPipe

	answered bool
}

// The input part carries out the requests to type, and keeps the queue of the input writer.
type input struct {
	*core
	display   *display
	shell     *shell
	probing   *probing
	questions *questions
	waits     *waits
	masking   *masking

	queue  inputQueue
	keys   chan keystrokes // to the input writer
	early  chan keystrokes // the same, for those that wait for no reader
	urgent chan keystrokes // the same, for those that do not wait for a request that is being typed either

	closing    bool         // the pipe is closed, or will be after what was written
	echoed     []takenInput // they wait for their echo
	half       halfLine     // of the terminal
	escapeRead atomic.Int64 // when the program read again after the last Escape, Unix ns; 0: not known
}

// until returns when the request is given up, if nothing of it could be typed.
func (t *typed) until() time.Time { return t.begun.Add(t.limit) }

// limitOf returns how long the program may go without reading.
func limitOf(ask *wire.TypeRequest) time.Duration {
	switch {
	case ask == nil || ask.LimitMs == 0:
		return typePatience
	case ask.LimitMs < 0:
		return noLimit
	}
	return min(noLimit, time.Duration(min(ask.LimitMs, noLimit.Milliseconds()))*time.Millisecond)
}

// typeKeys types the keys of a client's request. The picture before typing decides which bytes the keys send,
// and what counts as new afterwards.
func (in *input) typeKeys(l *link, req *wire.Request) {
	t := &typed{link: l, req: req, begun: time.Now(), offset: in.log.Next(), limit: limitOf(req.Type)}
	err := in.prepare(t)
	if err != nil {
		l.refuse(req, err)
	}
}

func (in *input) prepare(t *typed) error {
	ask := t.req.Type
	if ask == nil {
		return errors.New("a request to type without keys")
	}
	if in.exited() {
		return in.named(wire.ErrEnded)
	}
	for _, arg := range ask.Args {
		ask.Keys.Args = append(ask.Keys.Args, string(arg))
	}
	ask.Args = nil // they may be large
	strokes, err := ask.Keys.Strokes()
	if err != nil {
		return err
	}
	if ask.Wait != nil {
		if t.waiter, err = parseWait(ask.Wait); err != nil {
			return err
		}
	}
	switch {
	case in.program.Tty == nil:
		return in.preparePipe(t, strokes)
	case ask.EOF:
		return in.named(wire.ErrHasTerminal)
	}
	in.display.start()
	if known := in.display.feed.modes.Load(); ask.NoWait && ask.Wait == nil && ask.IfHash == "" && known != nil && known.at == in.log.Next() {
		return in.typeIn(t, known.modes, strokes) // the client needs nothing else from the picture
	}
	return in.display.picture(func(pic frame, err error) {
		in.done <- func() {
			if t.link.gone {
				return // the client is gone: its keys are not typed
			}
			if err == nil {
				err = in.typeOn(t, pic, strokes)
			}
			if err != nil {
				t.link.refuse(t.req, err)
			}
		}
	})
}

// typeOn continues when the picture is known. It sets the baseline for the conditions, then has the keys
// typed.
func (in *input) typeOn(t *typed, pic frame, strokes []keys.Stroke) error {
	ask := t.req.Type
	t.before = pic.Snapshot.Hash()
	t.strokes, t.encoded = strokes, t.offset
	if ask.IfHash != "" && ask.IfHash != t.before {
		return in.named(fmt.Errorf("%w: it is %s now", wire.ErrScreenChanged, t.before))
	}
	if ask.Erases {
		if err := in.questions.checkErasing(pic); err != nil {
			return in.named(err)
		}
	}
	return in.typeIn(t, pic.Snapshot.Modes, strokes)
}

// typeIn continues when the modes are known. They decide which bytes the keys send.
func (in *input) typeIn(t *typed, modes screen.Modes, strokes []keys.Stroke) (err error) {
	if t.pieces, err = t.req.Type.Keys.Pieces(strokes, modes); err != nil {
		return in.named(fmt.Errorf("%w: %w", wire.ErrNotTyped, err))
	}
	for _, p := range t.pieces {
		t.size += len(p.Data)
	}
	return in.begin(t)
}

// begin queues a request. If it has conditions, it first begins to wait for them.
func (in *input) begin(t *typed) error {
	if t.waiter == nil {
		return in.enqueue(t)
	}
	w := t.waiter
	w.link, w.fresh = t.link, true
	w.answer = func(a wire.WaitAnswer, err error) {
		if err != nil {
			if !t.answered {
				t.answered = true
				t.link.refuse(t.req, err)
			}
			return
		}
		t.result = &a
		in.answer(t, nil)
	}
	if err := in.waits.start(w); err != nil {
		return err
	}
	begun := order{at: in.log.Next(), then: func() {
		in.done <- func() {
			if t.link.gone {
				return
			}
			if err := in.enqueue(t); err != nil {
				in.waits.giveUp(w, err)
			}
		}
	}}
	err := in.display.order(begun)
	if err != nil {
		in.waits.stop(w)
	}
	return err
}

// enqueue queues the keys behind all earlier input. It refuses the answer to a question that no longer stands.
func (in *input) enqueue(t *typed) error {
	if in.program.Input != nil {
		return in.enqueuePipe(t)
	}
	if n := t.req.Type.Question; n != 0 {
		if in.questions.standing(n) == nil || !in.queue.idle() {
			return in.named(wire.ErrAnswered)
		}
	}
	k := keystrokes{link: t.link, typed: t, until: t.until()}
	switch {
	case len(t.pieces) > 0 && !slices.ContainsFunc(t.pieces, func(p keys.Piece) bool { return !in.takesItself(p.Data) }):
		k.urgency = atOnce
	case t.req.Type.NoWait:
		k.urgency = early
	}
	return in.add(k)
}

// takesItself reports whether data is a key that the terminal takes itself.
func (in *input) takesItself(data []byte) bool {
	return in.program.Tty != nil && in.program.Tty.TakesItself(data)
}

// next returns the input writer's channel and the next keys. The channel is nil when there are none.
func (in *input) next() (chan<- keystrokes, keystrokes) {
	k, ok := in.queue.next()
	if !ok {
		return nil, k
	}
	switch k.urgency {
	case inTurn:
		return in.keys, k
	case early:
		return in.early, k
	}
	return in.urgent, k
}

// drop answers all requests that were not typed, because the program has ended.
func (in *input) drop() {
	in.noteUnechoed()
	for _, k := range in.queue.list {
		in.queue.writing++
		in.written(k, wire.Receipt{}, in.named(wire.ErrEnded))
	}
	in.queue.list = nil
}

// tick answers the requests that have waited too long behind others.
func (in *input) tick(now time.Time) {
	if due(in.unechoedAt(), now) {
		in.noteUnechoed()
	}
	gone := in.queue.expired(now)
	for _, k := range gone {
		in.answer(k.typed, in.tooLate(k.typed))
	}
	if len(gone) > 0 && in.queue.idle() {
		in.shell.nextRun()
	}
}

// typeBytes queues the bytes of a client that types as a terminal does. The input writer has them noted, as typed by whom by says.
func (in *input) typeBytes(l *link, req *wire.Request, by string) {
	if len(req.Data) > wire.MaxInput {
		l.refuse(req, fmt.Errorf("%d bytes of input: %d at a time", len(req.Data), wire.MaxInput))
		return
	}
	k := keystrokes{data: req.Data, link: l, id: req.ID, by: by, urgency: early}
	if in.takesItself(req.Data) && !in.queue.has(l) { // otherwise it would pass what the same person has typed before
		k.urgency = atOnce
	}
	if err := in.add(k); err != nil {
		l.refuse(req, err)
	}
}

// written handles keys that the terminal has got, or the error that stopped them.
func (in *input) written(k keystrokes, r wire.Receipt, err error) {
	in.queue.writing--
	in.probing.stir()
	if k.urgency != reply && !k.discard && err == nil {
		in.questions.answer.open = k.typed != nil && k.typed.req.Type.LeavesOpen()
	}
	if len(in.queue.list) == 0 {
		defer in.shell.nextRun()
	}
	if k.typed != nil && err == nil && !k.typed.req.Type.NoWait {
		switch {
		case in.program.Input != nil:
			go in.followPipe(k.typed, r) // it finishes the input
			return
		case !k.link.gone:
			go in.followUp(k.typed, r) // it finishes the input
			return
		}
	}
	if (errors.Is(err, wire.ErrWithheld) || errors.Is(err, wire.ErrInputFull)) && !k.link.gone {
		go in.explain(k.typed, r, err) // it finishes the input
		return
	}
	defer in.queue.finished()
	switch {
	case k.still != nil:
		switch {
		case err != nil && k.failed != nil:
			k.failed(in.notTaken(err))
		case err == nil && k.wrote != nil:
			k.wrote()
		}
	case k.link == nil || k.link.gone:
		if k.typed != nil && k.typed.waiter != nil {
			in.waits.stop(k.typed.waiter)
		}
	case k.typed != nil:
		in.answerAtOnce(k.typed, r, err)
	case err != nil:
		k.link.answer(wire.Response{ID: k.id, Error: wire.NewFault(err)})
	default:
		k.link.answer(wire.Response{ID: k.id})
	}
}

// notTaken returns the reason why keys of the holder's own were not typed.
func (in *input) notTaken(err error) error {
	switch {
	case in.exited() || errors.Is(err, wire.ErrEnded):
		return in.named(wire.ErrEnded)
	case errors.Is(err, errNotTaken):
		return in.named(fmt.Errorf("%w: %s", wire.ErrBusy, in.front()))
	}
	return err
}

// followed answers a request to type once the effect of its keys is known.
func (in *input) followed(t *typed, r wire.Receipt) {
	in.queue.finished()
	t.receipt = &r
	in.answer(t, nil)
}

// answer answers a request to type once the whole answer is known, or there is an error.
func (in *input) answer(t *typed, err error) {
	if t.answered || t.link.gone {
		return
	}
	if err != nil {
		for _, unnamed := range []error{wire.ErrNotTyped, wire.ErrWithheld, wire.ErrNotRead, wire.ErrProgramEnded, wire.ErrInputFull, wire.ErrInputClosed} {
			if errors.Is(err, unnamed) {
				err = in.named(err)
				break
			}
		}
		t.answered = true
		if t.waiter != nil && !t.waiter.done {
			in.waits.stop(t.waiter)
		}
		t.link.answer(wire.Response{ID: t.req.ID, Error: wire.NewFault(err), Receipt: t.receipt})
		return
	}
	if t.receipt == nil || t.waiter != nil && t.result == nil {
		return
	}
	t.answered = true
	t.receipt.Offset, t.receipt.NextOffset = t.offset, in.log.Next()
	t.link.answer(wire.Response{ID: t.req.ID, Receipt: t.receipt, Wait: t.result})
}

// add queues keys behind all earlier input.
func (in *input) add(k keystrokes) error {
	if err := in.queue.add(k); err != nil {
		return in.named(fmt.Errorf("%w: %w", wire.ErrNotTyped, err))
	}
	return nil
}

// reply queues the terminal's answer to a query of the program. The screen feed calls it.
func (in *input) reply(answer []byte, asked int64) {
	if in.program.Tty == nil {
		return // a program without a terminal asks nobody
	}
	in.done <- func() {
		_ = in.queue.add(keystrokes{data: answer, urgency: reply, asked: asked}) // a program that does not read the answers goes without them
	}
}

// deadline returns when a request to type is given up or input is noted without an echo, or a zero time.
func (in *input) deadline() time.Time {
	return soonest(in.queue.deadline(), in.unechoedAt())
}
