package hold

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"devtools/runner/wire"
)

// Into a session for persons alone, nothing is typed but by a person who is attached; into others everything is.
func TestPersonOnly(t *testing.T) {
	ps := &persons{core: newCore(t), clients: &clients{links: map[*link]bool{}}}
	l, person, unknown := newClient(), newClient(), newClient()
	person.person, unknown.conn = true, wire.Duplex{} // a FIFO does not tell who is there
	for _, c := range []struct {
		link *link
		op   string
		free bool // also where only persons may type
	}{
		{l, wire.OpType, false},
		{l, wire.OpInput, false},
		{l, wire.OpShell, false},
		{l, wire.OpShellWith, false},
		{person, wire.OpType, false},
		{person, wire.OpShell, false},
		{person, wire.OpInput, true},
		{l, wire.OpScreen, true},
		{l, wire.OpAsk, true},
		{l, wire.OpKill, true},
		{l, wire.OpAttach, true},
		{unknown, wire.OpAttach, false},
		{unknown, wire.OpScreen, true},
	} {
		for _, only := range []bool{false, true} {
			ps.spec.PersonOnly = only
			err := ps.refusal(c.link, &wire.Request{Op: c.op})
			if refused := errors.Is(err, wire.ErrPersonOnly); refused != (only && !c.free) {
				t.Errorf("%s, of a person: %v, for persons alone: %v: %v", c.op, c.link.person, only, err)
			}
		}
	}
}

// A client that runs in a session is no person, whatever it says of itself: neither with the variable of the session, nor below a
// process that has it.
func TestRunsWithin(t *testing.T) {
	here := belongs(os.Getpid())
	for _, c := range []struct {
		name   string
		script string // its process prints a line, and so does a child
		want   bool
	}{
		{"outside", "unset DEVTOOLS_SESSION; sh -c 'echo $$; read x'; :", here},
		{"inside", "export DEVTOOLS_SESSION=1234; exec sh -c 'echo $$; read x'", true},
		{"below", "export DEVTOOLS_SESSION=1234; exec sh -c 'env -u DEVTOOLS_SESSION sh -c \"echo \\$\\$; read x\"; :'", true},
	} {
		cmd := exec.Command("sh", "-c", c.script)
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		pid := 0
		if _, err := fmt.Fscan(out, &pid); err != nil {
			t.Fatal(err)
		}
		if got := belongs(pid); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
		in.Close()
		_ = cmd.Wait()
	}
}

// The process at the other end of a socket is the one that is looked at.
func TestRunsWithinSocket(t *testing.T) {
	listener, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Skip(err)
	}
	defer listener.Close()
	client, err := net.Dial("unix", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	conn, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if runsWithin(conn) != belongs(os.Getpid()) { // this process is the client
		t.Error("another answer than for the process itself")
	}
}
