package proc

import (
	"bytes"
	"errors"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// A memberReader reads the files of one process after another.
type memberReader struct {
	folder int // the process's folder in /proc: files opened in it belong to this process, even if its pid is reused
	buf    []byte
	pids   []int
	bare   bool // leave the arguments out
}

func membersOf(holder, main int, bare bool, cut func(Member) bool) []Member {
	r := memberReader{buf: make([]byte, 4096), bare: bare}
	if !listsChildren() {
		return r.membersOf(tableOf(allProcesses()).tree(holder), cut)
	}
	if r.openFolder(holder) != nil {
		return nil
	}
	r.children(holder, 1) // the kernel gives descendants whose parent has ended to the first thread: find_new_reaper()
	r.closeFolder()
	if main > 0 && !slices.Contains(r.pids, main) { // it belongs to the thread that has started it
		r.pids = append([]int{main}, r.pids...)
	}
	return r.walk(holder, cut)
}

// walk returns the processes of pids, which are children of root, with their descendants.
func (r *memberReader) walk(root int, cut func(Member) bool) []Member {
	var found []Member
	parents := map[int]int{}
	for _, pid := range r.pids {
		parents[pid] = root
	}
	for next := 0; next < len(r.pids) && next < maxTree; next++ {
		pid := r.pids[next]
		m, err := r.describe(pid, parents[pid])
		// A different parent means that the pid was reused, or that another process adopted this one. An adopted
		// process is found again under its new parent.
		if err != nil || !m.Hidden && m.Parent != parents[pid] || cut != nil && cut(m) {
			r.closeFolder()
			continue
		}
		if !m.Ended() {
			found = append(found, m)
		}
		before := len(r.pids)
		if !m.Hidden {
			r.children(pid, m.Threads)
		}
		r.closeFolder()
		fresh := r.pids[:before]
		for _, child := range r.pids[before:] {
			if _, met := parents[child]; !met && child != root {
				parents[child] = pid
				fresh = append(fresh, child)
			}
		}
		r.pids = fresh
	}
	return found
}

// membersOf returns the processes of a tree where the kernel does not list children.
func (r *memberReader) membersOf(tree []Info, cut func(Member) bool) []Member {
	var found []Member
	without := map[int]bool{}
	for _, info := range tree {
		m, err := r.describe(info.PID, info.Parent)
		r.closeFolder()
		if without[info.Parent] || err == nil && cut != nil && cut(m) {
			without[info.PID] = true
		} else if err == nil && m.Start == info.Start && !m.Ended() {
			found = append(found, m)
		}
	}
	return found
}

func (r *memberReader) openFolder(pid int) (err error) {
	r.folder, err = unix.Open(Folder(pid), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		r.folder = -1
	}
	return err
}

func (r *memberReader) closeFolder() {
	if r.folder >= 0 {
		_ = unix.Close(r.folder)
	}
	r.folder = -1
}

// describe describes a process and leaves its folder open.
func (r *memberReader) describe(pid, parent int) (m Member, err error) {
	if err = r.openFolder(pid); err == nil {
		var stat []byte
		if stat, err = r.file("stat", len(r.buf)); err == nil {
			m.Info, err = StatOf(pid, stat)
		}
	}
	if err = Fault(err); err == nil {
		if r.bare {
			return m, nil
		}
		if line, err := r.file("cmdline", MaxCommandLine); err == nil { // otherwise we have no permission to read it
			m.Args = splitArgs(line)
		}
		return m, nil
	}
	if errors.Is(err, ErrGone) {
		err = Fault(unix.Kill(pid, 0))
	}
	if errors.Is(err, ErrNotPermitted) {
		m.PID, m.Parent, m.Hidden, m.Threads = pid, parent, true, 1
		return m, nil
	}
	return m, ErrGone
}

// file reads a file of the process, at most limit bytes. The slice is valid until the next call.
func (r *memberReader) file(name string, limit int) ([]byte, error) {
	fd, err := unix.Openat(r.folder, name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	for read := 0; ; {
		if read == len(r.buf) {
			r.buf = append(r.buf, make([]byte, len(r.buf))...)
		}
		n, err := unix.Read(fd, r.buf[read:min(len(r.buf), limit)])
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return nil, err
		}
		read += n
		const mostOfAPage = 2048 // if more follows, the kernel fills a page as far as whole entries fit
		if n < min(mostOfAPage, len(r.buf)-read+n) || read >= limit {
			return r.buf[:read], nil
		}
	}
}

// children appends the children of the process to pids. Each child belongs to one thread of its parent.
func (r *memberReader) children(pid, threads int) {
	if threads <= 1 {
		r.appendPIDs("task/" + strconv.Itoa(InProc(pid)) + "/children")
		return
	}
	fd, err := unix.Openat(r.folder, "task", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	var room [64]int
	tids, _ := Numbers(room[:0], fd) // a process that ends meanwhile gives a partial list
	_ = unix.Close(fd)
	for _, tid := range tids {
		r.appendPIDs("task/" + strconv.Itoa(tid) + "/children")
	}
}

// appendPIDs appends the pids in a file of the process.
func (r *memberReader) appendPIDs(name string) {
	data, err := r.file(name, 16*maxTree)
	if err != nil {
		return
	}
	for field := range bytes.FieldsSeq(data) {
		number, _ := strconv.Atoi(string(field))
		if pid := FromProc(number); pid > 0 {
			r.pids = append(r.pids, pid)
		}
	}
}

func splitArgs(line []byte) []string {
	if len(line) == 0 {
		return nil
	}
	line = bytes.TrimSuffix(line[:min(len(line), MaxCommandLine)], []byte{0})
	args := make([]string, 0, 1+bytes.Count(line, []byte{0}))
	for arg := range bytes.SplitSeq(line, []byte{0}) {
		args = append(args, string(arg))
	}
	return args
}
