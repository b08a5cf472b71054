package isolation

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"devtools/runner/fork"
)

// A Plan is what a child does to itself before it becomes a program at the level high. It does so in this order: it leaves the
// namespaces of the user, makes all that it may not write to read-only, gives up privileges, and then can no longer undo that.
type Plan struct {
	steps []fork.Step
	keep  []any // memory that the steps have addresses of
	fds   []int
	err   error // the first error of making a step
}

// Prepare returns the plan for a program at the level high. The error is ErrUnavailable if the kernel cannot do it.
func Prepare(r *Rules, p Surroundings) (*Plan, error) {
	if err := Check(); err != nil {
		return nil, err
	}
	for _, path := range append([]string{r.Workspace}, r.AllowWrite...) {
		if Resolve(path) != path { // a session that is started again would follow a link that it has made itself
			return nil, fmt.Errorf("isolation high: %s leads to %s by a link, which was not there before", path, Resolve(path))
		}
	}
	roots := outermost(append([]string{r.Workspace, p.Temp, p.Caches}, r.AllowWrite...))
	if slices.Contains(roots, "/") {
		return nil, errors.New("isolation high: the whole file system may be written to: choose a folder with --workspace")
	}
	plan := &Plan{}
	plan.namespaces(r.Net)
	plan.mounts(roots, r.DenyRead, p)
	if plan.rules(roots, p, r.Net); plan.err == nil {
		plan.privileges()
		plan.steps = append(plan.steps, p.Steps()...)
		plan.call("seccomp filter", unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, plan.filter(r.Net))
	}
	if plan.err != nil {
		plan.Close()
	}
	return plan, plan.err
}

// Start starts a program as syscall.ForkExec does; see [fork.Exec].
func (p *Plan) Start(path string, argv []string, attr *syscall.ProcAttr) (pid int, err error) {
	steps, err := p.input(attr.Files)
	if err != nil {
		return 0, err
	}
	pid, err = fork.Exec(path, argv, attr, steps)
	runtime.KeepAlive(p) // the steps have addresses of what it keeps
	if step, ok := errors.AsType[*fork.StepError](err); ok {
		err = p.explain(step)
	}
	if err != nil && !isErrno(err) && errors.Is(err, unix.ENOSYS) {
		err = fmt.Errorf("%w: it needs a processor of the kind amd64 or arm64", ErrUnavailable)
	}
	return pid, err
}

// input returns the steps for a program with these files. What was opened before all became read-only remains changeable through its
// descriptor: chmod(2), for one, would change it for everybody. So the child opens /dev/null itself, and a folder, from which all
// files could be reached, is an error.
func (p *Plan) input(files []uintptr) ([]fork.Step, error) {
	var stat unix.Stat_t
	if len(files) == 0 || unix.Fstat(int(files[0]), &stat) != nil {
		return p.steps, nil
	}
	if stat.Mode&unix.S_IFMT == unix.S_IFDIR {
		return nil, errors.New("isolation high: standard input is a folder, through which files outside could be changed")
	}
	if stat.Mode&unix.S_IFMT != unix.S_IFCHR || uint64(stat.Rdev) != nullDevice {
		return p.steps, nil
	}
	q := Plan{steps: slices.Clip(p.steps)}
	null := q.result("open "+os.DevNull, unix.SYS_OPENAT, currentFolder, p.text(os.DevNull), unix.O_RDONLY|unix.O_CLOEXEC)
	q.with(null, 0, os.DevNull+" as standard input", unix.SYS_DUP3, 0, files[0], unix.O_CLOEXEC)
	return q.steps, p.err
}

// nullDevice is the number of /dev/null, null(4).
const nullDevice = 1<<8 | 3

func isErrno(err error) bool {
	_, ok := err.(syscall.Errno)
	return ok
}

// Close closes the descriptors of the plan, which has no use then.
func (p *Plan) Close() {
	for _, fd := range p.fds {
		_ = unix.Close(fd)
	}
	p.fds = nil
}

// namespaces gives the program a mount namespace, in which folders are read-only for it alone, and one of System V's shared memory
// and queues. A user without privileges needs a user namespace for that, in which they are who they were.
func (p *Plan) namespaces(net string) {
	flags := uintptr(unix.CLONE_NEWNS | unix.CLONE_NEWIPC)
	if net == NetNone {
		flags |= unix.CLONE_NEWNET
	}
	if !privileged() {
		flags |= unix.CLONE_NEWUSER
	}
	p.call("namespaces", unix.SYS_UNSHARE, flags)
	if flags&unix.CLONE_NEWUSER != 0 { // user_namespaces(7): who may give up no groups may map their own
		p.write("/proc/self/setgroups", "deny")
		p.write("/proc/self/uid_map", fmt.Sprintf("%d %[1]d 1", os.Geteuid()))
		p.write("/proc/self/gid_map", fmt.Sprintf("%d %[1]d 1", os.Getegid()))
	}
	if net == NetNone {
		p.loopback()
	}
}

