package proc

import "time"

// maxClocks is how many processes an IdleWatch watches at most. A look at their clocks must be short: it takes half a
// microsecond for each.
const maxClocks = 1024

// An IdleWatch tells cheaply that processes have done nothing: the system counts the processor time of each process in
// nanoseconds, and no process forks, executes or exits without any. One goroutine uses an IdleWatch, and others may
// call [IdleWatch.Ring].
type IdleWatch struct {
	clocks []processorClock
	bell   bell
}

// NewIdleWatch returns an IdleWatch, or nil where the system cannot tell. The caller closes it.
func NewIdleWatch() *IdleWatch { return newIdleWatch() }

// Sample notes how much processor time the processes have used. It reports whether it could do so for all of them.
// [IdleWatch.Wait] compares with it.
func (w *IdleWatch) Sample(ids []ID) bool { return w != nil && len(ids) <= maxClocks && w.sample(ids) }

// Wait returns when a process has used the processor or is gone since Sample, or after a Ring, and reports whether it
// was rung. It looks at the processes after the time first, and then at the interval every.
func (w *IdleWatch) Wait(first, every time.Duration) (rung bool) { return w.wait(first, every) }

// Ring makes the present Wait return, or the next one.
func (w *IdleWatch) Ring() { w.ring() }

// Close releases the IdleWatch, which may be nil.
func (w *IdleWatch) Close() {
	if w != nil {
		w.close()
	}
}
