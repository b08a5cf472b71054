package wire

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"devtools/ledger"
	"devtools/runner/proc"
)

// Ask sends one request, which needs no version, to the holder of the session over a separate connection. It returns the
// answer. The error is that of the answer, or ErrNoAnswer, or ErrHolderGone when there is no holder.
func Ask(ctx context.Context, dir ledger.Dir, session ledger.Session, req Request) (resp Response, err error) {
	return AskAhead(ctx, dir, session, req)()
}

// AskAhead sends the request as Ask does, and returns what waits for its answer, which must be called once. Until then the caller does
// something else while the holder works.
func AskAhead(ctx context.Context, dir ledger.Dir, session ledger.Session, req Request) (answer func() (Response, error)) {
	conn, err := connect(dir, session)
	if err != nil {
		return func() (Response, error) { return Response{}, err }
	}
	over := askOver(ctx, conn, session.Name, req)
	return func() (Response, error) {
		resp, err := over()
		if errors.Is(err, ErrHolderGone) {
			err = gone(dir, session)
		}
		return resp, err
	}
}

// AskAt works as Ask, for a session of which only the path of its holder's socket is known.
func AskAt(ctx context.Context, socket string, req Request) (resp Response, err error) {
	conn, err := dial(socket)
	if err != nil {
		return resp, err
	}
	return askOver(ctx, conn, filepath.Base(socket), req)()
}

// askOver does the work of AskAhead over a connection, which the returned function closes. The name of the session is for errors.
func askOver(ctx context.Context, conn net.Conn, name string, req Request) (answer func() (Response, error)) {
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	req.V, req.Agent = Version, ByAgent.Load()
	err := conn.SetDeadline(time.Now().Add(AnswerTime))
	if err == nil {
		err = WriteLine(conn, req)
	}
	return func() (resp Response, _ error) {
		defer conn.Close()
		defer stop()
		if err == nil || errors.Is(err, brokenPipe) { // the holder may have sent a reason first
			_ = conn.SetReadDeadline(time.Now().Add(AnswerTime)) // an answer that has arrived is not late
			resp, err = ReadResponse(bufio.NewReaderSize(conn, 4<<10))
		}
		return answerOver(ctx, name, resp, err)
	}
}

// answerOver returns the answer that was read, or that none was read because of err.
func answerOver(ctx context.Context, name string, resp Response, err error) (Response, error) {
	switch {
	case ctx.Err() != nil:
		return resp, ctx.Err()
	case errors.Is(err, os.ErrDeadlineExceeded):
		return resp, ledger.SessionError(name, ErrNoAnswer)
	// The holder left before it answered.
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, connectionReset), errors.Is(err, brokenPipe):
		return resp, ledger.SessionError(name, ErrHolderGone)
	case err != nil:
		return resp, err
	}
	return answered(resp, name)
}

// answered returns the answer to the only request of a connection. The name of the session is for the errors of a holder that has
// not read it.
func answered(resp Response, name string) (Response, error) {
	resp, err := Answered(resp, true)
	if errors.Is(err, ErrNoDescriptors) || errors.Is(err, ErrManyClients) {
		err = ledger.SessionError(name, err)
	}
	return resp, older(err, name)
}

// older returns ErrOlder of the session for each error that is ErrOlder: an older holder has words of its own. It returns others as they are.
func older(err error, name string) error {
	if errors.Is(err, ErrOlder) {
		return ledger.SessionError(name, ErrOlder)
	}
	return err
}

// Reset reports whether err says that the other end of a connection was closed with something unread, unix(7).
func Reset(err error) bool { return errors.Is(err, connectionReset) }

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
			conn, err = revive(record)
		} else {
			return nil, gone(dir, session)
		}
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = ErrNoAnswer // a FIFO needs the holder
	}
	if err = unreachable(err); errors.Is(err, ErrUnreachable) && !dir.Held(session.ID) {
		return nil, gone(dir, session)
	}
	if err != nil {
		return nil, ledger.SessionError(session.Name, err)
	}
	return conn, nil
}

// reviveTime is how long a holder may take to open its socket again, and revivePace the time between two looks for it.
const (
	reviveTime = time.Second
	revivePace = 5 * time.Millisecond
)

// revive connects to a living holder whose socket was removed, as a logout or a cleaner of temporary files may do: SIGCONT
// makes it open its socket again. An older devtools ignores that, and the error is ErrNoSocket. In another pid namespace nobody can
// tell it, and the socket may be there.
func revive(record ledger.Session) (net.Conn, error) {
	if record.Namespace != 0 && record.Namespace != proc.Namespace() {
		return nil, fmt.Errorf("%w: there is no %s", ErrUnreachable, record.Socket)
	}
	holder := proc.ID{PID: record.Holder.PID, Start: record.Holder.Start, Boot: record.Holder.Boot, Inode: record.Holder.Inode}
	err := holder.Signal(proc.SigContinue)
	for deadline := time.Now().Add(reviveTime); err == nil; {
		conn, dialErr := dial(record.Socket)
		if dialErr == nil || !time.Now().Before(deadline) {
			if err = dialErr; err == nil {
				return conn, nil
			}
			break
		}
		<-time.After(revivePace) // nothing tells the client that a socket is there
	}
	return nil, fmt.Errorf("%w: %w", ErrNoSocket, err)
}

// A holder that has too many clients says so instead of serving a request. mostTries is how often the request is made then, and
// tryPause the time between.
const (
	mostTries = 5
	tryPause  = 100 * time.Millisecond
)

// Exchange works as Ask, for an answer that may take long, for a large request, which may have to give way to others, and for one
// with a version. The error is ErrOlder if the holder does not know the request or the version, and then it has done nothing.
func Exchange(ctx context.Context, dir ledger.Dir, session ledger.Session, req Request) (resp Response, err error) {
	req.V, req.Agent = max(req.V, Version), ByAgent.Load()
	for try := 1; ; try++ {
		resp, err = exchange(ctx, dir, session, req)
		if !errors.Is(err, ErrManyClients) || try == mostTries {
			break
		}
		select {
		case <-time.After(tryPause):
		case <-ctx.Done():
			return resp, ctx.Err()
		}
	}
	// An older holder refuses all requests of a version that it does not know, in the same words, which have no kind.
	if refused, ok := errors.AsType[*remoteError](err); ok && refused.is == nil && req.V > Version {
		_, again := exchange(ctx, dir, session, Request{V: req.V, Op: OpState, On: true})
		if same, ok := errors.AsType[*remoteError](again); ok && *same == *refused {
			err = ledger.SessionError(session.Name, ErrOlder)
		}
	}
	return resp, err
}

// exchange makes a request once.
func exchange(ctx context.Context, dir ledger.Dir, session ledger.Session, req Request) (resp Response, err error) {
	conn, err := connect(dir, session)
	if err != nil {
		return resp, err
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
			_, err := Ask(watched, dir, session, Request{Op: OpState})
			if errors.Is(err, ErrNoAnswer) {
				silent.Store(true)
				_ = conn.Close()
				return
			}
		}
	}()
	if err = WriteLine(conn, req); err == nil || errors.Is(err, brokenPipe) { // the holder may have sent a reason first
		resp, err = ReadResponse(bufio.NewReaderSize(conn, 4<<10))
	}
	switch {
	case ctx.Err() != nil:
		return resp, ctx.Err()
	case err != nil && silent.Load():
		return resp, ledger.SessionError(session.Name, ErrNoAnswer)
	case err != nil:
		return resp, gone(dir, session)
	}
	return answered(resp, session.Name)
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
