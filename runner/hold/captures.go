package hold

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"devtools/ledger"
	"devtools/ledger/transcript"
	"devtools/runner/wire"
)

const (
	// captureBusy is how long one write to a capture's file may take before the terminal no longer waits for
	// the capture. Output that rotation drops after that is a gap in the capture.
	captureBusy = time.Second

	// captureFarewell is how long one write may take at the end of the session. The holder then gives the capture up.
	captureFarewell = 10 * time.Second

	// captureInterval is the least time between two writes to a capture's file, except the last. No client
	// waits for the others.
	captureInterval = 20 * time.Millisecond

	// maxCaptures is how many captures of a session may run at once.
	maxCaptures = 16
)

// The captures are the files into which clients have the output written.
type captures struct {
	*core
	completion *completion
	clients    *clients
	awaited    func() bool // the command or the end of the session waits for a capture
	list       []*capture
	opening    []string // files of captures being made; "" for a file of the session's own
}

// A capture writes the output to a file. It is a client like those outside, with a goroutine and a connection
// of its own. So it cannot slow the terminal down, and it does not lose output that a full disk has refused.
// The loop owns everything in it but the atomics.
type capture struct {
	record ledger.Capture
	link   *link
	stops  []pending // requests that wait for its end

	at        atomic.Int64 // offset up to which the file has the output
	bytes     atomic.Int64
	gap       atomic.Int64
	busySince atomic.Int64 // start of the current write, Unix ns; 0 without one
}

// busy reports whether the current write to the file has lasted longer than d.
func (c *capture) busy(d time.Duration) bool {
	since := c.busySince.Load()
	return since != 0 && time.Since(time.Unix(0, since)) > d
}

// now returns the record, updated to this moment.
func (c *capture) now() ledger.Capture {
	r := c.record
	if r.Running() {
		r.Bytes, r.Gap = c.bytes.Load(), c.gap.Load()
	}
	return r
}

// serve answers the requests about captures.
func (cs *captures) serve(l *link, req *wire.Request) {
	var err error
	switch r := req.Capture; {
	case r == nil:
		err = errors.New("a request to capture says nothing else")
	case r.Action == wire.CaptureStart:
		err = cs.start(l, req)
	case r.Action == wire.CaptureStop:
		err = cs.stop(pending{link: l, id: req.ID}, r.ID)
	case r.Action == wire.CaptureList:
		list := []ledger.Capture{}
		for _, c := range cs.list {
			list = append(list, c.now())
		}
		l.answer(wire.Response{ID: req.ID, Captures: list})
	default:
		err = fmt.Errorf("capture: unknown action %q: %w", r.Action, wire.ErrOlder)
	}
	if err != nil {
		l.refuse(req, err)
	}
}

// nextID returns the id of a new capture. If there are many, it forgets the oldest that has ended.
func (cs *captures) nextID() string {
	if len(cs.list) >= maxRemembered {
		i := slices.IndexFunc(cs.list, func(c *capture) bool { return !c.record.Running() })
		cs.list = slices.Delete(cs.list, i, i+1)
	}
	last := 0
	if n := len(cs.list); n > 0 {
		last, _ = strconv.Atoi(cs.list[n-1].record.ID)
	}
	return strconv.Itoa(last + 1)
}

// running returns the captures that still run.
func (cs *captures) running() []*capture {
	var list []*capture
	for _, c := range cs.list {
		if c.record.Running() {
			list = append(list, c)
		}
	}
	return list
}

// start begins a capture once its file exists. Another goroutine makes the file, because the loop must
// not wait for a file system that hangs.
func (cs *captures) start(l *link, req *wire.Request) error {
	r, format := *req.Capture, transcript.Format(req.Capture.Format)
	switch {
	case cs.completion.over():
		return cs.named(wire.ErrEnded)
	case len(cs.running())+len(cs.opening) >= maxCaptures:
		return fmt.Errorf("session %q has %d captures already: stop one", cs.session.Name, maxCaptures)
	}
	switch format {
	case transcript.JSONL, transcript.Asciicast, transcript.AsciicastV3, transcript.Raw:
	default:
		return fmt.Errorf("capture: unknown format %q: %w", r.Format, wire.ErrOlder)
	}
	if err := cs.checkName(r.File); err != nil {
		return err
	}
	now := time.Now()
	taken := map[string]string{}
	for _, c := range cs.running() {
		taken[c.record.File] = c.record.ID
	}
	if r.File != "" && slices.Contains(cs.opening, r.File) {
		return fmt.Errorf("%s is about to get another capture", r.File)
	}
	cs.opening = append(cs.opening, r.File)
	own := func(suffix string) string { return cs.dir.CaptureFile(cs.session.ID, now, suffix) }
	go func() {
		file, err := createCapture(r, own, format, taken)
		cs.done <- func() {
			cs.opening = slices.Delete(cs.opening, slices.Index(cs.opening, r.File), slices.Index(cs.opening, r.File)+1)
			if err == nil && (cs.completion.over() || l.gone) { // too late, or the client is gone
				err = errors.Join(cs.named(wire.ErrEnded), file.Close())
			}
			if err != nil {
				l.refuse(req, err)
				return
			}
			c := cs.begin(r, format, file, now)
			l.answer(wire.Response{ID: req.ID, Captures: []ledger.Capture{c.now()}})
		}
	}()
	return nil
}

