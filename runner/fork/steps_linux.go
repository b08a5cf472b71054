package fork

import (
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A Step is a system call of a child between fork and exec. Its arguments are prepared by the parent, whose memory the child
// shares until it executes the program.
type Step struct {
	What string // what it does, for the message when it fails
	Trap uintptr
	Args [6]uintptr
	From *uintptr // replaces argument number Arg, if it is not nil: a result of an earlier step
	Arg  int
	To   *uintptr // gets the result, if it is not nil
	Try  bool     // the child goes on when it fails
	Keep any      // memory of which Args has the address
}

// A StepError says which step has failed. It is no error about the program: that was not tried.
type StepError struct {
	What string
	Err  syscall.Errno
}

func (e *StepError) Error() string { return e.What + ": " + e.Err.Error() }

// Steps returns the steps by which the child takes the settings over. Files that later steps make get the umask, too.
func (s Settings) Steps() []Step {
	steps := make([]Step, 0, 3) // with one for the working directory
	if s.Umask != nil {
		steps = append(steps, Step{What: "umask", Trap: unix.SYS_UMASK, Args: [6]uintptr{uintptr(*s.Umask)}})
	}
	limit := &unix.Rlimit{}
	if s.FileLimit == 0 || unix.Getrlimit(unix.RLIMIT_NOFILE, limit) != nil {
		return steps
	}
	limit.Cur = min(s.FileLimit, limit.Max)
	return append(steps, Step{
		What: "limit of open files", Trap: unix.SYS_PRLIMIT64, Args: [6]uintptr{0, unix.RLIMIT_NOFILE, uintptr(unsafe.Pointer(limit))}, Keep: limit,
	})
}

// Exec starts the program at path as a child of this process, which makes the steps before it executes the program. Of attr, these
// count: Env, Files, and of Sys Foreground with Ctty, and UseCgroupFD with CgroupFD. The child leads a process group of its own. A
// change of its working directory is one of the steps: Dir does not count. The error is a *StepError, an *os.SyscallError of fork(2),
// or the Errno of execve(2). It needs amd64 or arm64; elsewhere fork fails with ENOSYS.
func Exec(path string, argv []string, attr *syscall.ProcAttr, steps []Step) (pid int, err error) {
	if !shared {
		return 0, os.NewSyscallError("fork", unix.ENOSYS)
	}
	f, err := newFork(path, argv, attr.Env, attr.Files)
	if err != nil {
		return 0, err
	}
	f.steps, f.failed = steps, -1
	f.terminal, f.foreground = uintptr(attr.Sys.Ctty), attr.Sys.Foreground
	if attr.Sys.UseCgroupFD {
		const flags = unix.CLONE_VFORK | unix.CLONE_VM | unix.CLONE_INTO_CGROUP
		f.into = cloneArgs{flags: flags, exitSignal: uint64(syscall.SIGCHLD), cgroup: uint64(attr.Sys.CgroupFD)}
	}
	child, errno := f.alone((*fork).stepwise)
	switch {
	case errno != 0:
		return 0, os.NewSyscallError("fork", syscall.Errno(errno))
	case f.errno == 0:
		return int(child), nil
	}
	reap(int(child))
	if f.failed >= 0 && f.failed < len(steps) {
		return 0, &StepError{steps[f.failed].What, f.errno}
	}
	return 0, f.errno
}

// stepwise forks the child, which makes the steps and executes the program. It returns in the parent alone, when the child has
// executed or has ended.
//
//go:norace
//go:nosplit
//go:noinline
func (f *fork) stepwise() (child, errno uintptr) {
	if f.into.flags == 0 {
		child, errno = vfork(unix.SYS_CLONE, vforkFlags, 0) // a kernel, or the rules of a container, may not have clone3(2)
	} else {
		child, errno = vfork(unix.SYS_CLONE3, uintptr(unsafe.Pointer(&f.into)), unsafe.Sizeof(f.into))
	}
	if child != 0 || errno != 0 {
		return child, errno
	}
	_, _, e := syscall.RawSyscall(syscall.SYS_SETPGID, 0, 0, 0)
	if e == 0 && f.foreground {
		pid, _, _ := syscall.RawSyscall(syscall.SYS_GETPID, 0, 0, 0)
		f.group = int32(pid)
		_, _, e = syscall.RawSyscall(syscall.SYS_IOCTL, f.terminal, unix.TIOCSPGRP, uintptr(unsafe.Pointer(&f.group)))
	}
	for i := 0; e == 0 && i < len(f.steps); i++ {
		s := &f.steps[i]
		if s.From != nil {
			s.Args[s.Arg] = *s.From
		}
		r, _, failed := syscall.RawSyscall6(s.Trap, s.Args[0], s.Args[1], s.Args[2], s.Args[3], s.Args[4], s.Args[5])
		if failed != 0 && !s.Try {
			e, f.failed = failed, i
		}
		if s.To != nil {
			*s.To = r
		}
	}
	f.execute(e)
	return 0, 0
}
