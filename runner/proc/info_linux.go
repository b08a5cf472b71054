package proc

import (
	"bytes"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

func read(pid int) (Info, error) {
	if !hasPidfs() {
		return readStat(pid)
	}
	// If the process still has its pid after stat was read, it had the pid while stat was read. Then inode and stat
	// belong to the same process.
	fd, err := openPidfd(pid)
	if errors.Is(err, ErrGone) {
		return Info{}, err
	}
	if err != nil {
		return readStat(pid)
	}
	defer unix.Close(fd)
	info, err := readStat(pid)
	if err != nil {
		return Info{}, err
	}
	if pid != os.Getpid() && reaped(fd) {
		return Info{}, ErrGone
	}
	info.Inode = inode(fd)
	return info, nil
}

func commandLine(pid int) []string {
	data, err := os.ReadFile(Folder(pid) + "/cmdline")
	if err != nil || len(data) == 0 {
		return nil
	}
	data = bytes.TrimSuffix(data, []byte{0})
	var args []string
	for arg := range bytes.SplitSeq(data, []byte{0}) {
		args = append(args, string(arg))
	}
	return args
}

// usage takes the figures from stat. gopsutil has the same figures, but it reads /proc/stat whenever the program
// starts. Every call of devtools would pay for that.
func (p Info) usage() (cpuPercent float64, rss uint64) {
	if p.Start == 0 {
		return 0, 0
	}
	if age := time.Since(started(p.Start)); age > 0 {
		cpuPercent = 100 * float64(p.CPU) / float64(age)
	}
	return cpuPercent, p.Memory
}
