//go:build !linux

package proc

import (
	"errors"
	"io/fs"

	"github.com/shirou/gopsutil/v4/process"
)

func usage(pid int) (cpuPercent float64, rss uint64, err error) {
	p := process.Process{Pid: int32(pid)}
	cpuPercent, err = p.CPUPercent()
	if err == nil {
		var memory *process.MemoryInfoStat
		if memory, err = p.MemoryInfo(); err == nil {
			rss = memory.RSS
		}
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, process.ErrorProcessNotRunning) {
		err = ErrGone
	}
	return cpuPercent, rss, err
}
