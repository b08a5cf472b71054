package hold

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
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

	// captureFarewell is the same at the end of the session, which waits for its captures.
	captureFarewell = 10 * time.Second

	// captureInterval is the least time between two writes to a capture's file, except the last. No client
	// waits for the others.
	captureInterval = 20 * time.Millisecond

	// maxCaptures is how many captures of a session may run at once.
	maxCaptures = 16
)

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

// capture answers the requests about captures.
func (h *holder) capture(l *link, req *wire.Request) {
	var err error
	switch r := req.Capture; {
	case r == nil:
		err = errors.New("a request to capture says nothing else")
	case r.Action == wire.CaptureStart:
		err = h.startCapture(l, req)
	case r.Action == wire.CaptureStop:
		err = h.stopCapture(pending{link: l, id: req.ID}, r.ID)
	case r.Action == wire.CaptureList:
		list := []ledger.Capture{}
		for _, c := range h.captures {
			list = append(list, c.now())
		}
		l.answer(wire.Response{ID: req.ID, Captures: list})
	default:
		err = fmt.Errorf("capture: unknown action %q: %w", r.Action, errors.ErrUnsupported)
	}
	if err != nil {
		h.refuse(l, req, err)
	}
}

// nextCapture returns the id of a new capture. If there are many, it forgets the oldest that has ended.
func (h *holder) nextCapture() string {
	if len(h.captures) >= maxRemembered {
		i := slices.IndexFunc(h.captures, func(c *capture) bool { return !c.record.Running() })
		h.captures = slices.Delete(h.captures, i, i+1)
	}
	last := 0
	if n := len(h.captures); n > 0 {
		last, _ = strconv.Atoi(h.captures[n-1].record.ID)
	}
	return strconv.Itoa(last + 1)
}

// runningCaptures returns the captures that still run.
func (h *holder) runningCaptures() []*capture {
	var list []*capture
	for _, c := range h.captures {
		if c.record.Running() {
			list = append(list, c)
		}
	}
	return list
}

// startCapture begins a capture once its file exists. Another goroutine makes the file, because the loop must
// not wait for a file system that hangs.
func (h *holder) startCapture(l *link, req *wire.Request) error {
	r, format := *req.Capture, transcript.Format(req.Capture.Format)
	switch {
	case h.treeGone && h.drained:
		return ledger.SessionError(h.session.Name, wire.ErrEnded)
	case len(h.runningCaptures())+len(h.opening) >= maxCaptures:
		return fmt.Errorf("session %q has %d captures already: stop one", h.session.Name, maxCaptures)
	}
	switch format {
	case transcript.JSONL, transcript.Asciicast, transcript.AsciicastV3, transcript.Raw:
	default:
		return fmt.Errorf("capture: unknown format %q: %w", r.Format, errors.ErrUnsupported)
	}
	now := time.Now()
	taken := map[string]string{}
	for _, c := range h.runningCaptures() {
		taken[c.record.File] = c.record.ID
	}
	if r.File != "" && slices.Contains(h.opening, r.File) {
		return fmt.Errorf("%s is about to get another capture", r.File)
	}
	h.opening = append(h.opening, r.File)
	own := func(suffix string) string { return h.dir.CaptureFile(h.session.ID, now, suffix) }
	go func() {
		file, err := createCapture(r, own, format, taken)
		h.done <- func() {
			h.opening = slices.Delete(h.opening, slices.Index(h.opening, r.File), slices.Index(h.opening, r.File)+1)
			if err == nil && (h.treeGone && h.drained || !h.links[l]) { // too late, or the client is gone
				err = errors.Join(ledger.SessionError(h.session.Name, wire.ErrEnded), file.Close())
			}
			if err != nil {
				h.refuse(l, req, err)
				return
			}
			c := h.beginCapture(r, format, file, now)
			l.answer(wire.Response{ID: req.ID, Captures: []ledger.Capture{c.now()}})
		}
	}()
	return nil
}

