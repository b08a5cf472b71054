package escapetest

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// escapeVariable names the folder outside, in a process that is to try the ways out of isolation.
const escapeVariable = "ESCAPE_FOLDER"

// A wayOut is one way to change something outside. An error says that it was refused.
type wayOut struct {
	name string
	try  func() error
}

var (
	out      = os.Getenv(escapeVariable)
	file     = filepath.Join(out, "file")
	fresh    = filepath.Join(out, "fresh")
	neighbor = number("ESCAPE_SIBLING")
	keeper   = number("ESCAPE_HOLDER")
)

func number(variable string) int {
	n, _ := strconv.Atoi(os.Getenv(variable))
	return n
}

// tryOut tries all ways, and prints what has come of each.
func tryOut() int {
	for _, e := range escapesOut {
		result := "worked"
		if err := e.try(); err != nil {
			result = "refused: " + err.Error()
		}
		fmt.Println(e.name + ": " + result)
	}
	return 0
}

// opened opens a file and closes it.
func opened(path string, flags int) error {
	fd, err := unix.Open(path, flags|unix.O_CLOEXEC, 0o600)
	if err == nil {
		_ = unix.Close(fd)
	}
	return err
}

// with calls do with a descriptor of path that can only read.
func with(path string, do func(fd int) error) error {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return do(fd)
}

func raw(trap uintptr, args ...uintptr) error {
	var a [6]uintptr
	copy(a[:], args)
	if _, _, errno := unix.Syscall6(trap, a[0], a[1], a[2], a[3], a[4], a[5]); errno != 0 {
		return errno
	}
	return nil
}

func text(s string) uintptr {
	p, _ := unix.BytePtrFromString(s)
	kept = append(kept, p)
	return uintptr(unsafe.Pointer(p))
}

const atCurrent = ^uintptr(99) // AT_FDCWD

var kept []*byte // what system calls have the addresses of

