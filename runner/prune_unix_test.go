//go:build unix

package runner_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"devtools/ledger"
	"devtools/ledger/transcript"
	"devtools/runner"
	"devtools/runner/census"
	"devtools/runner/proc"
	"devtools/runner/runnertest"
	"devtools/runner/track"
	"devtools/runner/wire"
)

// pruneEverything removes all ended sessions.
var pruneEverything = ledger.Pruning{
	Goes:   func(int, time.Duration, int64) bool { return true },
	Before: time.Now(),
}

// awaitHolder waits until the holder of a session is gone.
func awaitHolder(t *testing.T, dir ledger.Dir, id string) {
	t.Helper()
	s, err := dir.LoadSession(id)
	if err == nil {
		err = proc.Await(runnertest.WithPatience(t), track.Identity(s.Holder))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A caller that is stopped while its session ends still gets the output and the code, and prune names it.
func TestPruneSparesStoppedCaller(t *testing.T) {
	dir := runnertest.NewState(t)
	gate := filepath.Join(t.TempDir(), "gate")
	if err := syscall.Mkfifo(gate, 0o600); err != nil {
		t.Fatal(err)
	}
	spec, err := json.Marshal(runnertest.Shell(t, dir, `read line <`+gate+`; echo a; exit 3`))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "starter")
	cmd.Env = append(os.Environ(), starter+"="+string(spec))
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(stdout)
	var id string
	if _, err := fmt.Fscanln(lines, &id); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	var status syscall.WaitStatus // all of its threads have stopped when this is told
	if _, err := syscall.Wait4(cmd.Process.Pid, &status, syscall.WUNTRACED, nil); err != nil || !status.Stopped() {
		t.Fatalf("it has not stopped: %v, %v", status, err)
	}
	if err := os.WriteFile(gate, []byte("go\n"), 0); err != nil {
		t.Fatal(err)
	}
	state := runnertest.OpenState(t, dir)
	awaitHolder(t, state, id)
	done, err := census.Prune(runnertest.WithPatience(t), state, pruneEverything)
	if err != nil || len(done.Sessions) != 0 || len(done.InUse) != 1 || done.InUse[0].ID != id {
		t.Fatalf("%+v, %v", done, err)
	}
	if used, pids := done.InUse[0], []int{cmd.Process.Pid}; runtime.GOOS == "linux" && !(slices.Equal(used.PIDs, pids) && slices.Equal(used.Stopped, pids)) {
		t.Errorf("%+v, want the stopped process %d", used, pids[0])
	}
	if err := cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(lines)
	if err = errors.Join(err, cmd.Wait()); err != nil || string(rest) != "a\r\ncode 3\n" {
		t.Errorf("%q, %v", rest, err)
	}
	if done, err := census.Prune(runnertest.WithPatience(t), state, pruneEverything); err != nil || len(done.Sessions) != 1 || len(done.InUse) != 0 {
		t.Errorf("afterwards: %+v, %v", done, err)
	}
}

// A session that ended before its starter got the answer is kept for the starter.
func TestPruneSparesSlowStarter(t *testing.T) {
	path := runnertest.NewState(t)
	dir, err := ledger.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	spec := runnertest.Shell(t, path, `echo a; exit 3`)
	if spec.ID, err = dir.NewSession(); err != nil {
		t.Fatal(err)
	}
	unlock, err := dir.LockNewSession(spec.ID)
	if err != nil {
		t.Fatal(err)
	}
	starter := runner.Prepare(nil)
	defer starter.Close()
	conn, err := starter.Send(spec) // as Start does, which would now read the answer
	if err != nil {
		t.Fatal(err)
	}
	for ctx := runnertest.WithPatience(t); ; <-time.After(time.Millisecond) {
		if s, err := dir.LoadSession(spec.ID); err == nil && s.Closed {
			break
		}
		if ctx.Err() != nil {
			t.Fatal(ctx.Err())
		}
	}
	awaitHolder(t, dir, spec.ID)
	if done, err := census.Prune(runnertest.WithPatience(t), dir, pruneEverything); err != nil || len(done.Sessions) != 0 || len(done.InUse) != 1 {
		t.Errorf("%+v, %v", done, err)
	}
	r := bufio.NewReader(conn)
	var resp wire.Response
	if err := wire.ReadLine(r, wire.MaxResponse, &resp); err != nil {
		t.Fatal(err)
	}
	c := &runner.Client{wire.NewConn(dir, *resp.Session, conn, r, unlock)}
	out := runnertest.NewCollector()
	result, err := c.Run(runnertest.WithPatience(t), runner.RunOptions{Sink: out.Sink()})
	if err != nil || out.Text(transcript.Output) != "a\r\n" || runnertest.Code(result.Session) != "3" {
		t.Errorf("%q, code %s, %v", out.Text(transcript.Output), runnertest.Code(result.Session), err)
	}
}

// A client that connects while a session is removed gets ErrNoSession.
func TestPruneBeforeReader(t *testing.T) {
	path := runnertest.NewState(t)
	_, result := runOnce(t, runnertest.Shell(t, path, `echo a`))
	dir, session := runnertest.OpenState(t, path), result.Session
	awaitHolder(t, dir, session.ID)
	log, err := runner.OpenLog(dir, session.ID)
	if err != nil {
		t.Fatal(err)
	}
	if done, err := census.Prune(runnertest.WithPatience(t), dir, pruneEverything); err != nil || len(done.InUse) != 1 {
		t.Errorf("while it is read: %+v, %v", done, err)
	}
	page, err := log.Page(0)
	if err = errors.Join(err, log.Close()); err != nil || string(page.Data) != "a\r\n" {
		t.Errorf("%q, %v", page.Data, err)
	}
	if done, err := census.Prune(runnertest.WithPatience(t), dir, pruneEverything); err != nil || len(done.Sessions) != 1 {
		t.Errorf("afterwards: %+v, %v", done, err)
	}
	if _, err := runner.DialEnded(dir, session); !errors.Is(err, ledger.ErrNoSession) { // it was found before
		t.Errorf("dialEnded: %v", err)
	}
	if _, err := runner.Dial(dir, session); !errors.Is(err, wire.ErrHolderGone) {
		t.Errorf("Dial: %v", err)
	}
}

// runOnce works as RunFor, but does not keep the session for the rest of the test.
func runOnce(t *testing.T, spec wire.Spec) (string, runner.RunResult) {
	t.Helper()
	c, err := runnertest.StartSession(runnertest.WithPatience(t), spec, nil)
	if err != nil {
		t.Error(err)
		return "", runner.RunResult{}
	}
	defer c.Close()
	out := runnertest.NewCollector()
	result, err := c.Run(runnertest.WithPatience(t), runner.RunOptions{Sink: out.Sink()})
	if err != nil {
		t.Error(err)
	}
	return out.Text(transcript.Output), result
}

// No call loses its result while other processes prune everything all the time.
func TestStressPrune(t *testing.T) {
	path := runnertest.NewState(t)
	dir, err := ledger.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	spec := runnertest.Shell(t, path, `echo a; exit 3`)
	var runs, prunes sync.WaitGroup
	stop, todo := make(chan struct{}), make(chan struct{})
	for range 2 {
		prunes.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if _, err := census.Prune(runnertest.WithPatience(t), dir, pruneEverything); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 6 {
		runs.Go(func() {
			for range todo {
				if out, result := runOnce(t, spec); out != "a\r\n" || runnertest.Code(result.Session) != "3" {
					t.Errorf("%q, code %s", out, runnertest.Code(result.Session))
				}
			}
		})
	}
	for range runnertest.Rounds(60, 1000) {
		todo <- struct{}{}
	}
	close(todo)
	runs.Wait()
	close(stop)
	prunes.Wait()
}

// pruner is a role of the test binary: it prunes everything until it is killed.
const pruner = "RUNNER_TEST_PRUNER"

func runAsPruner() error {
	dir, err := ledger.Open(os.Getenv(pruner))
	fmt.Println("ready")
	for err == nil {
		_, err = census.Prune(context.Background(), dir, pruneEverything)
	}
	return err
}

// killPruner starts a pruner and kills it at a random moment.
func killPruner(t *testing.T, path string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "pruner")
	cmd.Env = append(os.Environ(), pruner+"="+path)
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err == nil {
		_, err = bufio.NewReader(stdout).ReadString('\n')
	}
	if err != nil {
		t.Fatal(err)
	}
	<-time.After(time.Duration(rand.IntN(5000)) * time.Microsecond) // a random moment
	_ = cmd.Process.Kill()
	_ = cmd.Wait() // killed
}

// A prune may be killed at any moment. Sessions that it has begun to remove are not found any more, and the next prune
// deletes the rest.
func TestStressPruneKilled(t *testing.T) {
	path := runnertest.NewState(t)
	dir, err := ledger.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	spec, half := runnertest.Shell(t, path, `echo a`), 0
	for i := range runnertest.Rounds(20, 200) {
		for range 4 {
			_, result := runOnce(t, spec)
			awaitHolder(t, dir, result.Session.ID)
		}
		killPruner(t, path)
		if left, err := filepath.Glob(filepath.Join(path, "sessions", "*.removed")); err == nil && len(left) > 0 {
			half++
		}
		all, err := dir.Sessions()
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range all {
			log, err := runner.OpenLog(dir, s.ID)
			if err != nil {
				t.Fatalf("round %d: %v", i, err)
			}
			page, err := log.Page(0)
			if err = errors.Join(err, log.Close()); err != nil || string(page.Data) != "a\r\n" {
				t.Fatalf("round %d: session %s: %q, %v", i, s.ID, page.Data, err)
			}
		}
	}
	t.Logf("%d were killed in the middle of a removal", half)
	if _, err := census.Prune(runnertest.WithPatience(t), dir, pruneEverything); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(filepath.Join(path, "sessions")); err != nil || len(left) != 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}
