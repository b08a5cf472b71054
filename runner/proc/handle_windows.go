package proc

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"golang.org/x/sys/windows"
)

// A handle holds one process. Windows does not reuse the pid while the handle is open.
type handle struct {
	id      ID
	process windows.Handle
	gone    bool // open or awaitAny saw that the process has exited
}

// open returns a handle of the process that id names, or ErrGone if it no longer exists. The caller closes it.
func open(id ID) (*handle, error) {
	const look = windows.PROCESS_QUERY_LIMITED_INFORMATION | windows.SYNCHRONIZE
	process, err := openProcess(id.PID, look|windows.PROCESS_TERMINATE)
	if errors.Is(err, ErrNotPermitted) {
		process, err = openProcess(id.PID, look) // enough to wait for the process
	}
	if err != nil {
		return nil, err
	}
	h := &handle{id: id, process: process}
	now, _, err := times(id.PID, process)
	if err == nil && !id.Same(now) {
		err = ErrGone
	}
	if err != nil {
		h.close()
		return nil, err
	}
	h.gone = h.signalled()
	return h, nil
}

func (h *handle) close() {
	_ = windows.CloseHandle(h.process)
}

// signalled reports whether the process has exited.
func (h *handle) signalled() bool {
	event, err := windows.WaitForSingleObject(h.process, 0)
	return err == nil && event == windows.WAIT_OBJECT_0
}

func (h *handle) signal(sig syscall.Signal) error {
	switch sig {
	case 0:
		return nil
	case syscall.SIGKILL, syscall.SIGTERM, syscall.SIGINT:
	default:
		return errors.ErrUnsupported
	}
	err := windows.TerminateProcess(h.process, 1)
	if errors.Is(err, windows.ERROR_ACCESS_DENIED) {
		if h.signalled() {
			return ErrGone // Windows refuses this for a process that is ending, too
		}
		return ErrNotPermitted
	}
	return err
}

// awaitAny blocks until one of the processes is gone, until the time until, or until ctx ends. A zero until means no
// time limit. Of these three only the end of ctx is an error. awaitAny marks the processes that are gone.
func awaitAny(ctx context.Context, handles []*handle, until time.Time) error {
	wake, err := windows.CreateEvent(nil, 1, 0, nil)
	if err != nil {
		return fmt.Errorf("create event: %w", err)
	}
	woken := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(woken)
		_ = windows.SetEvent(wake) // the event stays open until we return
	})
	defer func() {
		if !stop() {
			<-woken
		}
		_ = windows.CloseHandle(wake)
	}()
	// One call waits for 64 objects (MAXIMUM_WAIT_OBJECTS), one of which is the event. Any further processes are
	// checked every 50 ms.
	objects := []windows.Handle{wake}
	for _, h := range handles[:min(len(handles), 63)] {
		objects = append(objects, h.process)
	}
	for {
		ended := false
		for _, h := range handles {
			h.gone = h.gone || h.signalled()
			ended = ended || h.gone
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case ended, !until.IsZero() && !time.Now().Before(until):
			return nil
		}
		timeout := uint32(windows.INFINITE)
		if !until.IsZero() {
			timeout = uint32(min(max(0, time.Until(until)).Milliseconds()+1, 1<<30))
		}
		if len(handles) > 63 {
			timeout = min(timeout, 50)
		}
		if _, err := windows.WaitForMultipleObjects(objects, false, timeout); err != nil {
			return fmt.Errorf("wait: %w", err)
		}
	}
}
