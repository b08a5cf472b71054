package proc

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func init() {
	// A process of an ordinary user with a child of root, which the option hidepid hides.
	roles["members without others"] = func() error {
		if err := errors.Join(
			unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""),
			unix.Mount("proc", "/proc", "proc", 0, "hidepid=2")); err != nil {
			return err
		}
		child := exec.Command("sleep", "1000")
		if err := child.Start(); err != nil {
			return err
		}
		defer func() { _ = child.Process.Kill() }()
		if err := errors.Join(syscall.Setgroups(nil), syscall.Setgid(65534), syscall.Setuid(65534)); err != nil {
			return err
		}
		for _, m := range treeOf(os.Getpid(), nil) {
			fmt.Println(m.PID == child.Process.Pid, m.Parent == os.Getpid(), m.Hidden, m.Name == "", len(m.Args))
		}
		fmt.Println("end")
		return nil
	}
}

// treeOf does what MembersOf does, for a process that starts others from several threads.
func treeOf(root int, cut func(Member) bool) []Member {
	r := memberReader{buf: make([]byte, 4096)}
	if !listsChildren() {
		return r.membersOf(tableOf(allProcesses()).tree(root), cut)
	}
	if r.openFolder(root) != nil {
		return nil
	}
	r.children(root, 2) // 2 stands for several threads
	r.closeFolder()
	return r.walk(root, cut)
}

func TestMembersAreTheTree(t *testing.T) {
	c := shell(t, `i=0; while [ $i -lt 30 ]; do sh -c 'sleep 1000 & sleep 1001 & wait' & i=$((i+1)); done
sleep 0 & # a zombie: the shell does not wait
sh -c 'kill -STOP $$; exec sleep 1002' & echo $!; echo up; exec sleep 1003`)
	stopped := c.number()
	c.expect("up", 1)
	var tree []Info
	for deadline := deadline(t); ; {
		tree = slices.DeleteFunc(Tree(c.Process.Pid), Info.Ended)
		busy := slices.ContainsFunc(tree, func(p Info) bool { return p.State != 'S' && (p.State != 'T' || p.PID != stopped) })
		if info, err := Read(stopped); err == nil && info.State == 'T' && len(tree) == 91 && !busy {
			break
		}
		if deadline.Err() != nil {
			t.Fatalf("%d processes", len(tree))
		}
	}
	members := treeOf(c.Process.Pid, nil)
	known := map[int]Info{}
	for _, info := range tree {
		info.Inode = 0
		known[info.PID] = info
	}
	met := map[int]bool{c.Process.Pid: true}
	for _, m := range members {
		want, ok := known[m.PID]
		if !ok || m.ID != want.ID || m.Parent != want.Parent || m.Name != want.Name || m.State != want.State || m.Memory == 0 {
			t.Errorf("%+v, want %+v", m, want)
		}
		if args := CommandLine(m.PID); !slices.Equal(m.Args, args) {
			t.Errorf("arguments %q, want %q", m.Args, args)
		}
		if !met[m.Parent] {
			t.Errorf("%d comes before its parent", m.PID)
		}
		met[m.PID] = true
		if m.PID == stopped && StateWord(m.State) != "stopped" {
			t.Errorf("a stopped process is %q", StateWord(m.State))
		}
	}
	if len(members) != len(tree) {
		t.Errorf("%d processes, want %d", len(members), len(tree))
	}
	cut := treeOf(c.Process.Pid, func(m Member) bool { return m.Name == "sh" })
	if len(cut) != 0 {
		for _, m := range cut {
			if m.Name != "sleep" || m.Parent != c.Process.Pid {
				t.Errorf("%+v is left below what was cut", m)
			}
		}
	}
}

func TestMembersOfThreads(t *testing.T) {
	// The children of the test binary belong to whichever of its threads forked them.
	var pids []int
	for range 20 {
		pids = append(pids, shell(t, "read x").Process.Pid)
	}
	var found []int
	for _, m := range treeOf(os.Getpid(), nil) {
		found = append(found, m.PID)
	}
	for _, pid := range pids {
		if !slices.Contains(found, pid) {
			t.Errorf("process %d is missing in %v", pid, found)
		}
	}
}

func TestMembersWithALongCommandLine(t *testing.T) {
	cmd := exec.Command("sh", "-c", "echo up; read x", strings.Repeat("a", 50<<10), strings.Repeat("b", 50<<10))
	c := start(t, cmd)
	c.expect("up", 1)
	for _, m := range treeOf(os.Getpid(), nil) {
		if m.PID != c.Process.Pid {
			continue
		}
		want := Line(cmd.Args)[:MaxCommandLine]
		if got := m.CommandLine(); got != want {
			t.Errorf("%d bytes, want %d", len(got), len(want))
		}
		return
	}
	t.Error("it is missing")
}

func TestMembersWithAHiddenProcess(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root mounts another /proc")
	}
	apart := exec.Command("true")
	apart.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	if err := apart.Run(); err != nil {
		t.Skipf("no mounts of our own: %v", err)
	}
	cmd := play("members without others")
	cmd.Dir, cmd.SysProcAttr = "/", &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	c := start(t, cmd)
	c.expect("true true true true 0", 1)
	c.expect("end", 1)
}

func BenchmarkMembers100(b *testing.B) {
	c := shell(b, `i=0; while [ $i -lt 100 ]; do sleep 1000 & i=$((i+1)); done; echo up; wait`)
	c.expect("up", 1)
	b.ReportAllocs()
	for b.Loop() {
		if got := len(treeOf(c.Process.Pid, nil)); got != 100 {
			b.Fatalf("got %d processes", got)
		}
	}
}

func BenchmarkPortsOf100(b *testing.B) {
	_, port := listening(b, "tcp4", "127.0.0.1:0")
	c := shell(b, `i=0; while [ $i -lt 100 ]; do sleep 1000 & i=$((i+1)); done; echo up; wait`)
	c.expect("up", 1)
	var pids []int
	for _, m := range treeOf(c.Process.Pid, nil) {
		pids = append(pids, m.PID)
	}
	b.ReportAllocs()
	for b.Loop() {
		if all, err := Ports(pids); err != nil || len(all) != 0 {
			b.Fatal(strconv.Itoa(port), all, err)
		}
	}
}
