package hold

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"os/signal"
	"runtime/debug"
	"sync/atomic"
	"syscall"
	"time"

	"devtools/ledger"
	"devtools/ledger/transcript"
	"devtools/runner/proc"
	"devtools/runner/pty"
	"devtools/runner/track"
	"devtools/runner/wire"
)

const (
	// maxBehind is how many bytes the starter may be behind the output. Beyond that, the holder stops reading
	// the terminal, and the command waits.
	maxBehind = 64 << 20

	// tellInterval is the least time between two notices of new output to one client.
	tellInterval = time.Millisecond

	// graceCheck is how often the holder looks at the tree for new descendants during the grace. firstLook is
	// when it looks for the first time: a tree that is gone by then is never looked at.
	graceCheck = 50 * time.Millisecond
	firstLook  = 5 * time.Millisecond

	// graceMost is how many times its own length the grace may last in all, when new descendants restart it.
	graceMost = 10

	// strangerWait is how long the terminal may stay open after the tree is gone. After that, the holder
	// concludes that a stranger, a process outside the tree, has it open. strangerQuiet is how long the
	// terminal must then have been silent.
	strangerWait  = 200 * time.Millisecond
	strangerQuiet = 50 * time.Millisecond

	// stopQuiet is how long the terminal must be silent before the output of a stopped or ended program counts
	// as complete.
	stopQuiet = 20 * time.Millisecond

	// holderGC lets the memory of a holder grow by no more than half before it is collected: there may be many
	// holders.
	holderGC = 50

	// flushQuiet is how long the output must be silent before its times are written down.
	flushQuiet = 100 * time.Millisecond

	// defaultGrace is the time between TERM and KILL where the caller gives none.
	defaultGrace = 5 * time.Second
)

// A holder keeps one session. One goroutine, in hold, owns all of its state. The other goroutines send bytes
// and events into its channels.
type holder struct {
	spec       wire.Spec
	dir        ledger.Dir
	session    ledger.Session
	log        *transcript.Writer
	program    *pty.Program
	cgroup     proc.Cgroup
	shell      *shellState // nil unless the shell is integrated
	screenFeed *screenFeed // nil until output or a request needs it
	tracker    *tracker
	muted      atomic.Int64 // offset up to which a person's terminal answers queries

	listener *net.UnixListener
	links    map[*link]bool
	starter  *link

	chunks chan chunk
	calls  chan call
	joined chan net.Conn
	done   chan func() // results of other goroutines, which the loop runs
	keys   chan keystrokes

	input     inputQueue
	ended     atomic.Bool             // exited, for the other goroutines
	printedAt atomic.Int64            // last output, Unix ns
	repliedAt atomic.Int64            // last reply to a query of the program, Unix ns
	typed     atomic.Pointer[typedAt] // last input; nil before the first
	idle      atomic.Bool             // the reader has passed on all that it read and waits for more

	started   time.Time
	lastBytes time.Time
	outputs   int // outputs that have not ended

	exited   bool // the main process has ended
	treeGone bool
	drained  bool
	complete bool // the result is known; leftovers may still run
	recorded bool // the ledger has the end of the main process
	killing  int  // goroutines that are ending processes
	ending   ending

	grace    time.Time // end of the grace; zero outside the grace
	graceEnd time.Time // latest end of the grace, even with new descendants
	look     time.Time // next look at the tree during the grace
	known    map[proc.ID]bool
	strayEnd time.Time // when a terminal that is still open counts as a stranger's
	limit    time.Time // end of the time limit; zero without one
	tether   tether

	stopped time.Time // stop of the main process; zero if it runs or the stop is reported

	follows []pending
	results []pending
	stops   []pending
	waiters []*waiter

	lookAgain time.Time // next attempt at a last look, for which the screen feed had no room

	waitWatcher *waitWatcher // nil while none runs
	rested      *waitWatcher // the previous wait watcher, with what it has seen
	glanced     int64        // printedAt at the last glance
	nextGlance  time.Time    // earliest next glance
	askedLast   time.Time    // last time at which an asker was there
	askers      []*asker
	probeResult probeResult     // the last probe result
	inputState  wire.InputState // meaning of the last probe result
	question    openQuestion    // the last question
	questioned  *typedAt        // the last input when question was asked
	answer      typedAnswer     // the last answer
	noted       map[string]bool // questions already in the journal
	tail        []byte          // end of the output

	sizes []sizePending
	asks  []asking
	atEnd []func() // answers that wait until the end is recorded
	wake  *time.Timer

	captures []*capture
	opening  []string // files of captures being made; "" for a file of the session's own
}

