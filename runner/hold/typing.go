package hold

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"devtools/ledger"
	"devtools/ledger/transcript"
	"devtools/runner/proc"
	"devtools/runner/wire"
	"devtools/screen"
	"devtools/screen/keys"
)

// typePatience is how long a request waits for the requests before it.
const typePatience = 10 * time.Second

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
	deaf    bool   // the program did not read when they were typed
	before  string // hash of the picture before
	offset  int64
	waiter  *waiter
	result  *wire.WaitAnswer
	receipt *wire.Receipt

	answered bool
}

// until returns when the request is given up, if nothing of it could be typed.
func (t *typed) until() time.Time { return t.begun.Add(typePatience) }

// typeKeys types the keys of a client's request. The picture before typing decides which bytes the keys send,
// and what counts as new afterwards.
func (h *holder) typeKeys(l *link, req *wire.Request) {
	t := &typed{link: l, req: req, begun: time.Now(), offset: h.log.Next()}
	err := h.prepareKeys(t)
	if err != nil {
		h.refuse(l, req, err)
	}
}

func (h *holder) prepareKeys(t *typed) error {
	ask := t.req.Type
	if ask == nil {
		return errors.New("a request to type without keys")
	}
	switch {
	case h.program.Tty == nil:
		return ledger.SessionError(h.session.Name, wire.ErrNoTerminal)
	case h.exited:
		return ledger.SessionError(h.session.Name, wire.ErrEnded)
	}
	for _, arg := range ask.Args {
		ask.Keys.Args = append(ask.Keys.Args, string(arg))
	}
	strokes, err := ask.Keys.Strokes()
	if err != nil {
		return err
	}
	if ask.Wait != nil {
		if t.waiter, err = parseWait(ask.Wait); err != nil {
			return err
		}
	}
	if h.screenFeed == nil {
		h.startFeed()
	}
	if known := h.screenFeed.modes.Load(); ask.NoWait && ask.Wait == nil && ask.IfHash == "" && known != nil && known.at == h.log.Next() {
		return h.typeIn(t, known.modes, strokes) // the client needs nothing else from the picture
	}
	picture := show{view: screen.Visible(), at: h.log.Next(), until: time.Now().Add(maxPaintLag)}
	picture.answer = func(pic frame, err error) {
		h.done <- func() {
			if !h.links[t.link] {
				return // the client is gone: its keys are not typed
			}
			if err == nil {
				err = h.typeOn(t, pic, strokes)
			}
			if err != nil {
				h.refuse(t.link, t.req, err)
			}
		}
	}
	if !h.screenFeed.order(order{show: &picture}) {
		return errBusyFeed
	}
	return nil
}

// typeOn continues when the picture is known. It sets the baseline for the conditions, then has the keys
// typed.
func (h *holder) typeOn(t *typed, pic frame, strokes []keys.Stroke) error {
	ask := t.req.Type
	t.before = pic.Snapshot.Hash()
	t.strokes, t.encoded = strokes, t.offset
	if ask.IfHash != "" && ask.IfHash != t.before {
		return fmt.Errorf("session %q: %w: it is %s now", h.session.Name, wire.ErrScreenChanged, t.before)
	}
	return h.typeIn(t, pic.Snapshot.Modes, strokes)
}

// typeIn continues when the modes are known. They decide which bytes the keys send.
func (h *holder) typeIn(t *typed, modes screen.Modes, strokes []keys.Stroke) (err error) {
	if t.pieces, err = t.req.Type.Keys.Pieces(strokes, modes); err != nil {
		return fmt.Errorf("session %q: %w: %w", h.session.Name, wire.ErrNotTyped, err)
	}
	for _, p := range t.pieces {
		t.size += len(p.Data)
	}
	if t.waiter == nil {
		return h.enqueue(t)
	}
	w := t.waiter
	w.link, w.fresh = t.link, true
	w.answer = func(a wire.WaitAnswer, err error) {
		if err != nil {
			if !t.answered {
				t.answered = true
				h.refuse(t.link, t.req, err)
			}
			return
		}
		t.result = &a
		h.answerTyped(t, nil)
	}
	if err := h.startWaiting(w); err != nil {
		return err
	}
	begun := order{at: h.log.Next(), then: func() {
		h.done <- func() {
			if !h.links[t.link] {
				return
			}
			if err := h.enqueue(t); err != nil {
				h.giveUp(w, err)
			}
		}
	}}
	if !h.screenFeed.order(begun) {
		h.stopWaiting(w)
		return errBusyFeed
	}
	return nil
}

// keystrokes are bytes on their way to the program. They come from a client that types as a terminal does,
// from a request to type, or from the terminal's reply to a query. The holder also types keys of its own. Only
// keys of a client have a link.
type keystrokes struct {
	data  []byte
	link  *link
	id    int
	typed *typed
	until time.Time // when they are given up; zero means never

	reply bool        // they reply to a query of the program
	run   *shellRun   // command for which the holder types its own keys; nil for none
	still func() bool // for the holder's own keys: the input writer asks it whether to type them
}

// size returns how many bytes are to be typed.
func (k keystrokes) size() int {
	if k.typed != nil {
		return k.typed.size
	}
	return len(k.data)
}

// enqueue queues the keys behind all earlier input. It refuses the answer to a question that no longer stands.
func (h *holder) enqueue(t *typed) error {
	if n := t.req.Type.Question; n != 0 {
		q := h.standing(n)
		if q == nil || !h.input.idle() {
			return ledger.SessionError(h.session.Name, wire.ErrAnswered)
		}
		h.noteAnswer(q, t.req.Type)
	}
	return h.queueKeys(keystrokes{link: t.link, typed: t, until: t.until()})
}