// privileged reports whether this process can make a mount namespace without a user namespace.
func privileged() bool {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	return unix.Capget(&header, &data[0]) == nil && data[0].Effective&(1<<unix.CAP_SYS_ADMIN) != 0
}

// loopback makes the address 127.0.0.1 of a new network namespace work, netdevice(7).
func (p *Plan) loopback() {
	request := &struct {
		name  [unix.IFNAMSIZ]byte
		flags uint16
		_     [22]byte
	}{flags: unix.IFF_UP}
	copy(request.name[:], "lo")
	p.keep = append(p.keep, request)
	socket := p.result("socket", unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	p.with(socket, 0, "loopback interface", unix.SYS_IOCTL, 0, unix.SIOCSIFFLAGS, uintptr(unsafe.Pointer(request)))
}

// mounts makes everything read-only but the roots, and the private folders in them, and what it may not see empty. A read-only mount
// also refuses what Landlock does not cover: chmod(2), chown(2), utimensat(2), setxattr(2). The program gets shared memory and terminals
// of its own.
func (p *Plan) mounts(roots, unseen []string, place Surroundings) {
	const clone = unix.OPEN_TREE_CLONE | unix.OPEN_TREE_CLOEXEC | unix.AT_RECURSIVE

	empty := p.text("")
	put := func(tree *uintptr, path string) {
		p.with(tree, 0, "mount of "+path, unix.SYS_MOVE_MOUNT, 0, empty, currentFolder, p.text(path), unix.MOVE_MOUNT_F_EMPTY_PATH)
	}
	take := func(path string) *uintptr {
		return p.result("copy of the mount of "+path, unix.SYS_OPEN_TREE, currentFolder, p.text(path), clone)
	}
	var trees []*uintptr
	for _, root := range roots {
		trees = append(trees, take(root))
	}
	all := &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY, Propagation: unix.MS_PRIVATE}
	readOnly := &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	p.keep = append(p.keep, all, readOnly)
	p.call("read-only file systems", unix.SYS_MOUNT_SETATTR, currentFolder, p.text("/"), unix.AT_RECURSIVE, uintptr(unsafe.Pointer(all)), unsafe.Sizeof(*all))
	for i, root := range roots {
		put(trees[i], root)
	}
	for _, layer := range place.Layers { // where the kernel refuses it, the program sees its caches alone
		options := "lowerdir=" + overlayPath.Replace(layer.At) + ":" + overlayPath.Replace(layer.Own)
		p.try(unix.SYS_MOUNT, p.text("overlay"), p.text(layer.At), p.text("overlay"), unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NODEV, p.text(options))
	}
	for _, private := range outermost(place.Private) {
		if !p.exists(private, roots) {
			continue
		}
		for _, folder := range between(roots, private) { // a mount point cannot be renamed, and so the way to it stays
			put(take(folder), folder)
		}
		if slices.ContainsFunc(roots, func(root string) bool { return below(private, root) }) {
			tree := take(private)
			p.with(tree, 0, "read-only "+private, unix.SYS_MOUNT_SETATTR, 0, empty, unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, uintptr(unsafe.Pointer(readOnly)), unsafe.Sizeof(*readOnly))
			put(tree, private)
		}
	}
	p.mount("tmpfs", sharedMemory, unix.MS_NOSUID|unix.MS_NODEV, "mode=1777")
	for _, lock := range outermost(place.Locks) {
		p.cover(lock)
	}
	for _, path := range unseen {
		_, err := os.Lstat(sharedMemory)
		p.err = errors.Join(p.err, err) // no file could be covered
		p.mount("tmpfs", path, unix.MS_NOSUID|unix.MS_NODEV|unix.MS_RDONLY, "mode=0")
		p.cover(path)
	}
	p.mount("devpts", terminals, unix.MS_NOSUID|unix.MS_NOEXEC, "ptmxmode=0666,mode=600")
	p.call("working directory", unix.SYS_CHDIR, p.text(place.Cwd))
}

