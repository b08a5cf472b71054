package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"devtools/ledger"
	"devtools/runner"
	"devtools/runner/blocked"
	"devtools/runner/proc"
	"devtools/runner/runnertest"
	"devtools/runner/sandbox"
	"devtools/runner/track"
)

// explained waits until the session is explained as it should be, and returns that. The pattern is one of the sentence.
func explained(t *testing.T, dir ledger.Dir, name, why, pattern string) Explanation {
	t.Helper()
	re := regexp.MustCompile(pattern)
	var e Explanation
	var err error
	for ctx := runnertest.WithPatienceOf(t, runnertest.Patience/2); ctx.Err() == nil; {
		if e, err = Explain(context.Background(), dir, name); err == nil && e.Reason == why && re.MatchString(e.Sentence) {
			if e.Name == "" || e.SessionID == "" || e.Status == "" || e.Evidence == nil || e.Processes == nil || e.Hints == nil {
				t.Errorf("%s: something is missing in %+v", name, e)
			}
			t.Log(e.Sentence)
			return e
		}
	}
	t.Fatalf("%s is explained as %s %q (%v), want %s %q: %+v", name, e.Reason, e.Sentence, err, why, pattern, e)
	return e
}

func TestExplain(t *testing.T) {
	for _, program := range []string{"bash", "python3", "flock", "cat"} {
		runnertest.Need(t, program)
	}
	state := runnertest.NewState(t)
	python := func(lines ...string) []string { return []string{"python3", "-c", strings.Join(lines, "\n")} }
	line := func(text string) []string { return []string{"bash", "-c", text} }
	for name, test := range map[string]struct {
		command []string
		why     string
		doing   blocked.Doing
		says    string
	}{
		"sleeps":  {[]string{"sleep", "1000"}, reasonQuiet, blocked.DoingSleeps, `^\S+ does not end, because sleep \(pid \d+\) sleeps for 16m40s\.$`},
		"child":   {line("sleep 1000; true"), reasonQuiet, blocked.DoingSleeps, `because sleep \(pid \d+\) sleeps for 16m40s, and bash \(pid \d+\) waits for it to end\.$`},
		"busy":    {line("while :; do :; done"), reasonBusy, blocked.DoingBusy, `is running because bash \(pid \d+\) computes, with \d+% of a processor\.$`},
		"input":   {line("printf 'Your name: '; read x"), reasonInput, blocked.DoingInput, `waits for input: bash \(pid \d+\) asks "Your name:"\.$`},
		"secret":  {line("stty -echo; printf 'Password: '; read x"), reasonInput, blocked.DoingInput, `waits for input: bash \(pid \d+\) asks "Password:"\.$`},
		"stopped": {line("kill -STOP $$"), reasonStopped, blocked.DoingStopped, `bash \(pid \d+\) is stopped by a signal`},
		"left":    {line("sleep 1001 & exit 3"), reasonLeftovers, blocked.DoingSleeps, `its main process has ended with exit code 3, .* ago: sleep \(pid \d+\) still runs`},
		"lock":    {line("exec 9>lock; flock 9; sleep 1000 & exec 8>lock; exec flock 8"), reasonQuiet, blocked.DoingLock, `waits for the lock of /.*/lock, whose owner has ended; sleep \(pid \d+\) has the file open`},
		"posix": {
			python("import fcntl,os,time", "f=open('p','w')", "r,w=os.pipe()", "if os.fork()==0:", " g=open('p','w'); fcntl.lockf(g,fcntl.LOCK_EX); os.write(w,b'x'); time.sleep(1000)", "os.read(r,1)", "fcntl.lockf(f,fcntl.LOCK_EX)"),
			reasonQuiet, blocked.DoingLock, `waits for the lock of /.*/p, which python3 \(pid \d+\) holds`,
		},
		"fifo":   {line("mkfifo f; exec cat f"), reasonQuiet, blocked.DoingPipe, `cat \(pid \d+\) opens f, as a FIFO whose other end nobody has open`},
		"pipe":   {python("import os,time", "r,w=os.pipe()", "if os.fork()==0:", " time.sleep(1000)", "os.close(w); os.read(r,1)"), reasonQuiet, blocked.DoingPipe, `waits for a pipe from python3 \(pid \d+\)`},
		"full":   {python("import os,time", "r,w=os.pipe()", "if os.fork()==0:", " os.close(w); time.sleep(1000)", "os.close(r); os.write(w,b'x'*1000000)"), reasonQuiet, blocked.DoingFull, `writes to a pipe that python3 \(pid \d+\) does not read`},
		"server": {python("import socket", "s=socket.create_server(('127.0.0.1',0)); s.accept()"), reasonQuiet, blocked.DoingListens, `waits for connections on port \d+\.$`},
		"client": {
			python("import socket,select", "s=socket.create_server(('127.0.0.1',0)); c=socket.create_connection(s.getsockname()); a=s.accept()", "p=select.poll(); p.register(c,select.POLLIN); p.poll()"),
			reasonQuiet, blocked.DoingNetwork, `waits for its connection to 127\.0\.0\.1:\d+\.$`,
		},
		"vfork": { // until the child has started its program, the parent is in a sleep that no signal ends
			python("import os", "os.mkfifo('g'); os.posix_spawn('/bin/true',['true'],{},file_actions=[(os.POSIX_SPAWN_OPEN,0,'g',os.O_RDONLY,0)])"),
			reasonQuiet, blocked.DoingPipe, `opens g, as a FIFO whose other end nobody has open, and python3 \(pid \d+\) waits for it to end`,
		},
		"signal":  {python("import signal", "signal.pause()"), reasonQuiet, blocked.DoingSignal, `waits for a signal`},
		"threads": {python("import threading", "threading.Thread(target=threading.Event().wait).start()"), reasonQuiet, blocked.DoingThreads, `waits for other threads`},
		"zombie":  {python("import os", "p=os.fork()", "if p==0: os._exit(0)", "os.waitid(os.P_PID,p,os.WEXITED|os.WNOWAIT)", "os.execlp('sleep','sleep','1000')"), reasonQuiet, blocked.DoingSleeps, `sleep \(pid \d+\) sleeps`},
		"shell":   {[]string{"bash", "--norc"}, reasonShell, blocked.DoingInput, `is at the prompt of its shell: bash \(pid \d+\) waits for the next command`},
		"pipes":   {[]string{"sleep", "1000"}, reasonQuiet, blocked.DoingSleeps, `sleeps for 16m40s`}, // without a terminal
		"ended":   {line("exit 7"), reasonEnded, "", `^\S+ has ended with exit code 7, \S+ ago, after \S+\.$`},
		"killed":  {line("kill -KILL $$"), reasonEnded, "", `^\S+ has ended by SIGKILL, `},
	} {
		t.Run(name, func(t *testing.T) {
			spec := runnertest.SpecFor(t, state, test.command...)
			spec.Name, spec.Foreground, spec.NoTerminal = name, false, name == "pipes"
			if spec.NoTerminal {
				spec.Size = ledger.Size{}
			}
			c := runnertest.Begin(t, spec)
			e := explained(t, runnertest.OpenState(t, state), name, test.why, test.says)
			if e.Doing != test.doing || e.SessionID != c.Session.ID {
				t.Errorf("%+v", e)
			}
			if lives := test.why != reasonEnded; lives != (len(e.Processes) > 0) {
				t.Errorf("processes %+v", e.Processes)
			}
			// What was forked while the first look was taken stands in the next one.
			for ctx := runnertest.WithPatience(t); name == "zombie" && !strings.Contains(strings.Join(e.Evidence, "\n"), "have not waited for them: python3"); {
				if ctx.Err() != nil {
					t.Fatalf("no word of the zombie: %q", e.Evidence)
				}
				e = explained(t, runnertest.OpenState(t, state), name, test.why, test.says)
			}
			if name == "left" && !strings.Contains(strings.Join(e.Evidence, "\n"), "has the terminal open") {
				t.Errorf("no word of the terminal: %q", e.Evidence)
			}
		})
	}
	if _, err := Explain(t.Context(), runnertest.OpenState(t, state), "nobody"); !errors.Is(err, ledger.ErrNoSession) {
		t.Errorf("no session: %v", err)
	}
}