// beginCapture begins a capture to the file, with the next byte of output.
func (h *holder) beginCapture(r wire.CaptureRequest, format transcript.Format, file *os.File, now time.Time) *capture {
	c := &capture{record: ledger.Capture{
		ID: h.nextCapture(), File: file.Name(), Format: r.Format,
		StartedAt: ledger.Time{Time: now}, Offset: h.log.Next(),
	}}
	c.at.Store(c.record.Offset)
	h.log.Flush() // output from now on has times of its own
	ours, theirs := net.Pipe()
	c.link = newLink(ours, bufio.NewReader(ours), h.calls)
	c.link.capture = true
	h.links[c.link] = true
	h.captures = append(h.captures, c)
	h.saveCaptures()
	w := &captureWriter{capture: c, file: file, since: now.Sub(h.started)}
	w.recorder = transcript.NewRecorder(&w.buffer, format, transcript.RecordingHeader{
		Cols: h.session.Size.Cols, Rows: h.session.Size.Rows, Started: now,
		Title: h.session.Name, Command: strings.Join(h.session.Command, " "),
	})
	client := wire.NewConn(h.dir, h.session, theirs, bufio.NewReader(theirs), nil)
	started := h.started
	go func() {
		err := w.follow(client, c.record.Offset, started)
		_ = client.Close()
		h.done <- func() { h.captureEnded(c, err) }
	}()
	return c
}

// createCapture makes the file of a capture: r.File, or one of the session's own. It replaces a file that has
// content only if r.Force is set. It never replaces a file in taken.
func createCapture(r wire.CaptureRequest, own func(suffix string) string, format transcript.Format, taken map[string]string) (*os.File, error) {
	const fresh = os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if r.File == "" {
		for n := 1; ; n++ {
			suffix := format.Extension()
			if n > 1 {
				suffix = "-" + strconv.Itoa(n) + suffix
			}
			file, err := os.OpenFile(own(suffix), fresh, 0o600)
			if !errors.Is(err, fs.ErrExist) {
				return file, err
			}
		}
	}
	if !filepath.IsAbs(r.File) {
		return nil, fmt.Errorf("%s: the path of a capture's file is absolute", r.File)
	}
	flags := fresh
	if info, err := os.Stat(r.File); err == nil {
		switch {
		case !info.Mode().IsRegular():
			return nil, fmt.Errorf("%s is no file that a capture could be written to", r.File)
		case !r.Force && info.Size() > 0:
			return nil, fmt.Errorf("%s: %w: --force replaces it", r.File, fs.ErrExist)
		}
		for file, id := range taken {
			if other, err := os.Stat(file); err == nil && os.SameFile(info, other) {
				return nil, fmt.Errorf("%s gets capture %s already", r.File, id)
			}
		}
		flags = os.O_WRONLY | os.O_TRUNC
	}
	return os.OpenFile(r.File, flags, 0o600)
}

// stopCapture lets a capture come to the present end of the output, then answers p. If a capture has already
// ended by itself, the answer says how.
func (h *holder) stopCapture(p pending, id string) error {
	c, err := h.findCapture(id)
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
		c.link.ending, c.link.until = true, h.log.Next()
		h.tell(time.Now())
	}
	return nil
}

// findCapture returns the capture with the id. Without an id it returns the only one that runs, or the last
// one if that has ended by itself.
func (h *holder) findCapture(id string) (*capture, error) {
	running := h.runningCaptures()
	if id == "" && len(running) == 1 {
		return running[0], nil
	}
	if id == "" && len(running) == 0 {
		if n := len(h.captures); n > 0 && h.captures[n-1].record.Reason != wire.CaptureStopped {
			return h.captures[n-1], nil
		}
		return nil, ledger.SessionError(h.session.Name, wire.ErrNoCapture)
	}
	if id == "" {
		ids := make([]string, len(running))
		for i, c := range running {
			ids[i] = c.record.ID
		}
		return nil, ledger.SessionError(h.session.Name, fmt.Errorf("%d captures run: name one of %s", len(running), strings.Join(ids, ", ")))
	}
	if i := slices.IndexFunc(h.captures, func(c *capture) bool { return c.record.ID == id }); i >= 0 {
		return h.captures[i], nil
	}
	return nil, ledger.SessionError(h.session.Name, fmt.Errorf("capture %q: %w", id, wire.ErrNoCapture))
}

// captureEnded records that a capture has ended, with an error if it has failed.
func (h *holder) captureEnded(c *capture, err error) {
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
	h.saveCaptures()
	for _, p := range c.stops {
		if h.links[p.link] {
			p.link.answer(wire.Response{ID: p.id, Captures: []ledger.Capture{last}})
		}
	}
	c.stops = nil
}

