package commands

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The shapes of sandboxes in which coding agents run each command. In all but landlock, the PID namespace ends with the call.
// The filters are those of codex-rs/linux-sandbox/src/seccomp.rs and of sandbox-runtime's src/sandbox/linux-sandbox-utils.ts.
var boxShapes = map[string]struct {
	filter   []unix.SockFilter // what seccomp refuses
	readOnly bool              // no folder can be written, not even the working folder
}{
	"pid":      {},                                    // the working folder and TMPDIR can be written
	"unix":     {filter: unixFilter()},                // and there is no socket(AF_UNIX), as with Claude Code
	"net":      {filter: netFilter()},                 // and sockets can be neither bound nor connected, as with Codex
	"readonly": {filter: netFilter(), readOnly: true}, // Codex, read-only
	"landlock": {},                                    // no namespaces: Landlock alone, Codex where user namespaces are refused
}

// box is the program box of the scripts. box SHAPE COMMAND… runs the command as one call of an agent in a sandbox of the shape.
// The command can write to the working folder, to TMPDIR, and to where the tests collect their results.
func box() {
	if len(os.Args) < 3 {
		boxFailed(fmt.Errorf("usage: box SHAPE COMMAND…, with a shape of %v", slices.Sorted(maps.Keys(boxShapes))))
	}
	shape, ok := boxShapes[os.Args[1]]
	if !ok {
		boxFailed(fmt.Errorf("no shape %q", os.Args[1]))
	}
	dir, err := os.Getwd()
	if err != nil {
		boxFailed(err)
	}
	var writable []string
	if !shape.readOnly {
		writable = append(writable, dir, os.Getenv("TMPDIR"))
	}
	writable = slices.DeleteFunc(append(writable, os.Getenv(resultsFolder), os.Getenv("GOCOVERDIR")), func(path string) bool { return path == "" })
	command := os.Args[2:]
	if os.Args[1] == "landlock" {
		runtime.LockOSThread() // the rules are those of the thread, and of what it executes
		boxFailed(landlocked(writable), executed(command))
	}
	line := []string{
		"bwrap", "--new-session", "--die-with-parent", "--ro-bind", "/", "/", "--dev", "/dev",
		"--unshare-user", "--unshare-pid", "--unshare-net", "--proc", "/proc", "--chdir", dir,
	}
	for _, path := range writable {
		line = append(line, "--bind", path, path)
	}
	if shape.filter != nil {
		fd, err := filterFile(shape.filter)
		if err != nil {
			boxFailed(err)
		}
		line = append(line, "--seccomp", fmt.Sprint(fd))
	}
	boxFailed(executed(append(append(line, "--"), command...)))
}

// boxFailed ends the program box, whose command was not started.
func boxFailed(errs ...error) {
	for _, err := range errs {
		if err != nil {
			fmt.Fprintln(os.Stderr, "box:", err)
			break
		}
	}
	os.Exit(99)
}

// executed executes a command in place of this process. It returns only if it fails.
func executed(command []string) error {
	path, err := exec.LookPath(command[0])
	if err != nil {
		return err
	}
	return &os.PathError{Op: "exec", Path: path, Err: unix.Exec(path, command, os.Environ())}
}

// boxWorks reports whether box works here with the shape.
func boxWorks(shape string) bool {
	if _, err := exec.LookPath("bwrap"); err != nil && shape != "landlock" && os.Getenv("CI") == "true" {
		return true // so that the script fails: .ci/run installs it
	}
	works, ok := boxTried[shape]
	return ok && machineArch != 0 && works()
}

var boxTried = func() map[string]func() bool {
	tried := map[string]func() bool{}
	for shape := range boxShapes {
		tried[shape] = sync.OnceValue(func() bool {
			cmd := exec.Command("box", shape, "true")
			cmd.Dir = os.TempDir()
			return cmd.Run() == nil
		})
	}
	return tried
}()