// A pending is a request whose answer is not known yet.
type pending struct {
	link *link
	id   int
	from int64
	run  int // command of the shell that a follow is about

	complete bool // the follow ends with the command
}

// Hold runs a holder until its session is over, in a process that was started for it. The starter sends the
// command over the start-up channel and learns whether it could be started. That channel then becomes a
// connection like any other. Hold returns when the tree is gone, the end is recorded, and every client that
// asked has its answer.
func Hold() error {
	conn, err := wire.StartUpChannel()
	if err != nil {
		return err
	}
	r := bufio.NewReaderSize(conn, 64<<10)
	var spec wire.Spec
	if err := wire.ReadLine(r, wire.MaxStart, &spec); err == io.EOF {
		return nil // the starter has nothing to hold after all
	} else if err != nil {
		return fmt.Errorf("read what to hold: %w", err)
	}
	h := &holder{
		spec:   spec,
		links:  map[*link]bool{},
		chunks: make(chan chunk),
		calls:  make(chan call, 16),
		joined: make(chan net.Conn),
		done:   make(chan func(), 4),
		keys:   make(chan keystrokes),
		wake:   time.NewTimer(time.Hour),
	}
	if err := h.safeBegin(conn.Input); err != nil {
		return wire.WriteLine(conn, wire.Response{V: wire.Version, Error: wire.NewFault(err)})
	}
	h.starter = newLink(conn, r, h.calls)
	h.starter.starter, h.starter.viewing = true, spec.Viewed
	h.links[h.starter] = true
	h.watchers()
	session := h.session
	h.starter.answer(wire.Response{Session: &session})
	debug.SetGCPercent(holderGC)
	defer h.reportPanic()
	return h.hold()
}

// safeBegin calls begin and turns a panic into an error, so that the starter learns of it.
func (h *holder) safeBegin(stdin *os.File) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	return h.begin(stdin)
}

// reportPanic records a panic of the holder itself in the session's folder, then panics again.
func (h *holder) reportPanic() {
	if v := recover(); v != nil {
		h.note(fmt.Errorf("panic: %v", v))
		panic(v)
	}
}

// note writes down a failure that does not end the session.
func (h *holder) note(err error) {
	if err == nil {
		return
	}
	f, openErr := os.OpenFile(h.dir.SessionFolder(h.session.ID)+"/holder.log", os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if openErr != nil {
		return // no place is left to report it
	}
	fmt.Fprintf(f, "%s %v\n", time.Now().UTC().Format(time.RFC3339Nano), err)
	_ = f.Close()
}

// hold is the holder's loop. Every change of state happens in it.
func (h *holder) hold() error {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGTERM)
	for i, output := range h.program.Outputs {
		go pump(output, h.program.Kinds[i], h.chunks, &h.idle)
	}
	go h.accept()
	if h.spec.Tether != 0 {
		h.tether.watch(track.Identity(h.session.Tether), h.done)
	}
	if h.program.Tty != nil {
		go h.writeInput()
	}
	h.tracker = startTracker(h.dir, h.session, h.note)
	changes := h.program.Changes
	for !(h.treeGone && h.drained && h.killing == 0 && h.delivered() && h.allLooked() && h.captured()) {
		chunks := h.chunks
		if h.behind() {
			chunks = nil
		}
		h.arm()
		keys, next := h.nextKeys()
		select {
		case keys <- next:
			h.input.take()
		case c := <-chunks:
			h.output(c)
		case batch, more := <-changes:
			h.changed(batch)
			if !more {
				changes = nil
				h.gone()
			}
		case c := <-h.calls:
			h.serve(c)
		case conn := <-h.joined:
			h.links[newLink(conn, bufio.NewReader(conn), h.calls)] = true
		case finished := <-h.done:
			finished()
		case <-signals:
			h.end(syscall.SIGTERM, defaultGrace, nil)
		case <-h.wake.C:
		}
		h.tick(time.Now())
	}
	return h.leave()
}

