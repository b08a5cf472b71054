package commands

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/runner"
)

// waitAfterSignal returns what kill --wait waits for.
func waitAfterSignal(cmd *cli.Command, req killRequest) (*runner.Wait, error) {
	if !req.alone {
		return nil, usagef("kill: --wait cannot be used with KILL: then kill returns when the session is gone")
	}
	w, err := readWait(cmd, "wait")
	return &w, err
}

// killAndWait sends a signal to one session, and waits for what follows.
func killAndWait(ctx context.Context, cmd *cli.Command, dir ledger.Dir, targets []string, req killRequest) error {
	name := targets[0]
	if _, err := strconv.Atoi(name); err == nil || len(targets) > 1 {
		return usagef("kill: --wait needs the name of one session")
	}
	limited, cancel := withTimeLimit(ctx, *req.wait)
	defer cancel()
	begin := time.Now()
	sent, waited, err := runner.SignalAndWait(limited, dir, name, req.signal, req.reach, *req.wait)
	if err != nil && len(sent.Signalled)+len(sent.Failed) == 0 {
		return err
	}
	waited, err = answeredWait(waited, err)
	result := newKillResult(sent, err, targets)
	if err == nil && len(sent.Failed) == 0 {
		wait := newWaitResult(waited, time.Since(begin))
		result.Wait, err = &wait, waitCode(waited, *req.wait)
	}
	if cmd.Bool("json") {
		err = errors.Join(printJSON(cmd, result), told(cmd, err))
	} else {
		err = errors.Join(showEndingText(cmd, sent), err)
	}
	if err == nil && len(sent.Failed) > 0 {
		err = exitCode(codeFailed)
	}
	remind(ctx, cmd, dir, name)
	return err
}
