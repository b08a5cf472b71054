package hold

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"devtools/ledger"
	"devtools/ledger/transcript"
	"devtools/runner/guard/isolation"
	"devtools/runner/proc"
	"devtools/runner/wire"
)

const (
	// holderGC lets the memory of a holder grow by no more than half before it is collected: there may be many
	// holders.
	holderGC = 50

	// flushQuiet is how long the output must be silent before its times are written down.
	flushQuiet = 100 * time.Millisecond

	// spareDelay is after what time a holder starts the threads that it may need later. A command that is over by then does not
	// pay for them.
	spareDelay = 25 * time.Millisecond

	// diskRetry is the time between two attempts to store output on a full disk.
	diskRetry = time.Second
)

// A holder keeps one session. One goroutine, in hold, owns all of its state. The other goroutines send bytes and events
// into its channels. The state is divided into parts. A part may call the parts above it in this list. It calls those below
// through functions that newHolder sets.
type holder struct {
	*core
	chunks  chan chunk
	flooded bool      // its program has printed much
	retryAt time.Time // next time to try a full disk again; zero: the disk has taken all
	tracker *tracker
	place   isolation.Surroundings // what an isolated session has around it

	masking    *masking
	completion *completion
	restarts   *restarts
	onExit     *onExit
	clients    *clients
	captures   *captures
	readers    *readers
	persons    *persons
	limits     *limits
	display    *display
	shell      *shell
	probing    *probing
	repl       *repl
	questions  *questions
	waits      *waits
	input      *input
}

// A timed part says when it has something to do, and does it. A zero deadline is none.
type timed interface {
	deadline() time.Time
	tick(now time.Time)
}

// timed returns the timed parts, in the order in which they do their work.
func (h *holder) timed() [12]timed {
	return [...]timed{h.masking, h.clients, h.waits, h.limits, h.input, h.shell, h.repl, h.probing, h.captures, h.completion, h, h.restarts}
}

// A serving part keeps requests until their answers are known.
type serving interface {
	waiting(l *link) int // how many requests of the client it keeps
	dropped(l *link)     // the client is gone
}

// serving returns the serving parts. The clients come first: later parts may ask for the clients that are left.
func (h *holder) serving() [8]serving {
	return [...]serving{h.clients, h.display, h.persons, h.completion, h.restarts, h.shell, h.probing, h.waits}
}

