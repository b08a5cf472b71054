//go:build amd64 || arm64

package blocked

import "golang.org/x/sys/unix"

// calls are the system calls in which a thread waits for input, for a peer or for time. The index is the number of the
// call.
var calls = [512]call{
	unix.SYS_READ:     {"read", readCall},
	unix.SYS_READV:    {"readv", readCall},
	unix.SYS_PREAD64:  {"pread64", readCall},
	unix.SYS_PREADV:   {"preadv", readCall},
	unix.SYS_PREADV2:  {"preadv2", readCall},
	unix.SYS_RECVFROM: {"recvfrom", readCall},
	unix.SYS_RECVMSG:  {"recvmsg", readCall},
	unix.SYS_ACCEPT:   {"accept", readCall},
	unix.SYS_ACCEPT4:  {"accept4", readCall},

	unix.SYS_PPOLL:          {"ppoll", ppollCall},
	unix.SYS_PSELECT6:       {"pselect6", pselectCall},
	unix.SYS_EPOLL_PWAIT:    {"epoll_pwait", epollCall},
	unix.SYS_EPOLL_PWAIT2:   {"epoll_pwait2", epoll2Call},
	unix.SYS_IO_URING_ENTER: {"io_uring_enter", uringCall},

	unix.SYS_WAIT4:  {"wait4", childCall},
	unix.SYS_WAITID: {"waitid", childCall},

	unix.SYS_NANOSLEEP:       {"nanosleep", sleepCall},
	unix.SYS_CLOCK_NANOSLEEP: {"clock_nanosleep", clockCall},
	unix.SYS_FUTEX:           {"futex", futexCall},
	unix.SYS_RESTART_SYSCALL: {"restart_syscall", restartCall},

	olderPoll:   {"poll", pollCall},
	olderSelect: {"select", selectCall},
	olderEpoll:  {"epoll_wait", epollCall},
}

// lasting returns the name of a system call in which a thread can stay for a long time, or "". The calls that wait for
// input are not among them: they are in calls.
func lasting(number int) string {
	switch number {
	case unix.SYS_WRITE:
		return "write"
	case unix.SYS_WRITEV:
		return "writev"
	case unix.SYS_PWRITE64:
		return "pwrite64"
	case unix.SYS_SENDTO:
		return "sendto"
	case unix.SYS_SENDMSG:
		return "sendmsg"
	case unix.SYS_CONNECT:
		return "connect"
	case unix.SYS_FLOCK:
		return "flock"
	case unix.SYS_FCNTL:
		return "fcntl"
	case unix.SYS_OPENAT, olderOpen:
		return "open"
	case unix.SYS_IOCTL:
		return "ioctl"
	case unix.SYS_FSYNC, unix.SYS_FDATASYNC, unix.SYS_SYNC, unix.SYS_SYNCFS:
		return "fsync"
	case unix.SYS_RT_SIGSUSPEND, unix.SYS_RT_SIGTIMEDWAIT, olderPause:
		return "sigsuspend"
	case unix.SYS_SEMOP, unix.SYS_SEMTIMEDOP:
		return "semop"
	case unix.SYS_MSGRCV, unix.SYS_MSGSND, unix.SYS_MQ_TIMEDRECEIVE, unix.SYS_MQ_TIMEDSEND:
		return "msgrcv"
	}
	return ""
}
