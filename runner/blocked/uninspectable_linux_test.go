package blocked

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func init() {
	// An ordinary user watches a program that the kernel does not let him look at:
	// perl clears its own dumpable flag, prctl(2), or becomes a program of root.
	roles["stranger"] = func() error {
		master, slave, err := newPTY()
		if err != nil {
			return err
		}
		tty, err := terminalOf(master, slave)
		if err != nil {
			return err
		}
		cmd := exec.Command("perl", "-e", fmt.Sprintf(`syscall(%d, %d, 0); %s`, unix.SYS_PRCTL, unix.PR_SET_DUMPABLE, os.Args[1]))
		cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
		if err := cmd.Start(); err != nil {
			return err
		}
		if _, err := bufio.NewReader(master).ReadString('\n'); err != nil {
			return err
		}
		w := NewWatch(os.Getpid(), tty)
		w.Picture.Prompt = func(_ Verdict, hidden bool) bool { return hidden && len(os.Args) > 2 }
		var v Verdict
		quiet := time.Now().Add(400*time.Millisecond - quietPrompt) // as if it had been silent for long
		limit := 600 * time.Millisecond
		if strings.Contains(os.Args[1], `exec "su"`) {
			limit = 10 * time.Second // another program begins
		}
		for start := time.Now(); time.Since(start) < limit && v.State != Waiting; time.Sleep(v.Next) {
			v = w.Probe(time.Now(), time.Since(quiet))
		}
		fmt.Println(v.State, v.Reason, v.Confidence, v.Secret)
		return cmd.Process.Kill()
	}
}

func init() {
	// The same with a /proc that does not show him the program.
	roles["stranger without proc"] = func() error {
		err := errors.Join(
			unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""),
			unix.Mount("proc", "/proc", "proc", 0, "hidepid=2"))
		if err != nil {
			return err
		}
		cmd := play("stranger", os.Args[1:]...)
		cmd.Stdout, cmd.SysProcAttr = os.Stdout, ordinary()
		return cmd.Run()
	}
}

// ordinary makes a process of root one of nobody.
func ordinary() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
}

func TestUninspectable(t *testing.T) {
	need(t, "perl")
	if os.Getuid() != 0 {
		t.Skip("only root becomes another user")
	}
	const hidden, silent = `print "hidden\n"; `, `system "stty -echo"; `
	// A relay leaves the terminal alone, and a child does the work. The relay prints when the child has begun.
	const relay = `system "stty raw"; pipe(R, W); fork or do { close R; `
	const up = ` }; close W; <R>; ` + hidden + `wait`
	const onScreen = "waiting uninspectable+prompt_at_cursor heuristic false"
	seen := fmt.Sprintf(`syscall(%d, %d, 1); `, unix.SYS_PRCTL, unix.PR_SET_DUMPABLE)
	for _, tt := range []struct {
		name, script, prompt, want string
		whole                      string // verdict where hidepid hides all of it, "" for the same
	}{
		{"a password", `$| = 1; ` + silent + hidden + `<STDIN>`, "", "waiting echo_off high true", ""},
		{"a line", `$| = 1; ` + hidden + `<STDIN>`, "", "waiting blocked_read_wchan high false", "unknown uninspectable  false"},
		{"a line after a prompt", `$| = 1; ` + hidden + `<STDIN>`, "prompt", "waiting blocked_read_wchan high false", onScreen},
		{"a key", `$| = 1; system "stty raw"; ` + hidden + `sysread STDIN, $x, 1`, "", "waiting blocked_read_wchan high false", "unknown uninspectable  false"},
		{"a line that a child reads", `$| = 1; ` + hidden + `fork and wait; <STDIN>`, "", "waiting blocked_read_wchan high false", "unknown uninspectable  false"},
		{"sleep", `$| = 1; ` + hidden + `sleep 100`, "", "not_waiting   false", "unknown uninspectable  false"},
		{"sleep after a prompt", `$| = 1; ` + hidden + `sleep 100`, "prompt", "not_waiting   false", onScreen},
		{"sleep without echo", `$| = 1; ` + silent + hidden + `sleep 100`, "", "not_waiting   true", "waiting echo_off high true"},
		{"a poll after a prompt", `$| = 1; system "stty raw"; ` + hidden + `vec($r, 0, 1) = 1; select($r, undef, undef, undef)`, "prompt", onScreen, ""},
		{"a poll of a shell after a prompt", `$| = 1; $0 = "bash"; ` + hidden + `vec($r, 0, 1) = 1; select($r, undef, undef, undef)`, "prompt", onScreen, ""},
		{"a program behind a relay", `$| = 1; ` + relay + `close W; sleep 100` + up, "prompt", onScreen, ""},
		{"sleep behind a relay", `$| = 1; ` + relay + `exec "sleep", 100` + up, "prompt", "not_waiting   false", onScreen},
		{"a loop behind a relay", `$| = 1; ` + relay + `close W; select(undef, undef, undef, 0.05) while 1` + up, "prompt", "not_waiting   false", onScreen},
		{"work behind a relay", `$| = 1; ` + relay + `close W; 1 while 1` + up, "prompt", "not_waiting   false", onScreen},
		{"another user's password", `$| = 1; ` + hidden + `exec "su"`, "", "waiting echo_off high true", ""},
		{"one that becomes another user's", seen + `$| = 1; ` + hidden + `select(undef, undef, undef, 0.3); exec "su"`, "", "waiting echo_off high true", ""},
	} {
		if strings.Contains(tt.script, `exec "su"`) && !setuid("su") {
			t.Log("su is missing, or changes no user: " + tt.name + " is left out")
			continue
		}
		args := []string{tt.script}
		if tt.prompt != "" {
			args = append(args, tt.prompt)
		}
		t.Run(tt.name, func(t *testing.T) {
			cmd := play("stranger", args...)
			cmd.Dir, cmd.SysProcAttr = "/", ordinary()
			if got := start(t, cmd).line(); got != tt.want {
				t.Errorf("verdict %q, want %q", got, tt.want)
			}
		})
		t.Run(tt.name+" with hidepid", func(t *testing.T) {
			apart := exec.Command("true")
			apart.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
			if err := apart.Run(); err != nil {
				t.Skipf("no mounts of our own: %v", err)
			}
			cmd := play("stranger without proc", args...)
			cmd.Dir, cmd.SysProcAttr = "/", &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
			want := cmp.Or(tt.whole, tt.want)
			if got := start(t, cmd).line(); got != want {
				t.Errorf("verdict %q, want %q", got, want)
			}
		})
	}
}

// setuid reports whether a program runs as its owner.
func setuid(name string) bool {
	path, err := exec.LookPath(name)
	if err != nil {
		return false
	}
	info, err := os.Stat(path)
	return err == nil && info.Mode()&os.ModeSetuid != 0
}
