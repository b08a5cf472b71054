package blocked

import "golang.org/x/sys/unix"

// Calls that later architectures do not have.
const (
	olderPoll   = unix.SYS_POLL
	olderSelect = unix.SYS_SELECT
	olderEpoll  = unix.SYS_EPOLL_WAIT
	olderOpen   = unix.SYS_OPEN
	olderPause  = unix.SYS_PAUSE
	olderVfork  = unix.SYS_VFORK
)

// restartsPoll says whether an interrupted wait in poll continues as restart_syscall(2). poll does, ppoll does not.
const restartsPoll = true
