package runner

import (
	"context"
	"encoding/json"
	"errors"

	"devtools/ledger"
	"devtools/runner/wire"
)

// A Typing says what to type into a session, and how.
type Typing struct {
	wire.Keys
	NoWait bool   // return after writing, without waiting for the program to read
	IfHash string // type only if the screen has this hash
	Wait   *Wait  // conditions for afterwards; of the screen, only new text counts
}

// A Sent is what became of a Typing.
type Sent struct {
	Receipt wire.Receipt
	Waited  Waited // set if the Typing has a Wait
}

// Send types into the living session called name. The errors are ErrNotTyped when not everything could be typed,
// ErrScreenChanged, ErrNoTerminal and ErrEnded.
func Send(ctx context.Context, dir ledger.Dir, name string, t Typing) (ledger.Session, Sent, error) {
	session, ok := dir.Living(name)
	if !ok {
		session, err := recorded(ctx, dir, name)
		if err == nil {
			err = ledger.SessionError(name, wire.ErrEnded)
		}
		return session, Sent{}, err
	}
	ask := sendType{Keys: t.Keys, NoWait: t.NoWait, IfHash: t.IfHash}
	for _, arg := range t.Args {
		ask.Args = append(ask.Args, []byte(arg))
	}
	if t.Wait != nil {
		wait, err := json.Marshal(t.Wait.request())
		if err != nil {
			return session, Sent{}, err
		}
		ask.Wait = wait
	}
	var resp sendResponse
	err := wire.Exchange(ctx, dir, session, sendRequest{V: wire.Version, Op: wire.OpType, Type: ask}, &resp)
	if errors.Is(err, wire.ErrHolderGone) {
		err = ledger.SessionError(name, wire.ErrEnded)
	}
	if err == nil && resp.Error != nil {
		err = resp.Error.Err()
	}
	if err != nil {
		return session, Sent{}, err
	}
	sent := Sent{}
	if resp.Receipt != nil {
		sent.Receipt = *resp.Receipt
	}
	if t.Wait != nil {
		var answer *wire.WaitAnswer
		if err := json.Unmarshal(resp.Wait, &answer); err != nil {
			return session, sent, err
		}
		sent.Waited = t.Wait.waited(&Client{wire.EndedConn(dir, session, nil)}, answer)
	}
	return session, sent, nil
}

// A sendRequest and a sendResponse contain only the fields that OpType needs, as wire.LookRequest does for OpScreen.
// The parts about waiting are raw JSON and are decoded only if they are present. Building their encoders takes longer
// than typing.
type sendRequest struct {
	V    int      `json:"v"`
	Op   string   `json:"op"`
	Type sendType `json:"type"`
}

// A sendType is a wire.TypeRequest with a raw Wait.
type sendType struct {
	wire.Keys
	Args   [][]byte        `json:"args"`
	NoWait bool            `json:"noWait,omitzero"`
	IfHash string          `json:"ifHash,omitzero"`
	Wait   json.RawMessage `json:"wait,omitempty"`
}

type sendResponse struct {
	Error   *wire.Fault     `json:"error"`
	Receipt *wire.Receipt   `json:"receipt"`
	Wait    json.RawMessage `json:"wait"`
}
