//go:build unix

package wire

import (
	"bufio"
	"errors"
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"devtools/ledger"
	"devtools/ledger/transcript"
)

// What a sandbox refuses makes a holder unreachable, without the path. Other errors stay what they are.
func TestUnreachable(t *testing.T) {
	for _, test := range []struct {
		err  error
		want string
	}{
		{&net.OpError{Op: "dial", Net: "unix", Err: os.NewSyscallError("connect", syscall.EPERM)}, "cannot be reached from here: connect: operation not permitted"},
		{&net.OpError{Op: "dial", Net: "unix", Err: os.NewSyscallError("socket", syscall.EAFNOSUPPORT)}, "cannot be reached from here: socket: " + syscall.EAFNOSUPPORT.Error()},
		{&os.PathError{Op: "mkfifo", Path: "/run/x", Err: syscall.EROFS}, "cannot be reached from here: mkfifo /run/x: read-only file system"},
		{os.NewSyscallError("connect", syscall.EMFILE), "connect: too many open files"},
	} {
		got := unreachable(test.err)
		if got.Error() != test.want || errors.Is(got, ErrUnreachable) != (got != test.err) {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
	if unreachable(nil) != nil {
		t.Error("an error without one")
	}
}

// The files of a session answer what is asked about its output and its end, as long as its holder lives, and when it has left.
func TestFilesAnswer(t *testing.T) {
	h := newHolder(t, func(net.Conn, *bufio.Reader) {})
	log := newLog(t, h, transcript.DefaultMax)
	if err := h.dir.Claim(h.session.ID); err != nil {
		t.Fatal(err)
	}
	told := 0
	why := ledger.SessionError("web", ErrUnreachable)
	c := FilesConn(h.dir.Notify(func(string) { told++ }), h.session, nil, why)
	defer c.Close()
	ctx := withPatience(t)
	if _, err := c.Call(ctx, Request{Op: OpKill}); !errors.Is(err, ErrUnreachable) || ledger.SessionOf(err) != "web" {
		t.Errorf("to end it: %v", err)
	}
	if _, err := c.Call(ctx, Request{Op: OpWait, Wait: &WaitRequest{Until: []string{"exit", "text:x"}}}); !errors.Is(err, ErrUnreachable) {
		t.Errorf("to wait for text: %v", err)
	}
	if told != 0 || !c.FromFiles() {
		t.Errorf("told %d times without an answer", told)
	}
	log.Append([]byte("some"), transcript.Output, 0)
	if resp, err := c.Call(ctx, Request{Op: OpFollow}); err != nil || resp.Next != 4 || resp.Closed {
		t.Errorf("output: %+v, %v", resp, err)
	}
	if resp, err := c.Call(ctx, Request{Op: OpState}); err != nil || resp.Session.ID != h.session.ID || resp.Session.OutputBytes != 4 {
		t.Errorf("state: %+v, %v", resp.Session, err)
	}
	wait := &WaitRequest{Until: []string{"exit:0"}, Fail: []string{"exit"}, TimeoutMs: 1}
	if resp, err := c.Call(ctx, Request{Op: OpWait, Wait: wait}); err != nil || !resp.Wait.TimedOut || resp.Wait.AtNs == 0 {
		t.Errorf("a short wait: %+v, %v", resp.Wait, err)
	}
	result, more, complete := c.Send(Request{Op: OpResult}), c.Send(Request{Op: OpFollow, Offset: 4}), c.Send(Request{Op: OpFollow, Offset: 4, Complete: true})
	code := 3
	h.session.ExitCode, h.session.EndedAt = &code, ledger.Time{Time: time.Now()}
	h.session.Leftovers = []ledger.Process{{PID: 1}} // its holder goes on
	if err := h.dir.SaveSession(h.session); err != nil {
		t.Fatal(err)
	}
	for what, answer := range map[string]<-chan Response{"result": result, "output of the command": complete} {
		if _, err := c.Await(ctx, answer); !errors.Is(err, ErrEnded) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if s, err := c.Record(); err != nil || *s.ExitCode != 3 {
		t.Errorf("%+v, %v", s, err)
	}
	select {
	case resp := <-more:
		t.Errorf("its leftovers may print: %+v", resp)
	default:
	}
	h.session.Closed = true
	if err := h.dir.SaveSession(h.session); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Await(ctx, more); !errors.Is(err, ErrEnded) {
		t.Errorf("the rest: %v", err)
	}
	if told != 1 {
		t.Errorf("told %d times", told)
	}
}

// A wait that is given up ends.
func TestFilesClose(t *testing.T) {
	h := newHolder(t, func(net.Conn, *bufio.Reader) {})
	newLog(t, h, transcript.DefaultMax)
	if err := h.dir.Claim(h.session.ID); err != nil {
		t.Fatal(err)
	}
	c := FilesConn(h.dir, h.session, nil, ErrUnreachable)
	answer := c.Send(Request{Op: OpResult})
	for range 2 {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	select {
	case _, ok := <-answer:
		if ok {
			t.Error("an answer")
		}
	case <-withPatience(t).Done():
		t.Error("it goes on")
	}
}
