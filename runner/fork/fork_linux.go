package fork

import (
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// vforkFlags are those of vfork(2).
const vforkFlags = unix.CLONE_VFORK | unix.CLONE_VM | uintptr(syscall.SIGCHLD)

// A fork has what a child needs, in memory that is allocated before the fork.
type fork struct {
	path, argv, env unsafe.Pointer
	files           []uintptr
	all, before     [1]uint64     // signal masks
	standard        [4]uint64     // a sigaction with SIG_DFL
	errno           syscall.Errno // why the program could not be started; set by a child in the memory that it shares

	group      int32 // becomes the child's process group
	terminal   uintptr
	foreground bool      // the child becomes the foreground of the terminal
	into       cloneArgs // of a child in a control group; without flags, clone(2) makes the child
	steps      []Step
	failed     int // number of the step that failed with errno; len(steps): the program could not be executed
}

// cloneArgs are the arguments of clone3(2).
type cloneArgs struct {
	flags, pidfd, childTID, parentTID, exitSignal, stack, stackSize, tls, setTID, setTIDSize, cgroup uint64
}

func newFork(path string, argv, environment []string, files []uintptr) (*fork, error) {
	pathPointer, err := syscall.BytePtrFromString(path)
	if err != nil {
		return nil, err
	}
	argvPointers, err := syscall.SlicePtrFromStrings(argv)
	if err != nil {
		return nil, err
	}
	env, err := syscall.SlicePtrFromStrings(environment)
	if err != nil {
		return nil, err
	}
	return &fork{
		path:  unsafe.Pointer(pathPointer),
		argv:  unsafe.Pointer(&argvPointers[0]),
		env:   unsafe.Pointer(&env[0]),
		files: files,
		all:   [1]uint64{^uint64(0)},
	}, nil
}

// alone calls start, which forks, on a thread that takes no signals: a child that has this process's memory must not handle any.
func (f *fork) alone(start func(*fork) (child, errno uintptr)) (child, errno uintptr) {
	runtime.LockOSThread() // the signal mask belongs to the thread
	syscall.ForkLock.Lock()
	_, _, _ = syscall.RawSyscall6(syscall.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK, uintptr(unsafe.Pointer(&f.all)), uintptr(unsafe.Pointer(&f.before)), 8, 0, 0)
	child, errno = start(f)
	_, _, _ = syscall.RawSyscall6(syscall.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK, uintptr(unsafe.Pointer(&f.before)), 0, 8, 0, 0)
	syscall.ForkLock.Unlock()
	runtime.UnlockOSThread()
	return child, errno
}

// reap waits for the end of a child.
func reap(pid int) {
	for {
		if _, err := syscall.Wait4(pid, nil, 0, nil); err != syscall.EINTR {
			return
		}
	}
}

// execute gives the child its descriptors and executes the program, unless e says that something has failed before. It does not
// return.
//
//go:norace
//go:nosplit
func (f *fork) execute(e syscall.Errno) {
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
}