// escapesOut are the ways out of isolation.
var escapesOut = append(append(append([]wayOut{
	{"inherited descriptors", func() error {
		for fd := 3; fd < 100; fd++ {
			name, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd))
			if flags, ferr := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil && ferr == nil && flags&unix.FD_CLOEXEC == 0 && name[0] == '/' {
				return nil // Go opens its own files close-on-exec
			}
		}
		return errors.New("there are none")
	}},
	{"write", func() error { return opened(file, unix.O_WRONLY) }},
	{"append", func() error { return opened(file, unix.O_RDWR|unix.O_APPEND) }},
	{"create", func() error { return opened(fresh, unix.O_CREAT|unix.O_WRONLY) }},
	{"truncate", func() error { return unix.Truncate(file, 0) }},
	{"open with O_TRUNC", func() error { return opened(file, unix.O_RDONLY|unix.O_TRUNC) }},
	{"unlink", func() error { return unix.Unlink(file) }},
	{"rename out", func() error { return unix.Rename("inside", fresh) }},
	{"rename in", func() error { return unix.Rename(file, "taken") }},
	{"rename exchange", func() error {
		return unix.Renameat2(unix.AT_FDCWD, "inside", unix.AT_FDCWD, file, unix.RENAME_EXCHANGE)
	}},
	{"link out", func() error { return unix.Link("inside", fresh) }},
	{"link in, then write", func() error {
		if err := unix.Link(file, "linked"); err != nil {
			return err
		}
		return opened("linked", unix.O_WRONLY)
	}},
	{"symlink", func() error { return unix.Symlink("inside", fresh) }},
	{"write through a link", func() error { return opened("link", unix.O_WRONLY) }},
	{"swap of a folder and a link", swap},
	{"mkdir", func() error { return unix.Mkdir(fresh, 0o700) }},
	{"rmdir", func() error { return unix.Rmdir(filepath.Join(out, "empty")) }},
	{"fifo", func() error { return unix.Mkfifo(fresh, 0o600) }},
	{"device in the workspace", func() error { return unix.Mknod("memory", unix.S_IFCHR|0o600, int(unix.Mkdev(1, 1))) }},
	{"disk in the workspace", func() error { return unix.Mknod("disk", unix.S_IFBLK|0o600, int(unix.Mkdev(254, 0))) }},
	{"chmod", func() error { return unix.Chmod(file, 0o777) }},
	{"fchmod", func() error { return with(file, func(fd int) error { return unix.Fchmod(fd, 0o777) }) }},
	{"chown", func() error { return unix.Chown(file, os.Getuid(), os.Getgid()) }},
	{"utimes", func() error { return unix.Utimes(file, []unix.Timeval{{}, {}}) }},
	{"setxattr", func() error { return unix.Setxattr(file, "user.x", []byte("x"), 0) }},
	{"file flags", func() error {
		return with(file, func(fd int) error { return unix.IoctlSetPointerInt(fd, unix.FS_IOC_SETFLAGS, 0x40) })
	}},
	{"/proc/self/root", func() error { return opened("/proc/self/root"+file, unix.O_WRONLY) }},
	{"/proc/HOLDER/root", func() error { return opened(fmt.Sprintf("/proc/%d/root%s", keeper, file), unix.O_WRONLY) }},
	{"/proc/HOLDER/cwd", func() error { return opened(fmt.Sprintf("/proc/%d/cwd%s", keeper, file), unix.O_WRONLY) }},
	{"/proc/PARENT/root", func() error { return opened(fmt.Sprintf("/proc/%d/root%s", os.Getppid(), file), unix.O_WRONLY) }},
	{"O_TMPFILE outside", func() error { return opened(out, unix.O_TMPFILE|unix.O_WRONLY) }},
	{"O_TMPFILE, then linkat", func() error {
		fd, err := unix.Open(".", unix.O_TMPFILE|unix.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		return unix.Linkat(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", fd), unix.AT_FDCWD, fresh, unix.AT_SYMLINK_FOLLOW)
	}},
	{"open by handle", func() error {
		handle, _, err := unix.NameToHandleAt(unix.AT_FDCWD, file, 0)
		if err != nil {
			return err
		}
		return with("/", func(fd int) error {
			_, err := unix.OpenByHandleAt(fd, handle, unix.O_WRONLY)
			return err
		})
	}},
	{"state folder", func() error { return opened(filepath.Join(os.Getenv("DEVTOOLS_DIR"), "x"), unix.O_CREAT|unix.O_WRONLY) }},
	{"lock of devtools", func() error {
		return with(filepath.Join(os.Getenv("DEVTOOLS_DIR"), "lock"), func(fd int) error {
			var stat, folder unix.Stat_t
			err := errors.Join(unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB), unix.Fstat(fd, &stat), unix.Stat(os.Getenv("DEVTOOLS_DIR"), &folder))
			if err == nil && stat.Dev != folder.Dev {
				err = errors.New("that is another file")
			}
			return err
		})
	}},
	{"lease", func() error {
		return with(file, func(fd int) error {
			_, err := unix.FcntlInt(uintptr(fd), unix.F_SETLEASE, unix.F_RDLCK)
			return err
		})
	}},
	{"standard input's mode", func() error {
		if _, err := unix.IoctlGetTermios(0, unix.TCGETS); err == nil {
			return errors.New("it is its own terminal")
		}
		return unix.Fchmod(0, 0o666)
	}},
	{"execute a file in memory", func() error {
		fd, err := unix.MemfdCreate("x", 0)
		if err == nil {
			_, err = unix.Write(fd, []byte("#!/bin/sh\nexec 2>/dev/null; echo x >"+fresh+"\n"))
		}
		if err != nil {
			return err
		}
		p, err := os.StartProcess(fmt.Sprintf("/proc/self/fd/%d", fd), []string{"x"}, &os.ProcAttr{Files: []*os.File{nil, nil, nil}})
		if err != nil {
			return err
		}
		state, err := p.Wait()
		if err == nil && !state.Success() {
			err = errors.New(state.String())
		}
		return err
	}},
}, processesOut...), socketsOut...), append(kernelOut, privilegesOut...)...)

// swap opens a path below a folder that changes places with a link to the folder outside all the time.
func swap() error {
	_ = os.Mkdir("real", 0o700)
	_ = os.Symlink(out, "false")
	_ = os.WriteFile("real/file", nil, 0o600)
	stop := make(chan struct{})
	go func() {
		for {
			select {
			case <-stop:
				return
			default:
				_ = unix.Renameat2(unix.AT_FDCWD, "real", unix.AT_FDCWD, "false", unix.RENAME_EXCHANGE)
			}
		}
	}()
	defer close(stop)
	var last error
	for range 20000 {
		fd, err := unix.Open("real/file", unix.O_WRONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			last = err
			continue
		}
		name, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd))
		_ = unix.Close(fd)
		if err == nil && filepath.Dir(name) == out {
			return nil
		}
	}
	if last == nil {
		last = errors.New("the folder outside was never met")
	}
	return last
}

