package proc

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"
)

func TestKillTree(t *testing.T) {
	need(t, "setsid")
	c := shell(t, sleeper+` & (setsid `+sleeper+` &); sh -c 'trap "" TERM; echo up; exec sleep 1000'; :`)
	c.expect("up", 3)
	var want []int
	for _, id := range descendants() {
		want = append(want, id.PID)
	}
	got := Kill(deadline(t), descendants, syscall.SIGTERM, 100*time.Millisecond)
	slices.Sort(want)
	slices.Sort(got.Killed)
	if len(want) != 4 || !slices.Equal(got.Killed, want) || len(got.Failed) > 0 {
		t.Errorf("got %+v, want killed %v", got, want)
	}
	if left := living(); len(left) > 0 {
		t.Errorf("left: %+v", left)
	}
}

func TestKillForkStorm(t *testing.T) {
	need(t, "setsid")
	for name, script := range map[string]string{
		"hundred": `i=0; while [ $i -lt 100 ]; do (setsid sleep 5 &); i=$((i+1)); [ $i -eq 10 ] && echo up; done; exec sleep 1000`,
		"endless": `i=0; while :; do (setsid sleep 5 &); i=$((i+1)); [ $i -eq 10 ] && echo up; done`,
		"deaf":    `trap "" TERM; i=0; while :; do (setsid sleep 5 &); i=$((i+1)); [ $i -eq 10 ] && echo up; done`,
	} {
		t.Run(name, func(t *testing.T) {
			c := shell(t, script)
			c.expect("up", 1)
			began := time.Now()
			got := Kill(deadline(t), descendants, syscall.SIGTERM, 300*time.Millisecond)
			t.Logf("%d killed in %v", len(got.Killed), time.Since(began))
			if len(got.Killed) < 10 || len(got.Failed) > 0 {
				t.Errorf("got %+v", got)
			}
			if left := living(); len(left) > 0 {
				t.Errorf("left: %+v", left)
			}
			sorted := slices.Sorted(slices.Values(got.Killed))
			if len(slices.Compact(sorted)) != len(got.Killed) {
				t.Errorf("a pid is listed twice: %v", got.Killed)
			}
		})
	}
}

func init() {
	// killer kills the processes whose pids are its arguments and prints the outcome.
	roles["killer"] = func() error {
		var targets []ID
		for _, arg := range os.Args[1:] {
			pid, err := strconv.Atoi(arg)
			if err != nil {
				return err
			}
			id, err := Identify(pid)
			if err != nil {
				return err
			}
			targets = append(targets, id)
		}
		out := Kill(context.Background(), func() []ID { return targets }, syscall.SIGTERM, time.Hour)
		return json.NewEncoder(os.Stdout).Encode(out)
	}
}

func TestKillNotPermitted(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can start a process that may not signal another of ours")
	}
	victim := shell(t, "echo up; exec sleep 1000")
	victim.expect("up", 1)
	killer := play("killer", strconv.Itoa(victim.Process.Pid))
	killer.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	got := start(t, killer).line()
	want := fmt.Sprintf(`{"killed":[],"failed":[{"pid":%d,"reason":"not_permitted"}]}`, victim.Process.Pid)
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if !victim.id().Alive() {
		t.Error("the victim is gone")
	}
}

// Without pidfds, as before Linux 5.3, a process is looked at instead.
func TestHandleWithoutPidfd(t *testing.T) {
	c := shell(t, "echo up; exec sleep 1000")
	c.expect("up", 1)
	h := &handle{id: c.id(), pidfd: -1}
	stranger := &handle{id: h.id, pidfd: -1}
	stranger.id.Start++
	if err := stranger.signal(syscall.SIGKILL); err != ErrGone {
		t.Errorf("got %v, want ErrGone", err)
	}
	if err := awaitAny(t.Context(), []*handle{h}, time.Now().Add(50*time.Millisecond)); err != nil || h.gone {
		t.Errorf("got %v, gone %v", err, h.gone)
	}
	if err := h.signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	if err := awaitAny(deadline(t), []*handle{h}, time.Time{}); err != nil || !h.gone {
		t.Errorf("got %v, gone %v", err, h.gone)
	}
}
