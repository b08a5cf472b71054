//go:build !linux

package proc

import "github.com/shirou/gopsutil/v4/process"

func (p Info) usage() (cpuPercent float64, rss uint64) {
	other := process.Process{Pid: int32(p.PID)}
	cpuPercent, _ = other.CPUPercent() // 0 for one that is gone
	if memory, err := other.MemoryInfo(); err == nil {
		rss = memory.RSS
	}
	return cpuPercent, rss
}
