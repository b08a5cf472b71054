//go:build unix

package runnertest

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
	"devtools/runner"
	"devtools/runner/condition"
	"devtools/runner/hold"
	"devtools/runner/proc"
	"devtools/runner/runnertest/leftover"
	"devtools/runner/track"
	"devtools/runner/wire"
	"devtools/screen"
)

// PlayRole runs the tests. If a test has started the test binary as a helper, PlayRole plays a role instead: the holder of
// a session, or one of the roles. The last argument of the binary says which. A process that outlives the tests is a failure.
func PlayRole(m *testing.M, roles map[string]func() error) {
	role := roles[os.Args[len(os.Args)-1]]
	if os.Args[len(os.Args)-1] == "hold" {
		role = hold.Hold
	}
	if role != nil {
		if err := role(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(leftover.Checked(m).Run())
}

// Patience is how long a test waits for something that must happen.
const Patience = 60 * time.Second

func WithPatience(t testing.TB) context.Context { return WithPatienceOf(t, Patience) }

func WithPatienceOf(t testing.TB, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}

// NewState returns the path of a state folder. Its sessions end with the test.
func NewState(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), ledger.FolderName)
	t.Cleanup(func() {
		EndAll(t, path)
		for deadline := time.Now().Add(Patience); os.RemoveAll(path) != nil && time.Now().Before(deadline); { // a killed holder's last child may write yet
		}
	})
	return path
}

// EndAll kills every session of the state folder and waits until their holders are gone.
func EndAll(t testing.TB, path string) {
	dir, err := ledger.Open(path)
	if err != nil {
		return // no session was started
	}
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	a, err := dir.Active()
	if err != nil {
		t.Error(err)
		return
	}
	for _, s := range a.Sessions {
		if _, err := runner.Kill(ctx, dir, []string{s.ID}, "KILL", 0); err != nil && !errors.Is(err, wire.ErrEnded) && !errors.Is(err, wire.ErrHolderGone) {
			t.Errorf("end session %s: %v", s.Name, err)
		}
	}
	all, err := dir.Sessions() // a holder still writes for a moment after its session is closed
	if err != nil {
		t.Error(err)
	}
	for _, s := range all {
		if err := proc.Await(ctx, track.Identity(s.Holder)); err != nil {
			t.Errorf("holder of session %s: %v", s.Name, err)
		}
	}
}

// SpecFor returns the spec that run would make for the command, with a terminal.
func SpecFor(t testing.TB, dir string, command ...string) wire.Spec {
	t.Helper()
	cwd := t.TempDir()
	env := append(os.Environ(), "TERM=xterm-256color")
	path, err := proc.Lookup(command[0], cwd, env)
	if err != nil {
		t.Fatal(err)
	}
	return wire.Spec{
		Dir: dir, Command: command, Path: path, Env: env, Cwd: cwd,
		Size: ledger.Size{Cols: 80, Rows: 24}, Foreground: true,
		Grace: 3 * time.Second, KillAfter: 5 * time.Second, Leftovers: wire.LeftoversReport, MaxLog: transcript.DefaultMax,
	}
}

