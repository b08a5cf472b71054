package hold

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"devtools/ledger"
	"devtools/runner/proc"
	"devtools/runner/pty"
	"devtools/runner/track"
	"devtools/runner/wire"
)

// A changes has what the tracker is about to write down.
type changes struct {
	begun, ended []ledger.Process // for the journal
	events       []ledger.Event
}

// take compares the known processes with the ends of processes and, when looked is set, with the living tree. The ends of commands
// come after those of their processes.
func (t *tracker) take(told treeNews, looked bool) {
	var news changes
	if looked {
		t.takeLiving(&news, told.seen, told.rests)
	}
	for _, c := range told.exits {
		t.takeExit(&news, c)
	}
	if looked {
		t.takeMissing(&news, told.seen)
	}
	for _, e := range told.ran {
		e.Terminal = t.session.Name
		news.events = append(news.events, e)
	}
	t.write(news.begun, news.ended, t.budget.afford(news.events))
}

// takeLiving notes the processes that are new. Between fork(2) and execve(2) a process has the name and the command line of
// its parent, or none. The log gets it when it has executed its program, or is seen to be a fork that goes on: it has
// children, or two looks of a rest met it.
func (t *tracker) takeLiving(news *changes, living []proc.Info, rests bool) {
	parents := make(map[int]bool, len(living))
	for _, info := range living {
		parents[info.Parent] = true
	}
	for _, info := range living {
		before, known := t.known[info.ID]
		rested, unsure := t.unsure[info.ID]
		again := known && before.Name != maskName(t.masks, info.Name) // it has executed another program
		if info.ID == track.Identity(t.session.Main) || known && !unsure && !again {
			continue
		}
		p := describe(t.masks, info)
		if p != before {
			t.known[info.ID] = p
			news.begun = append(news.begun, p)
		}
		if known && !unsure {
			continue // its beginning is in the log
		}
		if info.Forked && !parents[info.PID] && !(rested && rests) || p.CommandLine == "" && !known {
			t.unsure[info.ID] = rests
			continue
		}
		t.begin(news, p)
	}
}

// begin logs the beginning of a process.
func (t *tracker) begin(news *changes, p ledger.Process) {
	delete(t.unsure, track.Identity(p))
	news.events = append(news.events, t.event(ledger.EventSpawned, p))
}

// takeExit notes the end of a process that wait4 has reported.
func (t *tracker) takeExit(news *changes, c pty.Change) {
	p, known := t.known[c.Info.ID]
	switch {
	case known:
		if _, unsure := t.unsure[c.Info.ID]; unsure && !c.Info.Forked {
			p.Name, p.CommandLine = maskName(t.masks, c.Info.Name), "" // it has executed its program since the last look
		}
		t.forget(news, p)
	case c.Info.PID == 0 || track.IsHolderName(c.Info):
		return
	default: // it was never seen alive
		p = track.Process(c.Info.ID)
		p.Name = maskName(t.masks, c.Info.Name)
		t.begin(news, p)
	}
	code := c.ExitCode()
	e := t.event(ledger.EventCompleted, p)
	if e.ExitCode, e.Signal = &code, c.Signal(); e.Signal != "" {
		e.Event = ledger.EventKilled
	}
	news.events = append(news.events, e)
}

// takeMissing notes the end of the processes that are gone. Only its own parent knows how a process ended. If that is this
// process, wait4 tells before the next look.
func (t *tracker) takeMissing(news *changes, living []proc.Info) {
	alive := make(map[proc.ID]bool, len(living))
	for _, info := range living {
		alive[info.ID] = true
	}
	for id, p := range t.known {
		switch {
		case alive[id] || id.Alive():
		case !t.missing[id]:
			t.missing[id] = true
		default:
			t.forget(news, p)
			news.events = append(news.events, t.event(ledger.EventCompleted, p))
		}
	}
}

// forget takes a process that has ended from the known ones.
func (t *tracker) forget(news *changes, p ledger.Process) {
	id := track.Identity(p)
	if _, unsure := t.unsure[id]; unsure {
		t.begin(news, p)
	}
	delete(t.known, id)
	delete(t.missing, id)
	news.ended = append(news.ended, p)
}

// write notes new processes in the journal before it logs the events, and ended processes after that. After a
// crash in between, the journal still has the processes, and others then look them up in the log.
func (t *tracker) write(begun, ended []ledger.Process, events []ledger.Event) {
	t.append(begun, nil)
	if len(events) > 0 {
		ctx, cancel := context.WithTimeout(context.Background(), wire.LockWait)
		t.note(t.dir.Append(ctx, events))
		cancel()
	}
	t.append(nil, ended)
	if t.lines <= journalSlack+2*len(t.known) && !t.partial {
		return
	}
	living := slices.SortedFunc(maps.Values(t.known), func(a, b ledger.Process) int { return cmp.Compare(a.Start, b.Start) })
	err := t.dir.RewriteJournal(t.session.ID, living)
	t.note(err)
	if t.partial = err != nil; !t.partial {
		t.lines = len(living)
	}
}

// append appends to the journal.
func (t *tracker) append(begun, ended []ledger.Process) {
	err := t.dir.AppendJournal(t.session.ID, begun, ended)
	t.note(err)
	t.partial = t.partial || err != nil
	t.lines += len(begun) + len(ended)
}

// afford returns as many of the events as may be written now. The next written event has the number of those
// dropped before it.
func (b *eventBudget) afford(events []ledger.Event) []ledger.Event {
	now := time.Now()
	b.left = min(b.left+eventRate*now.Sub(b.refilled).Seconds(), eventBurst)
	b.refilled = now
	n := min(len(events), int(b.left))
	b.left -= float64(n)
	if n > 0 && b.dropped > 0 {
		events[0].Dropped, b.dropped = b.dropped, 0
	}
	b.dropped += len(events) - n
	return events[:n]
}

// event returns an event about a process of the session. One that shows no command line, such as one that was never seen
// alive, has its name in brackets in place of it, as in ps(1).
func (t *tracker) event(kind string, p ledger.Process) ledger.Event {
	if p.CommandLine == "" && p.Name != "" {
		p.CommandLine = "[" + p.Name + "]"
	}
	return track.ProcessEvent(kind, t.session, p)
}

// An eventBudget bounds the events of one session.
type eventBudget struct {
	left     float64 // events that may be written now
	refilled time.Time
	dropped  int // events that were not written
}
