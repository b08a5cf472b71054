package proc

import (
	"os"
	"strconv"
)

func written(root int) map[ID]uint64 {
	self, err := read(root)
	if err != nil {
		return nil
	}
	all := map[ID]uint64{self.ID: self.ChildFaults}
	for _, p := range Tree(root) {
		n, ok := bytesWritten(p.PID)
		if !ok {
			return nil
		}
		all[p.ID] = n + p.ChildFaults
	}
	return all
}

// bytesWritten returns the sum of the write counters in proc_pid_io(5). wchar counts calls. write_bytes also counts
// pages of mapped files. cancelled_write_bytes counts pages that a truncation took back. None of them ever shrinks.
func bytesWritten(pid int) (sum uint64, ok bool) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/io")
	if err != nil {
		return 0, false
	}
	for _, label := range []string{"wchar:", "write_bytes:", "cancelled_write_bytes:"} {
		n, err := strconv.ParseUint(fdinfoField(data, label), 10, 64)
		if err != nil {
			return 0, false
		}
		sum += n
	}
	return sum, true
}
