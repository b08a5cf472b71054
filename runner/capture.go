package runner

import (
	"context"
	"errors"
	"io"
	"os"

	"devtools/ledger"
	"devtools/ledger/regular"
	"devtools/ledger/transcript"
	"devtools/runner/census"
	"devtools/runner/wire"
)

// A CaptureSpec says how to capture output.
type CaptureSpec struct {
	Format transcript.Format
	File   string // absolute path; "": a new file in the session's folder
	Force  bool   // replace an existing File
}

// StartCapture makes the living session called name write its output to a file from now on, until StopCapture or the
// end of the session. The capture goes on after the caller leaves.
func StartCapture(ctx context.Context, dir ledger.Dir, name string, spec CaptureSpec) (ledger.Session, ledger.Capture, error) {
	session, err := dir.Session(name)
	if err != nil {
		return session, ledger.Capture{}, err
	}
	list, err := askCaptures(ctx, dir, session, wire.CaptureRequest{
		Action: wire.CaptureStart, Format: string(spec.Format), File: spec.File, Force: spec.Force,
	})
	if errors.Is(err, wire.ErrHolderGone) && !errors.Is(err, wire.ErrEnded) {
		err = ledger.SessionError(name, wire.ErrEnded)
	}
	if err != nil {
		return session, ledger.Capture{}, err
	}
	return session, list[0], nil
}

// StopCapture ends a capture of the session called name after its file has all output printed so far. It returns the
// capture's record. An id of "" means the only running capture. When none runs, "" means the last capture, if it ended
// by itself, for example with the session.
func StopCapture(ctx context.Context, dir ledger.Dir, name, id string) (ledger.Session, ledger.Capture, error) {
	session, err := dir.Session(name)
	if err != nil {
		return session, ledger.Capture{}, err
	}
	list, err := askCaptures(ctx, dir, session, wire.CaptureRequest{Action: wire.CaptureStop, ID: id})
	if err == nil {
		return session, list[0], nil
	}
	if !errors.Is(err, wire.ErrHolderGone) {
		return session, ledger.Capture{}, err
	}
	if list, err = lastCaptures(dir, session); err != nil {
		return session, ledger.Capture{}, err
	}
	for i := len(list) - 1; i >= 0; i-- {
		if c := list[i]; c.ID == id || id == "" && c.Reason != wire.CaptureStopped {
			return session, c, nil
		}
	}
	return session, ledger.Capture{}, ledger.SessionError(name, wire.ErrNoCapture)
}

// Captures returns the captures of the session called name, oldest first. The session may have ended.
func Captures(ctx context.Context, dir ledger.Dir, name string) (ledger.Session, []ledger.Capture, error) {
	session, err := dir.Session(name)
	if err != nil {
		return session, nil, err
	}
	list, err := askCaptures(ctx, dir, session, wire.CaptureRequest{Action: wire.CaptureList})
	if errors.Is(err, wire.ErrHolderGone) {
		list, err = lastCaptures(dir, session)
	}
	return session, list, err
}

// askCaptures sends the holder of the session a request about captures.
func askCaptures(ctx context.Context, dir ledger.Dir, session ledger.Session, r wire.CaptureRequest) ([]ledger.Capture, error) {
	c, err := Dial(dir, session)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	resp, err := c.Call(ctx, wire.Request{Op: wire.OpCapture, Capture: &r})
	if err == nil && len(resp.Captures) == 0 && r.Action != wire.CaptureList {
		err = ledger.SessionError(session.Name, errors.New("its holder returned no capture"))
	}
	return resp.Captures, err
}

// lastCaptures returns the captures of a session without a holder. A capture that was running when the holder was
// killed ended with the holder. Only its file tells how much output it has.
func lastCaptures(dir ledger.Dir, session ledger.Session) ([]ledger.Capture, error) {
	unlock, err := dir.LockSession(session.ID)
	if err != nil {
		return nil, err
	}
	defer unlock()
	list, err := dir.Captures(session.ID)
	for i := range list {
		if c := &list[i]; c.Running() {
			c.Reason, c.Failed = census.UnknownEnd(session), true
			recount(c)
		}
	}
	return list, err
}

// recount finds out how much output a capture's file has, and when it was last written.
func recount(c *ledger.Capture) {
	c.EndedAt = c.StartedAt
	file, err := os.OpenFile(c.File, os.O_RDONLY|regular.NonBlock, 0)
	if err != nil {
		return // without a file there is no output
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return
	}
	c.EndedAt = ledger.Time{Time: info.ModTime()}
	if c.Format == string(transcript.Raw) {
		c.Bytes = info.Size()
		return
	}
	recording, err := transcript.ReadRecording(file)
	for err == nil {
		var data []byte
		if _, data, err = recording.Next(); err == nil || err == io.EOF {
			c.Bytes += int64(len(data))
		}
	}
}
