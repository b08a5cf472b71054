package proc

import (
	"bytes"
	"os"
	"strconv"
	"time"
)

// usage reads /proc itself: gopsutil has the same figures, but reads /proc/stat
// whenever the program starts, which every call of devtools would pay.
func usage(pid int) (cpuPercent float64, rss uint64, err error) {
	info, err := readStat(pid)
	if err != nil {
		return 0, 0, err
	}
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
	if err != nil {
		return 0, 0, asFault(err)
	}
	// The second field of proc_pid_statm(5) is the resident size in pages.
	if fields := bytes.Fields(data); len(fields) > 1 {
		pages, _ := strconv.ParseUint(string(fields[1]), 10, 64) // 0 if the format changed
		rss = pages * uint64(os.Getpagesize())
	}
	if age := time.Since(started(info.Start)); age > 0 {
		cpuPercent = 100 * float64(info.CPU) / float64(age)
	}
	return cpuPercent, rss, nil
}
