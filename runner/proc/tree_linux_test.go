package proc

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

const sleeper = `sh -c "echo up; exec sleep 1000"`

// checkOrder fails unless each process comes after its parent.
func checkOrder(t *testing.T, root int, tree []Info) {
	t.Helper()
	seen := []int{root}
	for _, p := range tree {
		if !slices.Contains(seen, p.Parent) {
			t.Errorf("%d comes before its parent %d", p.PID, p.Parent)
		}
		if slices.Contains(seen, p.PID) {
			t.Errorf("%d comes twice", p.PID)
		}
		seen = append(seen, p.PID)
	}
}

func TestTree(t *testing.T) {
	need(t, "setsid")
	c := shell(t, sleeper+` & (setsid `+sleeper+` &); `+sleeper+`; :`)
	c.expect("up", 3)

	below := Tree(c.Process.Pid)
	if len(below) != 2 {
		t.Errorf("below the shell: got %+v", below)
	}
	checkOrder(t, c.Process.Pid, below)

	all := Tree(os.Getpid())
	checkOrder(t, os.Getpid(), all)
	escaped := 0
	for _, p := range all {
		if p.Session == p.PID {
			escaped++
			if p.Parent != os.Getpid() {
				t.Errorf("%+v was not adopted", p)
			}
		}
		if id, err := Identify(p.PID); err != nil || id != p.ID {
			t.Errorf("got %+v, identified as %+v, %v", p.ID, id, err)
		}
	}
	if len(all) != 4 || escaped != 1 {
		t.Errorf("got %d processes, %d of them escaped: %+v", len(all), escaped, all)
	}
}

// The kernels without lists of children are served from the list of all processes.
func TestTreeAgreesWithTheListOfAll(t *testing.T) {
	c := shell(t, `sh -c "`+sleeperQuoted+` & `+sleeperQuoted+`; :" & `+sleeper+`; :`)
	c.expect("up", 3)
	got, want := ids(Tree(c.Process.Pid)), ids(tableOf(allProcesses()).tree(c.Process.Pid))
	byPID := func(a, b ID) int { return a.PID - b.PID }
	slices.SortFunc(got, byPID)
	slices.SortFunc(want, byPID)
	if len(got) != 4 || !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

const sleeperQuoted = `sh -c 'echo up; exec sleep 1000'`

func TestTreeOfNone(t *testing.T) {
	c := shell(t, "echo up; read line")
	c.expect("up", 1)
	pid := c.Process.Pid
	if pids, err := Children(pid); err != nil || len(pids) != 0 {
		t.Errorf("got %v, %v", pids, err)
	}
	c.stdin.Close()
	_ = c.Wait() // the status is of no interest
	if tree := Tree(pid); tree != nil {
		t.Errorf("got %+v", tree)
	}
	if _, err := Children(pid); !errors.Is(err, ErrGone) {
		t.Errorf("got %v, want ErrGone", err)
	}
}

// Children belong to threads: those of every thread are found.
func TestChildrenOfThreads(t *testing.T) {
	const threads = 4
	var want []int
	started := make(chan *child, threads)
	finish := make(chan bool)
	for range threads {
		go func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			started <- shell(t, "echo up; read line")
			<-finish // keeps the thread busy, so that the next child has another
		}()
	}
	for range threads {
		c := <-started
		c.expect("up", 1)
		want = append(want, c.Process.Pid)
	}
	defer close(finish)
	got, err := Children(os.Getpid())
	slices.Sort(got)
	slices.Sort(want)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}

func TestPidListAcrossReads(t *testing.T) {
	var want []int
	text := ""
	for pid := 100000; len(text) < 10000; pid++ {
		want = append(want, pid)
		text += fmt.Sprintf("%d ", pid)
	}
	path := t.TempDir() + "/children"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := pidList(nil, path); !slices.Equal(got, want) {
		t.Errorf("got %d pids, want %d", len(got), len(want))
	}
}

func init() {
	if os.Getenv("PROC_TEST_ROLE") == "headless" {
		runtime.LockOSThread() // main keeps the main thread
	}
	roles["headless"] = func() error {
		go func() {
			fmt.Println("up")
			_, _ = os.Stdin.Read(make([]byte, 1)) // returns when the test closes it
			os.Exit(0)
		}()
		_, _, errno := unix.RawSyscall(unix.SYS_EXIT, 0, 0, 0)
		return errno
	}
}

// A process whose main thread has ended looks like a zombie, but it lives.
func TestMainThreadEnded(t *testing.T) {
	c := start(t, play("headless"))
	c.expect("up", 1)
	id := c.id()
	for {
		info, err := Read(id.PID)
		if err != nil {
			t.Fatal(err)
		}
		if info.Ended() {
			t.Fatalf("ended: %+v", info)
		}
		if info.State == 'Z' {
			break
		}
		runtime.Gosched() // the thread ends right after the line
	}
	withoutInode := id
	withoutInode.Inode = 0
	if !id.Alive() || !withoutInode.Alive() {
		t.Error("not alive")
	}
	c.stdin.Close()
	c.await()
	if id.Alive() || withoutInode.Alive() {
		t.Error("alive after its end")
	}
}

func TestUsage(t *testing.T) {
	info, err := Read(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	percent, rss := info.Usage()
	if rss < 1<<20 || percent < 0 || percent > 100*float64(runtime.NumCPU()) {
		t.Errorf("got %v %%, %d bytes", percent, rss)
	}
	if percent, rss := (Info{}).Usage(); percent != 0 || rss != 0 {
		t.Errorf("of nobody: %v %%, %d bytes", percent, rss)
	}
}

// The kernel shows the numbers of threads as if they were processes.
func TestThreadsAreNoProcesses(t *testing.T) {
	for _, name := range directory("/proc/self/task") {
		thread, err := strconv.Atoi(name)
		if err != nil || thread == os.Getpid() {
			continue
		}
		if id, err := Identify(thread); hasPidfs() && !errors.Is(err, ErrGone) {
			t.Errorf("thread %d: got %+v, %v", thread, id, err)
		}
	}
}
