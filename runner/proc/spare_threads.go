package proc

import (
	"runtime"
	"sync"
)

const (
	// spareThreads is how many threads KeepThreads starts. A holder whose program has used up all processes has up to
	// 7 in system calls that wait.
	spareThreads = 8

	// KeptProcessors is how many processors go with them: Go wants a thread for each.
	KeptProcessors = 2

	// A program needs 40 ms to start fewProcesses.
	fewProcesses = 4096
)

// FewProcesses reports whether so few processes and threads are allowed that a program may soon have used them up.
func FewProcesses() bool {
	own, group := mostProcesses(), mostTasks()
	return own >= 0 && own < fewProcesses || group >= 0 && group < fewProcesses
}

// KeepThreads starts spare threads, in half a millisecond and 100 KB. Go ends a program that cannot start a thread (clone(2),
// EAGAIN). It keeps idle threads.
func KeepThreads() {
	runtime.GOMAXPROCS(min(runtime.GOMAXPROCS(0), KeptProcessors))
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
