package blocked

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"devtools/runner/proc"

	"golang.org/x/sys/unix"
)

func TestParseSyscall(t *testing.T) {
	for _, tt := range []struct {
		line   string
		number int
		first  uint64
		err    error
	}{
		{"running\n", -1, 0, nil},
		{"-1 0x7ffe0cbe3b60 0x7f5c0de1c0c3\n", -1, 0, nil},
		{"0 0x3 0x7f 0x1000 0x22 0xffffffff 0x0 0x7ffe0cbe3b60 0x7f5c0de1c0c3\n", 0, 3, nil},
		{"7 0xffffffffffffffff 0x2 0x0 0x8 0x0 0x0 0x7ffe0cbe3b60 0x7f5c0de1c0c3", 7, 1<<64 - 1, nil},
		{"3 0x0 0x1 0x1 0x0 0x0 0x0 0xffa3b1c0 0xf7f5a559\n", -1, 0, proc.ErrNotPermitted}, // of 32 bits
		{"426 0x3 0x1 0x1 0x1 0x0 0x0 0x0 0x0\n", -1, 0, nil},                              // a worker of io_uring
		{"", -1, 0, errSyscall},
		{"0 0x3\n", -1, 0, errSyscall},
		{"0 0x3 0x7f 0x1000 0x22 0xffffffff 0x0\n", -1, 0, errSyscall},
		{"0 3 0x7f 0x1000 0x22 0xffffffff 0x0 0x7ffe0cbe3b60 0x7f5c0de1c0c3\n", -1, 0, errSyscall},
		{"-2 0x3 0x7f 0x1000 0x22 0xffffffff 0x0 0x7ffe0cbe3b60 0x7f5c0de1c0c3\n", -1, 0, errSyscall},
	} {
		b, err := parseSyscall([]byte(tt.line))
		if b.number != tt.number || !errors.Is(err, tt.err) || err == nil && b.args[0] != tt.first {
			t.Errorf("%q gives %+v, %v, want number %d, first argument %#x, %v", tt.line, b, err, tt.number, tt.first, tt.err)
		}
	}
}

func FuzzParseSyscall(f *testing.F) {
	f.Add([]byte("running\n"))
	f.Add([]byte("0 0x3 0x7f 0x1000 0x22 0xffffffff 0x0 0x7ffe0cbe3b60 0x7f5c0de1c0c3\n"))
	f.Fuzz(func(t *testing.T, line []byte) {
		if b, err := parseSyscall(line); err != nil && b.number != -1 || b.number < -1 {
			t.Errorf("%q gives %+v, %v", line, b, err)
		}
	})
}

func TestParseStatus(t *testing.T) {
	const good = "Name:\tState:\tZ\nUmask:\t0022\nState:\tT (stopped)\nvoluntary_ctxt_switches:\t150\nnonvoluntary_ctxt_switches:\t545\n"
	if s, ok := parseStatus([]byte(good)); !ok || s.state != 'T' || s.switches != 695 {
		t.Errorf("%+v, %v, want T and 695", s, ok)
	}
	for _, bad := range []string{"", good[:60], strings.Replace(good, "150", "x", 1), strings.Replace(good, "State:\tT", "Stat:\tT", 1)} {
		if s, ok := parseStatus([]byte(bad)); ok {
			t.Errorf("%q gives %+v", bad, s)
		}
	}
}

func FuzzParseStatus(f *testing.F) {
	f.Add([]byte("Name:\tx\nState:\tS (sleeping)\nvoluntary_ctxt_switches:\t1\nnonvoluntary_ctxt_switches:\t2\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if s, ok := parseStatus(data); ok && s.state == 0 {
			t.Errorf("%q gives %+v", data, s)
		}
	})
}

func TestPendingOps(t *testing.T) {
	const info = "pos:\t0\nSqMask:\t0x7\nUserBufs:\t0\nPollList:\n  op=22, task_works=0\n  op=6, task_works=1\nCqOverflowList:\n  op=1, task_works=0\n"
	if got := pendingOps([]byte(info)); !slices.Equal(got, []byte{22, 6}) {
		t.Errorf("operations %v, want 22 and 6", got)
	}
	if got := pendingOps([]byte("PollList:\nCqOverflowList:\n")); got != nil {
		t.Errorf("operations %v of none", got)
	}
}

// rings are what an io_uring reads.
var rings = []struct {
	what string
	want State
}{{"terminal", Waiting}, {"pipe", NotWaiting}}

