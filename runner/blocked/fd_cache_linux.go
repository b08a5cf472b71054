package blocked

import (
	"errors"
	"math"
	"os"
	"strconv"
	"sync"

	"devtools/runner/proc"

	"golang.org/x/sys/unix"
)

// A procFile is a file of a process, or of one of its threads, in /proc.
type procFile struct {
	pid, tid int // tid is 0 for the process itself
	name     string
}

func (f procFile) path() string {
	path := "/proc/" + strconv.Itoa(f.pid)
	if f.tid != 0 {
		path += "/task/" + strconv.Itoa(f.tid)
	}
	return path + "/" + f.name
}

// maxKept bounds how many descriptors a watch keeps open between two probes.
const maxKept = 128

// highestKept is the highest descriptor number that is kept open. It leaves at least half of the process's descriptors
// for its other work.
var highestKept = sync.OnceValue(func() int {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) != nil || limit.Cur > math.MaxInt32 {
		return math.MaxInt32
	}
	return int(limit.Cur) / 2
})

// kept holds files of /proc that stay open from one probe to the next, because opening a file costs more than reading
// it. It keeps no data that was read.
//
// An open file stays with its process or thread. When that is gone, reading fails with ESRCH, even if its number was
// reused. The one exception is the list of children, which is then empty. It is read only after another file of the
// same thread, whose reading would fail. The kernel checks our permission again at every reading of the file syscall.
//
// A nil cache keeps nothing: see uncached.
type kept struct {
	files map[procFile]*keptFile
	round int
}

type keptFile struct {
	*os.File     // also closes the descriptor of a watch that was never closed
	fd       int // descriptor of File
	round    int // round of the last use
}

// uncached reads files of /proc and keeps none of them open.
var uncached *kept

// buffers holds buffers for files of /proc. A line of stat always fits, see proc_pid_stat(5).
var buffers = sync.Pool{New: func() any { return new([4096]byte) }}

// readAt reads a part of a file. It reads the whole file if that fits into the buffer.
func (k *kept) readAt(buf []byte, f procFile, offset int64) (int, error) {
	if k != nil {
		if open := k.files[f]; open != nil {
			open.round = k.round
			n, err := unix.Pread(open.fd, buf, offset)
			if !errors.Is(err, unix.ESRCH) {
				return n, err
			}
			k.forget(f.pid, f.tid)
		}
	}
	fd, err := unix.Open(f.path(), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	if k.keep(f, fd) == nil {
		defer unix.Close(fd)
	}
	return unix.Pread(fd, buf, offset)
}

// read reads the beginning of a file.
func (k *kept) read(buf []byte, f procFile) ([]byte, error) {
	n, err := k.readAt(buf, f, 0)
	if err != nil {
		return nil, proc.Fault(err)
	}
	return buf[:n], nil
}

// keep keeps an opened file, if there is room.
func (k *kept) keep(f procFile, fd int) *keptFile {
	if k == nil || len(k.files) >= maxKept || fd > highestKept() {
		return nil
	}
	if k.files == nil {
		k.files = map[procFile]*keptFile{}
	}
	open := &keptFile{os.NewFile(uintptr(fd), f.name), fd, k.round}
	k.files[f] = open
	return open
}

// forget closes the files of a thread that is gone. If tid is 0, the whole process is gone, and forget closes all its
// files.
func (k *kept) forget(pid, tid int) {
	for f, open := range k.files {
		if f.pid == pid && (tid == 0 || f.tid == tid) {
			_ = open.Close()
			delete(k.files, f)
		}
	}
}

// sweep ends a round: it closes the files that were not used in it.
func (k *kept) sweep() {
	for f, open := range k.files {
		if open.round != k.round {
			_ = open.Close()
			delete(k.files, f)
		}
	}
	k.round++
}

// close closes all files.
func (k *kept) close() {
	k.round++
	k.sweep()
}

// stat describes a process.
func (k *kept) stat(pid int) (proc.Info, error) {
	buf := buffers.Get().(*[4096]byte)
	defer buffers.Put(buf)
	line, err := k.read(buf[:], procFile{pid: pid, name: "stat"})
	if err != nil {
		return proc.Info{}, err
	}
	info, err := proc.ParseStat(line)
	info.Boot = proc.Boot()
	return info, err
}

// threads appends the threads of a process.
func (k *kept) threads(tids []int, pid int) []int {
	return k.numbers(tids, procFile{pid: pid, name: "task"})
}

// numbers appends the numbers among the names in a folder, as far as it can be read.
func (k *kept) numbers(found []int, f procFile) []int {
	var open *keptFile
	if k != nil {
		open = k.files[f]
	}
	if open != nil {
		open.round = k.round
		if _, err := unix.Seek(open.fd, 0, 0); err == nil {
			if all, err := proc.Numbers(found, open.fd); err == nil {
				return all
			}
		}
		k.forget(f.pid, f.tid)
	}
	fd, err := unix.Open(f.path(), unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return found
	}
	if k.keep(f, fd) == nil {
		defer unix.Close(fd)
	}
	found, _ = proc.Numbers(found, fd) // a process that ends meanwhile gives a partial list
	return found
}

// children appends the children of a process. threads is the number of its threads, from a description made just
// before. A child belongs to the thread that forked it.
func (k *kept) children(pids []int, pid, threads int) []int {
	if threads <= 1 {
		return k.childrenOf(pids, pid, pid)
	}
	var room [64]int
	var name [64]byte
	for _, tid := range k.threads(room[:0], pid) {
		if _, err := k.read(name[:], procFile{pid, tid, "comm"}); err == nil {
			pids = k.childrenOf(pids, pid, tid)
		}
	}
	return pids
}

// childrenOf appends the children of one thread. A thread that is gone has none.
func (k *kept) childrenOf(pids []int, pid, tid int) []int {
	buf := buffers.Get().(*[4096]byte)
	defer buffers.Put(buf)
	number := 0 // the end of the buffer may cut a pid in two
	for offset := 0; ; {
		n, err := k.readAt(buf[:], procFile{pid, tid, "children"}, int64(offset))
		if n <= 0 || err != nil {
			return pids
		}
		for _, c := range buf[:n] {
			if '0' <= c && c <= '9' {
				number = 10*number + int(c-'0')
			} else if number > 0 {
				pids, number = append(pids, number), 0
			}
		}
		if n < len(buf)/2 {
			return pids // the kernel fills a page as far as whole numbers fit
		}
		offset += n
	}
}
