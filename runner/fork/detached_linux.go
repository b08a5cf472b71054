package fork

import "syscall"

// detached does the work of Detached. From Linux 5.9 on the program has no descriptors but files.
//
// Package syscall can only fork once and then execute. Here the child forks again and exits. Between fork and exec the
// child makes system calls only: it is one thread of this process in a process of its own, and can do no more.
func detached(path string, argv, environment []string, files []uintptr) error {
	f, err := newFork(path, argv, environment, files)
	if err != nil {
		return err
	}
	child, errno := f.alone((*fork).twice)
	if errno != 0 {
		return syscall.Errno(errno)
	}
	reap(int(child))
	if f.errno != 0 {
		return f.errno
	}
	return nil
}

// twice forks a child, which forks the process that executes the program. It returns only in the parent, when the child
// has ended. Both children run on the stack of the parent, which waits for them (CLONE_VFORK, clone(2)): so the parent
// returns from this frame at once, and the children never do. Only who kills the first child by its pid, within that
// millisecond, could make the parent go on beside the second.
//
//go:norace
//go:nosplit
//go:noinline
func (f *fork) twice() (child, errno uintptr) {
	child, errno = vfork(syscall.SYS_CLONE, vforkFlags, 0)
	if child != 0 || errno != 0 {
		return child, errno
	}
	pid, failed := vfork(syscall.SYS_CLONE, vforkFlags, 0)
	if pid != 0 || failed != 0 {
		if failed != 0 {
			f.errno = syscall.Errno(failed)
		}
		_, _, _ = syscall.RawSyscall(syscall.SYS_EXIT_GROUP, 0, 0, 0)
	}
	_, _, e := syscall.RawSyscall(syscall.SYS_SETSID, 0, 0, 0)
	f.execute(e)
	return 0, 0
}
