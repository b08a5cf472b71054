package hold

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"devtools/ledger"
	"devtools/runner/guard/mask"
	"devtools/runner/proc"
	"devtools/runner/pty"
)

const (
	// firstTrack is when the tree is looked at for the first time. Each look waits twice as long as the one
	// before, up to lastTrack. A command that is over in a moment is never looked at. A process that lives a second is met.
	firstTrack = 10 * time.Millisecond
	lastTrack  = 900 * time.Millisecond

	// trackShare is how many times the processor time of a look passes until the next one. The time by the clock
	// says nothing: on busy processors a short look may end much later than it began.
	trackShare = 100

	// eventBurst is how many events about its processes a session may write at once. eventRate is how many a
	// second it may write after that. A storm of short-lived processes must not drive the events of other
	// sessions out of the log.
	eventBurst = 4000
	eventRate  = 20

	// maxExits is how many ends of processes may wait to be written down.
	maxExits = 1 << 14

	// journalSlack is how many lines the journal may have beyond those of living processes.
	journalSlack = 4096
)

// A tracker writes down which processes a session has, so that they are found when its holder is killed. Their
// identities go into the journal, their beginning and their end into the log. It works beside the holder's
// loop, which never waits for it.
type tracker struct {
	dir     ledger.Dir
	session ledger.Session // its name and id, and the identity of the main process
	main    int            // pid of the main process
	note    func(error)
	masks   *mask.Matcher

	known   map[proc.ID]ledger.Process
	unsure  map[proc.ID]bool // known processes that may still execute a program, so that the log lacks their beginning; true if a look of a rest met them
	missing map[proc.ID]bool // known ones that are gone, and whose end wait4 may report in a moment
	lines   int              // lines in the journal
	partial bool             // a write failed: the journal must be rewritten

	budget eventBudget

	mu       sync.Mutex // guards news, rests and dozes
	news     treeNews
	rests    bool // the tracker looks only every lastTrack
	dozes    bool // the tracker waits until the tree does something
	stopping bool // no doze begins any more

	idle *proc.IdleWatch // nil before the first rest, and where the system has none
	last []proc.ID       // the tree at the last look of a rest

	wake chan struct{} // holds a value when there is news
	quit chan struct{}
	done chan struct{}
}

// A treeNews is what the holder tells the tracker about the tree.
type treeNews struct {
	exits []pty.Change
	lost  int // exits that there was no room for
	seen  []proc.Info
	looks bool           // seen is a look at the tree
	rests bool           // the look came lastTrack after the one before
	ran   []ledger.Event // ends of commands of the session's shell or REPL
	stir  bool           // the program has done something while the tracker rests

	name  string          // a new name of the session; "": it has its old one
	moved *ledger.Session // the session, if the journal and the log that knew its processes were removed
}

// startTracker begins to follow the tree of the session.
func startTracker(dir ledger.Dir, session ledger.Session, masks *mask.Matcher, note func(error)) *tracker {
	t := &tracker{
		dir: dir, session: session, main: session.Main.PID, masks: masks, note: note,
		known: map[proc.ID]ledger.Process{}, unsure: map[proc.ID]bool{}, missing: map[proc.ID]bool{}, budget: eventBudget{left: eventBurst, refilled: time.Now()},
		wake: make(chan struct{}, 1), quit: make(chan struct{}), done: make(chan struct{}),
	}
	go t.run()
	return t
}

// exited takes over the wait4 results of processes other than the main one.
func (t *tracker) exited(batch []pty.Change) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range batch {
		if c.Stopped() || c.Continued() || c.PID == t.main {
			continue
		}
		if len(t.news.exits) == maxExits {
			t.news.lost++
			continue
		}
		t.news.exits = append(t.news.exits, c)
	}
	t.rouse()
}

// saw takes over a look at the living tree that the holder took.
func (t *tracker) saw(living []proc.Info) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.news.seen, t.news.looks = living, true
	t.rouse()
}

// ran takes over the event for the end of a command in the session's shell or REPL.
func (t *tracker) ran(e ledger.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.news.ran) == maxExits {
		t.news.lost++
		return
	}
	t.news.ran = append(t.news.ran, e)
	t.rouse()
}

// active says that the program does something. The tracker must soon see the processes that it starts now.
func (t *tracker) active() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.rests {
		t.rests, t.news.stir = false, true
		t.rouse()
	}
}

// moved says that the journal and the log were removed, and that the session goes on with this record in new ones.
func (t *tracker) moved(session ledger.Session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.news.moved = &session
	t.rouse()
}

