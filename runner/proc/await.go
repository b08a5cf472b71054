package proc

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Await blocks until the process that id names has exited, whether or not its parent has waited for it. It returns nil
// at once if the process has already exited. It returns the error of ctx if ctx ends first.
//
// The kernel wakes Await: through a pidfd and poll(2) on Linux, kqueue(2) NOTE_EXIT on macOS and FreeBSD, and
// WaitForMultipleObjects on Windows. Where Linux has no pidfd (before 5.3), Await checks every 20 ms instead.
func Await(ctx context.Context, id ID) error {
	err := await(ctx, id)
	if err != nil {
		return fmt.Errorf("wait for process %d: %w", id.PID, err)
	}
	return nil
}

func await(ctx context.Context, id ID) error {
	if id.PID <= 0 || !id.thisBoot() {
		return nil
	}
	h, err := open(id)
	if errors.Is(err, ErrGone) {
		return nil
	}
	if err != nil {
		return err
	}
	defer h.close()
	if h.gone {
		return nil
	}
	return awaitAny(ctx, []*handle{h}, time.Time{})
}
