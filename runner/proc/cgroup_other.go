//go:build !linux

package proc

func NewCgroup(string) Cgroup { return Cgroup{} }

func (Cgroup) Remove() {}

func (Cgroup) RemoveOthers() {}

func (Cgroup) Pids() []int { return nil }

func CgroupOf(string, string) Cgroup { return Cgroup{} }
