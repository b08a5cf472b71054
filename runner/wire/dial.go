package wire

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"sync/atomic"
	"time"

	"devtools/ledger"
	"devtools/screen"
)

// Ask sends one request to the holder of the session over a separate connection. The function read takes
// the answer. The error is ErrHolderGone when there is no holder.
func Ask(ctx context.Context, dir ledger.Dir, session ledger.Session, req any, read func(*bufio.Reader) error) error {
	conn, err := connect(dir, session)
	if err != nil {
		return err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	if err := conn.SetDeadline(time.Now().Add(AnswerTime)); err != nil {
		return err
	}
	if err = WriteLine(conn, req); err == nil || errors.Is(err, brokenPipe) { // the holder may have sent a reason first
		err = read(bufio.NewReaderSize(conn, 4<<10))
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, os.ErrDeadlineExceeded):
		return ledger.SessionError(session.Name, ErrNoAnswer)
	case errors.Is(err, ErrNoDescriptors):
		return ledger.SessionError(session.Name, err)
	// The holder left before it answered.
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, connectionReset), errors.Is(err, brokenPipe):
		return ledger.SessionError(session.Name, ErrHolderGone)
	}
	return err
}

// AnswerTime is the time limit for an answer that waits for nothing.
const AnswerTime = 3 * time.Second

// connect opens a connection to the holder of the session.
func connect(dir ledger.Dir, session ledger.Session) (net.Conn, error) {
	if session.Socket == "" || dir.Copied(session) {
		return nil, ledger.SessionError(session.Name, ErrHolderGone)
	}
	conn, err := dial(session.Socket)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, ConnectionRefused) {
		// Three cases lead here. The holder is gone. The holder is leaving, which it does when its record is complete.
		// Or the socket file was removed.
		if record, loadErr := dir.LoadSession(session.ID); loadErr == nil && !record.Closed && dir.Held(session.ID) {
			err = fmt.Errorf("%w: %w", ErrNoSocket, err)
		} else {
			err = ErrHolderGone
		}
	}
	if err != nil {
		return nil, ledger.SessionError(session.Name, err)
	}
	return conn, nil
}

// A LookRequest and a LookResponse have only the fields that OpScreen needs. Building the JSON encoders
// of the whole Request and Response takes longer than the answer.
type LookRequest struct {
	V     int         `json:"v"`
	Op    string      `json:"op"`
	View  screen.View `json:"view"`
	Since string      `json:"since,omitzero"`
}

// A LookResponse is the answer to a LookRequest.
type LookResponse struct {
	Error   *Fault `json:"error"`
	Offset  int64  `json:"offset"`
	Next    int64  `json:"next"`
	Known   bool   `json:"known"`
	Changed []int  `json:"changed"`
	Bytes   int    `json:"bytes"`
}

// Exchange sends one request to the holder of the session and waits for its response.
func Exchange(ctx context.Context, dir ledger.Dir, session ledger.Session, req, resp any) error {
	conn, err := connect(dir, session)
	if err != nil {
		return err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	watched, stop := context.WithCancel(ctx)
	defer stop()
	var silent atomic.Bool
	// The program may take long to do what is asked. A stopped holder must not keep the client waiting.
	go func() {
		for pause := AnswerTime; watched.Err() == nil; pause = min(2*pause, time.Minute) {
			select {
			case <-time.After(pause):
			case <-watched.Done():
				return
			}
			err := Ask(watched, dir, session, LookRequest{V: Version, Op: OpState}, func(r *bufio.Reader) error {
				var any json.RawMessage
				return ReadLine(r, MaxResponse, &any)
			})
			if errors.Is(err, ErrNoAnswer) {
				silent.Store(true)
				_ = conn.Close()
				return
			}
		}
	}()
	if err = WriteLine(conn, req); err == nil {
		err = ReadLine(bufio.NewReaderSize(conn, 4<<10), MaxResponse, resp)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil && silent.Load() {
		return ledger.SessionError(session.Name, ErrNoAnswer)
	}
	if err != nil {
		return ledger.SessionError(session.Name, ErrHolderGone)
	}
	return nil
}

// Dial connects to the holder of the session. The error is ErrHolderGone when the session has no holder any more.
func Dial(dir ledger.Dir, session ledger.Session) (*Conn, error) {
	unlock, err := dir.LockSession(session.ID)
	if errors.Is(err, ledger.ErrNoSession) { // a running session can be reached without its folder
		unlock, err = func() {}, nil
	}
	if err != nil {
		return nil, err
	}
	conn, err := connect(dir, session)
	if err != nil {
		unlock()
		return nil, err
	}
	return NewConn(dir, session, conn, bufio.NewReaderSize(conn, 4<<10), unlock), nil
}