// behind reports whether the command must wait, because the starter or a capture is too far behind the output.
func (h *holder) behind() bool {
	reads := h.spec.Foreground && h.links[h.starter]
	if h.treeGone || !reads && len(h.captures) == 0 {
		return false // little output is left when the tree is gone
	}
	limit := min(int64(maxBehind), h.spec.MaxLog/2)
	if unsaved, _ := h.log.Unsaved(0); len(unsaved) > 0 {
		limit = int64(transcript.MaxUnsaved / 2) // memory keeps at most MaxUnsaved bytes that the disk did not take
	}
	return reads && h.log.Next()-h.starter.read > limit || h.capturesBehind(limit)
}

// delivered reports whether the output that the disk could not take has reached its readers. These are the
// captures and, if it reads along, the starter. No other copy of that output exists.
func (h *holder) delivered() bool {
	unsaved, _ := h.log.Unsaved(0)
	if len(unsaved) > 0 && h.capturesBehind(0) {
		return false
	}
	return len(unsaved) == 0 || !h.spec.Foreground || !h.links[h.starter] || h.starter.read >= h.log.Next()
}

// output records a chunk in the transcript. Only after that do clients learn of it.
func (h *holder) output(c chunk) {
	now := time.Now()
	if len(c.data) > 0 {
		h.lastBytes = now
		h.printedAt.Store(now.UnixNano())
		h.keepTail(c.data)
		h.stir()
		h.tracker.active()
		h.log.Append(c.data, c.kind, now.Sub(h.started))
		h.scanShell(c.data, h.log.Next()-int64(len(c.data)))
		h.paint(c.data)
	}
	ended, err := c.ended()
	h.note(err)
	if ended {
		h.outputs--
		h.drained = h.outputs == 0
	}
	c.release()
}

// paint tells the screen feed that the transcript has grown by data.
func (h *holder) paint(data []byte) {
	if h.screenFeed == nil {
		if h.program.Tty == nil {
			// Without a terminal, the program sends no queries. The first request for a picture starts the
			// feed.
			return
		}
		h.startFeed()
	}
	if unsaved, _ := h.log.Unsaved(0); len(unsaved) > 0 {
		// The feed cannot read this output from the disk.
		h.screenFeed.order(order{at: h.log.Next() - int64(len(data)), data: bytes.Clone(data)})
	}
	h.screenFeed.grown(h.log.Next())
}

func (h *holder) startFeed() {
	size := h.session.Size
	if h.session.StartSize != (ledger.Size{}) {
		size = h.session.StartSize
	}
	h.screenFeed = newFeed(h.dir.SessionFolder(h.session.ID), size, wire.Scrollback(h.session), h.reply, &h.muted, h.note)
	h.screenFeed.grown(h.log.Next())
}

// reply types the terminal's answer to a query of the program. The screen feed calls it.
func (h *holder) reply(answer []byte) {
	h.done <- func() {
		_ = h.input.add(keystrokes{data: answer, reply: true}) // a program that does not read the answers goes without them
	}
}

