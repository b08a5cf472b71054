package proc

import "fmt"

// Usage returns figures for the display: the processor time of the process that
// has pid now, in percent of one processor on average since it started, and its
// resident memory in bytes. Its errors are those of [Identify].
func Usage(pid int) (cpuPercent float64, rss uint64, err error) {
	if pid <= 0 {
		return 0, 0, fmt.Errorf("process %d: %w", pid, ErrGone)
	}
	cpuPercent, rss, err = usage(pid)
	if err != nil {
		return 0, 0, fmt.Errorf("process %d: %w", pid, err)
	}
	return cpuPercent, rss, nil
}
