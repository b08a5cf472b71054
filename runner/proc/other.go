//go:build !linux

package proc

import (
	"errors"
	"time"

	"github.com/shirou/gopsutil/v4/process"
)

// This file has the functions that only Linux can answer in full. On the other systems they report that they do not
// know.

func variable(int, string) (value string, ok bool) { return "", false }

func namespace() uint64 { return 0 }

func initialNamespace() bool { return true }

func foreign() bool { return false }

func inProc(pid int) int { return pid }

func fromProc(number int) int { return number }

func noNewPrivs(int) bool { return false }

func NewCgroup(string) Cgroup { return Cgroup{} }

func (Cgroup) Remove() {}

func mostTasks() int { return -1 }

func (Cgroup) RemoveOthers() {}

type processorClock struct{}

type bell struct{}

func newIdleWatch() *IdleWatch { return nil }

func (*IdleWatch) sample([]ID) bool { return false }

func (*IdleWatch) wait(first, every time.Duration) bool { return false }

func (*IdleWatch) ring() {}

func (*IdleWatch) close() {}

func (Cgroup) Pids() []int { return nil }

func CgroupOf(string, string) Cgroup { return Cgroup{} }

func workingDirectory(int) string { return "" }

func membersOf(holder, _ int, _ bool, cut func(Member) bool) []Member {
	var found []Member
	without := map[int]bool{}
	for _, info := range Tree(holder) {
		m := Member{Info: info, Args: CommandLine(info.PID)}
		if without[info.Parent] || cut != nil && cut(m) {
			without[info.PID] = true
			continue
		}
		if !info.Ended() {
			found = append(found, m)
		}
	}
	return found
}

func listeners(int) ([]Listener, error) { return nil, errors.ErrUnsupported }

func heldSockets(int, map[uint64]bool) []uint64 { return nil }

func allPIDs() []int { return nil }

func ephemeralPorts() (low, high int) { return 49152, 65535 } // RFC 6335

func survey() Machine {
	return Machine{Files: noLimit, FileSize: noLimit, Processes: noLimit, AllProcesses: noLimit, Terminals: noLimit}
}

func openers(int) []Info { return nil }

func folderOpeners(string) []Info { return nil }

func oldBuild(int) bool { return false }

func startedWith(int, string) bool { return true }

func image(int) string { return "" }

func subreaper() error { return errors.ErrUnsupported }

func (p Info) usage() (cpuPercent float64, rss uint64) {
	other := process.Process{Pid: int32(p.PID)}
	cpuPercent, _ = other.CPUPercent() // 0 for a process that is gone
	if memory, err := other.MemoryInfo(); err == nil {
		rss = memory.RSS
	}
	return cpuPercent, rss
}

func watchesFiles(int) bool { return false }

func writing(int) []string { return nil }

func written(int) map[ID]uint64 { return nil }

func childless() bool { return false }

func lives(int) bool { return false }

// fileLimit returns 0: package syscall starts the holders, and gives them the limit.
func fileLimit() uint64 { return 0 }
