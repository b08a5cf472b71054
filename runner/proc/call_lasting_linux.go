//go:build linux && (amd64 || arm64)

package proc

import "golang.org/x/sys/unix"

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