func (h *holder) queueKeys(k keystrokes) error {
	if err := h.input.add(k); err != nil {
		return fmt.Errorf("session %q: %w: %w", h.session.Name, wire.ErrNotTyped, err)
	}
	return nil
}

// nextKeys returns the input writer's channel and the next keys. The channel is nil when there are none.
func (h *holder) nextKeys() (chan<- keystrokes, keystrokes) {
	k, ok := h.input.next()
	if !ok {
		return nil, k
	}
	return h.keys, k
}

// dropInput answers all requests that were not typed, because the program has ended.
func (h *holder) dropInput() {
	for _, k := range h.input.list {
		h.written(k, wire.Receipt{}, ledger.SessionError(h.session.Name, wire.ErrEnded))
	}
	h.input.list = nil
}

// giveUpInput answers the requests that have waited too long behind others.
func (h *holder) giveUpInput(now time.Time) {
	gone := h.input.expired(now)
	for _, k := range gone {
		h.answerTyped(k.typed, fmt.Errorf("%w: what was typed before still waits to be read", wire.ErrNotTyped))
	}
	if len(gone) > 0 && h.input.idle() && h.shell != nil {
		h.nextShellRun()
	}
}

// typeBytes queues the bytes of a client that types as a terminal does. The input writer has them noted.
func (h *holder) typeBytes(l *link, req *wire.Request) {
	if len(req.Data) > wire.MaxInput {
		h.refuse(l, req, fmt.Errorf("%d bytes of input: %d at a time", len(req.Data), wire.MaxInput))
		return
	}
	if err := h.queueKeys(keystrokes{data: req.Data, link: l, id: req.ID}); err != nil {
		h.refuse(l, req, err)
	}
}

// noteInput notes input in the transcript at the moment when it is typed. If the terminal echoes the input,
// the entry has its text: a person sees it anyway. Otherwise the entry has only the number of bytes, as they
// may be a password.
func (h *holder) noteInput(data []byte, echo bool, at time.Time) {
	entry := transcript.Entry{At: at.Sub(h.started), Kind: transcript.Input, Bytes: int64(len(data))}
	if echo {
		entry.Bytes, entry.Text = 0, strings.ToValidUTF8(string(data), string(utf8.RuneError))
	}
	h.log.Note(entry)
	if h.screenFeed != nil {
		h.screenFeed.order(order{typed: true, at: h.log.Next()}) // if the feed has no room, a question only seems longer
	}
	h.noteTyped(data)
}

// written handles keys that the terminal has got, or the error that stopped them.
func (h *holder) written(k keystrokes, r wire.Receipt, err error) {
	h.input.writing = false
	h.stir()
	if h.shell != nil && len(h.input.list) == 0 {
		defer h.nextShellRun()
	}
	following := false
	defer func() {
		if !following {
			h.input.finished()
		}
	}()
	switch {
	case k.still != nil:
		if err == nil {
			break
		}
		switch {
		case h.exited || errors.Is(err, wire.ErrEnded):
			err = ledger.SessionError(h.session.Name, wire.ErrEnded)
		case errors.Is(err, errNotTaken):
			err = ledger.SessionError(h.session.Name, fmt.Errorf("%w: %s", wire.ErrBusy, h.front()))
		}
		if k.run != nil && k.run == h.shell.current {
			h.rejectShellRun(k.run, err)
		}
	case k.link == nil || !h.links[k.link]:
		if k.typed != nil && k.typed.waiter != nil {
			h.stopWaiting(k.typed.waiter)
		}
	case k.typed == nil && err != nil:
		k.link.answer(wire.Response{ID: k.id, Error: wire.NewFault(err)})
	case k.typed == nil:
		k.link.answer(wire.Response{ID: k.id})
	case err != nil || k.typed.req.Type.NoWait:
		if m, err := h.program.Tty.Modes(); err == nil {
			r.Canonical, r.Echo = m.Canonical, m.Echo
		}
		r.PID, r.Foreground = h.inFront()
		k.typed.receipt = &r
		if err == nil && k.typed.waiter != nil {
			h.lookForStates(k.typed.waiter)
		}
		h.answerTyped(k.typed, err)
	default:
		following = true
		go h.followUp(k.typed, r)
	}
}

// followed answers a request to type once the effect of its keys is known.
func (h *holder) followed(t *typed, r wire.Receipt) {
	h.input.finished()
	t.receipt = &r
	h.answerTyped(t, nil)
}

// answerTyped answers a request to type once the whole answer is known, or there is an error.
func (h *holder) answerTyped(t *typed, err error) {
	if t.answered || !h.links[t.link] {
		return
	}
	if err != nil {
		if errors.Is(err, wire.ErrNotTyped) || errors.Is(err, wire.ErrProgramEnded) {
			err = ledger.SessionError(h.session.Name, err)
		}
		t.answered = true
		if t.waiter != nil && !t.waiter.done {
			h.stopWaiting(t.waiter)
		}
		t.link.answer(wire.Response{ID: t.req.ID, Error: wire.NewFault(err), Receipt: t.receipt})
		return
	}
	if t.receipt == nil || t.waiter != nil && t.result == nil {
		return
	}
	t.answered = true
	t.receipt.Offset, t.receipt.NextOffset = t.offset, h.log.Next()
	t.link.answer(wire.Response{ID: t.req.ID, Receipt: t.receipt, Wait: t.result})
}

// inFront returns the process group in front and its name. An unknown group is 0, and an unknown name is
// empty.
func (h *holder) inFront() (pid int, name string) {
	group, err := h.program.Tty.Foreground()
	if err != nil || group == os.Getpid() {
		return 0, ""
	}
	info, err := proc.Read(group)
	if err != nil {
		return group, ""
	}
	return group, info.Name
}
