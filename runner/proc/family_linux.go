package proc

import (
	"bytes"
	"errors"
	"strconv"

	"golang.org/x/sys/unix"
)

// A looker reads the files of one process after another.
type looker struct {
	folder int // the process's folder in /proc: files opened in it belong to this process, even if its pid is reused
	buf    []byte
	pids   []int
}

func family(root int, cut func(Member) bool) []Member {
	l := looker{buf: make([]byte, 4096)}
	if !hasChildren() {
		return l.among(tableOf(everyone()).tree(root), cut)
	}
	if l.enter(root) != nil {
		return nil
	}
	l.children(root, 2) // 2 stands for several threads
	l.leave()
	var found []Member
	parents := map[int]int{}
	for _, pid := range l.pids {
		parents[pid] = root
	}
	for next := 0; next < len(l.pids) && next < maxTree; next++ {
		pid := l.pids[next]
		m, err := l.look(pid, parents[pid])
		// A different parent means that the pid was reused, or that another process adopted this one. An adopted
		// process is found again under its new parent.
		if err != nil || !m.Hidden && m.Parent != parents[pid] || cut != nil && cut(m) {
			l.leave()
			continue
		}
		if !m.Ended() {
			found = append(found, m)
		}
		before := len(l.pids)
		if !m.Hidden {
			l.children(pid, m.Threads)
		}
		l.leave()
		fresh := l.pids[:before]
		for _, child := range l.pids[before:] {
			if _, met := parents[child]; !met && child != root {
				parents[child] = pid
				fresh = append(fresh, child)
			}
		}
		l.pids = fresh
	}
	return found
}

// among does the work of family where the kernel does not list children.
func (l *looker) among(tree []Info, cut func(Member) bool) []Member {
	var found []Member
	without := map[int]bool{}
	for _, info := range tree {
		m, err := l.look(info.PID, info.Parent)
		l.leave()
		if without[info.Parent] || err == nil && cut != nil && cut(m) {
			without[info.PID] = true
		} else if err == nil && m.Start == info.Start && !m.Ended() {
			found = append(found, m)
		}
	}
	return found
}

func (l *looker) enter(pid int) (err error) {
	l.folder, err = unix.Open("/proc/"+strconv.Itoa(pid), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		l.folder = -1
	}
	return err
}

func (l *looker) leave() {
	if l.folder >= 0 {
		_ = unix.Close(l.folder)
	}
	l.folder = -1
}

// look describes a process and leaves its folder open.
func (l *looker) look(pid, parent int) (m Member, err error) {
	if err = l.enter(pid); err == nil {
		var stat []byte
		if stat, err = l.file("stat", len(l.buf)); err == nil {
			m.Info, err = parseStat(stat)
			m.Boot = Boot()
		}
	}
	if err = asFault(err); err == nil {
		if line, err := l.file("cmdline", MaxCommandLine); err == nil { // otherwise we have no permission to read it
			m.Args = splitArgs(line)
		}
		return m, nil
	}
	if errors.Is(err, ErrGone) {
		err = asFault(unix.Kill(pid, 0))
	}
	if errors.Is(err, ErrNotPermitted) {
		m.PID, m.Parent, m.Hidden, m.Threads = pid, parent, true, 1
		return m, nil
	}
	return m, ErrGone
}

// file reads a file of the process, at most limit bytes. The slice is valid until the next call.
func (l *looker) file(name string, limit int) ([]byte, error) {
	fd, err := unix.Openat(l.folder, name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	for read := 0; ; {
		if read == len(l.buf) {
			l.buf = append(l.buf, make([]byte, len(l.buf))...)
		}
		n, err := unix.Read(fd, l.buf[read:min(len(l.buf), limit)])
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return nil, err
		}
		read += n
		const mostOfAPage = 2048 // if more follows, the kernel fills a page as far as whole entries fit
		if n < min(mostOfAPage, len(l.buf)-read+n) || read >= limit {
			return l.buf[:read], nil
		}
	}
}

// children appends the children of the process to pids. Each child belongs to one thread of its parent.
func (l *looker) children(pid, threads int) {
	if threads <= 1 {
		l.list("task/" + strconv.Itoa(pid) + "/children")
		return
	}
	fd, err := unix.Openat(l.folder, "task", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	var room [64]int
	tids, _ := numbers(room[:0], fd) // a process that ends meanwhile gives a partial list
	_ = unix.Close(fd)
	for _, tid := range tids {
		l.list("task/" + strconv.Itoa(tid) + "/children")
	}
}

// list appends the pids in a file of the process.
func (l *looker) list(name string) {
	data, err := l.file(name, 16*maxTree)
	if err != nil {
		return
	}
	for field := range bytes.FieldsSeq(data) {
		if pid, err := strconv.Atoi(string(field)); err == nil {
			l.pids = append(l.pids, pid)
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
