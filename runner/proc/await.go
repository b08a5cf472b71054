package proc

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Await blocks until one of the processes that ids name has exited, whether or not its parent has waited for it. It returns
// nil at once if one has already exited. It returns the error of ctx if ctx ends first.
//
// The kernel wakes Await: through a pidfd and poll(2) on Linux, kqueue(2) NOTE_EXIT on macOS and FreeBSD, and
// WaitForMultipleObjects on Windows. Where Linux has no pidfd (before 5.3), Await checks every 20 ms instead.
func Await(ctx context.Context, ids ...ID) error {
	var handles []*handle
	defer func() {
		for _, h := range handles {
			h.close()
		}
	}()
	for _, id := range ids {
		if id.PID <= 0 || !id.thisBoot() {
			return nil
		}
		h, err := open(id)
		if errors.Is(err, ErrGone) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("wait for process %d: %w", id.PID, err)
		}
		if handles = append(handles, h); h.gone {
			return nil
		}
	}
	if err := awaitAny(ctx, handles, time.Time{}); err != nil {
		return fmt.Errorf("wait for process %d: %w", ids[0].PID, err)
	}
	return nil
}
