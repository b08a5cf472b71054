package list

import (
	"bufio"
	"context"

	"devtools/ledger"
	"devtools/runner/wire"
)

// inputStates asks the holders what the running sessions of l do about input. It returns a function that waits for the
// answers. When a holder does not answer, the session's input state stays empty.
func (l *Listing) inputStates(ctx context.Context, dir ledger.Dir) (wait func()) {
	ctx, cancel := context.WithTimeout(ctx, 2*wire.InputStatePatience)
	done := make(chan struct{}, len(l.Sessions))
	asked := 0
	for i := range l.Sessions {
		s := &l.Sessions[i]
		if s.Status != ledger.StatusRunning || s.Size == (ledger.Size{}) {
			continue
		}
		asked++
		record := s.Session
		go func() {
			defer func() { done <- struct{}{} }()
			var resp inputStateResponse
			err := wire.Ask(ctx, dir, record, inputStateRequest{V: wire.Version, Op: wire.OpInputState}, func(r *bufio.Reader) error {
				return wire.ReadLine(r, wire.MaxResponse, &resp)
			})
			if err == nil && resp.Error == nil && resp.Outlook != nil {
				s.InputState = *resp.Outlook
			}
		}()
	}
	return func() {
		defer cancel()
		for range asked {
			<-done
		}
	}
}

// An inputStateRequest and an inputStateResponse contain only the fields that OpInputState needs.
type inputStateRequest struct {
	V  int    `json:"v"`
	Op string `json:"op"`
}

type inputStateResponse struct {
	Error   *wire.Fault      `json:"error"`
	Outlook *wire.InputState `json:"outlook"`
}