// newHolder returns a holder for the session of the spec, and connects its parts.
func newHolder(spec wire.Spec) *holder {
	c := &core{spec: spec, done: make(chan func(), 4)}
	h := &holder{core: c, chunks: make(chan chunk), completion: &completion{core: c}}
	h.masking = &masking{core: c, record: h.append}
	h.restarts = &restarts{core: c, completion: h.completion, endLeft: h.endLeft, serveKept: h.dispatch}
	h.onExit = &onExit{core: c}
	h.clients = &clients{
		core: c, completion: h.completion, links: map[*link]bool{},
		calls: make(chan call, 16), joined: make(chan *link), renewed: make(chan net.Listener, 1),
		large: newLargeRequests(), memory: &memory{},
	}
	h.clients.halfOpen = newHalfOpen(h.clients.memory)
	h.captures = &captures{core: c, completion: h.completion, clients: h.clients}
	h.readers = &readers{core: c, completion: h.completion, clients: h.clients, captures: h.captures}
	h.persons = &persons{core: c, clients: h.clients}
	h.limits = &limits{core: c}
	h.display = &display{core: c, clients: h.clients}
	h.shell = &shell{core: c, display: h.display}
	h.probing = &probing{core: c, display: h.display}
	h.repl = &repl{core: c, shell: h.shell, probing: h.probing}
	h.questions = &questions{core: c, probing: h.probing, shell: h.shell, repl: h.repl}
	h.waits = &waits{
		core: c, completion: h.completion, display: h.display,
		shell: h.shell, probing: h.probing, questions: h.questions,
	}
	h.input = &input{
		core: c, display: h.display, shell: h.shell, probing: h.probing,
		questions: h.questions, waits: h.waits, masking: h.masking, keys: make(chan keystrokes), early: make(chan keystrokes), urgent: make(chan keystrokes),
	}

	h.clients.over = func() bool { return h.completion.over() && h.readers.delivered() }
	h.captures.awaited = func() bool { return h.completion.over() || h.readers.behind() }
	h.limits.there = h.persons.there
	h.limits.end = h.endForGood
	h.display.reply, h.display.shown = h.input.reply, h.input.noteShown
	h.shell.logEvent = func(e ledger.Event) { h.tracker.ran(e) } // it does not exist yet
	h.shell.typeKeys, h.shell.inputIdle, h.shell.promptChanged = h.input.add, h.input.queue.idle, h.waits.promptChanged
	h.probing.inputIdle, h.probing.answering = h.input.queue.idle, h.questions.answering
	h.probing.found = func(s *probeResult) {
		h.questions.logAsked(s)
		h.questions.found(s)
	}
	return h
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
	r := bufio.NewReaderSize(conn, 8<<10)
	var spec wire.Spec
	if err := wire.ReadLine(r, wire.MaxStart, &spec); err == io.EOF {
		return nil // the starter has nothing to hold after all
	} else if err != nil {
		return fmt.Errorf("read what to hold: %w", err)
	}
	h := newHolder(spec)
	stdin, jobs, err := conn.Take(spec)
	if err == nil {
		err = h.safeBegin(stdin, jobs)
	}
	if err := conn.OwnError(); err != nil {
		return err
	}
	if err != nil {
		fault := wire.NewFault(err)
		fault.Message = h.masks.String(h.dir.Told(fault.Message))
		return wire.WriteLine(conn, wire.Response{V: wire.Version, Error: fault})
	}
	starter := h.clients.add(conn, r)
	starter.starter, starter.viewing = true, spec.Viewed
	h.clients.starter = starter
	h.display.mute()
	starter.answer(wire.Response{Session: h.record()})
	debug.SetGCPercent(holderGC)
	defer h.reportPanic()
	return h.hold()
}

// safeBegin calls begin and turns a panic into an error, so that the starter learns of it.
func (h *holder) safeBegin(stdin *os.File, jobs []*os.File) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	return h.begin(stdin, jobs)
}

// reportPanic records a panic of the holder itself in the session's folder, then panics again.
func (h *holder) reportPanic() {
	if v := recover(); v != nil {
		h.note(fmt.Errorf("panic: %v", v))
		panic("see the line above") // the runtime writes it into holder.log, where v may not stand as it is: it may have a secret
	}
}

// hold is the holder's loop. Every change of state happens in it.
func (h *holder) hold() error {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGTERM, proc.SigContinue)
	for i, output := range h.program.Outputs {
		go pump(output, h.program.Tty, h.program.Kinds[i], h.chunks, &h.idle[i])
	}
	if h.clients.listener != nil {
		go h.clients.accept(h.clients.listener)
	}
	h.limits.begin()
	switch {
	case h.program.Tty != nil:
		go h.input.write()
	case h.program.Input != nil:
		go h.input.writePipe()
	}
	h.tracker = startTracker(h.dir, h.session, h.masks, h.note)
	changes := h.program.Changes
	wake := time.NewTimer(time.Hour)
	for !h.mayLeave() {
		chunks := h.chunks
		if h.readers.behind() {
			chunks = nil
		}
		h.arm(wake)
		keys, next := h.input.next()
		select {
		case keys <- next:
			h.input.queue.take()
		case c := <-chunks:
			h.output(c)
		case batch, more := <-changes:
			h.changed(batch)
			if !more {
				changes = nil
				h.gone()
			}
		case c := <-h.clients.calls:
			h.serve(c)
		case l := <-h.clients.joined:
			h.join(l)
		case finished := <-h.done:
			finished()
		case sig := <-signals:
			if sig == proc.SigContinue {
				h.clients.listenAgain()
			} else {
				h.endForGood(syscall.SIGTERM, defaultGrace)
			}
		case <-wake.C:
		}
		now := time.Now()
		for _, part := range h.timed() {
			part.tick(now)
		}
	}
	err := h.leave()
	if h.spec.NoRecord {
		err = errors.Join(err, h.stay())
	}
	return err
}

