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
	// maxBehind is how far the starter may be behind the output, in bytes, before the holder stops
	// reading the terminal, and the command waits.
	maxBehind = 64 << 20

	// tellInterval is the least time between two words to one client that there is more output.
	tellInterval = time.Millisecond

	// graceCheck is how often the tree is looked at for new descendants while the grace runs, and
	// firstLook when for the first time: a tree that is gone by then was never looked at.
	graceCheck = 50 * time.Millisecond
	firstLook  = 5 * time.Millisecond

	// graceMost is how many times the grace can last in all when new descendants begin it anew.
	graceMost = 10

	// strangerWait is how long the terminal may stay open after the tree is gone before the holder
	// concludes that a stranger has it open; strangerQuiet is how long it must have been silent then.
	strangerWait  = 200 * time.Millisecond
	strangerQuiet = 50 * time.Millisecond

	// stopQuiet is how long the terminal must have been silent for a stopped program to have been shown.
	stopQuiet = 20 * time.Millisecond

	// holderGC makes the memory of a holder grow by no more than half before it is collected: there may be many.
	holderGC = 50

	// flushQuiet is how long the output must have been silent for its times to be written down.
	flushQuiet = 100 * time.Millisecond

	// defaultGrace is what killing allows between TERM and KILL where nobody said.
	defaultGrace = 5 * time.Second
)

// A holder keeps one session. One goroutine, in hold, owns all of it; the others move bytes and
// events into its channels.
type holder struct {
	spec       wire.Spec
	dir        ledger.Dir
	session    ledger.Session
	log        *transcript.Writer
	program    *pty.Program
	cgroup     proc.Cgroup
	shell      *shellState // nil unless it is integrated
	screenFeed *screenFeed // nil until there is something to paint
	tracker    *tracker
	muted      atomic.Int64 // the offset up to which a person's terminal answers queries

	listener *net.UnixListener
	links    map[*link]bool
	starter  *link

	chunks chan chunk
	calls  chan call
	joined chan net.Conn
	done   chan func() // work that other goroutines have finished
	keys   chan keystrokes

	backlog      []keystrokes // what is to be typed
	backlogBytes int
	writing      bool                    // the input writer has something to do
	ended        atomic.Bool             // the main process is gone
	printedAt    atomic.Int64            // when there was output last, in nanoseconds of Unix time
	repliedAt    atomic.Int64            // and when the terminal answered a query of the program, likewise
	typed        atomic.Pointer[typedAt] // the last input; nil before there was any
	idle         atomic.Bool             // who reads the output has passed on all that it read, and waits for more

	started   time.Time
	lastBytes time.Time
	open      int // outputs that have not ended

	exited   bool // the main process is gone
	treeGone bool
	drained  bool
	complete bool // there is a result, though leftovers may live
	recorded bool // the end of the main process is in the ledger
	killing  int  // goroutines that end processes
	ending   ending
	typing   int // inputs that are accepted and not yet written

	grace    time.Time // when it is over; zero when it does not run
	graceEnd time.Time // when it is over whatever still comes
	look     time.Time // when the tree is looked at next, while it runs
	known    map[proc.ID]bool
	strayEnd time.Time // when an open terminal without a tree is a stranger's
	limit    time.Time // when the time is over
	letGo    func()    // ends the watch of the process that the session is tethered to; nil without one

	tetherEnd time.Time // when the session ends, because that process is gone

	stopped time.Time // when the main process was stopped; zero when it is not, or those who asked know

	follows []pending
	results []pending
	stops   []pending
	waiters []*waiter

	lookAgain time.Time // when the screen feed is asked for a last look again, which had no room

	waitWatcher *waitWatcher // nil while nobody asks whether it waits for input
	rested      *waitWatcher // what looked before, and remembers what it has seen
	glanced     int64        // when there was output last, before somebody looked
	nextGlance  time.Time    // when there may be a look again that nobody has asked for
	askedLast   time.Time    // when somebody asked last
	askers      []*asker
	probeResult probeResult     // what it has found last
	inputState  wire.InputState // and what that means
	question    openQuestion    // the last one
	questioned  *typedAt        // what was typed last then
	answer      typedAnswer     // the last one
	noted       map[string]bool // questions that are in the journal
	tail        []byte          // the end of the output

	sizes []sizePending
	asks  []asking
	atEnd []func() // answers that wait for the end to be recorded
	wake  *time.Timer

	captures []*capture
	opening  []string // files of captures that are being made, "" for one of the session's own
}

// A pending is a request whose answer is not yet known.
type pending struct {
	link *link
	id   int
	from int64
	run  int // the command of the shell that a follow is about

	complete bool // a follow that ends with the command
}

