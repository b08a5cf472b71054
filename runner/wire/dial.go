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

// Ask sends one request to the holder of the session, over a connection of its own, and has read take the
// answer. The error is ErrHolderGone when there is none.
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
	if err = WriteLine(conn, req); err == nil || errors.Is(err, brokenPipe) { // it may have said why
		err = read(bufio.NewReaderSize(conn, 4<<10))
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, os.ErrDeadlineExceeded):
		return ledger.SessionError(session.Name, ErrNoAnswer)
	case errors.Is(err, ErrNoDescriptors):
		return ledger.SessionError(session.Name, err)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, connectionReset), errors.Is(err, brokenPipe): // it left before it had answered
		return ledger.SessionError(session.Name, ErrHolderGone)
	}
	return err
}

// AnswerTime is how long a holder may take for an answer that does not wait for anything.
const AnswerTime = 3 * time.Second

// connect opens a connection to the holder of the session.
func connect(dir ledger.Dir, session ledger.Session) (net.Conn, error) {
	if session.Socket == "" || dir.Copied(session) {
		return nil, ledger.SessionError(session.Name, ErrHolderGone)
	}
	conn, err := dial(session.Socket)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, ConnectionRefused) {
		// It is gone, or leaving, which it does when its record is complete, or somebody took the socket away.
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

// A LookRequest and a lookResponse are the request and the response of opScreen with nothing else in them:
// to make the encoders of all of request and response takes longer than the answer.
type LookRequest struct {
	V     int         `json:"v"`
	Op    string      `json:"op"`
	View  screen.View `json:"view"`
	Since string      `json:"since,omitzero"`
}

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
	go func() { // it may wait for the program for long, but a holder that is stopped is not waited for
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

// Dial connects to the holder of the session. The error is ErrHolderGone when it has none any more.
func Dial(dir ledger.Dir, session ledger.Session) (*Conn, error) {
	unlock, err := dir.LockSession(session.ID)
	if errors.Is(err, ledger.ErrNoSession) { // without its folder a living session is still reached
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
