//go:build unix

package runner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"devtools/ledger"
	"devtools/ledger/transcript"
	"devtools/runner/proc"
	"devtools/screen"
)

// playRole runs the tests, or lets the test binary, started by a test, be the holder of a session or play one of the roles:
// its last argument says which.
func playRole(m *testing.M, roles map[string]func() error) {
	role := roles[os.Args[len(os.Args)-1]]
	if os.Args[len(os.Args)-1] == "hold" {
		role = Hold
	}
	if role != nil {
		if err := role(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// need returns the path of a program that a test cannot do without. On CI a missing one fails the test.
func need(t testing.TB, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("%s is not installed, see .ci/run", program)
		}
		t.Skipf("%s is not installed", program)
	}
	return path
}

// rounds returns how often a loop is run: few times, or with DEVTOOLS_STRESS=1 as often as is needed
// to trust the result.
func rounds(few, many int) int {
	if os.Getenv("DEVTOOLS_STRESS") == "1" {
		return many
	}
	return few
}

// patience is how long a test waits for what must happen.
const patience = 60 * time.Second

func withPatience(t testing.TB) context.Context { return withPatienceOf(t, patience) }

func withPatienceOf(t testing.TB, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}

// newState returns the path of a state folder whose sessions end with the test.
func newState(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), ledger.FolderName)
	t.Cleanup(func() { endAll(t, path) })
	return path
}

