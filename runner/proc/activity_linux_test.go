package proc

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestLockOwners(t *testing.T) {
	const locks = "1: FLOCK  ADVISORY  WRITE 10 fd:01:456 0 EOF\n" +
		"1: -> FLOCK  ADVISORY  WRITE 20 fd:01:456 0 EOF\n" +
		"1:  -> FLOCK  ADVISORY  WRITE 30 fd:01:456 0 EOF\n" +
		"2: POSIX  ADVISORY  WRITE 11 fd:01:789 0 EOF\n" +
		"3: OFDLCK ADVISORY  READ -1 fd:01:790 0 EOF\n" +
		"3: -> POSIX  ADVISORY  WRITE 21 fd:01:790 0 EOF\n" +
		"4: nonsense\n\n"
	for pid, want := range map[int][]int{10: nil, 20: {10}, 30: {10}, 21: nil, 99: nil} {
		if got := lockOwners([]byte(locks), pid); !slices.Equal(got, want) {
			t.Errorf("%d waits for %v, want %v", pid, got, want)
		}
	}
}

func TestGroups(t *testing.T) {
	const mounts = "31 22 0:26 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n" +
		"32 31 0:28 / /sys/fs/cgroup/freezer rw - cgroup cgroup rw,freezer\n" +
		"34 31 0:30 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n" +
		"33 31 0:29 /docker/1 /sys/fs/my\\040group rw,relatime - cgroup2 cgroup2 rw\nnonsense\n"
	got := groupMounts(mounts)
	if len(got) != 2 || got[0].second || !got[1].second {
		t.Fatalf("%+v", got)
	}
	const cgroup = "6:freezer:/a\n1:cpu:/b\n0::/docker/1/c\n"
	for i, want := range []string{"/sys/fs/cgroup/freezer/a", "/sys/fs/my group/c"} {
		group, ok := groupOf(cgroup, got[i].second)
		if folder := got[i].folder(group); !ok || folder != want {
			t.Errorf("%q, %v, want %q", folder, ok, want)
		}
	}
	if folder := got[1].folder("/elsewhere"); folder != "" {
		t.Errorf("a group that is not mounted is in %q", folder)
	}
	if _, ok := groupOf("1:cpu:/b\n", true); ok {
		t.Error("a group was found where there is none")
	}
}

// Where what a thread waits for may not be looked at, the place in the kernel tells.
func TestGuessed(t *testing.T) {
	for place, want := range map[string]Doing{
		"do_wait": DoingChild, "hrtimer_nanosleep": DoingSleeps, "n_tty_read": DoingInput, "anon_pipe_read": DoingPipe,
		"futex_do_wait": DoingThreads, "": DoingUnknown, "whatever": DoingUnknown,
	} {
		if doing, text, _ := guessed(place); doing != want || text == "" {
			t.Errorf("%s: %s %q, want %s", place, doing, text, want)
		}
	}
}

// What a process does is told of one that ends meanwhile, too, or it is left out.
func TestActivities(t *testing.T) {
	gone := exec.Command("true")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	c := shell(t, `trap '' TERM; echo x; exec sleep 1000`)
	c.expect("x", 1)
	id, err := Identify(c.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	stranger := Info{ID: ID{PID: id.PID, Start: id.Start + 1, Boot: id.Boot}}
	over := Info{ID: ID{PID: gone.Process.Pid, Start: 1, Boot: id.Boot}}
	for deadline := time.Now().Add(20 * time.Second); ; {
		list := Activities(context.Background(), []Info{{ID: id}, stranger, over}, 0)
		if len(list) == 1 && list[0].Name == "sleep" && list[0].Doing == DoingSleeps && list[0].Text == "sleeps for 16m40s" {
			if term := uint64(1) << 14; list[0].Ignores&term == 0 || list[0].Catches&term != 0 { // SIGTERM
				t.Errorf("signals: %+v", list[0])
			}
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%+v", list)
		}
	}
}

// As an ordinary user of a machine that lets nobody look, there are words all the same.
func init() {
	roles["activities"] = func() error {
		for _, a := range Activities(context.Background(), []Info{{ID: ID{PID: 1, Start: mustStart(1)}}}, 0) {
			os.Stdout.WriteString(string(a.Doing) + " " + a.Text + "\n")
		}
		return nil
	}
}

func mustStart(pid int) uint64 {
	info, err := readStat(pid)
	if err != nil {
		panic(err)
	}
	return info.Start
}

func TestActivitiesOfOthers(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root becomes another user")
	}
	cmd := play("activities")
	cmd.Dir, cmd.SysProcAttr = "/", ordinary()
	if got := start(t, cmd).line(); !strings.Contains(got, " ") || strings.HasSuffix(got, " ") {
		t.Errorf("of the first process an ordinary user is told %q", got)
	}
}

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

func TestOldBuild(t *testing.T) {
	program, err := exec.LookPath("sleep")
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, data, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "1000")
	cmd.Args[0] = "sleep"
	c := start(t, cmd)
	if OldBuild(c.Process.Pid) {
		t.Error("a program that is there is said to be gone")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if !OldBuild(c.Process.Pid) {
		t.Error("a program that is gone is said to be there")
	}
}
