package list

import (
	"context"
	"sync"
	"time"

	"devtools/ledger"
	"devtools/ledger/transcript"
	"devtools/runner/proc"
	"devtools/runner/wire"
)

// A look fills in what living sessions do.
type look struct {
	ctx    context.Context
	dir    ledger.Dir
	now    time.Time
	usage  bool
	fences fences
	inputs *inputStates // nil without usage
	// listeners returns all listening sockets, none where the system does not tell.
	listeners func() []proc.Listener
}

// lookAt fills in what the sessions of l do. It looks at several at once, and asks all holders at once, because a holder
// takes its time to answer.
func (l *Listing) lookAt(ctx context.Context, dir ledger.Dir, sessions []ledger.Session, usage bool) {
	k := look{ctx: ctx, dir: dir, now: l.At, usage: usage, fences: fencesOf(sessions)}
	k.listeners = sync.OnceValue(func() []proc.Listener {
		all, _ := proc.Listeners(0)
		return all
	})
	notes := make([]*noted, len(l.Sessions))
	if usage {
		k.inputs = newInputStates(ctx, dir)
		defer k.inputs.wait()
		ledger.AtOnce(len(l.Sessions), func(i int) { notes[i] = k.inputs.note(&l.Sessions[i]) })
	}
	ledger.AtOnce(len(l.Sessions), func(i int) { k.at(&l.Sessions[i], notes[i]) })
}

// at fills in what a session does. n may be nil.
func (k *look) at(s *Listed, n *noted) {
	size := s.takeRecord(k.dir, n)
	if n != nil {
		s.takeProcesses(n.members, ledger.StatusRunning, true)
	} else {
		members, status := s.members(k.fences)
		s.takeMasked(k.ctx, k.dir, members)
		s.takeProcesses(members, status, k.usage)
	}
	s.Ports = []Port{}
	if !k.usage {
		s.Log = transcript.Newest(wire.Transcript(k.dir, s.Session))
		return
	}
	if n == nil || n.Sockets {
		s.takePorts(k.listeners())
	}
	s.takeOutput(k.dir, n, k.now, true)
	k.inputs.take(s, n, size)
}
