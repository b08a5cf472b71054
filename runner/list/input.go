package list

import (
	"bufio"
	"context"
	"sync"

	"devtools/ledger"
	"devtools/runner/proc"
	"devtools/runner/wire"
)

// inputStates finds out what running sessions do about input.
type inputStates struct {
	dir      ledger.Dir
	patterns uint32 // sum of the workspace's patterns
	ctx      context.Context
	cancel   func()
	asked    sync.WaitGroup
}

func newInputStates(ctx context.Context, dir ledger.Dir) *inputStates {
	in := &inputStates{dir: dir, patterns: wire.PatternSum(dir)}
	in.ctx, in.cancel = context.WithTimeout(ctx, 2*wire.InputStatePatience)
	return in
}

// take fills in the input state of s from the holder's note. If the note is older than what the session has done last,
// take asks the holder, without waiting for the answer. A holder that is asked looks twice where nobody has asked lately,
// 30 ms apart. size is the size of the terminal, and members are the living processes of s.
func (in *inputStates) take(s *Listed, size ledger.Size, members []proc.Member) {
	if s.Status != ledger.StatusRunning || s.Size == (ledger.Size{}) {
		return
	}
	if note, ok := wire.Noted(in.dir, s.ID); ok && note.Offset == s.OutputBytes && note.Size == size && note.Patterns == in.patterns {
		if still, ok := stillness(members); ok && still == note.Still {
			s.InputState = note.InputState
			return
		}
	}
	record := s.Session
	in.asked.Go(func() {
		var resp inputStateResponse
		err := wire.Ask(in.ctx, in.dir, record, inputStateRequest{V: wire.Version, Op: wire.OpInputState}, func(r *bufio.Reader) error {
			return wire.ReadLine(r, wire.MaxResponse, &resp)
		})
		if err == nil && resp.Error == nil && resp.Outlook != nil {
			s.InputState = *resp.Outlook
		}
	})
}

// wait waits for the answers. When a holder does not answer, the session's input state stays empty.
func (in *inputStates) wait() {
	defer in.cancel()
	in.asked.Wait()
}

// stillness returns the stillness of the members. ok is false if one of them is hidden.
func stillness(members []proc.Member) (sum uint64, ok bool) {
	infos := make([]proc.Info, len(members))
	for i, m := range members {
		if infos[i] = m.Info; m.Hidden {
			return 0, false
		}
	}
	return proc.Stillness(infos)
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
