package proc

import (
	"fmt"
	"os"
	"slices"
	"testing"
)

func TestSurvey(t *testing.T) {
	m := Survey()
	t.Logf("%+v", m)
	if !m.Known || m.Clock != nil || m.Subreaper != nil || !m.Boot || m.Files.Most <= 0 || m.AllProcesses.Used <= 0 {
		t.Errorf("%+v", m)
	}
	if m.Group.Mounted != "" && m.Group.Make == nil {
		if left, err := os.ReadDir(m.Group.Mounted + m.Group.Path); err != nil || slices.ContainsFunc(left, func(e os.DirEntry) bool {
			return e.Name() == fmt.Sprintf("devtools-doctor-%d", os.Getpid())
		}) {
			t.Errorf("a group is left: %v", err)
		}
	}
}

func TestCgroupHierarchies(t *testing.T) {
	const mounts = "31 22 0:26 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n" +
		"32 31 0:28 / /sys/fs/cgroup/freezer rw - cgroup cgroup rw,freezer\n" +
		"34 31 0:30 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n" +
		"33 31 0:29 /docker/1 /sys/fs/my\\040group rw,relatime - cgroup2 cgroup2 rw\nnonsense\n"
	got := cgroupHierarchies(mounts)
	if len(got) != 2 || got[0].version2 || !got[1].version2 {
		t.Fatalf("%+v", got)
	}
	const cgroup = "6:freezer:/a\n1:cpu:/b\n0::/docker/1/c\n"
	for i, want := range []string{"/sys/fs/cgroup/freezer/a", "/sys/fs/my group/c"} {
		group, ok := got[i].groupIn(cgroup)
		if folder := got[i].folder(group); !ok || folder != want {
			t.Errorf("%q, %v, want %q", folder, ok, want)
		}
	}
	if folder := got[1].folder("/elsewhere"); folder != "" {
		t.Errorf("a group that is not mounted is in %q", folder)
	}
	if _, ok := got[1].groupIn("1:cpu:/b\n"); ok {
		t.Error("a group was found where there is none")
	}
}
