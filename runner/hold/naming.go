package hold

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"devtools/ledger"
	"devtools/runner/census"
	"devtools/runner/track"
	"devtools/runner/wire"
)

// namingWait is how long the loop waits for the lock of the ledger to change a name or labels: nothing else of the session goes on
// meanwhile. Of 150 renames beside four loops of run, on two busy processors, the slowest took 62 ms, half of them 7 ms.
const namingWait = time.Second

// errLedgerBusy reports that the lock of the ledger was not free within namingWait.
var errLedgerBusy = errors.New("the state folder is busy: another process holds its lock; nothing has changed")

// takeName puts the session into the active set under a name that no other session there has, if agree allows it. For the
// name "" that is one made from the name of the program. agree may be called twice. It waits at most so long for the lock.
func (h *holder) takeName(name string, wait time.Duration, agree func(*ledger.Active) error) error {
	if err := h.checkName(name); err != nil {
		return err
	}
	spec := h.spec
	spec.Base, spec.Command = h.masks.String(spec.Base), h.session.Command
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	return census.Take(ctx, h.dir, h.session.ID, func(a *ledger.Active) error {
		free := name
		if free == "" {
			free = ledger.FreeName(a, wire.NameOf(spec))
		} else if a.HasBeside(free, h.spec.Replaces) {
			return ledger.SessionError(free, wire.ErrNameTaken)
		}
		if err := agree(a); err != nil {
			return err
		}
		h.session.Name = free
		a.Put(h.session)
		return nil
	})
}

// renameOrLabel changes the name of the session, or its labels. A session that a call starts again takes them along.
func (h *holder) renameOrLabel(l *link, req *wire.Request) {
	was := h.session.Name
	err := h.named(wire.ErrEnded)
	switch {
	case h.restarts.keeps(l, req):
		return
	case h.exited() && !h.restarts.clearing:
	case req.Was != "" && req.Was != was:
		err = ledger.SessionError(req.Was, fmt.Errorf("%w: it is called %q now", ledger.ErrNoSession, was))
	case req.Op == wire.OpRename:
		err = h.rename(req.Name)
	default:
		err = h.label(req.Labels, req.Unlabel)
	}
	if err != nil {
		l.refuse(req, err)
		return
	}
	l.answer(wire.Response{ID: req.ID, Session: h.record(), PreviousName: was})
}

// rename gives the session another name. The active set decides what it is called: if the holder is killed before the event
// and the record are written, who finds that out writes them (census).
func (h *holder) rename(name string) error {
	was := h.session.Name
	if err := ledger.CheckName(name); err != nil || name == was {
		return err
	}
	if err := h.takeName(name, namingWait, func(*ledger.Active) error { return nil }); err != nil {
		h.session.Name = was
		return orBusy(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), namingWait)
	defer cancel()
	h.note(h.dir.Append(ctx, []ledger.Event{track.RenamedEvent(h.session, was)}))
	h.save()
	h.tracker.renamed(name)
	return nil
}

// maxLabels is how long the keys and values of a session's labels may be together, in bytes. Each start and end of any session
// writes the active set with them anew. A run takes 25.5 ms; beside a session with 16 KiB of labels it took 25.9 ms, with 60 KiB
// 27.4 ms.
const maxLabels = 16 << 10

// label sets and removes labels of the session, all of them or none. The map of before stays as it is: answers have it.
func (h *holder) label(set map[string]string, remove []string) error {
	labels := map[string]string{}
	maps.Copy(labels, h.session.Labels)
	for _, key := range remove {
		if _, ok := labels[key]; !ok {
			return h.named(fmt.Errorf("%w %q", wire.ErrNoLabel, key))
		}
		delete(labels, key)
	}
	maps.Copy(labels, h.maskLabels(set))
	bytes := 0
	for key, value := range labels {
		bytes += len(key) + len(value)
	}
	if bytes > maxLabels {
		return h.named(fmt.Errorf("its labels would have %d bytes, and at most %d are allowed", bytes, maxLabels))
	}
	labelled := h.session
	labelled.Labels = labels
	ctx, cancel := context.WithTimeout(context.Background(), namingWait)
	defer cancel()
	if err := h.dir.UpdateOne(ctx, h.session.ID, func(a *ledger.Active) error {
		a.Put(labelled)
		return nil
	}); err != nil {
		return h.named(orBusy(err))
	}
	h.session = labelled
	h.save()
	return nil
}

// orBusy returns err, or errLedgerBusy for a lock that was not free in time.
func orBusy(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return errLedgerBusy
	}
	return err
}
