package proc

import (
	"fmt"
	"os"
	"syscall"
)

// Signal sends sig to the process that id names and to no other. It compares the
// identity on a handle that stays with one process (pidfd_open(2) and
// pidfd_send_signal(2) on Linux). macOS and FreeBSD have no such handle: there a
// few microseconds lie between the comparison and kill(2).
//
// The errors are [ErrGone] when the process is no more, or is of an earlier boot,
// or another one has its pid; [ErrNotPermitted]; and [ErrProtected] for pid 1 and
// for our own process, which are never signalled. A zombie takes a signal without
// effect, which is no error. Signal 0 only makes these checks.
//
// Windows has no signals: SIGKILL, SIGTERM and SIGINT all end the process at once,
// any other is [errors.ErrUnsupported].
func (id ID) Signal(sig syscall.Signal) error {
	err := signal(id, sig)
	if err != nil {
		return fmt.Errorf("process %d: %w", id.PID, err)
	}
	return nil
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
