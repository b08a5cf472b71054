package proc

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Await blocks until the process that id names has exited, whether or not its
// parent has waited for it. It returns nil at once when that is already so, and
// the error of ctx when ctx ends first. It is woken by the kernel: pidfd and
// poll(2) on Linux, kqueue(2) NOTE_EXIT on macOS and FreeBSD,
// WaitForMultipleObjects on Windows. Only where Linux gives no pidfd (before 5.3) it
// looks every 20 ms.
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
