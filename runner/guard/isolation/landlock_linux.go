package isolation

import (
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// neededABI is the version of Landlock with scopes for signals and abstract sockets: Linux 6.12, landlock(7).
const neededABI = 6

// Rights of Landlock. Reading and executing are not handled, and so they are free.
const (
	// writeRights are those to all that changes files.
	writeRights = fileRights | treeRights | unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK
	// fileRights are those that a file can have, too.
	fileRights = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	// treeRights are those that only a folder has. Device files are not among them: they reach what lies outside of the folder.
	treeRights = unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_MAKE_DIR |
		unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO |
		unix.LANDLOCK_ACCESS_FS_MAKE_SYM | unix.LANDLOCK_ACCESS_FS_REFER
)

// A ruleset is struct landlock_ruleset_attr.
type ruleset struct{ files, net, scoped uint64 }

// A pathRule is struct landlock_path_beneath_attr, which is packed. The child writes the result of an open into the second word,
// whose upper half is beyond the struct.
type pathRule struct {
	allowed uint64
	parent  uintptr
}

// landlockABI returns the version of Landlock of this kernel, or 0.
func landlockABI() int {
	abi, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(abi)
}

// devices are those that a program may write to, and ask for what they are.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/ptmx"}

// rules makes the rules of Landlock, and opens all that they are about. The file systems that the child mounts are opened by it.
func (p *Plan) rules(roots []string, place Surroundings, net string) {
	attr := ruleset{files: writeRights, scoped: unix.LANDLOCK_SCOPE_SIGNAL | unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET}
	if net == NetConnect {
		attr.net = unix.LANDLOCK_ACCESS_NET_BIND_TCP
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if errno != 0 {
		p.err = os.NewSyscallError("landlock_create_ruleset", errno)
		return
	}
	p.fds = append([]int{int(fd)}, p.fds...)
	for _, root := range roots {
		p.allow(root, fileRights&^unix.LANDLOCK_ACCESS_FS_IOCTL_DEV)
	}
	for _, device := range devices {
		if _, err := os.Stat(device); err == nil {
			p.allow(device, fileRights)
		}
	}
	if place.Device != "" {
		p.allow(place.Device, fileRights)
	}
	for path, rights := range map[string]uint64{sharedMemory: fileRights&^unix.LANDLOCK_ACCESS_FS_IOCTL_DEV | treeRights, terminals: fileRights} {
		if info, err := os.Lstat(path); err == nil && info.IsDir() {
			p.allowMounted(path, rights)
		}
	}
}

// allow allows a file the rights, and a folder and what is below it also treeRights.
func (p *Plan) allow(path string, rights uint64) {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		p.err = &os.PathError{Op: "open", Path: path, Err: err}
		return
	}
	p.fds = append(p.fds, fd)
	var stat unix.Stat_t
	if unix.Fstat(fd, &stat) == nil && stat.Mode&unix.S_IFMT == unix.S_IFDIR {
		rights |= treeRights
	}
	rule := pathRule{rights, uintptr(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(p.fds[0]), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	runtime.KeepAlive(&rule)
	if errno != 0 {
		p.err = fmt.Errorf("landlock_add_rule of %s: %w", path, errno)
	}
}

// allowMounted adds the steps that allow the rights below a folder which an earlier step has mounted.
func (p *Plan) allowMounted(path string, rights uint64) {
	rule := &pathRule{allowed: rights}
	p.keep = append(p.keep, rule)
	open := p.call("open "+path, unix.SYS_OPENAT, currentFolder, p.text(path), unix.O_PATH|unix.O_CLOEXEC)
	open.To = &rule.parent
	p.call("Landlock rule of "+path, unix.SYS_LANDLOCK_ADD_RULE, uintptr(p.fds[0]), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(rule)))
}
