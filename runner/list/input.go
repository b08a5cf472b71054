package list

import (
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
			resp, err := wire.Ask(ctx, dir, record, wire.Request{Op: wire.OpInputState})
			if err == nil && resp.InputState != nil {
				s.InputState = *resp.InputState
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
