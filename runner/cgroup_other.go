//go:build !linux

package runner

func newCgroup(string) cgroup { return cgroup{} }

func (cgroup) remove() {}

func (cgroup) removeOthers() {}

func (cgroup) pids() []int { return nil }

func cgroupOf(string, string) cgroup { return cgroup{} }
