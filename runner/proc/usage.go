package proc

// Usage returns figures for the display: the processor time of the process in percent of one processor, on average
// since it started, and its resident memory in bytes. What is not known, as of a process that is gone, is 0.
func (p Info) Usage() (cpuPercent float64, rss uint64) { return p.usage() }
