package hold

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"devtools/ledger/regular"
	"devtools/ledger/transcript"
	"devtools/runner/wire"
)

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
	times, err := transcript.NewTimeline(client.Transcript(), from)
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
	file, err := os.OpenFile(r.File, fresh, 0o600)
	if errors.Is(err, fs.ErrExist) {
		file, err = replaced(r, taken)
	}
	if about, ok := errors.AsType[*fs.PathError](err); ok {
		err = fmt.Errorf("cannot write a capture to %s: %w", r.File, about.Err)
	}
	return file, err
}

// replaced opens and empties the file that a capture replaces. Nothing is changed if it may not: all looks are at the open file.
func replaced(r wire.CaptureRequest, taken map[string]string) (*os.File, error) {
	file, info, err := regular.Open(r.File, os.O_WRONLY)
	switch {
	case errors.Is(err, regular.ErrOther):
		return nil, fmt.Errorf("cannot write a capture to %s: it is a symbolic link, or no file: name the file itself", r.File)
	case errors.Is(err, regular.ErrLinked):
		return nil, fmt.Errorf("cannot write a capture to %s: the file has a second name (a hard link), and would change there, too", r.File)
	case err != nil:
		return nil, err
	case !regular.Owned(info):
		err = fmt.Errorf("cannot write a capture to %s: the file belongs to another user, who could read it", r.File)
	case !r.Force && info.Size() > 0:
		err = fmt.Errorf("%s: %w: --force replaces it", r.File, fs.ErrExist)
	}
	for path, id := range taken {
		if other, lookErr := os.Stat(path); err == nil && lookErr == nil && os.SameFile(info, other) {
			err = fmt.Errorf("capture %s already writes to %s", id, r.File)
		}
	}
	if err == nil {
		err = file.Truncate(0)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}
