package list

import (
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
	asked    sync.WaitGroup
}

func newInputStates(ctx context.Context, dir ledger.Dir) *inputStates {
	return &inputStates{dir: dir, patterns: wire.PatternSum(dir), ctx: ctx}
}

// A noted is a note of the holder that is still true, with the living processes of the session.
type noted struct {
	wire.InputNote
	members []proc.Member
}

// note returns the holder's note of s, or nil if a process of s has run since it was written, or if there is none.
func (in *inputStates) note(s *Listed) *noted {
	if s.Status != ledger.StatusRunning || s.Size == (ledger.Size{}) || s.Namespace != proc.Namespace() || s.Holder.Boot != proc.Boot() {
		return nil
	}
	if len(s.Secrets) > 0 { // the note has no names of processes
		return nil
	}
	written, ok := wire.Noted(in.dir, s.ID)
	if !ok {
		return nil
	}
	infos := make([]proc.Info, len(written.Processes))
	n := &noted{written, make([]proc.Member, len(written.Processes))}
	for i, p := range written.Processes {
		info, err := proc.Glimpse(p.PID)
		if err != nil {
			return nil
		}
		infos[i], n.members[i] = info, proc.Member{Info: info, Args: p.Args}
	}
	if still, ok := proc.Stillness(infos); !ok || still != n.Still {
		return nil
	}
	return n
}

// take fills in the input state of s from the note. If the note is nil or older than what the session has done last, take
// asks the holder, without waiting for the answer. A holder that is asked looks twice where nobody has asked lately, 30 ms
// apart. size is the size of the terminal now.
func (in *inputStates) take(s *Listed, n *noted, size ledger.Size) {
	if s.Status != ledger.StatusRunning || s.Size == (ledger.Size{}) {
		return
	}
	if n != nil && n.Offset == s.OutputBytes && n.Size == size && n.Patterns == in.patterns {
		s.InputState = n.InputState
		return
	}
	record := s.Session
	in.asked.Go(func() {
		ctx, cancel := context.WithTimeout(in.ctx, 2*wire.InputStatePatience)
		defer cancel()
		resp, err := wire.Ask(ctx, in.dir, record, wire.Request{Op: wire.OpInputState})
		if err == nil && resp.InputState != nil {
			s.InputState = *resp.InputState
		}
	})
}

// wait waits for the answers. When a holder does not answer, the session's input state stays empty.
func (in *inputStates) wait() { in.asked.Wait() }
