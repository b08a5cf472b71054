package hold

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"

	"devtools/runner/track"
	"devtools/runner/wire"
)

// Into a session for persons alone, nothing is typed but by a person who is attached; into others everything is.
func TestPersonOnly(t *testing.T) {
	ps := &persons{core: newCore(t), clients: &clients{links: map[*link]bool{}}}
	l, person := newClient(), newClient()
	person.person = true
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

// A client that runs in another session is no person, whatever it says of itself.
func TestRunsWithin(t *testing.T) {
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
	if runsWithin(conn, os.Getenv(track.Variable)) { // this process is the client
		t.Error("in the session of the caller, or in none")
	}
	if mark := os.Getenv(track.Variable); runsWithin(conn, "another") != (mark != "") {
		t.Errorf("in the session %q", mark)
	}
}