// processesOut are the ways by processes outside.
var processesOut = []wayOut{
	{"kill the holder", func() error { return unix.Kill(keeper, 0) }},
	{"kill another session", func() error { return unix.Kill(neighbor, unix.SIGTERM) }},
	{"kill the own holder", func() error { return unix.Kill(os.Getppid(), unix.SIGKILL) }},
	{"kill a thread", func() error { return unix.Tgkill(neighbor, neighbor, unix.SIGTERM) }},
	{"signal through a pidfd", func() error {
		fd, err := unix.PidfdOpen(neighbor, 0)
		if err != nil {
			return err
		}
		return unix.PidfdSendSignal(fd, unix.SIGTERM, nil, 0)
	}},
	{"queued signal", func() error {
		var info [128]byte
		*(*int32)(unsafe.Pointer(&info[8])) = -1 // SI_QUEUE
		return raw(unix.SYS_RT_SIGQUEUEINFO, uintptr(neighbor), uintptr(unix.SIGTERM), uintptr(unsafe.Pointer(&info)))
	}},
	{"ptrace", func() error { return unix.PtraceSeize(neighbor) }},
	{"process_vm_writev", func() error {
		b := []byte{0}
		local := unix.Iovec{Base: &b[0], Len: 1}
		_, err := unix.ProcessVMWritev(neighbor, []unix.Iovec{local}, []unix.RemoteIovec{{Base: 0x1000, Len: 1}}, 0)
		return err
	}},
	{"/proc/PID/mem", func() error { return opened(fmt.Sprintf("/proc/%d/mem", neighbor), unix.O_RDWR) }},
	{"descriptor of the holder", func() error {
		fd, err := unix.PidfdOpen(keeper, 0)
		if err == nil {
			_, err = unix.PidfdGetfd(fd, 0, 0)
		}
		return err
	}},
	{"limits of the holder", func() error {
		return unix.Prlimit(keeper, unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 1, Max: 1}, nil)
	}},
	{"priority of the holder", func() error { return unix.Setpriority(unix.PRIO_PROCESS, keeper, 19) }},
	{"oom_score_adj of the holder", func() error { return os.WriteFile(fmt.Sprintf("/proc/%d/oom_score_adj", keeper), []byte("999"), 0) }},
	{"another terminal", func() error { return opened(fmt.Sprintf("/proc/%d/fd/0", neighbor), unix.O_WRONLY|unix.O_NOCTTY) }},
	{"shared memory", func() error {
		id, err := unix.SysvShmGet(0x25de7, 4096, 0)
		if err == nil {
			_, err = unix.SysvShmAttach(id, 0, 0)
		}
		return err
	}},
}

// socketsOut are the ways by sockets.
var socketsOut = []wayOut{
	{"socket of a holder", func() error { return dial("unix", os.Getenv("ESCAPE_SOCKET")) }},
	{"socket with a path", func() error { return dial("unix", filepath.Join(out, "sock")) }},
	{"abstract socket", func() error { return dial("unix", os.Getenv("ESCAPE_ABSTRACT")) }},
	{"datagram to a path", func() error {
		pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
		if err != nil {
			return err
		}
		return unix.Sendto(pair[0], []byte("escaped"), 0, &unix.SockaddrUnix{Name: filepath.Join(out, "dgram")})
	}},
	{"stream pair to a path", func() error {
		pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			return err
		}
		_ = unix.Close(pair[1])
		return unix.Connect(pair[0], &unix.SockaddrUnix{Name: filepath.Join(out, "sock")})
	}},
	{"io_uring", func() error {
		var params [120]byte
		return raw(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&params)))
	}},
}

func dial(network, address string) error {
	conn, err := net.DialTimeout(network, address, time.Second)
	if err == nil {
		_ = conn.Close()
	}
	return err
}

