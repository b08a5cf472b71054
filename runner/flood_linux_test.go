package runner_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"devtools/ledger"
	"devtools/runner/runnertest"
	"devtools/runner/wire"
)

// A flooded is a session whose holder is about to get more than it should.
type flooded struct {
	t       *testing.T
	dir     ledger.Dir
	session ledger.Session
	before  int // its memory, in KiB
	files   int // its descriptors
}

// newFlooded starts a session, whose holder has served some calls.
func newFlooded(t *testing.T) *flooded {
	t.Helper()
	path := runnertest.NewState(t)
	spec := runnertest.SpecFor(t, path, runnertest.Need(t, "cat"))
	spec.Name = "flooded"
	session := runnertest.Begin(t, spec).Session
	f := &flooded{t: t, dir: runnertest.OpenState(t, path), session: session}
	f.request(wire.MaxRequest) // each size of memory is first needed once
	for range 300 {
		f.ask()
	}
	f.before, f.files = f.memory(), f.descriptors()
	return f
}

// rest waits until the holder has given back what the first calls took, and notes the memory that it has then.
func (f *flooded) rest() {
	f.t.Helper()
	const most = 256 // of what is given back, in KiB: 300 calls take about 1 MiB
	first := f.before
	ctx, cancel := context.WithTimeout(runnertest.WithPatience(f.t), 10*time.Second)
	defer cancel()
	for ; ctx.Err() == nil && f.before > first-most; <-time.After(20 * time.Millisecond) {
		f.before = min(f.before, f.memory())
	}
}

// request sends a request of n bytes, again if it had to give way to others as a slow one, and fails unless it is answered.
func (f *flooded) request(n int) {
	f.t.Helper()
	for end := time.Now().Add(time.Minute); ; {
		answer, err := f.try(n, end)
		if strings.Contains(answer, `"modes"`) {
			return
		}
		if !strings.Contains(answer, "too slowly") || time.Now().After(end) {
			f.t.Fatalf("a request of %d bytes: %q, %v", n, answer, err)
		}
	}
}

// try sends a request of n bytes and returns the beginning of its answer.
func (f *flooded) try(n int, end time.Time) (string, error) {
	const begin, last = `{"v":1,"id":1,"op":"modes","unknown":"`, "\"}\n"
	conn := f.connect()
	defer conn.Close()
	if err := conn.SetDeadline(end); err != nil {
		f.t.Fatal(err)
	}
	_, wrong := conn.Write([]byte(begin + strings.Repeat("a", n-len(begin)-len(last)) + last)) // an answer may have come before the end
	answer := make([]byte, 4<<10)
	read, err := conn.Read(answer)
	return string(answer[:read]), errors.Join(wrong, err)
}

// memory returns the memory of the holder alone, not of the files that it has in common with others.
func (f *flooded) memory() (kib int) {
	f.t.Helper()
	rollup, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", f.session.Holder.PID))
	if err != nil {
		f.t.Fatal(err)
	}
	for line := range strings.Lines(string(rollup)) {
		if _, err := fmt.Sscanf(line, "Pss_Anon: %d", &kib); err == nil {
			return kib
		}
	}
	f.t.Fatal("no Pss_Anon")
	return 0
}

func (f *flooded) descriptors() int {
	f.t.Helper()
	list, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", f.session.Holder.PID))
	if err != nil {
		f.t.Fatal(err)
	}
	return len(list)
}

// ask asks for the state as another process does. It returns how long the answer took.
func (f *flooded) ask() time.Duration {
	f.t.Helper()
	start := time.Now()
	if _, err := wire.Ask(runnertest.WithPatience(f.t), f.dir, f.session, wire.Request{Op: wire.OpState}); err != nil {
		f.t.Fatalf("a call beside: %v", err)
	}
	return time.Since(start)
}

