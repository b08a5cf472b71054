package isolation

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// The fields of struct seccomp_data, seccomp(2). Of an argument the lower half is looked at: the kernel takes no more of those below.
const (
	fieldNumber   = 0
	fieldArch     = 4
	fieldArgument = 16
)

// Constants that package unix does not have.
const (
	x32Bit     = 0x40000000 // in the number of a system call: the ABI x32
	typeMask   = 0xf        // of the type of a socket: the rest are flags
	errnoValue = 0xffff
)

// refused are the system calls that get around the rules, whatever their arguments.
var refused = []struct {
	number uint32
	errno  unix.Errno
}{
	{unix.SYS_IO_URING_SETUP, unix.ENOSYS}, // it makes other calls that no filter sees
	{unix.SYS_OPENAT2, unix.ENOSYS},        // its mode and flags are behind a pointer; programs then use openat
	{unix.SYS_MOUNT_SETATTR, unix.EPERM},   // Landlock does not refuse it, as it does other changes of mounts
	{unix.SYS_OPEN_TREE, unix.EPERM},
	{unix.SYS_OPEN_TREE_ATTR, unix.EPERM}, // both in one
	{unix.SYS_OPEN_BY_HANDLE_AT, unix.EPERM},
	{unix.SYS_SETNS, unix.EPERM},
	{unix.SYS_KEYCTL, unix.EPERM}, // the keys of the user, keyrings(7)
	{unix.SYS_ADD_KEY, unix.EPERM},
	{unix.SYS_REQUEST_KEY, unix.EPERM},
	{unix.SYS_BPF, unix.EPERM},
}

// A filter is a program of seccomp(2).
type filter []unix.SockFilter

// filter returns the address of the program for the child.
func (p *Plan) filter(net string) uintptr {
	f := newFilter(net)
	program := &unix.SockFprog{Len: uint16(len(f)), Filter: &f[0]}
	p.keep = append(p.keep, program, f)
	return uintptr(unsafe.Pointer(program))
}

// newFilter returns the filter for a program of the net.
func newFilter(net string) (f filter) {
	f.load(fieldArch)
	f.ifNotEqual(machine.arch, unix.SECCOMP_RET_KILL_PROCESS) // the numbers of its calls mean other things
	f.load(fieldNumber)
	if machine.x32 {
		f = append(f, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, Jf: 1, K: x32Bit})
		f.end(errno(unix.ENOSYS))
	}
	for _, call := range refused {
		f.ifEqual(call.number, errno(call.errno))
	}
	f.forSyscall(unix.SYS_SOCKET, 0, func(f *filter) {
		if net != NetNone {
			f.ifEqual(unix.AF_UNIX, errno(unix.EACCES)) // sockets with paths: Docker, D-Bus, agents of keys, other holders
			return
		}
		for _, family := range []uint32{unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK} { // their network is the program's own
			f.ifEqual(family, unix.SECCOMP_RET_ALLOW)
		}
		f.end(errno(unix.EACCES))
	})
	f.forSyscall(unix.SYS_SOCKETPAIR, 1, func(f *filter) { // one of datagrams can send to any path
		*f = append(*f, unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: typeMask})
		f.ifEqual(unix.SOCK_DGRAM, errno(unix.EACCES))
		f.ifEqual(unix.SOCK_RAW, errno(unix.EACCES))
	})
	f.forSyscall(unix.SYS_IOCTL, 1, func(f *filter) { // they type into a terminal
		f.ifEqual(unix.TIOCSTI, errno(unix.EPERM))
		f.ifEqual(unix.TIOCLINUX, errno(unix.EPERM))
	})
	f.forSyscall(unix.SYS_FCNTL, 1, func(f *filter) { // a lease of a file that it can read stops those who write to it
		f.ifEqual(unix.F_SETLEASE, errno(unix.EPERM))
	})
	f.specialModes()
	f.forSyscall(unix.SYS_PRLIMIT64, 0, func(f *filter) { // the limits of another process, such as the holder
		f.ifEqual(0, unix.SECCOMP_RET_ALLOW)
		f.load(fieldArgument + 8*2) // a null pointer changes nothing
		f.ifNotEqual(0, errno(unix.EPERM))
		f.load(fieldArgument + 8*2 + 4)
		f.ifNotEqual(0, errno(unix.EPERM))
	})
	if net == NetConnect {
		f.ifEqual(unix.SYS_LISTEN, errno(unix.EACCES))
	}
	f.end(unix.SECCOMP_RET_ALLOW)
	return f
}

// errno returns the action that makes a call fail.
func errno(e unix.Errno) uint32 { return unix.SECCOMP_RET_ERRNO | uint32(e)&errnoValue }

// load loads a field. A filter of Linux has the lower half of an argument first on the machines that are known here.
func (f *filter) load(field uint32) {
	*f = append(*f, unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: field})
}

// end ends the filter with an action.
func (f *filter) end(action uint32) {
	*f = append(*f, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: action})
}

// ifEqual ends the filter with an action if what is loaded is value.
func (f *filter) ifEqual(value, action uint32) {
	*f = append(*f, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 1, K: value})
	f.end(action)
}

// ifNotEqual ends the filter with an action if what is loaded is not value.
func (f *filter) ifNotEqual(value, action uint32) {
	*f = append(*f, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: 1, K: value})
	f.end(action)
}

// forSyscall adds the rules about an argument of a system call, whose number is loaded. Other calls skip it. A call that is not
// ended by it is allowed.
func (f *filter) forSyscall(number, argument uint32, rules func(*filter)) {
	var inner filter
	inner.load(fieldArgument + 8*argument)
	rules(&inner)
	inner.end(unix.SECCOMP_RET_ALLOW)
	*f = append(*f, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: uint8(len(inner)), K: number})
	*f = append(*f, inner...)
}
