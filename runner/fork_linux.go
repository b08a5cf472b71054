package runner

import (
	"os"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"devtools/runner/track"
)

// forkDetached starts the program at path with files as its descriptors. The new process is not a child of this one,
// because a program that ends a caller often ends all its descendants, too. forkDetached returns when the
// program has been started or could not be started.
//
// Package syscall can only fork once and then execute. Here the child forks again and exits. Between fork and exec the
// child makes system calls only: it is a copy of one thread and can do no more.
func forkDetached(path string, argv []string, files []uintptr) error {
	pathPointer, err := syscall.BytePtrFromString(path)
	if err != nil {
		return err
	}
	argvPointers, err := syscall.SlicePtrFromStrings(argv)
	if err != nil {
		return err
	}
	env, err := syscall.SlicePtrFromStrings(track.Unmarked(os.Environ()))
	if err != nil {
		return err
	}
	// A successful exec closes the pipe. Otherwise the pipe carries the error.
	var failure [2]int
	if err := unix.Pipe2(failure[:], unix.O_CLOEXEC); err != nil {
		return err
	}
	defer unix.Close(failure[0])
	f := fork{
		path:    unsafe.Pointer(pathPointer),
		argv:    unsafe.Pointer(&argvPointers[0]),
		env:     unsafe.Pointer(&env[0]),
		files:   files,
		failure: uintptr(failure[1]),
	}
	for i := range f.all {
		f.all[i] = ^uint64(0)
	}
	runtime.LockOSThread() // the signal mask belongs to the thread
	syscall.ForkLock.Lock()
	child, errno := f.twice()
	syscall.ForkLock.Unlock()
	runtime.UnlockOSThread()
	_ = unix.Close(failure[1])
	if errno != 0 {
		return errno
	}
	var status syscall.WaitStatus
	for {
		if _, err := syscall.Wait4(int(child), &status, 0, nil); err != syscall.EINTR {
			break
		}
	}
	var code [1]byte
	for {
		n, err := unix.Read(failure[0], code[:])
		if err == unix.EINTR {
			continue
		}
		if n == 1 {
			return syscall.Errno(code[0])
		}
		return nil
	}
}

// A fork has what twice needs, in memory that is allocated before the fork.
type fork struct {
	path, argv, env unsafe.Pointer
	files           []uintptr
	failure         uintptr
	all, before     [1]uint64 // signal masks
	standard        [4]uint64 // a sigaction with SIG_DFL
	errno           [1]byte
}

// twice forks a child, which forks the process that executes the program. It returns only in the parent.
//
//go:norace
//go:nosplit
func (f *fork) twice() (child uintptr, errno syscall.Errno) {
	const exit = 127
	// The copy of a single thread, without the rest of its process, must not handle any signal.
	_, _, _ = syscall.RawSyscall6(syscall.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK, uintptr(unsafe.Pointer(&f.all)), uintptr(unsafe.Pointer(&f.before)), 8, 0, 0)
	child, _, errno = syscall.RawSyscall6(syscall.SYS_CLONE, uintptr(syscall.SIGCHLD), 0, 0, 0, 0, 0)
	if child != 0 || errno != 0 {
		_, _, _ = syscall.RawSyscall6(syscall.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK, uintptr(unsafe.Pointer(&f.before)), 0, 8, 0, 0)
		return child, errno
	}
	pid, _, failed := syscall.RawSyscall6(syscall.SYS_CLONE, uintptr(syscall.SIGCHLD), 0, 0, 0, 0, 0)
	if pid != 0 {
		_, _, _ = syscall.RawSyscall(syscall.SYS_EXIT_GROUP, 0, 0, 0)
	}
	if failed == 0 {
		_, _, failed = syscall.RawSyscall(syscall.SYS_SETSID, 0, 0, 0)
	}
	for sig := uintptr(1); sig <= 64; sig++ { // no handler of Go's may run here; KILL and STOP have none
		_, _, _ = syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, sig, uintptr(unsafe.Pointer(&f.standard)), 0, 8, 0, 0)
	}
	for i := 0; failed == 0 && i < len(f.files); i++ {
		if f.files[i] == uintptr(i) {
			_, _, failed = syscall.RawSyscall(syscall.SYS_FCNTL, f.files[i], unix.F_SETFD, 0)
		} else {
			_, _, failed = syscall.RawSyscall(syscall.SYS_DUP3, f.files[i], uintptr(i), 0)
		}
	}
	if failed == 0 {
		_, _, _ = syscall.RawSyscall6(syscall.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK, uintptr(unsafe.Pointer(&f.before)), 0, 8, 0, 0)
		_, _, failed = syscall.RawSyscall(syscall.SYS_EXECVE, uintptr(f.path), uintptr(f.argv), uintptr(f.env))
	}
	f.errno[0] = byte(failed)
	_, _, _ = syscall.RawSyscall(syscall.SYS_WRITE, f.failure, uintptr(unsafe.Pointer(&f.errno)), 1)
	_, _, _ = syscall.RawSyscall(syscall.SYS_EXIT_GROUP, exit, 0, 0)
	return 0, failed
}
