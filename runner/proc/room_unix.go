//go:build unix

package proc

import (
	"os"

	"golang.org/x/sys/unix"
)

// manyFiles is a limit of open files from which on nobody has to count those that are open.
const manyFiles = 256

// manyProcesses is a limit of processes that nobody has to look at.
const manyProcesses = 1 << 20

// mostProcesses returns how many processes and threads the user can have by RLIMIT_NPROC, or -1 for many. Those that run count
// later. There is no limit for root, and what a control group allows (pids.max) is not looked at.
func mostProcesses() int {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NPROC, &limit) != nil || limit.Cur >= manyProcesses || os.Geteuid() == 0 {
		return -1
	}
	return int(limit.Cur)
}

// openFiles returns how many files this process can have open, or -1 for many, and how many it has open.
func openFiles() (most, open int) {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) != nil || limit.Cur >= manyFiles {
		return -1, 0
	}
	most = int(limit.Cur)
	all := make([]unix.PollFd, most)
	for fd := range all {
		all[fd].Fd = int32(fd)
	}
	if _, err := unix.Poll(all, 0); err != nil {
		return -1, 0
	}
	for _, p := range all {
		if p.Revents&unix.POLLNVAL == 0 {
			open++
		}
	}
	return most, open
}
