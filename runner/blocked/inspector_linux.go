package blocked

import (
	"os"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"

	"devtools/runner/proc"
)

// Linux devices, Documentation/admin-guide/devices.txt.
var (
	currentTerminal = unix.Mkdev(5, 0) // /dev/tty
	terminalMaster  = unix.Mkdev(5, 2) // /dev/ptmx
)

// An inspector examines the threads of one process.
type inspector struct {
	proc.Info
	device, filesystem uint64 // device numbers of the terminal
	pipe               *Pipe  // what is watched in place of the terminal; nil: nothing
	depth              int    // levels of terminals inside terminals
	files              *fdCache

	// masterFDs are the descriptors behind masterSource.
	masterFDs []int

	// onDescriptor, if not nil, receives each descriptor that a thread waits for.
	onDescriptor func(fd int, events uint32)
}

// readMemory copies memory of the process, process_vm_readv(2), or from /proc/PID/mem where a sandbox refuses that call. The kernel
// does not change the arguments of a system call until the call returns.
func (in *inspector) readMemory(p []byte, address uint64) error {
	local := []unix.Iovec{{Base: unsafe.SliceData(p)}}
	local[0].SetLen(len(p))
	n, err := unix.ProcessVMReadv(in.PID, local, []unix.RemoteIovec{{Base: uintptr(address), Len: len(p)}}, 0)
	if err == unix.EPERM {
		n, err = in.readFromFile(p, address)
	}
	switch {
	case err != nil:
		return proc.Fault(err)
	case n < len(p):
		return proc.ErrGone // the process has run, and the memory is no longer there
	}
	return nil
}

func (in *inspector) readFromFile(p []byte, address uint64) (n int, err error) {
	fd, err := unix.Open(in.path("mem"), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	defer unix.Close(fd)
	return unix.Pread(fd, p, int64(address))
}

func (in *inspector) path(rest string) string {
	return proc.Folder(in.PID) + "/" + rest
}

// fdinfo reads the fdinfo of a descriptor of the process into buf. If buf is too small, it uses a larger buffer.
func (in *inspector) fdinfo(buf []byte, fd int) ([]byte, error) {
	path := in.path("fdinfo/" + strconv.Itoa(fd))
	data, err := proc.ReadInto(buf, path)
	if err != nil || len(data) < len(buf)/2 { // the kernel fills a page as far as whole entries fit
		return data, err
	}
	if data, err = os.ReadFile(path); err != nil {
		return nil, proc.Fault(err)
	}
	return data, nil
}

// stat describes the file behind a descriptor of the process.
func (in *inspector) stat(st *unix.Stat_t, fd int) error {
	return proc.Fault(unix.Stat(in.path("fd/"+strconv.Itoa(fd)), st))
}

// descriptors lists the descriptors of the process, as far as they can be read.
func (in *inspector) descriptors() []int {
	return uncached.numbers(nil, procFile{pid: in.PID, name: "fd"})
}

// isTerminal reports whether a file is the terminal.
func (in *inspector) isTerminal(st *unix.Stat_t) bool {
	if st.Rdev == currentTerminal {
		return uint64(uint32(in.TTY)) == in.device
	}
	return st.Rdev == in.device && (in.filesystem == 0 || st.Dev == in.filesystem)
}

// isPipe reports whether a file is the pipe that is watched in place of a terminal.
func (in *inspector) isPipe(st *unix.Stat_t) bool {
	return in.pipe != nil && st.Ino == in.pipe.Inode && uint64(st.Dev) == in.pipe.Filesystem
}

// link returns the name of the file behind a descriptor.
func (in *inspector) link(fd int) string {
	name, _ := os.Readlink(in.path("fd/" + strconv.Itoa(fd)))
	return name
}

// openForWriting reports whether a descriptor is open for writing.
func (in *inspector) openForWriting(fd int) bool { return in.flags(fd)&unix.O_ACCMODE != unix.O_RDONLY }

// flags returns how a descriptor is open, as open(2) has it. It is O_RDONLY where that cannot be seen.
func (in *inspector) flags(fd int) uint64 {
	var buf [256]byte
	data, err := in.fdinfo(buf[:], fd)
	if err != nil {
		return 0
	}
	flags, _ := strconv.ParseUint(proc.Field(data, "flags:"), 8, 32)
	return flags
}

// copyFD duplicates a descriptor of the process, pidfd_getfd(2).
func (in *inspector) copyFD(fd int) (int, error) {
	pidfd, err := unix.PidfdOpen(in.PID, 0)
	if err != nil {
		return -1, err
	}
	defer unix.Close(pidfd)
	copied, err := unix.PidfdGetfd(pidfd, fd, 0)
	if err != nil {
		return -1, proc.Fault(err)
	}
	return copied, nil
}