// mayLeave reports whether the holder may exit: the session is over, and is not started again.
func (h *holder) mayLeave() bool { return h.isOver() && !h.restarts.pending() }

// isOver reports whether the session is over, and every client and capture has its output and answers.
func (h *holder) isOver() bool {
	return h.completion.over() && h.completion.killing == 0 && h.readers.delivered() && h.waits.allLooked() && h.captures.allEnded()
}

// output takes a chunk of output.
func (h *holder) output(c chunk) {
	if len(c.data) > 0 {
		now := time.Now()
		h.lastBytes = now
		h.printedAt.Store(now.UnixNano())
		h.printedBytes.Add(int64(len(c.data)))
		h.tracker.active()
		if data := h.masking.output(c.data, c.kind, now); len(data) > 0 {
			h.append(data, c.kind, now)
		}
	}
	ended, err := c.ended()
	h.note(err)
	if ended {
		h.masking.ended(c.kind)
		h.completion.outputEnded()
	}
	c.release()
}

// append appends output to the transcript. Only after that do clients learn of it.
func (h *holder) append(data []byte, kind transcript.Kind, now time.Time) {
	h.probing.printed(data)
	h.input.noteEchoed(data)
	h.log.Append(data, kind, now.Sub(h.started))
	h.noteUnsaved(now)
	h.shell.scan(data, h.log.Next()-int64(len(data)))
	h.display.paint(data)
	h.useProcessors(h.log.Next())
}

// noteUnsaved writes into the record that there is output that the disk did not take, and how much is lost, which readers of
// the transcript could not know. The record has room for that.
func (h *holder) noteUnsaved(now time.Time) {
	unsaved, at := h.log.Unsaved(0)
	if len(unsaved) == 0 {
		h.retryAt = time.Time{}
		return
	}
	lost, _ := h.log.Lost()
	moreLost := lost > 0 && h.session.LostBytes == 0
	if h.retryAt.IsZero() {
		h.retryAt = now.Add(diskRetry)
		moreLost = lost > h.session.LostBytes
	}
	if moreLost || h.session.OutputBytes <= at {
		h.session.OutputBytes, h.session.LostBytes = h.log.Next(), lost
		h.save()
	}
}

// arm sets the timer to the next time at which the loop has something to do.
func (h *holder) arm(wake *time.Timer) {
	next := time.Now().Add(time.Hour)
	for _, part := range h.timed() {
		next = soonest(next, part.deadline())
	}
	wake.Reset(time.Until(next))
}

// deadline returns when the times of the output must be written down or a full disk is tried again, or a zero time.
func (h *holder) deadline() time.Time { return soonest(h.flushAt(), h.retryAt) }

// flushAt returns when the times of the output must be written down, or a zero time.
func (h *holder) flushAt() time.Time {
	if !h.log.Pending() {
		return time.Time{}
	}
	return h.lastBytes.Add(flushQuiet)
}

// tick writes down the output and its times, and looks at the tree and the terminal of an ended command.
func (h *holder) tick(now time.Time) {
	if due(h.flushAt(), now) {
		h.log.Flush()
	}
	if due(h.retryAt, now) {
		h.log.Retry()
		h.retryAt = time.Time{}
		h.noteUnsaved(now)
	}
	if due(h.completion.grace.deadline(), now) {
		h.checkGrace(now)
	}
	if due(h.completion.strangerAt, now) {
		select {
		case c := <-h.chunks:
			h.output(c) // it was printed, and not read yet
		default:
		}
		h.completion.checkStranger(now)
	}
	if h.restarts.wanted() && !h.completion.complete && h.isOver() {
		h.completeWith(nil)
	}
}