// overlayPath escapes a path for the option lowerdir of overlayfs.
var overlayPath = strings.NewReplacer(`\`, `\\`, ":", `\:`, ",", `\,`)

// exists reports whether a private folder exists. It makes one that the program could make otherwise.
func (p *Plan) exists(private string, roots []string) bool {
	if _, err := os.Lstat(private); err == nil {
		return true
	}
	if !slices.ContainsFunc(roots, func(root string) bool { return below(private, root) }) {
		return false
	}
	err := os.MkdirAll(private, 0o700)
	if err != nil && !errors.Is(err, unix.EROFS) && !errors.Is(err, os.ErrPermission) { // nor can the program make it then
		p.err = errors.Join(p.err, err)
	}
	return err == nil
}

// cover puts an empty file of the program's own in the place of a file, which then cannot be locked: a lock needs no right to write.
func (p *Plan) cover(path string) {
	shared, err := os.Lstat(sharedMemory)
	info, missing := os.Lstat(path)
	if err != nil || !shared.IsDir() || missing != nil || !info.Mode().IsRegular() {
		return
	}
	empty := p.text(sharedMemory + "/devtools-empty")
	file := p.result("empty file", unix.SYS_OPENAT, currentFolder, empty, unix.O_CREAT|unix.O_EXCL|unix.O_RDONLY|unix.O_CLOEXEC, 0o600)
	p.with(file, 0, "empty file", unix.SYS_CLOSE, 0)
	tree := p.result("mount of the empty file", unix.SYS_OPEN_TREE, currentFolder, empty, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
	p.with(tree, 0, "empty file in place of "+path, unix.SYS_MOVE_MOUNT, 0, p.text(""), currentFolder, p.text(path), unix.MOVE_MOUNT_F_EMPTY_PATH)
	p.call("empty file", unix.SYS_UNLINKAT, currentFolder, empty, 0)
}

// Places where the program gets a file system of its own: shm_overview(7), pts(4).
const (
	sharedMemory = "/dev/shm"
	terminals    = "/dev/pts"
)

// between returns the folders between the root that path lies below and path, the outermost first.
func between(roots []string, path string) (folders []string) {
	for folder := filepath.Dir(path); ; folder = filepath.Dir(folder) {
		if !slices.ContainsFunc(roots, func(root string) bool { return root != folder && below(folder, root) }) {
			return folders
		}
		folders = slices.Insert(folders, 0, folder)
	}
}

// mount mounts a new file system, if there is a place for it.
func (p *Plan) mount(kind, path string, flags uintptr, options string) {
	if info, err := os.Lstat(path); err == nil && info.IsDir() {
		p.call(kind+" on "+path, unix.SYS_MOUNT, p.text(kind), p.text(path), p.text(kind), flags, p.text(options))
	}
}

// kept are the capabilities that root keeps, capabilities(7): those over its own files and processes. With CAP_SETFCAP or CAP_FSETID,
// files of the workspace could give privileges to those who run them later.
var kept = []uintptr{
	unix.CAP_CHOWN, unix.CAP_DAC_OVERRIDE, unix.CAP_FOWNER, unix.CAP_KILL, unix.CAP_SETGID, unix.CAP_SETUID,
	unix.CAP_SETPCAP, unix.CAP_NET_BIND_SERVICE,
}

// privileges gives up what would get around the rules, and sets no_new_privs: nothing that the program executes gains privileges.
func (p *Plan) privileges() {
	p.try(unix.SYS_PRCTL, unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL)
	if os.Geteuid() == 0 {
		for capability := range uintptr(unix.CAP_LAST_CAP + 1) {
			if !slices.Contains(kept, capability) {
				p.try(unix.SYS_PRCTL, unix.PR_CAPBSET_DROP, capability) // an older kernel does not know them all
			}
		}
	}
	limit := &unix.Rlimit{}
	p.keep = append(p.keep, limit)
	p.call("no core dumps", unix.SYS_PRLIMIT64, 0, unix.RLIMIT_CORE, uintptr(unsafe.Pointer(limit)))
	p.call("no_new_privs", unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1)
	p.call("Landlock", unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(p.fds[0]))
}

// call adds a step.
func (p *Plan) call(what string, trap uintptr, args ...uintptr) *fork.Step {
	step := fork.Step{What: what, Trap: trap}
	copy(step.Args[:], args)
	p.steps = append(p.steps, step)
	return &p.steps[len(p.steps)-1]
}

// try adds a step that may fail.
func (p *Plan) try(trap uintptr, args ...uintptr) { p.call("", trap, args...).Try = true }

// result adds a step and returns where its result will be.
func (p *Plan) result(what string, trap uintptr, args ...uintptr) *uintptr {
	to := new(uintptr)
	p.call(what, trap, args...).To = to
	return to
}

// with adds a step whose argument number arg is the result of an earlier one.
func (p *Plan) with(from *uintptr, arg int, what string, trap uintptr, args ...uintptr) {
	step := p.call(what, trap, args...)
	step.From, step.Arg = from, arg
}

// write adds the steps that write text into a file.
func (p *Plan) write(path, text string) {
	file := p.result(path, unix.SYS_OPENAT, currentFolder, p.text(path), unix.O_WRONLY|unix.O_CLOEXEC)
	p.with(file, 0, path, unix.SYS_WRITE, 0, p.text(text), uintptr(len(text)))
	p.with(file, 0, path, unix.SYS_CLOSE, 0) // nothing may be open for writing where all becomes read-only
}

// text returns the address of a string that ends with a NUL.
func (p *Plan) text(s string) uintptr {
	pointer, err := unix.BytePtrFromString(s)
	if err != nil {
		p.err = errors.Join(p.err, fmt.Errorf("%q: %w", strings.ToValidUTF8(s, "?"), err))
		return 0
	}
	p.keep = append(p.keep, pointer)
	return uintptr(unsafe.Pointer(pointer))
}

// currentFolder is AT_FDCWD, as an argument of a system call.
const currentFolder = ^uintptr(99)
