//go:build darwin || freebsd

package proc

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A handle is the identity of a process. Neither macOS nor FreeBSD has descriptors for all processes, so each use
// compares the identity again.
type handle struct {
	id   ID
	gone bool // open or awaitAny saw that the process has exited
}

// open returns a handle of the process that id names, or ErrGone if it no longer exists. The caller closes it.
func open(id ID) (*handle, error) {
	now, err := read(id.PID)
	if err != nil {
		return nil, err
	}
	if !id.Same(now.ID) {
		return nil, ErrGone
	}
	return &handle{id: id, gone: now.Ended()}, nil
}

func (*handle) close() {}

func (h *handle) signal(sig syscall.Signal) error {
	if !h.id.Alive() {
		return ErrGone
	}
	switch err := unix.Kill(h.id.PID, sig); {
	case errors.Is(err, unix.ESRCH):
		return ErrGone
	case errors.Is(err, unix.EPERM):
		return ErrNotPermitted
	default:
		return err
	}
}

// awaitAny blocks until one of the processes is gone, until the time until, or until ctx ends. A zero until means no
// time limit. Of these three only the end of ctx is an error. awaitAny marks the processes that are gone.
func awaitAny(ctx context.Context, handles []*handle, until time.Time) error {
	queue, err := unix.Kqueue()
	if err != nil {
		return fmt.Errorf("kqueue: %w", err)
	}
	defer unix.Close(queue)
	unix.CloseOnExec(queue)
	for _, h := range handles {
		// The kernel refuses a process that is already gone. The loop below finds it.
		exit := unix.Kevent_t{Fflags: unix.NOTE_EXIT}
		unix.SetKevent(&exit, h.id.PID, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_ONESHOT)
		_, _ = unix.Kevent(queue, []unix.Kevent_t{exit}, nil, nil)
	}
	wake := unix.Kevent_t{Filter: unix.EVFILT_USER, Flags: unix.EV_ADD | unix.EV_CLEAR}
	if _, err := unix.Kevent(queue, []unix.Kevent_t{wake}, nil, nil); err != nil {
		return fmt.Errorf("kevent: %w", err)
	}
	woken := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(woken)
		wake.Flags, wake.Fflags = 0, unix.NOTE_TRIGGER
		_, _ = unix.Kevent(queue, []unix.Kevent_t{wake}, nil, nil) // the queue stays open until we return
	})
	defer func() {
		if !stop() {
			<-woken
		}
	}()
	for {
		ended := false
		for _, h := range handles {
			h.gone = h.gone || !h.id.Alive()
			ended = ended || h.gone
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case ended, !until.IsZero() && !time.Now().Before(until):
			return nil
		}
		var timeout *unix.Timespec
		if !until.IsZero() {
			left := unix.NsecToTimespec(int64(max(0, time.Until(until))))
			timeout = &left
		}
		var events [16]unix.Kevent_t
		if _, err := unix.Kevent(queue, nil, events[:], timeout); err != nil && !errors.Is(err, unix.EINTR) {
			return fmt.Errorf("kevent: %w", err)
		}
	}
}
