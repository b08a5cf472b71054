package proc

import "golang.org/x/sys/unix"

// The calls that later architectures do not have.
const (
	olderPoll   = unix.SYS_POLL
	olderSelect = unix.SYS_SELECT
	olderEpoll  = unix.SYS_EPOLL_WAIT
	olderOpen   = unix.SYS_OPEN
	olderPause  = unix.SYS_PAUSE
)

// restartsPoll says that a poll that a signal stopped goes on as restart_syscall(2):
// poll does, ppoll does not.
const restartsPoll = true
