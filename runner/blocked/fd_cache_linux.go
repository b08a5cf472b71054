package blocked

import (
	"errors"
	"math"
	"os"
	"slices"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"

	"devtools/runner/proc"
)

// A procFile is a file of a process, or of one of its threads, in /proc.
type procFile struct {
	pid, tid int // tid is 0 for the process itself
	name     string
}

func (f procFile) path() string {
	if f.tid == 0 {
		return proc.Folder(f.pid) + "/" + f.name
	}
	if f.tid == f.pid {
		f.tid = proc.InProc(f.pid)
	}
	return proc.Folder(f.pid) + "/task/" + strconv.Itoa(f.tid) + "/" + f.name
}

// maxCached bounds how many descriptors a watch keeps open between two probes.
const maxCached = 128

// highestCached is the highest descriptor number that is kept open. It leaves at least half of the process's
// descriptors for its other work.
var highestCached = sync.OnceValue(func() int {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) != nil || limit.Cur > math.MaxInt32 {
		return math.MaxInt32
	}
	return int(limit.Cur) / 2
})

// An fdCache holds files of /proc that stay open from one probe to the next, because opening a file costs more than
// reading it. It keeps no data that was read.
//
// An open file stays with its process or thread. When that is gone, reading fails with ESRCH, even if its number was
// reused. The one exception is the list of children, which is then empty. It is read only after another file of the
// same thread, whose reading would fail. The kernel checks our permission again at every reading of the file syscall.
//
// A nil cache keeps nothing: see uncached.
type fdCache struct {
	files map[procFile]*cachedFile
	round int
}

type cachedFile struct {
	*os.File     // also closes the descriptor of a watch that was never closed
	fd       int // descriptor of File
	lastUsed int // round of the last use
}

// uncached describes processes and keeps none of their files open.
var uncached *fdCache

// buffers holds buffers for files of /proc. A line of stat always fits, see proc_pid_stat(5).
var buffers = sync.Pool{New: func() any { return new([4096]byte) }}