func TestExplainSignalIgnored(t *testing.T) {
	state := runnertest.NewState(t)
	c := runnertest.Begin(t, runnertest.Shell(t, state, `trap '' TERM; echo ready; exec sleep 1000`))
	runnertest.Met(t, c, "text:ready")
	dir := runnertest.OpenState(t, state)
	done := make(chan error, 1)
	go func() {
		_, err := runner.Kill(runnertest.WithPatience(t), dir, []string{c.Session.ID}, "TERM", runnertest.Patience/2)
		done <- err
	}()
	explained(t, dir, c.Session.ID, reasonSignal, `SIGTERM was sent \S+ ago, but sleep \(pid \d+\) ignores it; SIGKILL follows in \d`)
	if err := endProcess(c.Session.Main); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestExplainBehind(t *testing.T) {
	runnertest.Need(t, "seq")
	state := runnertest.NewState(t)
	spec := runnertest.SpecFor(t, state, "seq", "1", "200000")
	spec.MaxLog = 512 << 10        // so that being behind by half of it is too much
	c := runnertest.Begin(t, spec) // and nobody reads
	explained(t, runnertest.OpenState(t, state), c.Session.ID, reasonBehind, `the caller of run does not read its output and is \d+\.\d KiB behind, and seq \(pid \d+\) is blocked in writing to the terminal`)
}

func TestExplainHeldTerminal(t *testing.T) {
	runnertest.Need(t, "yes")
	state := runnertest.NewState(t)
	spec := runnertest.SpecFor(t, state, "yes")
	spec.Foreground = false
	c := runnertest.Begin(t, spec)
	runnertest.TypeInto(t, c, "C-s")
	e := explained(t, runnertest.OpenState(t, state), c.Session.ID, reasonBehind, `the terminal is held, as with Ctrl-S`)
	if !strings.Contains(strings.Join(e.Hints, "\n"), "C-q") {
		t.Errorf("%q", e.Hints)
	}
}

func TestExplainHolder(t *testing.T) {
	state := runnertest.NewState(t)
	c := runnertest.Begin(t, runnertest.Shell(t, state, "trap '' HUP; echo ready; exec sleep 1000"))
	runnertest.Met(t, c, "text:ready")
	dir, holder := runnertest.OpenState(t, state), c.Session.Holder.PID
	if err := syscall.Kill(holder, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	e := explained(t, dir, c.Session.ID, reasonNoAnswer, fmt.Sprintf(`its holder \(pid %d\) is stopped by a signal`, holder))
	if want := fmt.Sprintf("kill -CONT %d", holder); !strings.Contains(strings.Join(e.Hints, "\n"), want) || len(e.Processes) != 1 {
		t.Errorf("%+v", e)
	}
	if checks := sessionChecks(dir); len(checks) != 1 || checks[0].Level != LevelWarn || !strings.Contains(checks[0].Message, "are stopped") {
		t.Errorf("%+v", checks)
	}
	if err := syscall.Kill(holder, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(c.Session.Socket); err != nil {
		t.Fatal(err)
	}
	explained(t, dir, c.Session.ID, reasonQuiet, `sleeps for`) // the holder has opened it again
	if err := syscall.Kill(holder, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	explained(t, dir, c.Session.ID, reasonOrphaned, `has lost its holder, which was killed, and 1 of its processes still runs: sleep \(pid \d+\)`)
	if checks := sessionChecks(dir); len(checks) != 1 || checks[0].Level != LevelWarn || !strings.Contains(checks[0].Fix, "kill-orphans") {
		t.Errorf("%+v", checks)
	}
	if err := endProcess(c.Session.Main); err != nil {
		t.Fatal(err)
	}
	explained(t, dir, c.Session.ID, reasonLost, `how it ended is not known`)
	if checks := sessionChecks(dir); len(checks) != 1 || checks[0].Level != LevelNote || !strings.Contains(checks[0].Fix, "devtools ps") {
		t.Errorf("%+v", checks)
	}
}

func TestExplainCopy(t *testing.T) {
	state := runnertest.NewState(t)
	c := runnertest.Begin(t, runnertest.SpecFor(t, state, "sleep", "1000"))
	copied := filepath.Join(t.TempDir(), ledger.FolderName)
	if err := os.CopyFS(copied, os.DirFS(state)); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(copied, 0o700); err != nil {
		t.Fatal(err)
	}
	dir := runnertest.OpenState(t, copied)
	explained(t, dir, c.Session.ID, reasonCopied, `belongs to another folder, where its holder \(pid \d+\) keeps it`)
	if checks := sessionChecks(dir); len(checks) != 1 || !strings.Contains(checks[0].Message, "seems to be a copy") {
		t.Errorf("%+v", checks)
	}
}

func TestExplainNotStarted(t *testing.T) {
	dir, err := ledger.Create(runnertest.NewState(t))
	if err != nil {
		t.Fatal(err)
	}
	id, err := dir.NewSession()
	if err == nil {
		err = dir.SaveSession(ledger.Session{ID: id, Name: "web", Status: ledger.StatusStarting, Command: []string{"x"}})
	}
	if err != nil {
		t.Fatal(err)
	}
	explained(t, dir, "web", reasonNotStarted, `^web has ended: its holder was killed while it started the program`)
}

func TestExplainPerson(t *testing.T) {
	state := runnertest.NewState(t)
	c := runnertest.Begin(t, runnertest.Shell(t, state, `printf 'Password: '; stty -echo; read x`))
	ctx, cancel := context.WithCancel(runnertest.WithPatience(t))
	asked := make(chan error, 1)
	go func() {
		_, err := c.Ask(ctx, "Type the code.", nil)
		asked <- err
	}()
	explained(t, runnertest.OpenState(t, state), c.Session.ID, reasonPerson, `waits for a person, who was asked \S+ ago: Type the code\.$`)
	cancel()
	if err := <-asked; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// A terminal that is silent for a moment is given up, and so a machine that is busy may keep the stranger from being
// seen: then it is tried again.
func TestExplainStranger(t *testing.T) {
	for range 10 {
		if explainStranger(t) {
			return
		}
	}
	t.Error("nobody was seen who has the terminal of another session open and prints there")
}

// explainStranger reports whether the session went on for the stranger until it was explained.
func explainStranger(t *testing.T) bool {
	t.Helper()
	state := runnertest.NewState(t)
	c := runnertest.Begin(t, runnertest.Shell(t, state, `tty >name.new; mv name.new name; read x`))
	runnertest.Met(t, c, "input")
	name, err := os.ReadFile(filepath.Join(c.Session.Cwd, "name"))
	if err != nil {
		t.Fatal(err)
	}
	tty, err := os.OpenFile(strings.TrimSpace(string(name)), os.O_WRONLY|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	// Another process prints on the terminal: our own one is not looked for.
	cmd := exec.Command("sh", "-c", "while :; do echo x; done")
	cmd.Stdout = tty
	if err := errors.Join(cmd.Start(), tty.Close()); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill() // it may be gone
		_ = cmd.Wait()         // it was killed
	}()
	runnertest.TypeInto(t, c, "Enter")
	dir := runnertest.OpenState(t, state)
	for ctx := runnertest.WithPatience(t); ctx.Err() == nil; {
		switch e, err := Explain(ctx, dir, c.Session.ID); {
		case err != nil:
			t.Fatal(err)
		case e.Reason == reasonStranger:
			want := regexp.MustCompile(`has ended with exit code 0, \S+ ago, with all its processes, but sh \(pid \d+\), which it has not started, has its terminal open and prints there\.$`)
			if !want.MatchString(e.Sentence) || len(e.Hints) == 0 {
				t.Errorf("%+v", e)
			}
			return true
		case e.Reason == reasonEnded && !dir.Held(c.Session.ID):
			return false
		}
	}
	t.Fatal("the session neither ended nor went on")
	return false
}

func TestExplainTraced(t *testing.T) {
	state := runnertest.NewState(t)
	c := runnertest.Begin(t, runnertest.SpecFor(t, state, "sleep", "1000"))
	pid := c.Session.Main.PID
	runtime.LockOSThread() // a tracer is a thread
	defer runtime.UnlockOSThread()
	if err := unix.PtraceAttach(pid); err != nil {
		t.Skipf("nothing can be traced here: %v", err)
	}
	defer func() {
		if err := unix.PtraceDetach(pid); err != nil {
			t.Error(err)
		}
	}()
	var status unix.WaitStatus
	if _, err := unix.Wait4(pid, &status, unix.WALL, nil); err != nil {
		t.Fatal(err)
	}
	explained(t, runnertest.OpenState(t, state), c.Session.ID, reasonTraced, fmt.Sprintf(`sleep \(pid %d\) is held by the debugger doctor\.test \(pid %d\)`, pid, os.Getpid()))
}

func TestExplainFrozen(t *testing.T) {
	m := proc.Survey()
	if m.Group.Mounted == "" || m.Group.Make != nil {
		t.Skipf("no control group can be made here: %+v", m.Group)
	}
	state := runnertest.NewState(t)
	c := runnertest.Begin(t, runnertest.SpecFor(t, state, "sleep", "1000"))
	group := filepath.Join(m.Group.Mounted, m.Group.Path, "devtools-test-"+c.Session.ID)
	if err := os.Mkdir(group, 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(group, name), []byte(text), 0); err != nil {
			t.Fatal(err)
		}
	}
	write("cgroup.procs", fmt.Sprint(c.Session.Main.PID))
	write("cgroup.freeze", "1")
	e := explained(t, runnertest.OpenState(t, state), c.Session.ID, reasonFrozen, `sleep \(pid \d+\) is frozen with its control group /.*devtools-test-`)
	if e.Doing != blocked.DoingFrozen {
		t.Errorf("%+v", e)
	}
	write("cgroup.freeze", "0")
	if err := endProcess(c.Session.Main); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Result(runnertest.WithPatience(t)); err != nil {
		t.Error(err)
	}
	if err := os.Remove(group); err != nil {
		t.Error(err)
	}
}

func TestExplainFullDisk(t *testing.T) {
	runnertest.Need(t, "seq")
	disk := filepath.Join(t.TempDir(), "disk")
	if err := os.Mkdir(disk, 0o700); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk).CombinedOutput(); err != nil {
		t.Skipf("cannot mount a small file system here: %s", out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", "-l", disk).CombinedOutput(); err != nil {
			t.Errorf("umount: %s", out)
		}
	})
	state := filepath.Join(disk, ledger.FolderName)
	t.Cleanup(func() { runnertest.EndAll(t, state) })
	gated := func(name, line string, foreground bool) (open func()) {
		gate := filepath.Join(t.TempDir(), "gate")
		if err := syscall.Mkfifo(gate, 0o600); err != nil {
			t.Fatal(err)
		}
		spec := runnertest.Shell(t, state, "read line <"+gate+"; "+line)
		spec.Name, spec.Foreground = name, foreground
		runnertest.Begin(t, spec) // and nobody reads what it prints
		return func() {
			if err := os.WriteFile(gate, []byte("go\n"), 0); err != nil {
				t.Fatal(err)
			}
		}
	}
	goesOn := gated("goes-on", "seq 1 1000000; exec sleep 1000", false)
	waits := gated("waits", "seq 1 1000000", true)
	dir := runnertest.OpenState(t, state)
	goesOn()
	explained(t, dir, "goes-on", reasonQuiet, `sleeps for 16m40s; \d.* of its output are not stored, because the disk is full\.$`)
	waits()
	explained(t, dir, "waits", reasonDiskFull, `the disk is full: \d.* of its output are not stored, and seq \(pid \d+\) `)
	checks := diskChecks(state, sandbox.Sandbox{})
	if len(checks) == 0 || checks[0].Level != LevelFail || !strings.Contains(checks[0].Message, "tmpfs, which is full") {
		t.Errorf("%+v", checks)
	}
}

// endProcess ends a process, and waits until it is gone.
func endProcess(p ledger.Process) error {
	id := track.Identity(p)
	if err := id.Signal(syscall.SIGKILL); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), runnertest.Patience)
	defer cancel()
	return proc.Await(ctx, id)
}

// A holder that keeps the output of an ended session in memory is named.
func TestExplainKeptOutput(t *testing.T) {
	state := runnertest.NewState(t)
	spec := runnertest.SpecFor(t, state, "true")
	spec.NoRecord = true
	c := runnertest.Begin(t, spec)
	dir := runnertest.OpenState(t, state)
	log, err := runner.OpenLog(dir, c.Session.ID)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	if _, err := c.Result(runnertest.WithPatience(t)); err != nil {
		t.Fatal(err)
	}
	e := explained(t, dir, c.Session.ID, reasonEnded, `has ended with exit code 0, \S+ ago, after`)
	kept := fmt.Sprintf("its holder (pid %d) keeps the output for the processes that still read it", c.Session.Holder.PID)
	if !strings.Contains(strings.Join(e.Evidence, "\n"), kept) || len(e.Hints) == 0 {
		t.Errorf("%q, %q", e.Evidence, e.Hints)
	}
}
