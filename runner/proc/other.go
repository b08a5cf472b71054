//go:build !linux

package proc

import (
	"errors"
	"runtime"

	"github.com/shirou/gopsutil/v4/process"
)

// This file has the functions that only Linux can answer in full. On the other systems they report that they do not
// know.

// A look is empty: this system offers nothing to examine.
type look struct{}

func newLook(int) *look { return &look{} }

// at sets the activity that the state alone shows.
func (*look) at(a *Activity) {
	if a.plainly() {
		return
	}
	a.Doing, a.Text = DoingUnknown, "runs, or waits: this system does not tell"
}

func variable(int, string) (value string, ok bool) { return "", false }

func namespace() uint64 { return 0 }

func NewCgroup(string) Cgroup { return Cgroup{} }

func (Cgroup) Remove() {}

func (Cgroup) RemoveOthers() {}

func (Cgroup) Pids() []int { return nil }

func CgroupOf(string, string) Cgroup { return Cgroup{} }

func workingDirectory(int) string { return "" }

func family(root int, cut func(Member) bool) []Member {
	var found []Member
	without := map[int]bool{}
	for _, info := range Tree(root) {
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

func everyPID() []int { return nil }

func ephemeralPorts() (low, high int) { return 49152, 65535 } // RFC 6335

func survey() Machine {
	return Machine{Files: noLimit, FileSize: noLimit, Processes: noLimit, AllProcesses: noLimit, Terminals: noLimit}
}

func openers(int) []Info { return nil }

func folderOpeners(string) []Info { return nil }

func oldBuild(int) bool { return false }

func inspection() Sight { return Sight{System: runtime.GOOS, PtraceScope: -1} }

// StartedWith reports whether text is in the arguments or the environment with which the program of the process was
// executed. It also returns true where that cannot be read, as on this system.
func StartedWith(int, string) bool { return true }

func subreaper() error { return errors.ErrUnsupported }

func unread(int) (int, error) { return 0, errors.ErrUnsupported }

func (p Info) usage() (cpuPercent float64, rss uint64) {
	other := process.Process{Pid: int32(p.PID)}
	cpuPercent, _ = other.CPUPercent() // 0 for a process that is gone
	if memory, err := other.MemoryInfo(); err == nil {
		rss = memory.RSS
	}
	return cpuPercent, rss
}

// A lookout is what a watch keeps on this system: nothing.
type lookout struct{}

// look finds the settings of the terminal and its foreground process group. It cannot examine any thread of that group.
func (w *Watch) look() (reading, error) {
	var r reading
	front, err := w.tty.Foreground()
	if err != nil {
		return r, err
	}
	if r.Modes, err = w.tty.Modes(); err != nil {
		return r, err
	}
	p := member{pid: front, front: true, hidden: true, threads: []thread{{tid: front}}}
	if info, err := Read(front); err == nil {
		p.name = info.Name
	}
	r.processes = []member{p}
	return r, nil
}

// Sees reports whether Blocked can see anything on this system.
func (w *Watch) Sees() bool { return false }

// Blocked always reports false, because this system does not tell.
func (w *Watch) Blocked() (Block, bool) { return Block{}, false }

// Close frees what w has open. w may be used again afterwards.
func (w *Watch) Close() {}

func watchesFiles(int) bool { return false }

func writing(int) []string { return nil }

func written(int) map[ID]uint64 { return nil }
