package runner

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"devtools/ledger"
	"devtools/runner/proc"
)

// killPatience is how long killing may take beyond the grace.
const killPatience = 15 * time.Second

// Kill ends the sessions or processes that targets name, each with its tree: with the signal, and
// with SIGKILL what lives after the grace. A target that is a number is the pid of a process of a
// session. It goes on after a target that is not there, and returns all errors.
func Kill(ctx context.Context, dir ledger.Dir, targets []string, signal string, grace time.Duration) (proc.Outcome, error) {
	all := proc.Outcome{Killed: []int{}, Failed: []proc.Failure{}}
	if _, err := ParseSignal(signal); err != nil {
		return all, err
	}
	var errs []error
	for _, target := range targets {
		kill := killSession
		if _, err := strconv.Atoi(target); err == nil {
			kill = killProcess
		}
		outcome, err := kill(ctx, dir, target, signal, grace)
		all.Killed = append(all.Killed, outcome.Killed...)
		all.Failed = append(all.Failed, outcome.Failed...)
		errs = append(errs, err)
	}
	return all, errors.Join(errs...)
}

func killSession(ctx context.Context, dir ledger.Dir, name, signal string, grace time.Duration) (proc.Outcome, error) {
	s, err := dir.Session(name)
	if err != nil {
		return proc.Outcome{}, err
	}
	outcome, err := killHeld(ctx, dir, s, signal, grace)
	if !errors.Is(err, ErrHolderGone) {
		return outcome, err
	}
	if !living(s) {
		return outcome, errNamed(name, ErrEnded)
	}
	return killListed(ctx, func() []proc.ID { return ids(orphans(s)) }, signal, grace)
}

// killHeld asks the holder of s to end it.
func killHeld(ctx context.Context, dir ledger.Dir, s ledger.Session, signal string, grace time.Duration) (proc.Outcome, error) {
	c, err := Dial(dir, s)
	if err != nil {
		return proc.Outcome{}, err
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(ctx, grace+killPatience)
	defer cancel()
	outcome, err := c.Kill(ctx, 0, signal, grace)
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("session %q: its holder (pid %d) does not answer", s.Name, s.Holder.PID)
	}
	return outcome, err
}

// killListed ends what list names, without a holder.
func killListed(ctx context.Context, list func() []proc.ID, signal string, grace time.Duration) (proc.Outcome, error) {
	sig, err := ParseSignal(signal)
	if err != nil {
		return proc.Outcome{}, err
	}
	return proc.Kill(ctx, list, sig, grace), nil
}

func killProcess(ctx context.Context, dir ledger.Dir, target, signal string, grace time.Duration) (proc.Outcome, error) {
	pid, err := strconv.Atoi(target)
	if err != nil {
		return proc.Outcome{}, err
	}
	sessions, err := Settle(ctx, dir)
	if err != nil {
		return proc.Outcome{}, err
	}
	for _, s := range sessions {
		c, err := Dial(dir, s)
		if err != nil {
			for _, info := range orphans(s) {
				if info.ID.PID == pid {
					return killListed(ctx, subtree(info.ID), signal, grace)
				}
			}
			continue
		}
		outcome, err := c.Kill(ctx, pid, signal, grace)
		_ = c.Close()
		if !errors.Is(err, ErrNoProcess) {
			return outcome, err
		}
	}
	return proc.Outcome{}, fmt.Errorf("process %d: %w", pid, ErrNoProcess)
}
