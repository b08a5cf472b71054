package proc

// Usage returns figures for display. cpuPercent is the processor time in percent of one processor, on average since the
// process started. rss is the resident memory in bytes. A figure is 0 if it is unknown, for example because the process
// is gone.
func (p Info) Usage() (cpuPercent float64, rss uint64) { return p.usage() }
