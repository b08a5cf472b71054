package watch

import (
	"context"
	"slices"
	"time"

	"devtools/stack/files"
)

// mostSettle is how long a change may wait while others follow it.
//
// While git writes the sources, for example in a checkout, they are complete only when git is done. The limit is then
// mostGit, and a time without changes that is shorter than gitQuiet proves nothing. git may hold its lock for a long
// time without writing.
const (
	mostSettle = time.Second
	mostGit    = time.Minute
	gitQuiet   = 2 * time.Second
	gitLook    = 50 * time.Millisecond // how often the watch checks whether git still writes
)

// settle waits until nothing has happened for the time quiet.
func (s *sources) settle(ctx context.Context, quiet time.Duration) error {
	begin, wrote := time.Now(), false
	for last := begin; ; {
		git := s.gitWrites()
		if wrote && !git { // nobody may have told yet what git has written last
			begin, last = time.Now(), time.Now()
		}
		wrote = git
		due, most := last.Add(quiet), begin.Add(max(mostSettle, quiet))
		if git {
			due, most = last.Add(max(quiet, gitQuiet)), begin.Add(mostGit)
		}
		if most.Before(due) {
			due = most
		}
		wait := time.Until(due)
		if wait <= 0 {
			return nil
		}
		if git { // no alarm rings when git is done
			wait = min(wait, gitLook)
		}
		timer := time.NewTimer(wait)
		select {
		case <-s.alarm:
			last = time.Now()
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return context.Cause(ctx)
		}
		timer.Stop()
	}
}

func (s *sources) gitWrites() bool {
	return slices.ContainsFunc(s.tops, func(t *top) bool { return files.GitWrites(t.path, mostGit) })
}