// endAll kills every session of the state folder and waits until their holders are gone.
func endAll(t testing.TB, path string) {
	dir, err := ledger.Open(path)
	if err != nil {
		return // no session was started
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	a, err := dir.Active()
	if err != nil {
		t.Error(err)
		return
	}
	for _, s := range a.Sessions {
		if _, err := Kill(ctx, dir, []string{s.ID}, "KILL", 0); err != nil && !errors.Is(err, ErrEnded) && !errors.Is(err, ErrHolderGone) {
			t.Errorf("end session %s: %v", s.Name, err)
		}
	}
	all, err := dir.Sessions() // a holder writes a little after its session is closed
	if err != nil {
		t.Error(err)
	}
	for _, s := range all {
		if err := proc.Await(ctx, identity(s.Holder)); err != nil {
			t.Errorf("holder of session %s: %v", s.Name, err)
		}
	}
}

// specFor returns what run would make of the command, in a terminal.
func specFor(t testing.TB, dir string, command ...string) Spec {
	t.Helper()
	cwd := t.TempDir()
	env := append(os.Environ(), "TERM=xterm-256color")
	path, err := Lookup(command[0], cwd, env)
	if err != nil {
		t.Fatal(err)
	}
	return Spec{
		Dir: dir, Command: command, Path: path, Env: env, Cwd: cwd,
		Size: ledger.Size{Cols: 80, Rows: 24}, Foreground: true,
		Grace: 3 * time.Second, KillAfter: 5 * time.Second, Leftovers: LeftoversReport, MaxLog: transcript.DefaultMax,
	}
}

// begin starts the session and closes the connection with the test.
func begin(t testing.TB, spec Spec) *Client {
	t.Helper()
	c, err := startSession(withPatience(t), spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// collector keeps output by kind.
type collector struct {
	mu    sync.Mutex
	kinds map[transcript.Kind]*bytes.Buffer
	grown chan struct{}
}

func newCollector() *collector {
	return &collector{kinds: map[transcript.Kind]*bytes.Buffer{transcript.Output: {}, transcript.Stderr: {}}, grown: make(chan struct{}, 1)}
}

func (c *collector) sink() Sink {
	return Sink{Write: func(p []byte, kind transcript.Kind, _ int64) error {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.kinds[kind].Write(p)
		select {
		case c.grown <- struct{}{}:
		default:
		}
		return nil
	}}
}

func (c *collector) text(kind transcript.Kind) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.kinds[kind].String()
}

// await waits until the output holds text.
func (c *collector) await(t testing.TB, text string) {
	t.Helper()
	deadline := time.After(patience)
	for {
		if bytes.Contains([]byte(c.text(transcript.Output)), []byte(text)) {
			return
		}
		select {
		case <-c.grown:
		case <-deadline:
			t.Fatalf("no %q in the output %q", text, c.text(transcript.Output))
		}
	}
}

// runFor runs the command of the spec to its end and returns its output and result.
func runFor(t testing.TB, spec Spec) (*collector, RunResult) {
	t.Helper()
	c := begin(t, spec)
	out := newCollector()
	result, err := c.Run(withPatience(t), RunOptions{Sink: out.sink()})
	if err != nil {
		t.Fatal(err)
	}
	return out, result
}

func shell(t testing.TB, dir, line string) Spec { return specFor(t, dir, "sh", "-c", line) }

func code(s ledger.Session) string {
	if s.ExitCode == nil {
		return "none"
	}
	return strconv.Itoa(*s.ExitCode)
}

// startSession starts a session, as run does.
func startSession(ctx context.Context, spec Spec, stdin *os.File) (*Client, error) {
	starter := Prepare()
	defer starter.Close()
	return starter.Start(ctx, spec, stdin)
}

// openState opens the state folder at path.
func openState(t testing.TB, path string) ledger.Dir {
	t.Helper()
	dir, err := ledger.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// waitEnd waits until the command of a session is finished and returns its record.
func waitEnd(t *testing.T, dir ledger.Dir, name string) (ledger.Session, error) {
	t.Helper()
	waited, err := WaitFor(withPatience(t), dir, name, Wait{Until: []Condition{Exit()}})
	return waited.Session, err
}

// startReady starts a session and waits until it has printed "up".
func startReady(t testing.TB, spec Spec) *Client {
	t.Helper()
	c := begin(t, spec)
	if _, err := WaitFor(withPatience(t), c.dir, c.Session.ID, Wait{Until: []Condition{mustCondition(t, "text:up")}}); err != nil {
		t.Fatal(err)
	}
	return c
}

func mustCondition(t testing.TB, text string) Condition {
	t.Helper()
	cond, err := ParseCondition(text, "/")
	if err != nil {
		t.Fatal(err)
	}
	return cond
}

// see returns the picture of a session's visible rows.
func see(t testing.TB, dir ledger.Dir, name string) *screen.Snapshot {
	t.Helper()
	_, pic, err := See(withPatience(t), dir, name, Look{View: screen.Visible()})
	if err != nil {
		t.Fatal(err)
	}
	return pic.Snapshot
}

// text returns the rows of a picture.
func text(s *screen.Snapshot) string {
	rows := make([]string, len(s.Lines))
	for i := range rows {
		rows[i] = s.Text(i, false)
	}
	return strings.Join(rows, "\n")
}

// seen waits until a session shows what is wanted.
func seen(t testing.TB, dir ledger.Dir, name, what string, wanted func(*screen.Snapshot) bool) *screen.Snapshot {
	t.Helper()
	ctx := withPatience(t)
	for {
		s := see(t, dir, name)
		if wanted(s) {
			return s
		}
		if ctx.Err() != nil {
			t.Fatalf("it never showed %s:\n%s", what, text(s))
		}
	}
}

// shows returns the condition that a picture has a text.
func shows(want string) func(*screen.Snapshot) bool {
	return func(s *screen.Snapshot) bool { return strings.Contains(text(s), want) }
}

// met waits for one condition and fails if it does not come true.
func met(t testing.TB, c *Client, condition string) Waited {
	t.Helper()
	waited := until(t, c, Wait{Timeout: patience / 2}, condition)
	if !slices.Equal(waited.Met, []string{condition}) {
		t.Fatalf("%s: %+v", condition, waited)
	}
	return waited
}

// typeInto types into the session and fails if that fails.
func typeInto(t testing.TB, c *Client, args ...string) Receipt {
	t.Helper()
	_, sent, err := Send(withPatience(t), c.dir, c.Session.ID, Typing{Keys: Keys{Args: args}})
	if err != nil {
		t.Fatalf("send %q: %v", args, err)
	}
	return sent.Receipt
}

// until waits for conditions of the session.
func until(t testing.TB, c *Client, w Wait, conditions ...string) Waited {
	t.Helper()
	for _, text := range conditions {
		cond, err := ParseCondition(text, "/")
		if err != nil {
			t.Error(err)
		}
		w.Until = append(w.Until, cond)
	}
	waited, err := c.Wait(withPatience(t), w)
	if err != nil { // it may be called by other goroutines than the test's
		t.Errorf("%v: %v", conditions, err)
	}
	return waited
}
