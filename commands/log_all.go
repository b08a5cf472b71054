package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"sync"
	"syscall"
	"time"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/runner"
	"devtools/runner/wire"
)

// The allLogs print the logs of several sessions to one output, each line with the name of its session.
type allLogs struct {
	cmd     *cli.Command
	path    string // of the state folder
	pattern *regexp.Regexp
	newest  map[string]string // id of the session that a name means; nil: the names are those of running sessions
	news    *ledger.Newcomers // nil as long as there is no state folder

	mu     sync.Mutex // held for each write, which has only whole lines
	out    io.Writer
	failed chan error // the error of a write
}

// Write writes whole lines.
func (a *allLogs) Write(lines []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	n, err := a.out.Write(lines)
	if err != nil {
		select {
		case a.failed <- err:
		default: // the first error ends all
		}
	}
	return n, err
}

// printAllLogs prints the logs of all running sessions, one after the other. With --follow it prints them as they grow, and
// also those of sessions that start later.
func printAllLogs(ctx context.Context, cmd *cli.Command, pattern *regexp.Regexp) error {
	path, err := stateFolder(cmd)
	if err != nil {
		return err
	}
	a := &allLogs{cmd: cmd, path: path, pattern: pattern, out: cmd.Root().Writer, failed: make(chan error, 1)}
	dir, err := openFolder(cmd, path)
	switch follows := cmd.Bool("follow"); {
	case isMissing(err): // nothing was ever started here
		if err = nil; !follows {
			a.sayNone()
		}
	case err == nil && follows:
		err = a.followEach(ctx, dir)
	case err == nil:
		err = a.printEach(ctx, dir)
	}
	if err == nil && cmd.Bool("follow") {
		err = a.follow(ctx)
	}
	return brokenPipe(err)
}

// printEach prints the logs of the running sessions, one after the other. It searches those of all sessions, also the ended ones.
func (a *allLogs) printEach(ctx context.Context, dir ledger.Dir) error {
	sessions, err := runningSessions(dir, nil)
	if a.pattern != nil {
		sessions, err = dir.Sessions()
	}
	if len(sessions) == 0 && err == nil {
		a.sayNone()
	}
	a.newest = newestOf(sessions)
	for _, id := range idsOf(sessions) {
		failed := a.print(ctx, dir, id, true)
		if len(a.failed) > 0 {
			return failed
		}
		switch {
		case errors.Is(failed, ledger.ErrNoSession): // it was removed in the meantime
		case errors.Is(failed, wire.ErrNotRecorded): // no log ever had it
			note(a.cmd, "%v", failed)
		default:
			err = errors.Join(err, failed)
		}
	}
	return err
}

// newestOf returns the id of the newest session that has each name. The sessions are in the order of their starts.
func newestOf(sessions []ledger.Session) map[string]string {
	newest := map[string]string{}
	for _, s := range sessions {
		newest[s.Name] = s.ID
	}
	return newest
}

// sayNone says why nothing is printed.
func (a *allLogs) sayNone() {
	if a.pattern != nil {
		note(a.cmd, "there is no session")
		return
	}
	note(a.cmd, "no session runs: --all prints the running ones, with --grep also those that have ended")
}

// followEach begins to follow the running sessions.
func (a *allLogs) followEach(ctx context.Context, dir ledger.Dir) error {
	a.news = dir.Newcomers()
	if err := a.news.KnowAll(); err != nil && !isMissing(err) {
		return err
	}
	sessions, err := runningSessions(dir, nil)
	for _, id := range idsOf(sessions) {
		a.news.Know(id) // it may have started since
		go a.report(ctx, dir, id, true)
	}
	return err
}

// lookForNew is the time between two looks for sessions that have started. A look is a few system calls.
const lookForNew = 100 * time.Millisecond

// follow follows the sessions that start from now on. It ends when the reader is gone.
func (a *allLogs) follow(ctx context.Context) error {
	gone := readerGone(a.out)
	tick := time.NewTicker(lookForNew)
	defer tick.Stop()
	for {
		select {
		case err := <-a.failed:
			return err
		case <-gone:
			return syscall.EPIPE // as from a write
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
		if err := a.join(ctx); err != nil && !isMissing(err) {
			return err
		}
	}
}

// join begins to follow the sessions that have started since the last call. The error is fs.ErrNotExist if there is no state
// folder: it may not be there yet, or not any more.
func (a *allLogs) join(ctx context.Context) error {
	dir, err := ledger.Open(a.path)
	if err != nil {
		a.news = nil
		return err
	}
	if a.news == nil {
		a.news = dir.Newcomers()
	}
	sessions, err := a.news.Next()
	for _, s := range sessions {
		go a.report(ctx, dir, s.ID, false)
	}
	return err
}

// report follows one session, and says why that has failed. A failed write is no fault of the session.
func (a *allLogs) report(ctx context.Context, dir ledger.Dir, id string, tail bool) {
	if err := a.print(ctx, dir, id, tail); err != nil && len(a.failed) == 0 {
		note(a.cmd, "%v", err)
	}
}

// print prints the log of one session. With tail it begins with the lines of --tail.
func (a *allLogs) print(ctx context.Context, dir ledger.Dir, id string, tail bool) error {
	log, err := runner.OpenLog(dir, id)
	if err != nil {
		return err
	}
	defer log.Close()
	name := log.Session().Name
	if a.newest != nil && a.newest[name] != id { // a later session has this name
		name = id
	}
	lines := newLabelWriter(a, name)
	p := newLogPrinter(a.cmd, log, lines)
	p.grep, p.about = newGrep(a.cmd, a.pattern), fmt.Sprintf("session %q: ", name)
	if tail {
		err = p.seek(ctx, ledger.Position{})
	}
	if err == nil {
		err = p.text(ctx)
	}
	return errors.Join(err, lines.close())
}