func (h *holder) saveCaptures() {
	list := make([]ledger.Capture, len(h.captures))
	for i, c := range h.captures {
		list[i] = c.now()
	}
	h.note(h.dir.SaveCaptures(h.session.ID, list))
}

// captured reports whether every capture has ended. The end of the session waits for its captures, but not for
// one whose file takes nothing.
func (h *holder) captured() bool {
	for _, c := range h.runningCaptures() {
		if !c.busy(captureFarewell) {
			return false
		}
		h.captureEnded(c, fmt.Errorf("%s took nothing for %v", c.record.File, captureFarewell))
	}
	return true
}

// capturesBehind reports whether a capture that is not stuck is farther behind the output than limit.
func (h *holder) capturesBehind(limit int64) bool {
	for _, c := range h.captures {
		if c.record.Running() && h.log.Next()-c.at.Load() > limit && !c.busy(captureBusy) {
			return true
		}
	}
	return false
}

// captureCheck returns when the loop must look at the captures again, because something waits for them. Zero
// means never.
func (h *holder) captureCheck() (at time.Time) {
	if len(h.captures) > 0 && (h.treeGone && h.drained || h.behind()) && len(h.runningCaptures()) > 0 {
		at = time.Now().Add(captureBusy / 4)
	}
	return at
}

// A captureWriter is the part of a capture that belongs to its goroutine.
type captureWriter struct {
	capture  *capture
	file     *os.File
	recorder *transcript.Recorder // writes to buffer
	buffer   bytes.Buffer
	written  int64         // bytes in the file
	since    time.Duration // start of the capture, from the start of the session
	bytes    int64         // bytes of output in buffer
}

// follow writes the output from an offset on, until the session ends or the capture is stopped. A file that
// could take no more has only whole lines.
func (w *captureWriter) follow(client *wire.Conn, from int64, started time.Time) (err error) {
	defer func() {
		if v := recover(); v != nil { // the session must not end with it
			err = fmt.Errorf("panic: %v", v)
		}
		err = errors.Join(err, w.file.Close())
	}()
	times, err := transcript.NewTimeline(client.Folder(), from)
	if err != nil {
		return err
	}
	defer times.Close()
	times.Now = func() time.Duration { return time.Since(started) }
	next := from
	sink := wire.Sink{Write: func(p []byte, _ transcript.Kind, offset int64) error {
		if err := w.gap(offset - next); err != nil {
			return err
		}
		next = offset + int64(len(p))
		if err := times.Split(p, offset, w.event); err != nil {
			return err
		}
		return w.flush(next)
	}}
	end, _, err := client.Follow(context.Background(), from, sink)
	if err != nil {
		return err
	}
	if err = w.gap(end - next); err == nil {
		err = times.Rest(w.event)
	}
	return errors.Join(err, w.recorder.Close(), w.flush(end))
}

// at returns the time of an event since the capture began.
func (w *captureWriter) at(e transcript.Entry) time.Duration { return max(e.At-w.since, 0) }

func (w *captureWriter) gap(n int64) error {
	if n <= 0 {
		return nil
	}
	w.capture.gap.Add(n)
	return w.recorder.Gap(0, n)
}

// event puts an event into the buffer.
func (w *captureWriter) event(e transcript.Event) error {
	switch e.Kind {
	case transcript.Output, transcript.Stderr:
		w.bytes += e.Bytes
		return w.recorder.Output(w.at(e.Entry), e.Kind, e.Data)
	case transcript.Resize:
		if cols, rows, ok := transcript.ParseSize(e.Text); ok && e.At > w.since {
			return w.recorder.Resize(w.at(e.Entry), cols, rows)
		}
	}
	return nil
}

// flush writes the buffer, which has the output up to next. A write that is not complete is taken back.
func (w *captureWriter) flush(next int64) error {
	if w.buffer.Len() > 0 {
		w.capture.busySince.Store(time.Now().UnixNano())
		n, err := w.file.Write(w.buffer.Bytes())
		w.capture.busySince.Store(0)
		if err != nil {
			if n > 0 {
				err = errors.Join(err, w.file.Truncate(w.written))
			}
			return err
		}
		w.written += int64(n)
		w.buffer.Reset()
	}
	w.capture.bytes.Add(w.bytes)
	w.bytes = 0
	w.capture.at.Store(next)
	return nil
}