// Hold is the life of a holder, in a process of its own that was started for it. The starter's end
// of the start-up channel says what to hold and hears whether it could be started; the same channel is
// then a connection like any other. It returns when the tree is gone, the end is recorded, and
// everybody who asked has an answer.
func Hold() error {
	conn, err := wire.StartUpChannel()
	if err != nil {
		return err
	}
	r := bufio.NewReaderSize(conn, 64<<10)
	var spec wire.Spec
	if err := wire.ReadLine(r, wire.MaxStart, &spec); err == io.EOF {
		return nil // there is nothing to hold after all
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

// safeBegin is begin, with a panic as an error: the starter is to hear of it.
func (h *holder) safeBegin(stdin *os.File) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	return h.begin(stdin)
}

// reportPanic leaves what a failure of the holder itself was in its session's folder.
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
		return // nowhere left to say it
	}
	fmt.Fprintf(f, "%s %v\n", time.Now().UTC().Format(time.RFC3339Nano), err)
	_ = f.Close()
}

// hold is the loop. Every change of state happens in it.
func (h *holder) hold() error {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGTERM)
	for i, output := range h.program.Outputs {
		go pump(output, h.program.Kinds[i], h.chunks, &h.idle)
	}
	go h.accept()
	if h.spec.Tether != 0 {
		h.watchTether(track.Identity(h.session.Tether))
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
			h.handedOver()
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

// behind reports whether the starter, or a capture, is so far behind that the command must wait for it.
func (h *holder) behind() bool {
	reads := h.spec.Foreground && h.links[h.starter]
	if h.treeGone || !reads && len(h.captures) == 0 {
		return false // what is left when the tree is gone is little
	}
	limit := min(int64(maxBehind), h.spec.MaxLog/2)
	if unsaved, _ := h.log.Unsaved(0); len(unsaved) > 0 {
		limit = int64(transcript.MaxUnsaved / 2) // what the disk has not taken is kept for so long
	}
	return reads && h.log.Next()-h.starter.read > limit || h.capturesBehind(limit)
}

// delivered reports whether the starter, if it reads along, has what the disk could not take: nobody
// else has it.
func (h *holder) delivered() bool {
	unsaved, _ := h.log.Unsaved(0)
	if len(unsaved) > 0 && h.capturesBehind(0) {
		return false
	}
	return len(unsaved) == 0 || !h.spec.Foreground || !h.links[h.starter] || h.starter.read >= h.log.Next()
}

// output records a chunk and then lets everybody know: the record first.
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
		h.open--
		h.drained = h.open == 0
	}
	c.release()
}

// paint lets the picture follow the transcript, which has grown by data.
func (h *holder) paint(data []byte) {
	if h.screenFeed == nil {
		if h.program.Tty == nil {
			return // it asks for nothing: whoever wants a picture gets one then
		}
		h.startFeed()
	}
	if unsaved, _ := h.log.Unsaved(0); len(unsaved) > 0 {
		h.screenFeed.order(order{at: h.log.Next() - int64(len(data)), data: bytes.Clone(data)}) // or it is lost to the picture
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

// reply types what the terminal answers to a query of the program. It is called by the screen feed.
func (h *holder) reply(answer []byte) {
	h.done <- func() {
		if h.queueKeys(keystrokes{data: answer}) != nil {
			return // a program that asks without reading its answers does without
		}
		last := len(h.backlog) - 1 // before all that others type: the program waits for it
		at := 0
		for at < last && h.backlog[at].reply {
			at++
		}
		reply := h.backlog[last]
		reply.reply = true
		copy(h.backlog[at+1:], h.backlog[at:last])
		h.backlog[at] = reply
	}
}

// watchers notes whether a person's terminal shows the session, and when it stops to.
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

// arm sets the timer to the next moment at which something is to be done.
func (h *holder) arm() {
	next := time.Now().Add(time.Hour)
	for _, at := range []time.Time{h.strayEnd, h.limit, h.tetherEnd, h.nextWaiter(), h.nextExpiry(), h.captureCheck(), h.shellDue(), h.nextAsker(), h.glanceDue()} {
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

// shown returns when what a stopped program printed will all have been read.
func (h *holder) shown() time.Time {
	if h.lastBytes.After(h.stopped) {
		return h.lastBytes.Add(stopQuiet)
	}
	return h.stopped.Add(stopQuiet)
}

// tick does what is due.
func (h *holder) tick(now time.Time) {
	h.tell(now)
	h.tickWaiters(now)
	h.checkTether(now)
	h.checkBacklog(now)
	h.tellShell(now)
	h.tellAskers(now, func(a *asker) bool { return a.due(now) })
	if h.log.Pending() && !now.Before(h.lastBytes.Add(flushQuiet)) {
		h.log.Flush()
	}
	h.glance(now)
	if !h.limit.IsZero() && !now.Before(h.limit) {
		h.limit = time.Time{}
		h.session.TimedOut = !h.exited // else only what it has left is ended
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

// checkStray decides that a terminal which is still open without a tree is a stranger's, once it has been
// silent and nothing that it printed waits to be taken.
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

// end ends the tree, or what list names, and tells the loop what became of it.
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
