package start

import (
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// forkDetached starts the program at path with the environment and with files as its descriptors; from Linux 5.9 on it has
// no others. The new process is not a child of this one, because a program that ends a caller often ends all its
// descendants, too. forkDetached returns when the program has been started or could not be started.
//
// Package syscall can only fork once and then execute. Here the child forks again and exits. Between fork and exec the
// child makes system calls only: it is one thread of this process in a process of its own, and can do no more.
func forkDetached(path string, argv, environment []string, files []uintptr) error {
	pathPointer, err := syscall.BytePtrFromString(path)
	if err != nil {
		return err
	}
	argvPointers, err := syscall.SlicePtrFromStrings(argv)
	if err != nil {
		return err
	}
	env, err := syscall.SlicePtrFromStrings(environment)
	if err != nil {
		return err
	}
	f := fork{
		path:  unsafe.Pointer(pathPointer),
		argv:  unsafe.Pointer(&argvPointers[0]),
		env:   unsafe.Pointer(&env[0]),
		files: files,
	}
	for i := range f.all {
		f.all[i] = ^uint64(0)
	}
	runtime.LockOSThread() // the signal mask belongs to the thread
	syscall.ForkLock.Lock()
	// A child that has this process's memory must not handle any signal.
	_, _, _ = syscall.RawSyscall6(syscall.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK, uintptr(unsafe.Pointer(&f.all)), uintptr(unsafe.Pointer(&f.before)), 8, 0, 0)
	child, errno := f.twice()
	_, _, _ = syscall.RawSyscall6(syscall.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK, uintptr(unsafe.Pointer(&f.before)), 0, 8, 0, 0)
	syscall.ForkLock.Unlock()
	runtime.UnlockOSThread()
	if errno != 0 {
		return syscall.Errno(errno)
	}
	for {
		if _, err := syscall.Wait4(int(child), nil, 0, nil); err != syscall.EINTR {
			break
		}
	}
	if f.errno != 0 {
		return f.errno
	}
	return nil
}

// A fork has what twice needs, in memory that is allocated before the fork.
type fork struct {
	path, argv, env unsafe.Pointer
	files           []uintptr
	all, before     [1]uint64     // signal masks
	standard        [4]uint64     // a sigaction with SIG_DFL
	errno           syscall.Errno // why the program could not be started; set by a child in the memory that it shares
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
	child, errno = vfork()
	if child != 0 || errno != 0 {
		return child, errno
	}
	pid, failed := vfork()
	if pid != 0 || failed != 0 {
		if failed != 0 {
			f.errno = syscall.Errno(failed)
		}
		_, _, _ = syscall.RawSyscall(syscall.SYS_EXIT_GROUP, 0, 0, 0)
	}
	_, _, e := syscall.RawSyscall(syscall.SYS_SETSID, 0, 0, 0)
	for sig := uintptr(1); sig <= 64; sig++ { // no handler of Go's may run here; KILL and STOP have none
		_, _, _ = syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, sig, uintptr(unsafe.Pointer(&f.standard)), 0, 8, 0, 0)
	}
	for i := 0; e == 0 && i < len(f.files); i++ {
		if f.files[i] == uintptr(i) {
			_, _, e = syscall.RawSyscall(syscall.SYS_FCNTL, f.files[i], unix.F_SETFD, 0)
		} else {
			_, _, e = syscall.RawSyscall(syscall.SYS_DUP3, f.files[i], uintptr(i), 0)
		}
	}
	if e == 0 {
		// Linux before 5.9 does not know it; pty.PrepareHolder looks.
		_, _, _ = syscall.RawSyscall(unix.SYS_CLOSE_RANGE, uintptr(len(f.files)), ^uintptr(0)>>1, 0)
		_, _, _ = syscall.RawSyscall6(syscall.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK, uintptr(unsafe.Pointer(&f.before)), 0, 8, 0, 0)
		_, _, e = syscall.RawSyscall(syscall.SYS_EXECVE, uintptr(f.path), uintptr(f.argv), uintptr(f.env))
	}
	f.errno = e
	_, _, _ = syscall.RawSyscall(syscall.SYS_EXIT_GROUP, 127, 0, 0)
	return 0, 0
}
