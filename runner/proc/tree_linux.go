package proc

import (
	"fmt"
	"slices"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"
)

// maxWalks bounds how often a tree, or the list of all processes, is walked if it changes during the walk.
const maxWalks = 4

// ListsChildren reports whether the kernel lists the children of a process, CONFIG_PROC_CHILDREN.
func ListsChildren() bool { return listsChildren() }

var listsChildren = sync.OnceValue(func() bool {
	return unix.Access("/proc/thread-self/children", unix.R_OK) == nil
})

func children(pid int) ([]int, error) {
	if !ListsChildren() {
		if _, err := readStat(pid); err != nil {
			return nil, err
		}
		return tableOf(allProcesses()).children(pid), nil
	}
	_, pids, err := visit(pid)
	return pids, err
}

func tree(root int) []Info {
	if !ListsChildren() {
		return tableOf(allProcesses()).tree(root)
	}
	found, settled := walk(root)
	for n := 1; n < maxWalks && !settled; n++ {
		before := found
		found, settled = walk(root)
		settled = settled || slices.EqualFunc(before, found, func(a, b Info) bool { return a.ID == b.ID })
	}
	return found
}

// walk lists the descendants of root, level by level. The result is not settled if walk met a process that has ended or
// moved. The children of such a process went to another parent, whose list may already have been read. Also, if a
// process ends while a list is read, the kernel may skip its next sibling.
func walk(root int) (found []Info, settled bool) {
	_, pids, err := visit(root)
	if err != nil {
		return nil, true
	}
	type family struct {
		parent   int
		children []int
	}
	settled = true
	seen := map[int]bool{root: true}
	for queue := []family{{root, pids}}; len(queue) > 0; queue = queue[1:] {
		for _, pid := range queue[0].children {
			if seen[pid] || len(found) == maxTree {
				continue
			}
			p, pids, err := visit(pid)
			// A different parent means that the pid was reused, or that another process adopted this one.
			if err != nil || p.Parent != queue[0].parent {
				settled = false
				continue
			}
			seen[pid] = true
			found = append(found, p)
			settled = settled && !p.Ended()
			if len(pids) > 0 {
				queue = append(queue, family{pid, pids})
			}
		}
	}
	return found, settled
}

// visit describes a process and lists its children. A child belongs to the thread that forked it, so visit reads the
// list of each thread. It reads the lists first and the process afterwards. A process that is then alive still had its
// children when the lists were read.
func visit(pid int) (Info, []int, error) {
	tasks := Folder(pid) + "/task/"
	pids := pidList(nil, tasks+strconv.Itoa(InProc(pid))+"/children")
	p, err := read(pid)
	if err != nil || p.Threads <= 1 {
		return p, pids, err
	}
	pids = pids[:0]
	for _, thread := range directory(tasks) {
		pids = pidList(pids, tasks+thread+"/children")
	}
	p, err = read(pid)
	return p, pids, err
}

// pidList appends the pids in the file at path. A file that is gone has none.
func pidList(pids []int, path string) []int {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return pids
	}
	defer unix.Close(fd)
	buf := buffers.Get().(*[4096]byte)
	defer buffers.Put(buf)
	pid := 0 // the end of the buffer may cut a pid in two
	for {
		n, err := unix.Read(fd, buf[:])
		if n <= 0 || err != nil {
			return pids
		}
		for _, c := range buf[:n] {
			if '0' <= c && c <= '9' {
				pid = 10*pid + int(c-'0')
			} else if pid > 0 {
				if pid = FromProc(pid); pid > 0 {
					pids = append(pids, pid)
				}
				pid = 0
			}
		}
	}
}

// allProcesses describes all processes. It repeats the list to find processes that began while it read about the
// others. Without this, it would always miss a program that forks and exits all the time.
func allProcesses() []Info {
	var all []Info
	seen := map[string]bool{}
	for fresh, n := true, 0; fresh && n < maxWalks; n++ {
		fresh = false
		for _, name := range directory("/proc") {
			pid, err := strconv.Atoi(name)
			if err != nil || seen[name] {
				continue
			}
			seen[name], fresh = true, true
			if p, err := read(FromProc(pid)); err == nil {
				all = append(all, p)
			}
		}
	}
	return all
}

func subreaper() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("become a subreaper: %w", err)
	}
	return nil
}

func allPIDs() []int {
	var pids []int
	for _, name := range directory("/proc") {
		number, _ := strconv.Atoi(name) // 0 for what is no process
		if pid := FromProc(number); pid > 0 {
			pids = append(pids, pid)
		}
	}
	return pids
}

// childless looks without waiting for a child that has ended, waitid(2).
func childless() bool {
	return unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT|unix.WALL, nil) == unix.ECHILD
}
