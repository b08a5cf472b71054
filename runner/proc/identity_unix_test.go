//go:build unix

package proc

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	ossignal "os/signal"
	"slices"
	"syscall"
	"testing"
)

func TestIdentityOfAChild(t *testing.T) {
	c := shell(t, "echo up; read line")
	c.expect("up", 1)
	id := c.id()
	if id.PID != c.Process.Pid || id.Start == 0 || id.Boot == "" {
		t.Errorf("incomplete identity %+v", id)
	}
	if again := c.id(); again != id {
		t.Errorf("got %+v, then %+v", id, again)
	}
	if !id.Alive() {
		t.Error("a running child is not alive")
	}

	c.stdin.Close()
	c.await()
	if zombie := c.id(); zombie != id {
		t.Errorf("as a zombie it is %+v, was %+v", zombie, id)
	}
	if id.Alive() {
		t.Error("a zombie is alive")
	}
	if info, err := Read(id.PID); err != nil || !info.Ended() || info.State != 'Z' {
		t.Errorf("zombie: got %+v, %v", info, err)
	}
	if args := CommandLine(id.PID); args != nil {
		t.Errorf("zombie: got arguments %q", args)
	}

	_ = c.Wait() // the status is of no interest
	if id.Alive() {
		t.Error("alive after it was reaped")
	}
	_, err := Identify(id.PID)
	if !errors.Is(err, ErrGone) || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got error %v, want ErrGone", err)
	}
}

func TestIdentitySurvivesJSON(t *testing.T) {
	id, err := Identify(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(id)
	if err != nil {
		t.Fatal(err)
	}
	var got ID
	if err := json.Unmarshal(data, &got); err != nil || got != id {
		t.Errorf("got %+v, %v, want %+v", got, err, id)
	}
}

// Each change makes an identity that names another process.
var strangers = map[string]func(*ID){
	"start": func(id *ID) { id.Start++ },
	"boot":  func(id *ID) { id.Boot = "00000000-0000-0000-0000-000000000000" },
	"inode": func(id *ID) { id.Inode++ },
}

func TestOtherIdentitiesAreGone(t *testing.T) {
	c := shell(t, "echo up; read line")
	c.expect("up", 1)
	for name, change := range strangers {
		t.Run(name, func(t *testing.T) {
			id := c.id()
			if name == "inode" && id.Inode == 0 {
				t.Skip("the kernel has no pidfs")
			}
			change(&id)
			if id.Alive() {
				t.Error("alive")
			}
			if err := id.Signal(syscall.SIGKILL); !errors.Is(err, ErrGone) {
				t.Errorf("signal: got %v, want ErrGone", err)
			}
			if err := Await(deadline(t), id); err != nil {
				t.Errorf("await: %v", err)
			}
			out := Kill(deadline(t), func() []ID { return []ID{id} }, syscall.SIGKILL, 0)
			if len(out.Killed)+len(out.Failed) > 0 {
				t.Errorf("kill: got %+v", out)
			}
			if !c.id().Alive() {
				t.Error("the process with that pid was hit")
			}
		})
	}
}

func TestSignal(t *testing.T) {
	if ossignal.Ignored(syscall.SIGHUP) { // by nohup: a shell that inherits this sets no trap
		ossignal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	c := shell(t, `trap "echo hup" HUP; echo up; while read line; do :; done; while :; do sleep 0.01; done`)
	c.expect("up", 1)
	c.stdin.Close() // some shells run traps only between commands
	if err := c.id().Signal(0); err != nil {
		t.Error(err)
	}
	if err := c.id().Signal(syscall.SIGHUP); err != nil {
		t.Error(err)
	}
	c.expect("hup", 1)
	id := c.id()
	if err := id.Signal(syscall.SIGKILL); err != nil {
		t.Error(err)
	}
	c.await()
	if err := id.Signal(syscall.SIGKILL); err != nil {
		t.Errorf("zombie: %v", err)
	}
	_ = c.Wait() // it was killed
	if err := id.Signal(syscall.SIGKILL); !errors.Is(err, ErrGone) {
		t.Errorf("got %v, want ErrGone", err)
	}
}

func TestSignalProtects(t *testing.T) {
	for _, pid := range []int{1, os.Getpid()} {
		if err := (ID{PID: pid}).Signal(0); !errors.Is(err, ErrProtected) {
			t.Errorf("pid %d: got %v, want ErrProtected", pid, err)
		}
	}
	for _, pid := range []int{0, -1, -os.Getpid()} {
		if err := (ID{PID: pid}).Signal(0); !errors.Is(err, ErrGone) {
			t.Errorf("pid %d: got %v, want ErrGone", pid, err)
		}
		if _, err := Identify(pid); !errors.Is(err, ErrGone) {
			t.Errorf("identify %d: got %v, want ErrGone", pid, err)
		}
	}
}

func TestReadOfOurselves(t *testing.T) {
	info, err := Read(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	session, err := syscall.Getpgid(0)
	if err != nil {
		t.Fatal(err)
	}
	if info.PID != os.Getpid() || info.Parent != os.Getppid() || info.Group != session || info.Ended() {
		t.Errorf("got %+v", info)
	}
	if got := CommandLine(os.Getpid()); !slices.Equal(got, os.Args) {
		t.Errorf("got arguments %q, want %q", got, os.Args)
	}
}

func TestCommandLineKeepsEmptyArguments(t *testing.T) {
	c := shell(t, "echo up; read line")
	c.expect("up", 1)
	want := []string{"sh", "-c", "echo up; read line"}
	if got := CommandLine(c.Process.Pid); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
