package programtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"devtools/runner/proc"
)

// A stand is the place where one specimen runs: a folder, an environment and a user of its own.
type stand struct {
	specimen
	program string // devtools
	work    string // $W
	env     []string
	user    *syscall.Credential // nil is who runs the test
}

// session is the name of the session in which the specimen runs.
const session = "specimen"

// call runs devtools, which may wait for so long, and returns what it prints and its exit code.
func (b *stand) call(ctx context.Context, waits time.Duration, args ...string) (out []byte, code int, err error) {
	ctx, cancel := withPatience(ctx, waits)
	defer cancel()
	cmd := b.start(ctx, b.program, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err = cmd.Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok && ctx.Err() == nil {
		return out, failed.ExitCode(), nil
	}
	if err != nil {
		err = fmt.Errorf("devtools %q: %w: %s", args, err, stderr.String())
	}
	return out, 0, err
}

// do is call for what must succeed.
func (b *stand) do(ctx context.Context, args ...string) error {
	out, code, err := b.call(ctx, 0, args...)
	if err == nil && code != 0 {
		err = fmt.Errorf("devtools %q: exit code %d: %s", args, code, out)
	}
	return err
}

// start prepares a program as the user of the stand, in its folder.
func (b *stand) start(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = b.work, b.env
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: b.user, Setsid: true}
	return cmd
}

// script does what the specimen wants done before or afterwards.
func (b *stand) script(t *testing.T, text string) {
	if text == "" {
		return
	}
	ctx, cancel := withPatience(context.Background(), 0)
	defer cancel()
	if out, err := b.start(ctx, "bash", "-c", text).CombinedOutput(); err != nil {
		t.Logf("%s: %v: %s", text, err, out) // what it clears away may not be there
	}
}

// argv takes the command apart, as a shell does.
func (b *stand) argv(ctx context.Context) ([]string, error) {
	if line, ok := strings.CutPrefix(b.command, "!"); ok {
		return []string{"bash", "-c", line}, nil
	}
	out, err := b.start(ctx, "bash", "-c", `printf '%s\0' `+b.command).Output()
	if err != nil {
		return nil, fmt.Errorf("take %q apart: %w", b.command, err)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), nil
}

// ask runs the specimen under devtools, and asks whether it waits for input, for as long as it may take.
func (b *stand) ask(ctx context.Context) (answer, error) {
	argv, err := b.argv(ctx)
	if err != nil {
		return answer{}, err
	}
	limit := b.limit
	if b.class == "wait" {
		limit *= 3 // the others run at the same time
	}
	started := time.Now()
	place := []string{"--name", session, "--size", "80x24"}
	if b.keys == "" {
		// Otherwise run has programs print what they would show page by page.
		args := slices.Concat([]string{"--json", "run", "--timeout", limit.String(), "--on-timeout", "keep", "--env", "PAGER=less"}, place, []string{"--"}, argv)
		return b.said(ctx, started, limit, args...)
	}
	if err := b.do(ctx, slices.Concat([]string{"launch"}, place, []string{"--"}, argv)...); err != nil {
		return answer{}, err
	}
	if b.keys != "" {
		a, err := b.wait(ctx, started, 10*time.Second)
		if err == nil && a.State != "waiting" {
			err = fmt.Errorf("before the keys it is %s, and does not wait", a.State)
		}
		if err != nil {
			return a, err
		}
		started = time.Now()
		if err := b.do(ctx, "send-keys", session, "--no-wait", "--", b.keys); err != nil {
			return answer{}, err
		}
	}
	return b.wait(ctx, started, limit)
}

// wait asks whether the session waits for input, or does within the time.
func (b *stand) wait(ctx context.Context, started time.Time, limit time.Duration) (answer, error) {
	return b.said(ctx, started, limit, "--json", "wait", session, "--until", "input", "--timeout", limit.String())
}

