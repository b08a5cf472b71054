// Package start starts a holder and gives it a session to keep.
package start

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"devtools/ledger"
	"devtools/ledger/regular"
	"devtools/runner/census"
	"devtools/runner/proc"
	"devtools/runner/track"
	"devtools/runner/wire"
)

// A Starter is a holder that is starting and does not have a session yet.
type Starter struct {
	// Meanwhile is called when the holder has got what to start, before Start waits for it; nil for nothing.
	Meanwhile func()

	stdin     *os.File // standard input of this process, for the command; nil: none
	conn      io.ReadWriteCloser
	err       error
	caller    ledger.Caller
	fileLimit uint64
	jobs      []*os.File // both ends of the pipe of make's job server
	few       bool       // few processes are allowed
}

// Prepare begins to start a holder for one Start, whose command can get stdin if that is not nil. On Linux the holder is not a child
// of this process. The caller closes the Starter.
func Prepare(stdin *os.File) *Starter {
	regular.CloseUmask() // for the holder as well: the program gets back what it was
	s := &Starter{stdin: stdin, caller: track.Caller(), fileLimit: proc.FileLimit(), jobs: inheritedJobs()}
	s.prepareDetached()
	if s.few = proc.FewProcesses(); s.few { // meanwhile the holder starts; what it starts may use them up at once
		proc.KeepThreads()
	}
	return s
}

// PrepareChild works as Prepare, but the holder is a child of this process. A holder starts another one so: it knows the
// other sessions among its children.
func PrepareChild() *Starter {
	s := &Starter{few: proc.FewProcesses()}
	s.prepareChild()
	return s
}

// Close lets the holder go if Start has given it no session.
func (s *Starter) Close() error {
	if s.conn == nil {
		return nil
	}
	return s.conn.Close()
}

// Start starts a session and returns the connection to its holder. The holder goes on when the connection ends. spec.ID is the
// id of a folder that [ledger.Dir.NewSession] has made; if it is "", Start makes one. With spec.Stdin, the command itself gets
// the standard input. The errors are ErrNameTaken, ErrNotFound, ErrNotExecutable, or the reason why the holder failed. After an error
// nothing is left of the session. The exception is a holder that was killed after it had recorded the session.
func (s *Starter) Start(ctx context.Context, spec wire.Spec) (*wire.Conn, error) {
	if spec.Stdin && s.stdin == nil {
		return nil, errors.New("there is no standard input for the command")
	}
	dir, err := ledger.Discarding(spec.Dir), error(nil)
	if !spec.NoFolder {
		dir, err = census.Create(ctx, spec.Dir)
	}
	if err != nil {
		return nil, err
	}
	if spec.Caller == (ledger.Caller{}) { // one that is started again has its first caller
		spec.Caller = s.caller
	}
	if spec.Umask == nil { // as above
		spec.Umask = regular.Umask()
	}
	if spec.FileLimit == 0 { // as above
		spec.FileLimit = s.fileLimit
	}
	spec.FewProcesses = s.few
	if spec.ID == "" {
		if spec.ID, err = dir.NewSession(); err != nil {
			return nil, err
		}
	}
	unlock, err := dir.LockNewSession(spec.ID) // lock first: the session may end before this process learns of its start
	if err != nil {
		return nil, errors.Join(err, dir.RemoveSession(spec.ID))
	}
	c, err := s.start(ctx, dir, spec, unlock)
	if err != nil {
		unlock()
	}
	return c, err
}

// start makes the holder start the session, whose folder exists already. The connection calls unlock when it is closed.
func (s *Starter) start(ctx context.Context, dir ledger.Dir, spec wire.Spec, unlock func()) (*wire.Conn, error) {
	nameJobs(&spec, len(s.jobs) > 0)
	conn, err := s.Send(spec)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start a holder: %w", s.reason(err)), dir.RemoveSession(spec.ID))
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	if s.Meanwhile != nil {
		s.Meanwhile()
	}
	r := bufio.NewReaderSize(conn, 4<<10)
	resp, err := readStart(r)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, errors.Join(fmt.Errorf("start a holder: %w", err), removeUnstarted(dir, spec.ID))
	case resp.Error != nil:
		return nil, errors.Join(resp.Error.Err(), dir.RemoveSession(spec.ID)) // the holder may have failed before removing it
	}
	s.conn = nil // the connection now belongs to the caller
	return wire.NewConn(dir, *resp.Session, conn, r, unlock), nil
}