func (f *flooded) connect() net.Conn {
	f.t.Helper()
	conn, err := net.Dial("unix", f.session.Socket)
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// settled fails unless the holder has no more memory than before, within 1 MiB.
func (f *flooded) settled() {
	f.t.Helper()
	// The race detector keeps memory of its own.
	if testing.Short() || runnertest.HolderPeak > 24<<20 {
		return
	}
	const most = 1 << 10
	now := 0
	for ctx := runnertest.WithPatience(f.t); ctx.Err() == nil; <-time.After(100 * time.Millisecond) {
		if now = f.memory(); now <= f.before+most && f.descriptors() <= f.files+1 {
			f.t.Logf("%d KiB before, %d after", f.before, now)
			return
		}
	}
	f.t.Errorf("%d KiB before, %d after; %d descriptors before, %d after", f.before, now, f.files, f.descriptors())
}

// Thousands of connections that ask for nothing cost a holder little, and other callers nothing.
func TestHalfOpenConnections(t *testing.T) {
	f := newFlooded(t)
	f.rest()
	var conns []net.Conn
	most, files := time.Duration(0), 0
	for i := range 5000 {
		conn := f.connect()
		if _, err := conn.Write([]byte("{")); err != nil && i == 0 {
			t.Fatal(err)
		}
		conns = append(conns, conn)
		if i%500 == 499 {
			most, files = max(most, f.ask()), max(files, f.descriptors())
		}
	}
	t.Logf("the slowest of the other calls took %v; %d descriptors", most, files)
	if files > f.files+200 {
		t.Errorf("%d descriptors", files)
	}
	for _, conn := range conns {
		_ = conn.Close()
	}
	f.settled()
}

// A request that is too long, or nests too deep, is refused with the reason.
func TestLargeRequests(t *testing.T) {
	f := newFlooded(t)
	f.rest()
	for _, test := range []struct{ name, begin, end, want string }{
		{"long", strings.Repeat("a", 40<<20), "", "the message is too long"},
		{"deep", `{"labels":` + strings.Repeat("[", 40<<20), "", "the message is too long"},
		{"deep and shorter", strings.Repeat(`{"x":`, 3<<20), "\n", "too deep"},
	} {
		conn := f.connect()
		_, _ = conn.Write([]byte(test.begin + test.end)) // it is not read to its end
		answer := make([]byte, 4<<10)
		if err := conn.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		n, err := conn.Read(answer)
		if !strings.Contains(string(answer[:n]), test.want) {
			t.Errorf("%s: %q, %v", test.name, answer[:n], err)
		}
		_ = conn.Close()
		f.ask()
	}
	f.settled()
}

// A request ends with its line, whatever its size: also just beyond the one from which on it counts as large.
func TestSizesOfRequests(t *testing.T) {
	f := newFlooded(t)
	const large = 64 << 10
	for _, n := range []int{large - 1, large, large + 1, large + 1<<10 - 1, large + 1<<10, large + 1<<10 + 1, wire.MaxRequest} {
		f.request(n)
	}
}

// Clients that do not go on with a large request give way to one that does, and learn why.
func TestSlowLargeRequests(t *testing.T) {
	f := newFlooded(t)
	var conns []net.Conn
	for range 50 {
		conn := f.connect()
		if _, err := conn.Write([]byte(`{"unknown":"` + strings.Repeat("a", 70_000))); err != nil {
			t.Fatal(err)
		}
		conns = append(conns, conn)
	}
	start := time.Now()
	for range 5 {
		f.request(1 << 20)
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("five large requests took %v", took)
	}
	answers := make(chan string, len(conns))
	for _, conn := range conns {
		go func() {
			answer := make([]byte, 4<<10)
			n, _ := conn.Read(answer)
			answers <- string(answer[:n])
		}()
	}
	if first := <-answers; !strings.Contains(first, "a large request came too slowly") {
		t.Errorf("a client that gave way got %q", first)
	}
	f.ask()
}

// A client that does not read is asked for no more, and one that does gets all its answers.
func TestUnreadAnswers(t *testing.T) {
	f := newFlooded(t)
	for range 20 {
		conn := f.connect()
		if err := conn.SetWriteDeadline(time.Now().Add(200 * time.Millisecond)); err != nil {
			t.Fatal(err)
		}
		for n := range 10_000 {
			if _, err := fmt.Fprintf(conn, `{"v":1,"id":%d,"op":"state"}`+"\n", n+1); err != nil {
				break // it waits for us to read
			}
		}
		f.ask()
	}
	const many = 10_000
	conn := f.connect()
	go func() {
		var all bytes.Buffer
		for n := range many {
			fmt.Fprintf(&all, `{"v":1,"id":%d,"op":"modes"}`+"\n", n+1)
		}
		_, _ = conn.Write(all.Bytes())
	}()
	if err := conn.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	buffer := make([]byte, 64<<10)
	for got := 0; got < many; {
		n, err := conn.Read(buffer)
		if err != nil {
			t.Fatalf("after %d answers: %v", got, err)
		}
		got += bytes.Count(buffer[:n], []byte("\n"))
	}
	f.ask()
}

// When all places are taken by clients that ask for nothing, the one that has been idle the longest makes room.
func TestIdleClients(t *testing.T) {
	f := newFlooded(t)
	answer := make([]byte, 64<<10)
	for range 600 {
		conn := f.connect()
		if _, err := conn.Write([]byte(`{"v":1,"id":1,"op":"modes"}` + "\n")); err != nil {
			t.Fatal(err)
		}
		if n, err := conn.Read(answer); !bytes.Contains(answer[:n], []byte(`"modes"`)) {
			t.Fatalf("%q, %v", answer[:n], err)
		}
	}
	f.ask()
	now := f.descriptors()
	for ctx := runnertest.WithPatience(t); ctx.Err() == nil && now > f.files+520; <-time.After(20 * time.Millisecond) {
		now = f.descriptors() // the last that made room are just being closed
	}
	if now > f.files+520 {
		t.Errorf("%d descriptors, %d before", now, f.files)
	}
}
