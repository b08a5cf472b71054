//go:build unix

package isolation

import "golang.org/x/sys/unix"

// NoCores makes this process, and those that it starts, leave no core dumps. A program may raise the limit again, as far as the hard
// limit goes: at the level high to 0.
func NoCores() {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_CORE, &limit) == nil && limit.Cur != 0 {
		limit.Cur = 0
		_ = unix.Setrlimit(unix.RLIMIT_CORE, &limit) // lowering it is always allowed
	}
}