// renamed says that events have another name of the session from now on.
func (t *tracker) renamed(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.news.name = name
	t.rouse()
}

// rouse makes run take the news. The caller holds mu.
func (t *tracker) rouse() {
	select {
	case t.wake <- struct{}{}:
	default:
	}
	if t.dozes {
		t.idle.Ring()
	}
}

// stop makes the tracker write down what it knows, and end. It waits for that until ctx ends.
func (t *tracker) stop(ctx context.Context) {
	close(t.quit)
	t.mu.Lock()
	t.stopping = true
	t.rouse()
	t.mu.Unlock()
	select {
	case <-t.done:
	case <-ctx.Done():
	}
}

// A lookPace says when to look at the tree again.
type lookPace struct {
	wait     time.Duration // pause after the last look
	earliest time.Time     // earliest next look: a look at a large tree is costly
}

// looked records a look that has used so much processor time, and returns how long to wait for the next one.
func (p *lookPace) looked(used time.Duration, end time.Time) time.Duration {
	p.wait = min(2*p.wait, lastTrack)
	p.earliest = end.Add(trackShare * used)
	return max(p.wait, p.earliest.Sub(end))
}

// stirred records that the program does something after a time of rest. It returns how long to wait for the
// next look.
func (p *lookPace) stirred(now time.Time) time.Duration {
	p.wait = firstTrack
	return max(p.wait, p.earliest.Sub(now))
}

// run looks at the tree until it is told to stop.
func (t *tracker) run() {
	defer close(t.done)
	defer func() { t.idle.Close() }()
	pace := lookPace{wait: firstTrack}
	timer := time.NewTimer(pace.wait)
	defer timer.Stop()
	for {
		due, over := false, false
		select {
		case <-timer.C:
			due = true
		case <-t.wake:
		case <-t.quit:
			over = true
		}
		t.mu.Lock()
		news := t.news
		t.news = treeNews{}
		t.mu.Unlock()
		if news.stir {
			timer.Reset(pace.stirred(time.Now()))
		}
		if news.moved != nil { // all processes are written down again
			t.session, t.lines, due = *news.moved, 0, true
			clear(t.known)
			clear(t.unsure)
			clear(t.missing)
		}
		t.session.Name = cmp.Or(news.name, t.session.Name)
		t.budget.dropped += news.lost
		begin := proc.OwnTime()
		calm := false
		if due && !news.looks {
			news.rests = pace.wait >= lastTrack
			news.seen, calm = t.look(news.rests)
			news.looks = true
		}
		if over { // the tree is gone, or is recorded as leftovers
			news.seen = nil
			t.take(news, true)
			t.take(treeNews{}, true) // nothing is reported any more
			return
		}
		t.take(news, news.looks)
		if due {
			wait := pace.looked(proc.OwnTime()-begin, time.Now())
			t.mu.Lock()
			t.rests = pace.wait >= lastTrack
			t.mu.Unlock()
			if calm && len(t.unsure)+len(t.missing) == 0 {
				wait = t.doze(&pace, wait)
			}
			timer.Reset(wait)
		}
	}
}

// look returns the living tree. While the tracker rests, the tree is calm if it is the same as at the last look, and if
// its processes were sampled before this look. What they do after that shows on their clocks, so nothing can escape
// between two looks: a process that this look misses was forked after the sample.
func (t *tracker) look(rests bool) (living []proc.Info, calm bool) {
	if !rests {
		t.last = nil
		return pty.Tree(), false
	}
	if t.idle == nil {
		t.idle = proc.NewIdleWatch()
	}
	sampled := len(t.last) > 0 && t.idle.Sample(t.last)
	living = pty.Tree()
	ids := proc.IDs(living)
	calm = sampled && slices.Equal(ids, t.last)
	t.last = ids
	return living, calm
}

// doze waits until the tree does something, but at least for the time wait, or until there is news. Until then the tree
// need not be walked. doze returns how long to wait for the next look.
func (t *tracker) doze(pace *lookPace, wait time.Duration) time.Duration {
	t.mu.Lock()
	t.dozes = len(t.wake) == 0 && !t.stopping
	dozes := t.dozes
	t.mu.Unlock()
	if !dozes {
		return wait
	}
	rung := t.idle.Wait(wait, lastTrack)
	t.mu.Lock()
	t.dozes = false
	t.mu.Unlock()
	if !rung { // a signal to this process may have ended the wait early
		return max(0, time.Until(pace.earliest))
	}
	return pace.stirred(time.Now()) // the session may be about to end
}
