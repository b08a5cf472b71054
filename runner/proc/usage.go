package proc

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/shirou/gopsutil/v4/process"
)

// Usage returns figures for the display: the processor time of the process that
// has pid now, in percent of one processor on average since it started, and its
// resident memory in bytes. The error is [ErrGone] when there is no such process.
func Usage(pid int) (cpuPercent float64, rss uint64, err error) {
	if pid <= 0 {
		return 0, 0, fmt.Errorf("process %d: %w", pid, ErrGone)
	}
	p := process.Process{Pid: int32(pid)}
	cpuPercent, err = p.CPUPercent()
	if err != nil {
		return 0, 0, fmt.Errorf("process %d: %w", pid, asGone(err))
	}
	memory, err := p.MemoryInfo()
	if err != nil {
		return 0, 0, fmt.Errorf("process %d: %w", pid, asGone(err))
	}
	return cpuPercent, memory.RSS, nil
}

// asGone tells the errors of gopsutil about a process that is not there.
func asGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, process.ErrorProcessNotRunning) {
		return ErrGone
	}
	return err
}
