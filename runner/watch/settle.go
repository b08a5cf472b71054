package watch

import (
	"context"
	"slices"
	"time"

	"devtools/stack/files"
)

// mostSettle is how long a change is not acted upon while others follow. While git writes the sources, as in a checkout,
// they are whole only when it is done: until then it is mostGit, and a shorter time without a change than gitQuiet says
// nothing. It may hold its lock for long without writing.
const (
	mostSettle = time.Second
	mostGit    = time.Minute
	gitQuiet   = 2 * time.Second
	gitLook    = 50 * time.Millisecond // how often it is looked whether it still does
)

// settle waits until nothing has happened for so long.
func (s *sources) settle(ctx context.Context, quiet time.Duration) error {
	begin := time.Now()
	for last := begin; ; {
		due, most := last.Add(quiet), begin.Add(max(mostSettle, quiet))
		git := s.gitWrites()
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
		if git { // no alarm tells that it has done its work
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
