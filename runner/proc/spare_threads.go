package proc

import (
	"runtime"
	"sync"
)

const (
	// spareThreads is how many threads KeepThreads starts. A holder whose program has used up all processes has up to
	// 7 in system calls that wait.
	spareThreads = 8

	// keptProcessors is how many processors go with them: Go wants a thread for each.
	keptProcessors = 2

	// fewProcesses is how many processes and threads it takes a program 40 ms to start.
	fewProcesses = 4096
)

// FewProcesses reports whether so few processes and threads are allowed that a program may soon have used them up.
func FewProcesses() bool {
	own, group := mostProcesses(), mostTasks()
	return own >= 0 && own < fewProcesses || group >= 0 && group < fewProcesses
}

// KeepThreads starts threads that are there for later, which takes half a millisecond and 100 KB. When the user may have no more
// processes, Go ends a program that needs another thread (clone(2), EAGAIN). It keeps one that has nothing to do.
func KeepThreads() {
	FewerProcessors()
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

// FewerProcessors makes this process use no more processors than the threads that it keeps are for.
func FewerProcessors() { runtime.GOMAXPROCS(min(runtime.GOMAXPROCS(0), keptProcessors)) }
