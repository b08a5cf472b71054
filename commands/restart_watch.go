package commands

import (
	"context"
	"fmt"
	"time"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/runner/proc"
	"devtools/runner/track"
	"devtools/runner/wire"
)

// watchPace is the time between two looks for the session that a watch starts: nobody tells this process.
const watchPace = 20 * time.Millisecond

// restartWatched makes the watch of the session s build and start its program again, as its key r does, and waits for the new
// session.
func (req *launchRequest) restartWatched(ctx context.Context, cmd *cli.Command, dir ledger.Dir, s ledger.Session) (next ledger.Session, err error) {
	if cmd.IsSet("kill-after") {
		return next, usagef("restart: --kill-after cannot be used for %q: its watch ends it", s.Name)
	}
	id := s.Labels[wire.LabelWatch]
	w, ok := dir.LoadWatch(id)
	watcher := track.Identity(w.Watcher)
	switch {
	case !ok || !watcher.Alive():
		return next, watchGone(s)
	case redoSignal == 0 || !proc.Catches(watcher.PID, redoSignal):
		return next, &sessionError{
			err: fmt.Errorf("session %q: its watch (pid %d) cannot be asked to start it again", s.Name, watcher.PID), name: s.Name,
			hint: "type r and Enter where that watch runs",
		}
	}
	if err := watcher.Signal(redoSignal); err != nil {
		return next, fmt.Errorf("watch of session %q: %w", s.Name, err)
	}
	if req.ready.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, req.ready.Timeout)
		defer cancel()
	}
	for {
		if now, ok := dir.LoadWatch(id); ok && now.SessionID != w.SessionID && !now.Ending {
			if next, err = dir.Session(now.SessionID); err == nil {
				return next, nil
			}
		}
		if !watcher.Alive() {
			return next, watchGone(s)
		}
		select {
		case <-time.After(watchPace):
		case <-ctx.Done():
			return next, &sessionError{
				err:  fmt.Errorf("session %q: %w after %v: its watch (pid %d) has not started it again", s.Name, wire.ErrTimeout, req.ready.Timeout, watcher.PID),
				name: s.Name, hint: "the output of that watch tells why",
			}
		}
	}
}

// watchGone returns the error for a session whose watch has ended.
func watchGone(s ledger.Session) error {
	return &sessionError{
		err: fmt.Errorf("session %q: the watch that has started it has ended", s.Name), name: s.Name,
		hint: "start that watch again, or end the session: devtools kill " + s.Name,
	}
}