// said returns what run or wait say of the session.
func (b *stand) said(ctx context.Context, started time.Time, limit time.Duration, args ...string) (answer, error) {
	out, code, err := b.call(ctx, limit, args...)
	now := time.Now()
	if err != nil {
		return answer{}, err
	}
	var said struct {
		Status          string // of run
		Met             []string
		Ended, TimedOut bool
		outlook
	}
	if err := json.Unmarshal(out, &said); err != nil {
		return answer{}, fmt.Errorf("devtools %q: exit code %d, %q: %w", args, code, out, err)
	}
	a := answer{outlook: said.outlook}
	switch {
	case said.Status == "waiting_for_input" && code == 120, code == 0 && len(said.Met) == 1:
		a.State = "waiting"
		last, err := b.lastOutput(ctx, started, now)
		a.Took = now.Sub(last)
		return a, err
	case (said.Status == "timeout" || said.TimedOut) && code == 124:
		a.State = "running"
	case said.Status == "completed" || said.Ended:
		a.State = "ended"
	default:
		return a, fmt.Errorf("devtools %q: exit code %d: %s", args, code, out)
	}
	return a, nil
}

// lastOutput returns when the session printed last, between two times: the first one where it did not.
func (b *stand) lastOutput(ctx context.Context, last, end time.Time) (time.Time, error) {
	out, _, err := b.call(ctx, 0, "log", session, "--events")
	if err != nil {
		return last, err
	}
	for line := range bytes.Lines(out) {
		var e struct {
			Direction string
			Timestamp time.Time
		}
		if err := json.Unmarshal(line, &e); err != nil {
			return last, fmt.Errorf("log: %q: %w", line, err)
		}
		if e.Direction == "output" && e.Timestamp.After(last) && e.Timestamp.Before(end) {
			last = e.Timestamp
		}
	}
	return last, nil
}

// holder returns the pid of the session's holder, 0 if there is none.
func (b *stand) holder() int {
	out, _, err := b.call(context.Background(), 0, "--json", "ps", session)
	var table struct {
		Sessions []struct{ HolderPID int }
	}
	if err != nil || json.Unmarshal(out, &table) != nil || len(table.Sessions) == 0 {
		return 0
	}
	return table.Sessions[0].HolderPID
}

// clear ends the session, and what its user may not end.
func (b *stand) clear(t *testing.T) {
	defer b.script(t, b.after)
	holder := b.holder()
	id, err := proc.Identify(holder)
	if err != nil {
		return // it was not started, or has ended
	}
	tree := proc.Tree(holder)
	if _, _, err := b.call(context.Background(), 10*time.Second, "kill", session, "--signal", "KILL", "--kill-after", "0"); err != nil {
		t.Error(err)
	}
	for _, p := range tree {
		_ = p.ID.Signal(syscall.SIGKILL) // it may be gone
	}
	ctx, cancel := withPatience(context.Background(), 0)
	defer cancel()
	if err := proc.Await(ctx, id); err != nil {
		t.Errorf("the holder: %v", err)
	}
}

// evidence returns what is known of a session whose verdict is wrong: the screen, and what each thread does.
func (b *stand) evidence() string {
	screen, _, err := b.call(context.Background(), 0, "screen", session)
	if err != nil {
		screen = fmt.Appendf(screen, "%v\n", err)
	}
	var text strings.Builder
	fmt.Fprintf(&text, "screen:\n%s", bytes.TrimRight(screen, "\n"))
	for _, p := range proc.Tree(b.holder()) {
		folder := fmt.Sprintf("/proc/%d", p.PID)
		fmt.Fprintf(&text, "\n%d %s, child of %d: %q", p.PID, p.Name, p.Parent, fact(folder, "cmdline"))
		fds, _ := filepath.Glob(filepath.Join(folder, "fd", "*"))
		for _, fd := range fds {
			target, err := os.Readlink(fd)
			if err != nil {
				target = err.Error()
			}
			fmt.Fprintf(&text, " %s=%s", filepath.Base(fd), target)
		}
		threads, _ := filepath.Glob(filepath.Join(folder, "task", "*"))
		for _, thread := range threads {
			stat := fact(thread, "stat")
			_, stat, _ = strings.Cut(stat, ") ")
			fields := append(strings.Fields(stat), make([]string, 6)...)
			fmt.Fprintf(&text, "\n  thread %s state %s group %s terminal %s front %s in %s: %s", filepath.Base(thread), fields[0], fields[2], fields[4], fields[5], fact(thread, "wchan"), fact(thread, "syscall"))
			if stack := fact(thread, "stack"); stack != "" {
				fmt.Fprintf(&text, "\n    %s", strings.ReplaceAll(stack, "\n", " "))
			}
		}
	}
	return text.String()
}

// fact reads a file of /proc, or why it cannot be read.
func fact(folder, name string) string {
	data, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(strings.ReplaceAll(string(data), "\x00", " "))
}
