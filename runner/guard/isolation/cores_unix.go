//go:build unix

package isolation

import "golang.org/x/sys/unix"

// NoCores makes this process, and those that it starts, leave no core dumps. Unless it is for good, a program may raise the limit
// again.
func NoCores(forGood bool) {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_CORE, &limit) != nil || limit.Cur == 0 && !forGood {
		return
	}
	limit.Cur = 0
	if forGood {
		limit.Max = 0
	}
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &limit) // lowering it is always allowed
}
