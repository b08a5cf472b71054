package proc

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// recheck is the interval for checking a process of which we have no pidfd.
const recheck = 20 * time.Millisecond

// A handle stands for one process, even if another process gets its pid later. It is a pidfd, or -1 where openPidfd
// gives none.
type handle struct {
	id    ID
	pidfd int
	gone  bool // open or awaitAny saw that the process has exited
}

// open returns a handle of the process that id names, or ErrGone if it no longer exists. The caller closes it.
//
// open takes the pidfd before it compares the identity, so both steps are safe. If the pid changes hands in between,
// the pidfd names a process that no longer exists. A signal through it then reaches nobody.
func open(id ID) (*handle, error) {
	fd, err := openPidfd(id.PID)
	if errors.Is(err, ErrGone) {
		return nil, err
	}
	h := &handle{id: id, pidfd: fd}
	now, err := readStat(id.PID)
	if err == nil && fd >= 0 {
		now.Inode = inode(fd)
	}
	if err == nil && !id.Same(now.ID) {
		err = ErrGone
	}
	if err != nil {
		h.close()
		return nil, err
	}
	if fd >= 0 {
		h.gone = ended(fd)
	} else {
		h.gone = now.Ended()
	}
	return h, nil
}

func (h *handle) close() {
	if h.pidfd >= 0 {
		_ = unix.Close(h.pidfd)
		h.pidfd = -1
	}
}

// signal sends sig. A zombie accepts every signal and ignores it.
func (h *handle) signal(sig syscall.Signal) error {
	if h.pidfd >= 0 {
		return Fault(unix.PidfdSendSignal(h.pidfd, sig, nil, 0))
	}
	if !h.id.Alive() {
		return ErrGone
	}
	return Fault(unix.Kill(h.id.PID, sig))
}

// awaitAny blocks until one of the processes is gone, until the time until, or until ctx ends. A zero until means no
// time limit. Of these three only the end of ctx is an error. awaitAny marks the processes that are gone.
func awaitAny(ctx context.Context, handles []*handle, until time.Time) error {
	fds := make([]unix.PollFd, len(handles), len(handles)+1)
	exact := true
	for i, h := range handles {
		fds[i] = unix.PollFd{Fd: int32(h.pidfd), Events: unix.POLLIN} // -1 is ignored
		exact = exact && h.pidfd >= 0
	}
	if ctx.Done() != nil {
		wake, release := wakeup(ctx)
		defer release()
		fds = append(fds, unix.PollFd{Fd: int32(wake), Events: unix.POLLIN})
		exact = exact && wake >= 0
	}
	for {
		_, err := unix.Poll(fds, pollTimeout(until, exact))
		if err != nil && !errors.Is(err, unix.EINTR) {
			return fmt.Errorf("poll: %w", err)
		}
		any := false
		for i, h := range handles {
			if h.pidfd >= 0 {
				h.gone = h.gone || err == nil && fds[i].Revents != 0
			} else {
				h.gone = h.gone || !h.id.Alive()
			}
			any = any || h.gone
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case any, !until.IsZero() && !time.Now().Before(until):
			return nil
		}
	}
}

// wakeup returns an eventfd that becomes readable when ctx ends. It returns -1 if we have no descriptors left.
func wakeup(ctx context.Context) (fd int, release func()) {
	fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		return -1, func() {}
	}
	written := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(written)
		// The counter is 0 and cannot overflow; any byte order makes it positive.
		_, _ = unix.Write(fd, []byte{1, 0, 0, 0, 0, 0, 0, 0})
	})
	return fd, func() {
		if !stop() {
			<-written
		}
		_ = unix.Close(fd)
	}
}

// pollTimeout returns the time until the given moment in milliseconds, rounded up, or -1 for no limit. If exact is
// false, it returns at most recheck.
func pollTimeout(until time.Time, exact bool) int {
	timeout := time.Duration(-1)
	if !until.IsZero() {
		timeout = max(0, time.Until(until))
	}
	if !exact && (timeout < 0 || timeout > recheck) {
		timeout = recheck
	}
	if timeout < 0 {
		return -1
	}
	return int(min((timeout+time.Millisecond-1)/time.Millisecond, 1<<30))
}