// Begin starts the session. It closes the connection at the end of the test.
func Begin(t testing.TB, spec wire.Spec) *runner.Client {
	t.Helper()
	c, err := StartSession(WithPatience(t), spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// Bystander starts a process that is no session's, with pairs in its environment. It ends with the test.
func Bystander(t testing.TB, pairs ...string) proc.ID {
	t.Helper()
	cmd := exec.Command("sleep", "1000")
	cmd.Env = append(os.Environ(), pairs...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may be gone
		_ = cmd.Wait()         // it was killed
	})
	id, err := proc.Identify(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// A collector keeps output by kind.
type collector struct {
	mu    sync.Mutex
	Kinds map[transcript.Kind]*bytes.Buffer
	grown chan struct{}
}

func NewCollector() *collector {
	return &collector{Kinds: map[transcript.Kind]*bytes.Buffer{transcript.Output: {}, transcript.Stderr: {}}, grown: make(chan struct{}, 1)}
}

func (c *collector) Sink() wire.Sink {
	return wire.Sink{Write: func(p []byte, kind transcript.Kind, _ int64) error {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.Kinds[kind].Write(p)
		select {
		case c.grown <- struct{}{}:
		default:
		}
		return nil
	}}
}

func (c *collector) Text(kind transcript.Kind) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.Kinds[kind].String()
}

// Await waits until the output contains text.
func (c *collector) Await(t testing.TB, text string) {
	t.Helper()
	deadline := time.After(Patience)
	for {
		if bytes.Contains([]byte(c.Text(transcript.Output)), []byte(text)) {
			return
		}
		select {
		case <-c.grown:
		case <-deadline:
			t.Fatalf("no %q in the output %q", text, c.Text(transcript.Output))
		}
	}
}

// RunFor runs the command of the spec to its end and returns its output and result.
func RunFor(t testing.TB, spec wire.Spec) (*collector, runner.RunResult) {
	t.Helper()
	c := Begin(t, spec)
	out := NewCollector()
	result, err := c.Run(WithPatience(t), runner.RunOptions{Sink: out.Sink()})
	if err != nil {
		t.Fatal(err)
	}
	return out, result
}

func Shell(t testing.TB, dir, line string) wire.Spec { return SpecFor(t, dir, "sh", "-c", line) }

func Code(s ledger.Session) string {
	if s.ExitCode == nil {
		return "none"
	}
	return strconv.Itoa(*s.ExitCode)
}

// StartSession starts a session as run does.
func StartSession(ctx context.Context, spec wire.Spec, stdin *os.File) (*runner.Client, error) {
	starter := runner.Prepare(stdin)
	defer starter.Close()
	return starter.Start(ctx, spec)
}

// OpenState opens the state folder at path.
func OpenState(t testing.TB, path string) ledger.Dir {
	t.Helper()
	dir, err := ledger.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// WaitEnd waits until the command of a session is finished and returns the session's record.
func WaitEnd(t *testing.T, dir ledger.Dir, name string) (ledger.Session, error) {
	t.Helper()
	waited, err := runner.WaitFor(WithPatience(t), dir, name, runner.Wait{Until: []condition.Condition{condition.Exit()}})
	return waited.Session, err
}

// StartReady starts a session and waits until it has printed "up".
func StartReady(t testing.TB, spec wire.Spec) *runner.Client {
	t.Helper()
	c := Begin(t, spec)
	if _, err := runner.WaitFor(WithPatience(t), c.Dir, c.Session.ID, runner.Wait{Until: []condition.Condition{mustCondition(t, "text:up")}}); err != nil {
		t.Fatal(err)
	}
	return c
}

func mustCondition(t testing.TB, text string) condition.Condition {
	t.Helper()
	cond, err := condition.ParseCondition(text, "/")
	if err != nil {
		t.Fatal(err)
	}
	return cond
}

// See returns the picture of a session's visible rows.
func See(t testing.TB, dir ledger.Dir, name string) *screen.Snapshot {
	t.Helper()
	_, pic, err := runner.See(WithPatience(t), dir, name, runner.Look{View: screen.Visible()})
	if err != nil {
		t.Fatal(err)
	}
	return pic.Snapshot
}

// Text returns the rows of a picture.
func Text(s *screen.Snapshot) string {
	rows := make([]string, len(s.Lines))
	for i := range rows {
		rows[i] = s.Text(i, false)
	}
	return strings.Join(rows, "\n")
}

// Seen waits until wanted accepts the picture of a session, and returns that picture. what names it for the error.
func Seen(t testing.TB, dir ledger.Dir, name, what string, wanted func(*screen.Snapshot) bool) *screen.Snapshot {
	t.Helper()
	ctx := WithPatience(t)
	for {
		s := See(t, dir, name)
		if wanted(s) {
			return s
		}
		if ctx.Err() != nil {
			t.Fatalf("it never showed %s:\n%s", what, Text(s))
		}
	}
}

// Shows returns a function that reports whether a picture contains a text.
func Shows(want string) func(*screen.Snapshot) bool {
	return func(s *screen.Snapshot) bool { return strings.Contains(Text(s), want) }
}

// Met waits for one condition and fails the test if it does not come true.
func Met(t testing.TB, c *runner.Client, condition string) runner.Waited {
	t.Helper()
	waited := Until(t, c, runner.Wait{Timeout: Patience / 2}, condition)
	if !slices.Equal(waited.Met, []string{condition}) {
		t.Fatalf("%s: %+v", condition, waited)
	}
	return waited
}

// TypeInto types into the session and fails the test on an error.
func TypeInto(t testing.TB, c *runner.Client, args ...string) wire.Receipt {
	t.Helper()
	_, sent, err := runner.Send(WithPatience(t), c.Dir, c.Session.ID, runner.Typing{Keys: wire.Keys{Args: args}})
	if err != nil {
		t.Fatalf("send %q: %v", args, err)
	}
	return sent.Receipt
}

// Until waits for conditions of the session.
func Until(t testing.TB, c *runner.Client, w runner.Wait, conditions ...string) runner.Waited {
	t.Helper()
	for _, text := range conditions {
		cond, err := condition.ParseCondition(text, "/")
		if err != nil {
			t.Error(err)
		}
		w.Until = append(w.Until, cond)
	}
	waited, err := c.Wait(WithPatience(t), w)
	if err != nil { // not Fatal: other goroutines than the test's may call Until
		t.Errorf("%v: %v", conditions, err)
	}
	return waited
}

// Load keeps processors busy until the returned function is called.
func Load(t testing.TB, processes int) (stop func()) {
	t.Helper()
	var hogs []*exec.Cmd
	for range processes {
		hog := exec.Command("sh", "-c", "while :; do :; done")
		if err := hog.Start(); err != nil {
			t.Fatal(err)
		}
		hogs = append(hogs, hog)
	}
	return func() {
		for _, hog := range hogs {
			_ = hog.Process.Kill() // it runs until then
			_ = hog.Wait()
		}
	}
}
