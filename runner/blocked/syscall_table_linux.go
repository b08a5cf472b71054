//go:build amd64 || arm64

package blocked

import "golang.org/x/sys/unix"

// calls are the system calls in which a thread waits for input, for a peer or for time. The index is the number of the
// call.
var calls = [512]call{
	unix.SYS_READ:     {"read", awaitsRead, noTimeout, 0},
	unix.SYS_READV:    {"readv", awaitsRead, noTimeout, 0},
	unix.SYS_PREAD64:  {"pread64", awaitsRead, noTimeout, 0},
	unix.SYS_PREADV:   {"preadv", awaitsRead, noTimeout, 0},
	unix.SYS_PREADV2:  {"preadv2", awaitsRead, noTimeout, 0},
	unix.SYS_RECVFROM: {"recvfrom", awaitsRead, noTimeout, 0},
	unix.SYS_RECVMMSG: {"recvmmsg", awaitsRead, noTimeout, 0},
	unix.SYS_RECVMSG:  {"recvmsg", awaitsRead, noTimeout, 0},
	unix.SYS_ACCEPT:   {"accept", awaitsRead, noTimeout, 0},
	unix.SYS_ACCEPT4:  {"accept4", awaitsRead, noTimeout, 0},

	unix.SYS_PPOLL:          {"ppoll", awaitsPoll, inTimespec, 2},
	unix.SYS_PSELECT6:       {"pselect6", awaitsSelect, inTimespec, 4},
	unix.SYS_EPOLL_PWAIT:    {"epoll_pwait", awaitsEpoll, inMilliseconds, 3},
	unix.SYS_EPOLL_PWAIT2:   {"epoll_pwait2", awaitsEpoll, inTimespec, 3},
	unix.SYS_IO_URING_ENTER: {"io_uring_enter", awaitsUring, noTimeout, 0},

	unix.SYS_WAIT4:  {"wait4", awaitsChild, noTimeout, 0},
	unix.SYS_WAITID: {"waitid", awaitsChild, noTimeout, 0},

	// Until the child of vfork(2) has executed its program, as Python's subprocess and posix_spawn(3) start one.
	unix.SYS_CLONE:  {"clone", awaitsChild, noTimeout, 0},
	unix.SYS_CLONE3: {"clone3", awaitsChild, noTimeout, 0},
	olderVfork:      {"vfork", awaitsChild, noTimeout, 0},

	unix.SYS_NANOSLEEP:       {"nanosleep", awaitsNothing, inTimespec, 0},
	unix.SYS_CLOCK_NANOSLEEP: {"clock_nanosleep", awaitsNothing, inClockTime, 2},
	unix.SYS_FUTEX:           {"futex", awaitsNothing, inFutexTime, 3},
	unix.SYS_RT_SIGSUSPEND:   {"rt_sigsuspend", awaitsNothing, noTimeout, 0},
	unix.SYS_RT_SIGTIMEDWAIT: {"rt_sigtimedwait", awaitsNothing, inTimespec, 2},
	olderPause:               {"pause", awaitsNothing, noTimeout, 0},
	unix.SYS_FUTEX_WAITV:     {"futex_waitv", awaitsNothing, noTimeout, 0},
	unix.SYS_SEMOP:           {"semop", awaitsNothing, noTimeout, 0},
	unix.SYS_SEMTIMEDOP:      {"semtimedop", awaitsNothing, inTimespec, 3},
	unix.SYS_MSGRCV:          {"msgrcv", awaitsNothing, noTimeout, 0},
	unix.SYS_MQ_TIMEDRECEIVE: {"mq_timedreceive", awaitsNothing, noTimeout, 0},
	unix.SYS_IO_GETEVENTS:    {"io_getevents", awaitsNothing, inTimespec, 4},
	unix.SYS_RESTART_SYSCALL: {"restart_syscall", awaitsOther, noTimeout, 0},

	olderPoll:   {"poll", awaitsPoll, inMilliseconds, 2},
	olderSelect: {"select", awaitsSelect, inTimeval, 4},
	olderEpoll:  {"epoll_wait", awaitsEpoll, inMilliseconds, 3},
}

// otherCallName returns the name of a system call in which a thread can stay for a long time, or "". The calls that
// wait for input are not among them: they are in calls.
func otherCallName(number int) string {
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
