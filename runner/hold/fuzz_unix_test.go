//go:build unix

package hold_test

import (
	"bufio"
	"bytes"
	"net"
	"slices"
	"testing"
	"time"

	"devtools/runner/runnertest"
	"devtools/runner/wire"
)

// harmless are the requests that neither end the session nor reach anything outside it.
var harmless = []string{
	wire.OpFollow, wire.OpRead, wire.OpResult, wire.OpStopped, wire.OpState, wire.OpInput, wire.OpType, wire.OpResize, wire.OpView, wire.OpModes,
	wire.OpScreen, wire.OpInputState, wire.OpQuestion, wire.OpReported, wire.OpLabel, wire.OpHolderStatus, wire.OpAttach, wire.OpDetach, wire.OpSize,
	wire.OpRedraw, wire.OpAsk, wire.OpAsked, wire.OpWithdraw, wire.OpShell, wire.OpShellWith, wire.OpShellFollow, wire.OpWait,
}

// mayBeSent reports whether no line of rubbish is one of the other requests.
func mayBeSent(rubbish []byte) bool {
	if bytes.Contains(rubbish, []byte("http")) {
		return false // a condition that connects to a server
	}
	r := bufio.NewReader(bytes.NewReader(append(rubbish, '\n')))
	for {
		var req wire.Request
		if wire.ReadLine(r, wire.MaxRequest, &req) != nil {
			return true
		}
		if req.Op != "" && !slices.Contains(harmless, req.Op) {
			return false
		}
	}
}

// A holder to which a client sends rubbish answers the next client.
func FuzzRequests(f *testing.F) {
	for _, op := range harmless {
		f.Add([]byte(`{"v":1,"id":1,"op":"` + op + `"}` + "\n"))
	}
	for _, text := range []string{
		`{"v":1,"id":1,"op":"wait","wait":{"until":["text:(a*)*b","port:1","input"],"fail":["exit"],"timeoutMs":-1}}`,
		`{"v":1,"id":1,"op":"resize","size":{"cols":65535,"rows":65535},"scrollback":-1}`, `{"v":1,"id":1,"op":"screen","view":{"first":-9223372036854775808,"last":9223372036854775807}}`,
		`{"v":1,"id":-1,"op":"read","offset":-5}`, `{"v":1,"op":"type","type":{"args":["\u0000","C-"],"timeoutMs":-1}}`, `{"v":1,"op":"question","question":-1,"least":"x"}`, "\x16\x03\x01\x02", "GET / HTTP/1.1",
	} {
		f.Add([]byte(text + "\n"))
	}
	// No key that is typed ends this program.
	session := runnertest.Begin(f, runnertest.Shell(f, runnertest.NewState(f), "trap '' INT QUIT TSTP; stty raw -echo; exec cat >/dev/null")).Session
	dial := func(t *testing.T) net.Conn {
		conn, err := net.Dial("unix", session.Socket)
		if err != nil {
			t.Fatalf("the holder has ended: %v", err)
		}
		if err := conn.SetDeadline(time.Now().Add(runnertest.Patience)); err != nil {
			t.Fatal(err)
		}
		return conn
	}
	f.Fuzz(func(t *testing.T, rubbish []byte) {
		if !mayBeSent(rubbish) {
			return
		}
		client := dial(t)
		_, _ = client.Write(rubbish) // the holder may have closed the connection
		other := dial(t)
		defer other.Close()
		if err := wire.WriteLine(other, wire.Request{V: wire.Version, ID: 7, Op: wire.OpState}); err != nil {
			t.Fatal(err)
		}
		resp, err := wire.ReadResponse(bufio.NewReader(other))
		if err != nil || resp.ID != 7 || resp.Session == nil || resp.Session.ID != session.ID {
			t.Errorf("after %q: %+v, %v", rubbish, resp, err)
		}
		_ = client.Close() // the holder may have done so
	})
}
