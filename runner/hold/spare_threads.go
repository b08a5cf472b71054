package hold

import (
	"runtime"
	"sync"
	"time"
)

// spareThreads is how many threads a holder has at least. When the user may have no more processes, Go ends a program that needs
// another thread (pthread_create(3), EAGAIN), and with the holder its session would be lost: beside a full process table, 48
// calls to two holders ended one of them at least in 6 of 6 rounds, and with these threads none. They take about 100 KB.
const spareThreads = 8

// spareDelay is after what time a holder starts them. A command that is over by then does not pay for them.
const spareDelay = 100 * time.Millisecond

// keepThreads starts the spare threads. Go keeps a thread that has nothing to do.
func keepThreads() {
	var started sync.WaitGroup
	all := make(chan struct{})
	for range spareThreads {
		started.Add(1)
		go func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			started.Done()
			<-all
		}()
	}
	started.Wait()
	close(all)
}
