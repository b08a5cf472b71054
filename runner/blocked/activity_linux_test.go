package blocked

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"devtools/runner/proc"
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

// Where what a thread waits for may not be looked at, the place in the kernel tells.
func TestGuessed(t *testing.T) {
	for place, want := range map[string]Doing{
		"do_wait": DoingChild, "hrtimer_nanosleep": DoingSleeps, "n_tty_read": DoingInput, "anon_pipe_read": DoingPipe,
		"futex_do_wait": DoingThreads, "": DoingUnknown, "whatever": DoingUnknown,
	} {
		if doing, text, _ := describeKernelFunction(place); doing != want || text == "" {
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
	c.expect("x")
	id, err := proc.Identify(c.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	stranger := proc.Info{ID: proc.ID{PID: id.PID, Start: id.Start + 1, Boot: id.Boot}}
	over := proc.Info{ID: proc.ID{PID: gone.Process.Pid, Start: 1, Boot: id.Boot}}
	for deadline := time.Now().Add(20 * time.Second); ; {
		list := Activities(context.Background(), []proc.Info{{ID: id}, stranger, over}, 0)
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
		for _, a := range Activities(context.Background(), []proc.Info{{ID: proc.ID{PID: 1, Start: mustStart(1)}}}, 0) {
			os.Stdout.WriteString(string(a.Doing) + " " + a.Text + "\n")
		}
		return nil
	}
}

func mustStart(pid int) uint64 {
	info, err := uncached.stat(pid)
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
