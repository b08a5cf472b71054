package wire

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"devtools/ledger"
	"devtools/ledger/transcript"
)

// unreachable returns err as ErrUnreachable if it says that this process may not connect to a holder: a sandbox refuses sockets, or
// hides or closes the folder with that of the holder.
func unreachable(err error) error {
	if !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EROFS) && !errors.Is(err, syscall.EAFNOSUPPORT) {
		return err
	}
	if call, ok := errors.AsType[*os.SyscallError](err); ok { // without the path
		err = call
	}
	return fmt.Errorf("%w: %w", ErrUnreachable, err)
}

// filesPace is the time between two looks at the files of a session: nobody tells this process of changes.
const filesPace = 50 * time.Millisecond

// The files are what is left of a connection to a holder that lives and cannot be reached from here, because of why.
type files struct {
	closed
	why   error
	tell  func()
	close func()
	gone  chan struct{}
}

// FilesConn returns a connection for a session whose holder lives and cannot be reached from here. The files of the session answer
// OpState and OpFollow, and dir tells that once. OpResult, OpQuestion and a wait for the end alone get no answer when the end is
// recorded, as from a holder that has left. All other requests get the error why.
func FilesConn(dir ledger.Dir, session ledger.Session, unlock func(), why error) *Conn {
	f := &files{why: why, gone: make(chan struct{})}
	f.tell = sync.OnceFunc(func() { dir.Notef("%v: its files answer", why) })
	f.close = sync.OnceFunc(func() { close(f.gone) })
	return &Conn{Session: session, Dir: dir, conn: f, unlock: unlock}
}

// FromFiles reports whether c is a connection of FilesConn.
func (c *Conn) FromFiles() bool {
	_, ok := c.conn.(*files)
	return ok
}

func (f *files) Close() error {
	f.close()
	return nil
}

// answer answers a request from the files, at last by closing the channel.
func (f *files) answer(c *Conn, req Request, answer chan<- Response) {
	defer close(answer)
	var limit <-chan time.Time
	switch {
	case req.Op == OpState && !req.On, req.Op == OpFollow, req.Op == OpResult, req.Op == OpQuestion:
	case req.Op == OpWait && req.Wait.isForExit():
		if req.Wait.TimeoutMs > 0 {
			limit = time.After(time.Duration(req.Wait.TimeoutMs) * time.Millisecond)
		}
	default:
		answer <- Response{Error: NewFault(f.why)}
		return
	}
	f.tell()
	output := transcript.Open(c.Transcript())
	defer output.Close()
	for {
		held := c.Dir.Held(c.Session.ID) // before the rest, which is the last then
		s, err := c.Dir.LoadSession(c.Session.ID)
		_, next, _ := output.Bounds()
		switch known := err == nil; {
		case req.Op == OpState && known:
			s.OutputBytes = max(s.OutputBytes, next)
			answer <- Response{Session: &s}
			return
		case req.Op == OpFollow && next > req.Offset:
			answer <- Response{Next: next}
			return
		case !held, known && s.Closed, known && (req.Op != OpFollow || req.Complete) && isFinished(s):
			return
		}
		select {
		case <-time.After(filesPace):
		case <-limit:
			answer <- Response{Wait: &WaitAnswer{TimedOut: true, AtNs: time.Now().UnixNano(), Session: &s}}
			return
		case <-f.gone:
			return
		}
	}
}

// isForExit reports whether the wait is for the end of the session alone.
func (w *WaitRequest) isForExit() bool {
	return w != nil && !slices.ContainsFunc(slices.Concat(w.Until, w.Fail), func(text string) bool {
		return text != "exit" && !strings.HasPrefix(text, "exit:")
	})
}

// isFinished reports whether the command is finished, as the record says: what it has left is listed, or it is to be started again.
func isFinished(s ledger.Session) bool {
	return s.Ended() && (len(s.Leftovers) > 0 || !s.RestartAt.IsZero())
}