// landlocked restricts this thread to reading everything, and to writing to the folders and /dev/null, as codex-rs/linux-sandbox does.
func landlocked(writable []string) error {
	const reads = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	rights := uint64(unix.LANDLOCK_ACCESS_FS_IOCTL_DEV<<1 - 1) // all that version 5 knows
	version, _, _ := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if int(version) < 5 {
		return fmt.Errorf("Landlock has version %d, not 5", int(version))
	}
	ruleset, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&rights)), unsafe.Sizeof(rights), 0)
	if errno != 0 {
		return errno
	}
	allow := func(path string, rights uint64) error {
		fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
		if err != nil {
			return &os.PathError{Op: "open", Path: path, Err: err}
		}
		rule := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(fd)}
		if _, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, ruleset, unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)), 0, 0, 0); errno != 0 {
			return &os.PathError{Op: "landlock_add_rule", Path: path, Err: errno}
		}
		return nil
	}
	if err := allow("/", reads); err != nil {
		return err
	}
	if err := allow("/dev/null", unix.LANDLOCK_ACCESS_FS_WRITE_FILE|unix.LANDLOCK_ACCESS_FS_READ_FILE|unix.LANDLOCK_ACCESS_FS_TRUNCATE|unix.LANDLOCK_ACCESS_FS_IOCTL_DEV); err != nil {
		return err
	}
	for _, path := range writable {
		if err := allow(path, rights); err != nil {
			return err
		}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, ruleset, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

// filterFile returns a descriptor, for another program, of the filter as bwrap reads it.
func filterFile(filter []unix.SockFilter) (fd int, err error) {
	fd, err = unix.MemfdCreate("filter", 0)
	if err != nil {
		return 0, err
	}
	data, err := binary.Append(nil, binary.NativeEndian, filter)
	if err == nil {
		_, err = unix.Pwrite(fd, data, 0) // the position stays at the beginning
	}
	return fd, err
}

// machineArch is what seccomp calls this machine, or 0.
var machineArch = map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}[runtime.GOARCH]

// The actions of a filter.
const (
	filterAllows  = unix.SECCOMP_RET_ALLOW
	filterRefuses = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
)

// unixFilter refuses sockets of AF_UNIX. A pair of them can be made.
func unixFilter() []unix.SockFilter {
	f := filterBegin()
	for _, call := range []uint32{unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER} {
		f = append(f, filterIf(call, 1), filterEnd(filterRefuses))
	}
	f = append(f, filterIf(unix.SYS_SOCKET, 3), filterLoad(16), filterIf(unix.AF_UNIX, 1), filterEnd(filterRefuses))
	return append(f, filterEnd(filterAllows))
}

// netFilter refuses all that makes or uses connections. A socket of AF_UNIX can be made, and a pair of them can be read and written.
func netFilter() []unix.SockFilter {
	f := filterBegin()
	for _, call := range []uint32{
		unix.SYS_CONNECT, unix.SYS_ACCEPT, unix.SYS_ACCEPT4, unix.SYS_BIND, unix.SYS_LISTEN, unix.SYS_GETPEERNAME,
		unix.SYS_GETSOCKNAME, unix.SYS_SHUTDOWN, unix.SYS_SENDTO, unix.SYS_SENDMMSG, unix.SYS_RECVMMSG, unix.SYS_GETSOCKOPT, unix.SYS_SETSOCKOPT,
		unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV,
		unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	} {
		f = append(f, filterIf(call, 1), filterEnd(filterRefuses))
	}
	for _, call := range []uint32{unix.SYS_SOCKET, unix.SYS_SOCKETPAIR} {
		f = append(f, filterIf(call, 4), filterLoad(16), filterIf(unix.AF_UNIX, 1), filterEnd(filterAllows), filterEnd(filterRefuses))
	}
	return append(f, filterEnd(filterAllows))
}

// filterBegin loads the number of the system call. Calls of another machine, whose numbers mean other things, are refused.
func filterBegin() []unix.SockFilter {
	same := filterIf(machineArch, 0)
	same.Jt, same.Jf = 1, 0
	return []unix.SockFilter{filterLoad(4), same, filterEnd(filterRefuses), filterLoad(0)}
}

// filterLoad loads a field of struct seccomp_data, seccomp(2).
func filterLoad(offset uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
}

// filterIf skips instructions unless what is loaded is the value.
func filterIf(value uint32, otherwise uint8) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: otherwise, K: value}
}

func filterEnd(action uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: action}
}

// facts is the program facts of the scripts: it prints what works here of what sandboxes refuse, each with its error.
func facts() {
	try := func(name string, err error) {
		if why, failed := errors.AsType[unix.Errno](err); failed {
			fmt.Println(name+":", why) // without the path, which is another each time
			return
		}
		fmt.Println(name + ": works")
	}
	folder, err := os.MkdirTemp("", "f")
	try("temporary", err)
	defer os.RemoveAll(folder)
	here, err := os.MkdirTemp(".", "f")
	try("here", err)
	defer os.RemoveAll(here)
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	try("socket", err)
	try("bind", unix.Bind(fd, &unix.SockaddrUnix{Name: filepath.Join(folder, "s")}))
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	try("socketpair", err)
	_, err = unix.GetsockoptInt(pair[0], unix.SOL_SOCKET, unix.SO_TYPE)
	try("getsockopt", err)
	try("fifo", unix.Mkfifo(filepath.Join(folder, "fifo"), 0o600))
	_, err = unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	try("terminal", err)
	null, err := unix.Open("/dev/null", unix.O_RDWR|unix.O_CLOEXEC, 0)
	try("null", err)
	_ = unix.Close(null) // that it was opened is all
	fmt.Println("own pids:", os.Getpid() < 10)
}