// begin begins a capture to the file, with the next byte of output.
func (cs *captures) begin(r wire.CaptureRequest, format transcript.Format, file *os.File, now time.Time) *capture {
	c := &capture{record: ledger.Capture{
		ID: cs.nextID(), File: file.Name(), Format: r.Format,
		StartedAt: ledger.Time{Time: now}, Offset: cs.log.Next(),
	}}
	c.at.Store(c.record.Offset)
	cs.log.Flush() // output from now on has times of its own
	ours, theirs := net.Pipe()
	c.link = cs.clients.add(ours, bufio.NewReader(ours))
	c.link.capture = true
	cs.list = append(cs.list, c)
	cs.write()
	w := &captureWriter{capture: c, file: file, since: now.Sub(cs.started)}
	w.recorder = transcript.NewRecorder(&w.buffer, format, transcript.RecordingHeader{
		Cols: cs.session.Size.Cols, Rows: cs.session.Size.Rows, Started: now,
		Title: cs.session.Name, Command: strings.Join(cs.session.Command, " "),
	})
	client := wire.NewConn(cs.dir, cs.session, theirs, bufio.NewReader(theirs), nil)
	started := cs.started
	go func() {
		err := w.follow(client, c.record.Offset, started)
		_ = client.Close()
		cs.done <- func() { cs.finish(c, err) }
	}()
	return c
}

// stop lets a capture come to the present end of the output, then answers p. If a capture has already
// ended by itself, the answer says how.
func (cs *captures) stop(p pending, id string) error {
	c, err := cs.find(id)
	switch {
	case err != nil:
		return err
	case !c.record.Running():
		p.link.answer(wire.Response{ID: p.id, Captures: []ledger.Capture{c.record}})
		return nil
	case len(c.stops) >= wire.MaxPending:
		return errors.New("too many requests wait for this capture's end already")
	}
	c.stops = append(c.stops, p)
	if !c.link.ending {
		c.link.ending, c.link.until = true, cs.log.Next()
		cs.clients.tick(time.Now())
	}
	return nil
}

// find returns the capture with the id. Without an id it returns the only one that runs, or the last
// one if that has ended by itself.
func (cs *captures) find(id string) (*capture, error) {
	running := cs.running()
	if id == "" && len(running) == 1 {
		return running[0], nil
	}
	if id == "" && len(running) == 0 {
		if n := len(cs.list); n > 0 && cs.list[n-1].record.Reason != wire.CaptureStopped {
			return cs.list[n-1], nil
		}
		return nil, cs.named(wire.ErrNoCapture)
	}
	if id == "" {
		ids := make([]string, len(running))
		for i, c := range running {
			ids[i] = c.record.ID
		}
		return nil, cs.named(fmt.Errorf("%d captures run: name one of %s", len(running), strings.Join(ids, ", ")))
	}
	if i := slices.IndexFunc(cs.list, func(c *capture) bool { return c.record.ID == id }); i >= 0 {
		return cs.list[i], nil
	}
	return nil, cs.named(fmt.Errorf("capture %q: %w", id, wire.ErrNoCapture))
}

// finish records that a capture has ended, with an error if it has failed.
func (cs *captures) finish(c *capture, err error) {
	if !c.record.Running() {
		return // it was given up
	}
	last := c.now()
	last.EndedAt = ledger.Time{Time: time.Now()}
	switch {
	case err != nil:
		last.Reason, last.Failed = err.Error(), true
	case c.link.ending:
		last.Reason = wire.CaptureStopped
	default:
		last.Reason = wire.CaptureClosed
	}
	c.record = last
	cs.write()
	for _, p := range c.stops {
		if !p.link.gone {
			p.link.answer(wire.Response{ID: p.id, Captures: []ledger.Capture{last}})
		}
	}
	c.stops = nil
}

// write writes the list of captures to the disk.
func (cs *captures) write() {
	list := make([]ledger.Capture, len(cs.list))
	for i, c := range cs.list {
		list[i] = c.now()
	}
	cs.note(cs.dir.SaveCaptures(cs.session.ID, list))
}

// allEnded reports whether no capture runs. The end of the session waits for that.
func (cs *captures) allEnded() bool { return len(cs.running()) == 0 }

// deadline returns when the captures must be looked at again, because something waits for them. Otherwise it returns a
// zero time.
func (cs *captures) deadline() time.Time {
	if cs.allEnded() || !cs.awaited() {
		return time.Time{}
	}
	return time.Now().Add(captureBusy / 4)
}

// tick gives up each capture whose file has taken nothing for captureFarewell, when the session is over.
func (cs *captures) tick(time.Time) {
	if !cs.completion.over() {
		return
	}
	for _, c := range cs.running() {
		if c.busy(captureFarewell) {
			cs.finish(c, fmt.Errorf("%s took nothing for %v", c.record.File, captureFarewell))
		}
	}
}

// behind reports whether a capture that is not stuck is farther behind the output than limit.
func (cs *captures) behind(limit int64) bool {
	for _, c := range cs.list {
		if c.record.Running() && cs.log.Next()-c.at.Load() > limit && !c.busy(captureBusy) {
			return true
		}
	}
	return false
}
