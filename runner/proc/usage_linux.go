package proc

import "time"

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