func init() {
	roles["uring"] = func() error {
		runtime.LockOSThread()
		var params [120]byte // struct io_uring_params
		ring, _, errno := syscall.Syscall(unix.SYS_IO_URING_SETUP, 8, uintptr(unsafe.Pointer(&params)), 0)
		if errno != 0 {
			fmt.Println(errno)
			return nil
		}
		field := func(at int) int { return int(binary.NativeEndian.Uint32(params[at:])) }
		const offsets = 40 // of the submission queue: head, tail, mask, entries, flags, dropped, array
		queue, err := unix.Mmap(int(ring), 0, field(offsets+24)+8*4, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
		if err != nil {
			return err
		}
		entries, err := unix.Mmap(int(ring), 0x10000000, 8*uringEntrySize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
		if err != nil {
			return err
		}
		fd := 0
		if os.Args[1] == "pipe" {
			var ends [2]int
			if err := unix.Pipe(ends[:]); err != nil {
				return err
			}
			fd = ends[0]
			cmd := exec.Command("sleep", "1000") // has the other end
			cmd.ExtraFiles = []*os.File{os.NewFile(uintptr(ends[1]), "")}
			if err := cmd.Start(); err != nil {
				return err
			}
			cmd.ExtraFiles[0].Close()
		}
		var buf [100]byte
		var pin runtime.Pinner
		pin.Pin(&buf)
		entries[0] = 22 // IORING_OP_READ
		binary.NativeEndian.PutUint32(entries[4:], uint32(fd))
		binary.NativeEndian.PutUint64(entries[16:], uint64(uintptr(unsafe.Pointer(&buf))))
		binary.NativeEndian.PutUint32(entries[24:], uint32(len(buf)))
		binary.NativeEndian.PutUint32(queue[field(offsets+24):], 0) // the array names entry 0
		binary.NativeEndian.PutUint32(queue[field(offsets+4):], 1)  // the tail is behind it
		fmt.Println("ready")
		const getEvents = 1
		_, _, errno = syscall.Syscall6(unix.SYS_IO_URING_ENTER, ring, 1, 1, getEvents, 0, 0)
		return errno
	}
}

func TestRing(t *testing.T) {
	for _, tt := range rings {
		t.Run(tt.what, func(t *testing.T) {
			s := perform(t, play("uring", tt.what))
			s.untilPrinted("\n")
			if text := s.text(); !strings.Contains(text, "ready") {
				t.Skip("no io_uring here: " + text)
			}
			if tt.want == Waiting {
				if v := s.untilWaiting(); v.Syscall != "io_uring_enter" || v.Reason.Way != PendingRead {
					t.Errorf("%+v", v)
				}
				return
			}
			if v, ok := s.until(time.Second, func(v Verdict) bool { return v.State != tt.want }); ok {
				t.Errorf("%+v", v)
			}
		})
	}
}

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
		w.Prompt = func(hidden bool) bool { return hidden && len(os.Args) > 2 }
		var v Verdict
		quiet := time.Now().Add(100*time.Millisecond - quietPrompt) // as if it had been silent for long
		limit := 500 * time.Millisecond
		if strings.Contains(os.Args[1], "exec") {
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
	seen := fmt.Sprintf(`syscall(%d, %d, 1); `, unix.SYS_PRCTL, unix.PR_SET_DUMPABLE)
	for _, tt := range []struct{ name, script, prompt, want string }{
		{"a password", `$| = 1; ` + silent + hidden + `<STDIN>`, "", "waiting echo_off high true"},
		{"a line", `$| = 1; ` + hidden + `<STDIN>`, "", "unknown uninspectable  false"},
		{"a line after a prompt", `$| = 1; ` + hidden + `<STDIN>`, "prompt", "waiting uninspectable+prompt_at_cursor heuristic false"},
		{"sleep", `$| = 1; ` + hidden + `sleep 100`, "", "unknown uninspectable  false"},
		{"another user's password", `$| = 1; ` + hidden + `exec "su"`, "", "waiting echo_off high true"},
		{"one that becomes another user's", seen + `$| = 1; ` + hidden + `select(undef, undef, undef, 0.3); exec "su"`, "", "waiting echo_off high true"},
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
			if got := start(t, cmd).line(); got != tt.want {
				t.Errorf("verdict %q, want %q", got, tt.want)
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

// A guess agrees with what is known.
func TestGuess(t *testing.T) {
	for _, tt := range []struct {
		name, run string
		want      bool
	}{
		{"cat", "exec cat", true},
		{"sleep", "exec sleep 100", false},
		{"a FIFO", "exec cat fifo 3<>fifo", false},
		{"a socket", `exec python3 -c '
import socket
a, b = socket.socketpair()
a.recv(1)'`, false},
		{"a poll", `exec bash --norc --noprofile -i`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := piece{needs: "python3 bash", run: tt.run, setup: "mkfifo fifo"}.stage(t)
			tty := s.watch.tty
			for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
				p, err := uncached.stat(s.cmd.Process.Pid)
				if err != nil {
					t.Fatal(err)
				}
				in := inspector{Info: p, device: tty.Device, filesystem: tty.Filesystem}
				known, err := in.wait(p.PID)
				if err != nil {
					t.Fatal(err)
				}
				// The shell itself, which becomes the program, waits for nothing here.
				if known.call == "" || p.Name == "sh" {
					if time.Now().After(deadline) {
						t.Fatalf("%+v is in %+v", p, known)
					}
					continue
				}
				guessed, ok := in.guess()
				if ok != tt.want || ok && !guessed.has(terminalSource) {
					t.Errorf("%+v, %v in %+v", guessed, ok, known)
				}
				return
			}
		})
	}
}

// A verdict after typing is about what was typed: it never comes before the reader
// has done what it was told.
func TestTyping(t *testing.T) {
	const loop = `stty -echo; n=0; while read x; do sleep 0.0$x; n=$((n+1)); echo "done $n."; done`
	for _, tt := range []piece{
		{name: "shell", run: loop},
		{name: "nested", needs: "script", run: `LOOP='` + loop + `' exec script -q -c 'eval "$LOOP"' /dev/null`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := tt.stage(t)
			s.untilWaiting()
			for n := 1; n <= 25; n++ {
				s.write(fmt.Sprintf("%d\n", n%7))
				v := s.untilWaiting()
				// The reader sleeps, but what it printed may be on its way to us.
				for deadline := time.Now().Add(5 * time.Second); !strings.Contains(s.text(), fmt.Sprintf("done %d.", n)); {
					if again := s.probe(); again.Block != v.Block || time.Now().After(deadline) {
						t.Fatalf("line %d: %+v, then %+v, and the output was %q", n, v, again, s.text())
					}
				}
			}
		})
	}
}

// The same where one watch types and another one probes, and is told of it afterwards.
func TestTypingOfAnotherWatch(t *testing.T) {
	const loop = `stty -echo; n=0; while read x; do sleep 0.0$x; n=$((n+1)); echo "done $n."; done`
	s := piece{run: loop}.stage(t)
	s.untilWaiting()
	typist := NewWatch(s.watch.root, s.watch.tty)
	defer typist.Close()
	for n := 1; n <= 25; n++ {
		before, ok := typist.Blocked()
		if !ok {
			t.Fatal("nobody reads")
		}
		at := time.Now()
		if _, err := s.master.WriteString(fmt.Sprintf("%d\n", n%7)); err != nil {
			t.Fatal(err)
		}
		s.probe()
		s.watch.Written(at, before.Number())
		v := s.untilWaiting()
		for deadline := time.Now().Add(5 * time.Second); !strings.Contains(s.text(), fmt.Sprintf("done %d.", n)); {
			if again := s.probe(); again.Block != v.Block || time.Now().After(deadline) {
				t.Fatalf("line %d: %+v, then %+v, and the output was %q", n, v, again, s.text())
			}
		}
	}
}

// unread returns how many typed bytes no program has read. The poll makes the line discipline take in what was written
// to the master.
func unread(slave int) (int, error) {
	if _, err := unix.Poll([]unix.PollFd{{Fd: int32(slave), Events: unix.POLLIN}}, 0); err != nil && err != unix.EINTR {
		return 0, err
	}
	return unix.IoctlGetInt(slave, unix.TIOCINQ)
}

// The receipt for keys: nothing is unread, and the reader sleeps anew.
func TestReceipt(t *testing.T) {
	s := perform(t, program(t, "sh", "-c", `stty -echo; exec cat >/dev/null`))
	s.untilWaiting()
	var longest time.Duration
	for range 300 {
		before, ok := s.watch.Blocked()
		if !ok {
			t.Fatal("cat is not blocked")
		}
		written := time.Now()
		s.write("x\n")
		for {
			if n, err := unread(int(s.slave.Fd())); err != nil {
				t.Fatal(err)
			} else if b, ok := s.watch.Blocked(); n == 0 && ok && b != before {
				if b.TID != before.TID || b.Switches < before.Switches {
					t.Fatalf("%+v after %+v", b, before)
				}
				break
			}
			if time.Since(written) > 10*time.Second {
				t.Fatal("no receipt")
			}
		}
		longest = max(longest, time.Since(written))
	}
	t.Logf("the longest took %v", longest)
}
