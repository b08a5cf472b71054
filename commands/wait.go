package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/urfave/cli/v3"

	"devtools/runner"
)

func waitCommand() *cli.Command {
	return &cli.Command{
		Name:      "wait",
		Usage:     "wait until a session's command is finished",
		ArgsUsage: "NAME",
		Description: "Waits until the command of the session NAME is finished, and ends with its exit code. It is the same\n" +
			"code for whoever asks, as often as they ask, also long after the end.\n\n" +
			"Example: devtools wait build --timeout 10m",
		Flags: []cli.Flag{
			targetFlag(),
			&cli.StringFlag{Name: "until", Usage: "the condition: `exit`", Value: "exit"},
			&cli.StringFlag{Name: "timeout", Usage: "give up after `DURATION`, 0 is never", Value: "30s"},
		},
		ArgValidator:  oneSession,
		ShellComplete: completeSessions,
		Action:        wait,
	}
}

// A waitResult is what wait prints with --json.
type waitResult struct {
	Name      string   `json:"name"`
	SessionID string   `json:"sessionId"`
	Met       []string `json:"met"`
	Failed    bool     `json:"failed"`
	ExitCode  *int     `json:"exitCode,omitempty"`
	Signal    string   `json:"signal,omitzero"`
	WaitedMs  int64    `json:"waitedMs"`
}

func wait(ctx context.Context, cmd *cli.Command) error {
	if _, err := choice(cmd, "until", "exit"); err != nil {
		return err
	}
	timeout, err := duration(cmd, "timeout")
	if err != nil {
		return err
	}
	name := target(cmd)
	dir, err := openState(cmd, name)
	if err != nil {
		return err
	}
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	begin := time.Now()
	s, err := runner.Wait(ctx, dir, name)
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("session %q goes on: %w after %v", name, runner.ErrTimeout, timeout)
	}
	if err != nil {
		return err
	}
	result := waitResult{
		Name: s.Name, SessionID: s.ID, Met: []string{"exit"}, ExitCode: s.ExitCode, Signal: s.Signal,
		WaitedMs: time.Since(begin).Milliseconds(),
	}
	if err := show(cmd, result, func(io.Writer, waitResult) error { return nil }); err != nil {
		return err
	}
	if s.ExitCode != nil {
		return exitCode(*s.ExitCode)
	}
	return nil
}