// kernelOut are the ways by settings of the kernel and by namespaces.
var kernelOut = []wayOut{
	{"mount", func() error { return unix.Mount("tmpfs", "/mnt", "tmpfs", 0, "") }},
	{"bind mount", func() error { return unix.Mount(out, "real", "", unix.MS_BIND, "") }},
	{"remount", func() error { return unix.Mount("", "/", "", unix.MS_REMOUNT|unix.MS_BIND, "") }},
	{"umount", func() error { return unix.Unmount(os.Getenv("DEVTOOLS_DIR"), unix.MNT_DETACH) }},
	{"mount_setattr", func() error {
		return unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, &unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY})
	}},
	{"open_tree_attr", func() error {
		attr := &unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY}
		return raw(unix.SYS_OPEN_TREE_ATTR, atCurrent, text(out), unix.OPEN_TREE_CLONE, uintptr(unsafe.Pointer(attr)), unsafe.Sizeof(*attr))
	}},
	{"open_tree", func() error {
		_, err := unix.OpenTree(unix.AT_FDCWD, out, unix.OPEN_TREE_CLONE)
		return err
	}},
	{"mount in new namespaces", func() error {
		p, err := os.StartProcess("/proc/self/exe", []string{"again"}, &os.ProcAttr{
			Env: append(os.Environ(), "ESCAPE_AGAIN=1"), Files: []*os.File{nil, nil, nil}, Sys: &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER | unix.CLONE_NEWNS},
		})
		if err != nil {
			return err
		}
		state, err := p.Wait()
		if err == nil && !state.Success() {
			err = errors.New(state.String())
		}
		return err
	}},
	{"setns", func() error {
		return with("/proc/self/ns/net", func(fd int) error { return unix.Setns(fd, unix.CLONE_NEWNET) })
	}},
	{"namespace of process 1", func() error { return opened("/proc/1/ns/mnt", unix.O_RDONLY) }},
	{"chroot", func() error { return unix.Chroot(out) }},
	{"pivot_root", func() error { return unix.PivotRoot(".", ".") }},
	{"core pattern", func() error { return opened("/proc/sys/kernel/core_pattern", unix.O_WRONLY) }},
	{"sysrq", func() error { return opened("/proc/sysrq-trigger", unix.O_WRONLY) }},
	{"memory of the machine", func() error { return opened("/dev/mem", unix.O_RDWR) }},
	{"/dev/kmsg", func() error { return opened("/dev/kmsg", unix.O_WRONLY) }},
	{"control group", func() error { return opened("/sys/fs/cgroup/cgroup.procs", unix.O_WRONLY) }},
	{"type into the terminal", func() error {
		b := byte('x')
		return raw(unix.SYS_IOCTL, 0, unix.TIOCSTI, uintptr(unsafe.Pointer(&b)))
	}},
	{"keys of the user", func() error {
		_, err := unix.AddKey("user", "escape", []byte("x"), unix.KEY_SPEC_USER_KEYRING)
		return err
	}},
	{"bpf", func() error {
		var attr [120]byte
		return raw(unix.SYS_BPF, 0, uintptr(unsafe.Pointer(&attr)), 120)
	}},
	{"time", func() error { return unix.Settimeofday(&unix.Timeval{Sec: time.Now().Unix()}) }},
	{"host name", func() error { return unix.Sethostname([]byte("escaped")) }},
	{"load a module", func() error { return raw(unix.SYS_INIT_MODULE, text(""), 0, text("")) }},
	{"reboot", func() error { return unix.Reboot(unix.LINUX_REBOOT_CMD_CAD_OFF) }},
	{"quota, swap", func() error { return raw(unix.SYS_SWAPON, text(file), 0) }},
	{"core dump", func() error { return unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{Cur: 1, Max: 1}) }},
}

// tryAgain tries to write outside in namespaces in which this process is root.
func tryAgain() int {
	_ = unix.Mount("", "/", "", unix.MS_REMOUNT|unix.MS_BIND, "")
	_ = unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, &unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY})
	if unix.Mount(out, "real", "", unix.MS_BIND, "") == nil && opened("real/file", unix.O_WRONLY) == nil || opened(file, unix.O_WRONLY) == nil || unix.Chmod(file, 0o777) == nil {
		return 0
	}
	return 1
}
