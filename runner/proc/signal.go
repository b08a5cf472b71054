package proc

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// Signal sends sig to the process that id names and to no other. On Linux it compares the identity on a handle that
// stays with one process (pidfd_open(2) and pidfd_send_signal(2)). Windows has such a handle too. macOS and FreeBSD
// have none: a few microseconds pass there between the comparison and kill(2).
//
// The error is [ErrGone] if the process no longer exists, belongs to an earlier boot, or another process has its pid.
// It is [ErrNotPermitted] if the system refuses. It is [ErrProtected] for pid 1 and for our own process, which are
// never signalled. A signal has no effect on a zombie, and that is no error. Signal 0 only makes these checks.
//
// Windows has no signals: SIGKILL, SIGTERM and SIGINT all end the process at once. Any other signal but 0 gives
// [errors.ErrUnsupported].
func (id ID) Signal(sig syscall.Signal) error {
	err := signal(id, sig)
	if err != nil {
		return fmt.Errorf("process %d: %w", id.PID, err)
	}
	return nil
}

// Send sends sig once to each of the processes, and waits for nothing. A process that is gone is in neither list of the
// outcome.
func Send(list []ID, sig syscall.Signal) Outcome {
	out := Outcome{Killed: []int{}, Signalled: []int{}, Failed: []Failure{}}
	for _, id := range list {
		switch err := id.Signal(sig); {
		case err == nil:
			out.Signalled = append(out.Signalled, id.PID)
		case !errors.Is(err, ErrGone):
			out.Failed = append(out.Failed, Failure{PID: id.PID, Reason: reason(err)})
		}
	}
	return out
}

func signal(id ID, sig syscall.Signal) error {
	switch {
	case id.PID == 1, id.PID == os.Getpid():
		return ErrProtected
	case id.PID <= 0, !id.thisBoot():
		return ErrGone
	}
	h, err := open(id)
	if err != nil {
		return err
	}
	defer h.close()
	return h.signal(sig)
}
