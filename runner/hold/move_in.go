package hold

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"devtools/ledger"
	"devtools/runner/census"
	"devtools/runner/track"
	"devtools/runner/wire"
)

// moveIn makes the session, whose files were removed, live on in the state folder that a call has made in their place: with
// its record, its claim, its newest output, its processes, and its name if that is free there. If its record alone was removed, it
// is written again.
func (h *holder) moveIn(l *link, req *wire.Request) {
	resp := wire.Response{ID: req.ID}
	if removed := h.dir.Removed(h.session.ID); removed || h.dir.Saved(h.session.ID) == 0 {
		if h.completion.over() {
			l.refuse(req, h.named(wire.ErrEnded))
			return
		}
		if err := h.renew(removed); err != nil {
			l.refuse(req, h.named(err))
			return
		}
		resp.Session = h.record()
	}
	l.answer(resp)
}

// renew writes the record of the session anew, and all its other files if they were removed. If that fails it leaves none, and
// another call may try again.
func (h *holder) renew(removed bool) (err error) {
	id := h.session.ID
	defer func() {
		if err != nil && removed {
			err = errors.Join(err, h.dir.RemoveSession(id))
		}
	}()
	if removed {
		if err := h.dir.Renew(id); err != nil {
			return err
		}
		h.dir.Stamp(&h.session)
		if err := errors.Join(h.log.Renew(), h.shell.renew()); err != nil {
			return err
		}
	}
	if err := h.dir.SaveSession(h.session); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), wire.LockWait)
	defer cancel()
	name := h.session.Name
	err = census.Take(ctx, h.dir, id, func(a *ledger.Active) error {
		a.Drop(id) // a set that was made from the records has it
		h.session.Name = ledger.FreeName(a, name)
		a.Put(h.session)
		if !removed {
			return nil
		}
		a.Log(track.Event(ledger.EventStarted, h.session)) // the log that knew it was removed, too
		if h.completion.recorded {
			a.Log(track.EndEvent(h.session))
		}
		return nil
	})
	if err != nil {
		return err
	}
	h.save() // with its name
	if !removed {
		return nil
	}
	if len(h.captures.list) > 0 {
		h.captures.write()
	}
	h.tracker.moved(h.session)
	return nil
}

// renew makes the folder anew from which an integrated shell takes its commands. The shell has read its other files.
func (s *shell) renew() error {
	if !s.integrated() {
		return nil
	}
	if err := os.Mkdir(s.dir.ShellFolder(s.session.ID), 0o700); !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}