// readAt reads a part of a file. It reads the whole file if that fits into the buffer.
func (c *fdCache) readAt(buf []byte, f procFile, offset int64) (int, error) {
	if c != nil {
		if open := c.files[f]; open != nil {
			open.lastUsed = c.round
			n, err := unix.Pread(open.fd, buf, offset)
			if !errors.Is(err, unix.ESRCH) {
				return n, err
			}
			c.forget(f.pid, f.tid)
		}
	}
	fd, err := unix.Open(f.path(), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	if c.add(f, fd) == nil {
		defer unix.Close(fd)
	}
	return unix.Pread(fd, buf, offset)
}

// read reads the beginning of a file.
func (c *fdCache) read(buf []byte, f procFile) ([]byte, error) {
	n, err := c.readAt(buf, f, 0)
	if err != nil {
		return nil, proc.Fault(err)
	}
	return buf[:n], nil
}

// add keeps an opened file, if there is room.
func (c *fdCache) add(f procFile, fd int) *cachedFile {
	if c == nil || len(c.files) >= maxCached || fd > highestCached() {
		return nil
	}
	if c.files == nil {
		c.files = map[procFile]*cachedFile{}
	}
	open := &cachedFile{os.NewFile(uintptr(fd), f.name), fd, c.round}
	c.files[f] = open
	return open
}

// forget closes the files of a thread that is gone. If tid is 0, the whole process is gone, and forget closes all its
// files.
func (c *fdCache) forget(pid, tid int) {
	for f, open := range c.files {
		if f.pid == pid && (tid == 0 || f.tid == tid) {
			_ = open.Close()
			delete(c.files, f)
		}
	}
}

// sweep ends a round: it closes the files that were not used in it.
func (c *fdCache) sweep() {
	for f, open := range c.files {
		if open.lastUsed != c.round {
			_ = open.Close()
			delete(c.files, f)
		}
	}
	c.round++
}

// close closes all files.
func (c *fdCache) close() {
	c.round++
	c.sweep()
}

// stat describes a process.
func (c *fdCache) stat(pid int) (proc.Info, error) {
	buf := buffers.Get().(*[4096]byte)
	defer buffers.Put(buf)
	line, err := c.read(buf[:], procFile{pid: pid, name: "stat"})
	if err != nil {
		return proc.Info{}, err
	}
	return proc.StatOf(pid, line)
}

// bytesMoved returns how many bytes a process has read and written so far, proc_pid_io(5). ok is false if the system does not tell.
func (c *fdCache) bytesMoved(pid int) (read, written int64, ok bool) {
	var buf [256]byte
	data, err := c.read(buf[:], procFile{pid: pid, name: "io"})
	if err != nil {
		return 0, 0, false
	}
	read, errRead := strconv.ParseInt(proc.Field(data, "rchar:"), 10, 64)
	written, errWritten := strconv.ParseInt(proc.Field(data, "wchar:"), 10, 64)
	return read, written, errRead == nil && errWritten == nil
}

// threads appends the threads of a process.
func (c *fdCache) threads(tids []int, pid int) []int {
	tids = c.numbers(tids, procFile{pid: pid, name: "task"})
	if main := slices.Index(tids, proc.InProc(pid)); main >= 0 {
		tids[main] = pid
	}
	return tids
}

// numbers appends the numbers among the names in a folder, as far as it can be read.
func (c *fdCache) numbers(found []int, f procFile) []int {
	var open *cachedFile
	if c != nil {
		open = c.files[f]
	}
	if open != nil {
		open.lastUsed = c.round
		if _, err := unix.Seek(open.fd, 0, 0); err == nil {
			if all, err := proc.Numbers(found, open.fd); err == nil {
				return all
			}
		}
		c.forget(f.pid, f.tid)
	}
	fd, err := unix.Open(f.path(), unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return found
	}
	if c.add(f, fd) == nil {
		defer unix.Close(fd)
	}
	found, _ = proc.Numbers(found, fd) // a process that ends meanwhile gives a partial list
	return found
}

// children appends the children of a process. threads is the number of its threads, from a description made just
// before. A child belongs to the thread that forked it.
func (c *fdCache) children(pids []int, pid, threads int) []int {
	if threads <= 1 {
		return c.childrenOf(pids, pid, pid)
	}
	var room [64]int
	var name [64]byte
	for _, tid := range c.threads(room[:0], pid) {
		if _, err := c.read(name[:], procFile{pid, tid, "comm"}); err == nil {
			pids = c.childrenOf(pids, pid, tid)
		}
	}
	return pids
}

// childrenOf appends the children of one thread. A thread that is gone has none.
func (c *fdCache) childrenOf(pids []int, pid, tid int) []int {
	buf := buffers.Get().(*[4096]byte)
	defer buffers.Put(buf)
	number := 0 // the end of the buffer may cut a pid in two
	for offset := 0; ; {
		n, err := c.readAt(buf[:], procFile{pid, tid, "children"}, int64(offset))
		if n <= 0 || err != nil {
			return pids
		}
		for _, char := range buf[:n] {
			if '0' <= char && char <= '9' {
				number = 10*number + int(char-'0')
			} else if number > 0 {
				if number = proc.FromProc(number); number > 0 {
					pids = append(pids, number)
				}
				number = 0
			}
		}
		if n < len(buf)/2 {
			return pids // the kernel fills a page as far as whole numbers fit
		}
		offset += n
	}
}

// maxProcesses bounds how many processes of a tree are examined. It is far above what a system runs.
const maxProcesses = 1 << 16

// descendants appends the descendants of root, as [proc.Tree] lists them, but from a single walk. For a watch one
// moment is as good as another. It does not read their identities in full, which would cost more than everything else.
// A process that the system hides (the option hidepid of proc(5)) has no State.
func (c *fdCache) descendants(found []proc.Info, root int) []proc.Info {
	if !proc.ListsChildren() {
		return append(found, proc.Tree(root)...)
	}
	var room [64]int
	pids := c.children(room[:0], root, 2) // our process has several threads
	for i := 0; i < len(pids) && i < maxProcesses; i++ {
		pid := pids[i]
		p, err := c.stat(pid)
		if errors.Is(err, proc.ErrGone) {
			if err := unix.Kill(pid, 0); err != nil && !errors.Is(err, unix.EPERM) {
				continue
			}
			p.PID = pid
			p.Group, _ = unix.Getpgid(pid) // 0 means no group
			p.Name = strconv.Itoa(pid)
		} else if err != nil {
			continue
		}
		found = append(found, p)
		pids = c.children(pids, pid, p.Threads)
	}
	return found
}
