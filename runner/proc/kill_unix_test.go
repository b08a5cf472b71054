//go:build unix

package proc

import (
	"context"
	"os"
	"reflect"
	"slices"
	"syscall"
	"testing"
	"time"
)

// only makes a list of one process and what is below it.
func only(c *child) func() []ID {
	id := c.id()
	return func() []ID { return append([]ID{id}, ids(Tree(id.PID))...) }
}

// plain returns the outcome without the signals.
func plain(o Outcome) Outcome {
	o.Signals = nil
	return o
}

func killed(pids ...int) Outcome {
	return Outcome{Killed: append([]int{}, pids...), Failed: []Failure{}}
}

func TestKillOfNothing(t *testing.T) {
	got := Kill(t.Context(), func() []ID { return nil }, syscall.SIGTERM, time.Hour)
	if !reflect.DeepEqual(plain(got), killed()) {
		t.Errorf("got %+v", got)
	}
}

func TestKillWithTERM(t *testing.T) {
	c := shell(t, `trap "echo bye; exit 3" TERM; echo up; while :; do sleep 0.01; done`)
	c.expect("up", 1)
	got := Kill(deadline(t), only(c), syscall.SIGTERM, time.Hour)
	if len(got.Failed) > 0 || !slices.Contains(got.Killed, c.Process.Pid) {
		t.Fatalf("got %+v", got)
	}
	c.expect("bye", 1)
	_ = c.Wait() // the status is compared below
	if code := c.ProcessState.ExitCode(); code != 3 {
		t.Errorf("exit code %d, want 3", code)
	}
}

func TestKillOfOneThatIgnoresTERM(t *testing.T) {
	for name, grace := range map[string]time.Duration{"grace": 100 * time.Millisecond, "at once": 0} {
		t.Run(name, func(t *testing.T) {
			c := shell(t, `trap "" TERM; echo up; exec sleep 1000`)
			c.expect("up", 1)
			began := time.Now()
			got := Kill(deadline(t), only(c), syscall.SIGTERM, grace)
			if took := time.Since(began); took < grace || took > grace+2*time.Second {
				t.Errorf("took %v", took)
			}
			if want := killed(c.Process.Pid); !reflect.DeepEqual(plain(got), want) {
				t.Fatalf("got %+v, want %+v", got, want)
			}
			_ = c.Wait() // the status is compared below
			if status := c.ProcessState.Sys().(syscall.WaitStatus); status.Signal() != syscall.SIGKILL {
				t.Errorf("ended by %v", status.Signal())
			}
		})
	}
}

func TestKillWakesAStoppedProcess(t *testing.T) {
	c := shell(t, `trap "echo bye; exit" TERM; echo up; kill -STOP $$; while :; do sleep 0.01; done`)
	c.expect("up", 1)
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(c.Process.Pid, &status, syscall.WUNTRACED, nil); err != nil || !status.Stopped() {
		t.Fatalf("wait: %v, status %#x", err, status)
	}
	if info, err := Read(c.Process.Pid); err != nil || info.State != 'T' {
		t.Errorf("got %+v, %v", info, err)
	}
	got := Kill(deadline(t), only(c), syscall.SIGTERM, time.Hour)
	if want := killed(c.Process.Pid); !reflect.DeepEqual(plain(got), want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	c.expect("bye", 1)
}

func TestKillSparesOurKin(t *testing.T) {
	c := shell(t, "echo up; exec sleep 1000")
	c.expect("up", 1)
	list := []ID{c.id()}
	var want []Failure
	for _, pid := range []int{1, os.Getpid(), os.Getppid()} {
		id, err := Identify(pid)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, id)
		if len(want) == 0 || want[0].PID != pid { // our parent may be pid 1
			want = append(want, Failure{PID: pid, Reason: Protected})
		}
	}
	got := Kill(deadline(t), func() []ID { return list }, syscall.SIGTERM, time.Hour)
	if !slices.Equal(got.Killed, []int{c.Process.Pid}) || !slices.Equal(got.Failed, want) {
		t.Errorf("got %+v, want failed %+v", got, want)
	}
}

func TestKillObeysItsContext(t *testing.T) {
	c := shell(t, `trap "" TERM; echo up; exec sleep 1000`)
	c.expect("up", 1)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	got := Kill(ctx, only(c), syscall.SIGTERM, time.Hour)
	if want := []Failure{{PID: c.Process.Pid, Reason: StillAlive}}; len(got.Killed) > 0 || !slices.Equal(got.Failed, want) {
		t.Errorf("got %+v, want failed %+v", got, want)
	}
	if !c.id().Alive() {
		t.Error("it was killed after the context ended")
	}
}

// What list named once is followed when it is named no more, as an orphan that was
// adopted by a stranger.
func TestKillFollowsWhatItMet(t *testing.T) {
	c := shell(t, `trap "" TERM; echo up; exec sleep 1000`)
	c.expect("up", 1)
	list := []ID{c.id()}
	got := Kill(deadline(t), func() []ID {
		named := list
		list = nil
		return named
	}, syscall.SIGTERM, 20*time.Millisecond)
	if want := killed(c.Process.Pid); !reflect.DeepEqual(plain(got), want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// No process outlives SIGKILL at our will, so this one only looks as if it had got
// the signal long ago.
func TestKillGivesUp(t *testing.T) {
	c := shell(t, "echo up; exec sleep 1000")
	c.expect("up", 1)
	h, err := open(c.id())
	if err != nil {
		t.Fatal(err)
	}
	k := killing{
		list:  func() []ID { return []ID{h.id} },
		order: []*target{{id: h.id, handle: h, sent: syscall.SIGKILL, sentAt: time.Now().Add(-uninterruptible)}},
	}
	k.targets = map[int]*target{h.id.PID: k.order[0]}
	k.sweep(deadline(t), syscall.SIGKILL, time.Hour)
	if got, want := k.outcome(), []Failure{{PID: h.id.PID, Reason: StillAlive}}; len(got.Killed) > 0 || !slices.Equal(got.Failed, want) {
		t.Errorf("got %+v, want failed %+v", got, want)
	}
}
