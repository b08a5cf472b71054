package watch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"

	"devtools/ledger"
	"devtools/runner"
	"devtools/runner/wire"
)

// The labels of the sessions of a watch.
const (
	labelWatch = wire.LabelWatch
	labelBuild = wire.LabelBuild
)

// takeNaming returns the labels for the next session: those of the one before, which devtools label may have changed since. If
// that one was renamed, the next one gets its new name.
func (w *watcher) takeNaming() map[string]string {
	labels := map[string]string{}
	if last, err := w.Dir.LoadSession(w.last.ID); err == nil {
		maps.Copy(labels, last.Labels)
		if last.Name != w.last.Name {
			w.name = last.Name
		}
	}
	labels[labelWatch] = w.ID
	return labels
}

// nameOf returns the present name of a session.
func (w *watcher) nameOf(s ledger.Session) string {
	if now, err := w.Dir.LoadSession(s.ID); err == nil {
		return now.Name
	}
	return s.Name
}

// startNamed starts a session under the name of the one before, or under the first free name.
func (w *watcher) startNamed(ctx context.Context, starter *runner.Starter, spec wire.Spec) (*runner.Client, error) {
	base := cmp.Or(w.name, wire.NameOf(spec))
	for n := 1; n < mostNames; n++ {
		if spec.Name = base; n > 1 {
			spec.Name = fmt.Sprintf("%s-%d", base, n)
		}
		client, err := startSession(ctx, starter, spec)
		if err == nil {
			w.name = spec.Name
			return client, nil
		}
		if !errors.Is(err, wire.ErrNameTaken) {
			return nil, err
		}
		if w.ours(spec.Name) { // left from the moment when the last watch was killed
			if err := w.kill(ctx, spec.Name); err != nil {
				return nil, err
			}
			n--
		} else if w.Program.Name != "" {
			return nil, err
		}
		starter = runner.Prepare(nil)
		defer starter.Close()
	}
	return nil, wire.ErrNameTaken
}

// mostNames is how many names are tried for a session.
const mostNames = 100

// ours reports whether the living session with this name belongs to this watch.
func (w *watcher) ours(name string) bool {
	s, ok := w.Dir.Living(name)
	if ok {
		record, err := w.Dir.LoadSession(s.ID)
		ok = err == nil && record.Labels[labelWatch] == w.ID
	}
	return ok
}
