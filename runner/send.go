package runner

import (
	"context"
	"errors"
	"time"

	"devtools/ledger"
	"devtools/runner/wire"
)

// A Typing says what to type into a session, and how.
type Typing struct {
	wire.Keys
	EOF    bool   // close the standard input afterwards; the session must have no terminal
	NoWait bool   // return after writing, without waiting for the program to read
	IfHash string // type only if the screen has this hash

	// Judged says that a policy has judged the keys behind Behind, which HalfLine has returned: type them only behind that.
	Judged bool
	Behind []byte

	// Limit is how long the program may go without reading. 0 is the usual limit, and a negative one is none.
	Limit time.Duration
	Wait  *Wait // conditions for afterwards; of the screen, only new text counts
}

// A Sent is what became of a Typing.
type Sent struct {
	Receipt wire.Receipt
	Waited  Waited // set if the Typing has a Wait
}

// Send types into the living session called name. The errors are ErrWithheld when the program does not read, ErrNotTyped when
// not everything could be typed for another reason, ErrNotRead, ErrScreenChanged, ErrTypedBefore, ErrNoTerminal and ErrEnded. Without a terminal
// they are also ErrNotPiped, ErrInputClosed and ErrInputFull, and ErrHasTerminal for an EOF with one. A holder of an older devtools
// types as with NoWait, and the reason of the receipt says so; for an EOF the error is ErrOlder.
func Send(ctx context.Context, dir ledger.Dir, name string, t Typing) (ledger.Session, Sent, error) {
	session, ok := dir.Living(name)
	if !ok {
		session, err := recorded(ctx, dir, name)
		if err == nil {
			err = ledger.SessionError(name, wire.Ended(session))
		}
		return session, Sent{}, err
	}
	ask := &wire.TypeRequest{Keys: t.Keys, EOF: t.EOF, NoWait: t.NoWait, IfHash: t.IfHash, Judged: t.Judged, Behind: t.Behind}
	for _, arg := range t.Args {
		ask.Args = append(ask.Args, []byte(arg))
	}
	switch {
	case t.Limit < 0:
		ask.LimitMs = -1
	case t.Limit > 0:
		ask.LimitMs = max(1, t.Limit.Milliseconds())
	}
	if t.Wait != nil {
		ask.Wait = t.Wait.request()
	}
	req := wire.Request{Op: wire.OpType, Type: ask}
	switch {
	case t.EOF:
		req.V = wire.VersionEOF
	case !t.NoWait:
		req.V = wire.VersionReader
	}
	resp, err := wire.Exchange(ctx, dir, session, req)
	older := errors.Is(err, wire.ErrOlder) && !t.EOF
	if older {
		req.V, ask.NoWait = wire.Version, true
		resp, err = wire.Exchange(ctx, dir, session, req)
	}
	if errors.Is(err, wire.ErrHolderGone) && !errors.Is(err, wire.ErrEnded) {
		err = ledger.SessionError(name, wire.ErrEnded)
	}
	if err != nil {
		return session, Sent{}, err
	}
	sent := Sent{}
	if resp.Receipt != nil {
		sent.Receipt = *resp.Receipt
	}
	if older {
		sent.Receipt.Reason = "typed at once: its holder is of an older devtools, which does not tell whether the program reads"
	}
	if t.Wait != nil {
		sent.Waited = t.Wait.waited(&Client{wire.EndedConn(dir, session, nil)}, resp.Wait)
	}
	return session, sent, nil
}

// HalfLine returns what was typed into a session since an Enter behind which a shell does not read on. It has at most
// wire.MaxHalfLine bytes, of what is longer the end. The errors are those of wire.Exchange.
func HalfLine(ctx context.Context, dir ledger.Dir, session ledger.Session) ([]byte, error) {
	return HalfLineAhead(ctx, dir, session)()
}

// HalfLineAhead asks for what HalfLine returns, and returns what waits for the answer, which must be called once. Until then the caller
// does something else while the holder works.
func HalfLineAhead(ctx context.Context, dir ledger.Dir, session ledger.Session) (before func() ([]byte, error)) {
	req := wire.Request{Op: wire.OpState, On: true}
	answer := wire.AskAhead(ctx, dir, session, req)
	return func() ([]byte, error) {
		resp, err := answer()
		if errors.Is(err, wire.ErrManyClients) {
			resp, err = wire.Exchange(ctx, dir, session, req)
		}
		return resp.Data, err
	}
}

// InputAfter returns what the program of a session does about input after a Typing. It asks the holder only if the
// program reads its terminal again. The result is empty if it does not, or if the holder does not answer.
func InputAfter(ctx context.Context, dir ledger.Dir, session ledger.Session, sent Sent) wire.InputState {
	if sent.Waited.Input != (wire.InputState{}) {
		return sent.Waited.Input
	}
	if reads := sent.Receipt.Waiting; reads == nil || !*reads {
		return wire.InputState{}
	}
	ctx, cancel := context.WithTimeout(ctx, 2*wire.InputStatePatience)
	defer cancel()
	resp, err := wire.Ask(ctx, dir, session, wire.Request{Op: wire.OpInputState})
	if err != nil || resp.InputState == nil {
		return wire.InputState{}
	}
	return *resp.InputState
}
