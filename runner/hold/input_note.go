package hold

import (
	"slices"
	"time"

	"devtools/runner/blocked"
	"devtools/runner/proc"
	"devtools/runner/pty"
	"devtools/runner/wire"
)

// noteAgain is the least time between two notes of the input state, if nothing was printed or typed between them. A
// program that runs from time to time makes each note worthless soon.
const noteAgain = 2 * time.Second

// fileTick is longer than the unit in which a file system counts times: a tick of the kernel of at most 10 ms, or up to 2 s
// where a time has no fraction. Two writes in one unit cannot be told apart.
func fileTick(at time.Time) time.Duration {
	if at.Nanosecond() == 0 {
		return 3 * time.Second
	}
	return 50 * time.Millisecond
}

// A noted says after what the last note of the input state was written.
type noted struct {
	printed int64
	typed   *typedAt
	at      time.Time
}

// writeDown writes a settled result of a look into the session's note, from which ps takes it. The note has the question,
// which is output: a session that is not recorded has none, and ps asks its holder.
func (p *waitWatcher) writeDown(s probeResult) {
	if p.probing.spec.NoRecord {
		return
	}
	last := p.noted
	if last.printed == s.printed && last.typed == s.typed && s.at.Sub(last.at) < noteAgain {
		return
	}
	if note, ok := p.note(s); ok {
		p.noted = noted{s.printed, s.typed, s.at}
		probing := p.probing
		if err := note.Note(probing.dir, probing.session.ID); err != nil {
			probing.done <- func() { probing.note(err) }
		}
	}
}

// note returns the note of a result. ok is false if a process of the session runs, or has run since the look.
func (p *waitWatcher) note(s probeResult) (n wire.InputNote, ok bool) {
	before := pty.Tree()
	if n.Still, ok = proc.Stillness(before); !ok {
		return n, false
	}
	// What is read from here on is still true for a reader that finds the same stillness: nothing has run since.
	tree := pty.Tree()
	if !slices.Equal(proc.IDs(tree), proc.IDs(before)) {
		return n, false
	}
	for _, info := range tree {
		n.Processes = append(n.Processes, wire.NotedProcess{PID: info.PID, Args: p.probing.masks.List(proc.CommandLine(info.PID))})
		n.Sockets = n.Sockets || proc.OpensSockets(info.PID)
	}
	probing := p.probing
	n.Patterns, n.InputState = wire.PatternSum(probing.dir), s.inputState()
	now := time.Now()
	v, was := p.watch.Probe(now, p.quiet(now)), s.verdict
	if v.State != was.State || v.Reason != was.Reason || v.Block != was.Block || p.printed != s.printed || p.typed != s.typed {
		return n, false
	}
	holds := make(chan bool, 1)
	probing.done <- func() {
		still := !probing.exited() && probing.inputIdle() && probing.caughtUp() && probing.typed.Load() == s.typed && probing.printedAt.Load() == s.printed
		n.Segment, n.Offset, n.Size = probing.log.Segment(), probing.log.Next(), probing.session.Size
		n.Tether, n.Asks = probing.session.Tether, slices.Clone(probing.session.Asks)
		if saved := time.Unix(0, probing.dir.Saved(probing.session.ID)); now.Sub(saved) >= fileTick(saved) {
			n.Saved = saved.UnixNano()
		}
		holds <- still // at last: the watcher goes on with n
	}
	ok = <-holds
	return n, ok && (v.State != blocked.Waiting || n.Offset == s.picture.Offset)
}