// watchers notes whether a person's terminal shows the session, and at which offset the last such terminal
// stops.
func (h *holder) watchers() {
	viewed := false
	for l := range h.links {
		viewed = viewed || l.viewing
	}
	switch was := h.muted.Load() == math.MaxInt64; {
	case viewed:
		h.muted.Store(math.MaxInt64)
	case was:
		h.muted.Store(h.log.Next())
	}
}

// arm sets the timer to the next time at which the loop has something to do.
func (h *holder) arm() {
	next := time.Now().Add(time.Hour)
	for _, at := range []time.Time{h.strayEnd, h.limit, h.tether.end, h.nextWaiter(), h.input.deadline(), h.captureCheck(), h.shellDue(), h.nextAsker(), h.glanceDue()} {
		if !at.IsZero() && at.Before(next) {
			next = at
		}
	}
	if !h.grace.IsZero() && h.look.Before(next) {
		next = h.look
	}
	if len(h.stops) > 0 && !h.stopped.IsZero() && h.shown().Before(next) {
		next = h.shown()
	}
	if at := h.lastBytes.Add(flushQuiet); h.log.Pending() && at.Before(next) {
		next = at
	}
	for _, p := range h.follows {
		if at := p.link.told.Add(p.link.interval()); p.from < h.log.Next() && at.Before(next) {
			next = at
		}
	}
	h.wake.Reset(time.Until(next))
}

// shown returns when all output of a stopped program will have been read.
func (h *holder) shown() time.Time {
	if h.lastBytes.After(h.stopped) {
		return h.lastBytes.Add(stopQuiet)
	}
	return h.stopped.Add(stopQuiet)
}

// tick does all work that is due.
func (h *holder) tick(now time.Time) {
	h.tell(now)
	h.tickWaiters(now)
	h.checkTether(now)
	h.giveUpInput(now)
	h.tellShell(now)
	h.tellAskers(now, func(a *asker) bool { return a.due(now) })
	if h.log.Pending() && !now.Before(h.lastBytes.Add(flushQuiet)) {
		h.log.Flush()
	}
	h.glance(now)
	if !h.limit.IsZero() && !now.Before(h.limit) {
		h.limit = time.Time{}
		h.session.TimedOut = !h.exited // after the exit, the limit only ends leftovers
		h.end(syscall.SIGTERM, h.spec.KillAfter, nil)
	}
	if len(h.stops) > 0 && !h.stopped.IsZero() && !now.Before(h.shown()) {
		h.stopped = time.Time{}
		h.answerAll(&h.stops, func(p pending) wire.Response { return wire.Response{ID: p.id, Next: h.log.Next()} })
	}
	if !h.grace.IsZero() && !now.Before(h.look) {
		h.checkGrace(now)
	}
	if !h.strayEnd.IsZero() && !now.Before(h.strayEnd) {
		h.checkStray(now)
	}
}

// checkStray decides that a stranger has the terminal, which is still open though the tree is gone. Before
// that, the terminal must have been silent, and none of its output may wait to be read.
func (h *holder) checkStray(now time.Time) {
	select {
	case c := <-h.chunks:
		h.output(c)
	default:
	}
	if quiet := h.lastBytes.Add(strangerQuiet); now.Before(quiet) {
		h.strayEnd = quiet
		return
	}
	h.strayEnd, h.drained = time.Time{}, true
}

// end ends the whole tree and hands the outcome to then, which runs in the loop. If then is nil, survived gets
// the outcome.
func (h *holder) end(sig syscall.Signal, grace time.Duration, then func(proc.Outcome)) {
	h.endThose(treeIDs, sig, grace, then)
}

func (h *holder) endThose(list func() []proc.ID, sig syscall.Signal, grace time.Duration, then func(proc.Outcome)) {
	if then == nil {
		then = h.survived
	}
	h.killing++
	h.ending = ending{sig, time.Now(), grace}
	go func() {
		outcome := proc.Kill(context.Background(), list, sig, grace)
		h.done <- func() {
			h.killing--
			then(outcome)
		}
	}()
}
