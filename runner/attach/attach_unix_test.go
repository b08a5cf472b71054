//go:build unix

package attach

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"devtools/ledger"
	"devtools/runner"
	"devtools/runner/proc"
	"devtools/runner/runnertest"
	"devtools/runner/track"
	"devtools/runner/wire"
	"devtools/screen"
)

// everythingOn switches on all modes that a full-screen program may use, and draws something.
const everythingOn = `printf 'main\r\n\033[?1049h\033[?1h\033=\033[?1000h\033[?1002h\033[?1006h\033[?1004h\033[?2004h\033[>5u\033[>4;2m\033[?25l\033[3;6r\033[?5h\033[5 q\033(0\033[31;44m\033]2;tit'; printf 'le\007\033[4;3Hqqq\033(B READY'; `

func TestAttach(t *testing.T) {
	state := runnertest.NewState(t)
	spec := runnertest.Shell(t, state, `echo hello; read x; echo "got $x"; exit 3`)
	spec.Name = "a"
	runnertest.Begin(t, spec)
	w := openWindow(t, ledger.Size{Cols: 100, Rows: 30}, attacherRole{Dir: state, Name: "a"})
	w.shows("hello")
	w.keys("word\r")
	w.shows("got word")
	w.restored("[ended 3]")
	if code := w.wait(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// TestAttachEnds ends, in all ways, an attach to a program with all modes switched on.
func TestAttachEnds(t *testing.T) {
	for name, test := range map[string]struct {
		end  func(w *window, c *runner.Client)
		word string
	}{
		"keys":      {func(w *window, _ *runner.Client) { w.keys("\x1b[92;5u") }, "[detached"},
		"plain key": {func(w *window, _ *runner.Client) { w.keys("\x1c") }, "[detached"},
		"TERM":      {func(w *window, _ *runner.Client) { _ = w.process.Process.Signal(syscall.SIGTERM) }, "[interrupted"},
		"INT":       {func(w *window, _ *runner.Client) { _ = w.process.Process.Signal(syscall.SIGINT) }, "[interrupted"},
		"HUP":       {func(w *window, _ *runner.Client) { _ = w.process.Process.Signal(syscall.SIGHUP) }, "[closed"},
		"holder": {func(w *window, c *runner.Client) {
			holder := track.Identity(c.Session.Holder)
			if err := errors.Join(holder.Signal(syscall.SIGKILL), proc.Await(runnertest.WithPatience(w.t), holder)); err != nil {
				w.t.Error(err)
			}
		}, "its holder is gone"},
		"session": {func(w *window, c *runner.Client) {
			if _, err := c.Kill(runnertest.WithPatience(w.t), 0, "KILL", 0); err != nil {
				w.t.Error(err)
			}
		}, "[ended 137]"},
	} {
		for _, size := range []ledger.Size{{Cols: 80, Rows: 24}, {Cols: 33, Rows: 7}} {
			t.Run(fmt.Sprintf("%s/%d", name, size.Cols), func(t *testing.T) {
				state := runnertest.NewState(t)
				spec := runnertest.Shell(t, state, everythingOn+"exec sleep 1000")
				spec.Name = "a"
				c := runnertest.Begin(t, spec)
				role := attacherRole{Dir: state, Name: "a", ReadOnly: size.Cols != 80} // painted
				w := openWindow(t, size, role)
				s := w.shows("READY")
				if !s.Modes.Alternate || s.Modes.Keyboard != 5 || s.Modes.OtherKeys != 2 || !s.Modes.BracketedPaste || s.Modes.Mouse != screen.MouseButton || s.Cursor.Visible || s.Title != "title" {
					t.Errorf("modes %+v, cursor %+v, title %q", s.Modes, s.Cursor, s.Title)
				}
				test.end(w, c)
				w.restored(test.word)
			})
		}
	}
}

// TestAttachClosedWindow closes the window: attach ends and the session goes on.
func TestAttachClosedWindow(t *testing.T) {
	state := runnertest.NewState(t)
	spec := runnertest.Shell(t, state, everythingOn+"while :; do echo x; done")
	spec.Name = "a"
	spec.Foreground = false
	c := runnertest.Begin(t, spec)
	w := openWindow(t, ledger.Size{Cols: 80, Rows: 24}, attacherRole{Dir: state, Name: "a"})
	w.until("output", func(s *screen.Snapshot) bool { return strings.Count(runnertest.Text(s), "x\n") > 3 })
	_ = w.tty.Close()
	_ = w.pty.Close()
	w.wait()
	if s, err := c.State(runnertest.WithPatience(t)); err != nil || s.Ended() {
		t.Errorf("the session: %+v, %v", s, err)
	}
}

// TestAttachPanics checks that even a panic in attach restores the terminal.
func TestAttachPanics(t *testing.T) {
	state := runnertest.NewState(t)
	spec := runnertest.Shell(t, state, everythingOn+"read x; echo END; sleep 1000")
	spec.Name = "a"
	runnertest.Begin(t, spec)
	w := openWindow(t, ledger.Size{Cols: 80, Rows: 24}, attacherRole{Dir: state, Name: "a", Panic: true})
	w.shows("READY")
	w.keys("\r")
	w.wait()
	w.until("its own modes", func(s *screen.Snapshot) bool {
		return s.Modes == screen.New(1, 1, 0).Snapshot(screen.Visible()).Modes && strings.Contains(runnertest.Text(s), "runAsAttacher")
	})
	settings, err := term.GetState(int(w.tty.Fd()))
	if err != nil || *settings != w.settings {
		t.Errorf("settings %+v, %v, want %+v", settings, err, w.settings)
	}
}

// TestAttachStuckTerminal ends attach while its terminal takes no output. The settings are restored all the same.
func TestAttachStuckTerminal(t *testing.T) {
	state := runnertest.NewState(t)
	spec := runnertest.Shell(t, state, "exec yes 'a line of a flood'")
	spec.Name = "a"
	spec.Foreground = false
	runnertest.Begin(t, spec)
	w := newWindow(t, ledger.Size{Cols: 80, Rows: 24}, attacherRole{Dir: state, Name: "a"})
	ctx := runnertest.WithPatience(t)
	for full := 0; full < 20; { // what it has room for comes and goes until its buffers are full
		writable := []unix.PollFd{{Fd: int32(w.tty.Fd()), Events: unix.POLLOUT}}
		if n, err := unix.Poll(writable, 5); n == 0 && err == nil {
			full++
		} else {
			full = 0
		}
		if ctx.Err() != nil {
			t.Fatal("the terminal was never full")
		}
	}
	begin := time.Now()
	_ = w.process.Process.Signal(syscall.SIGTERM)
	w.wait()
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
	settings, err := term.GetState(int(w.tty.Fd()))
	if err != nil || *settings != w.settings {
		t.Errorf("settings %+v, %v, want %+v", settings, err, w.settings)
	}
}

// TestAttachFullScreen attaches to real programs in the middle of their work, and types into them.
func TestAttachFullScreen(t *testing.T) {
	file := filepath.Join(t.TempDir(), "text")
	var lines strings.Builder
	for i := range 200 {
		fmt.Fprintf(&lines, "line %d of a file with 世界 and é in it\n", i)
	}
	if err := os.WriteFile(file, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name    string
		command []string
		first   string
		keys    string
		then    string
	}{
		{"vim", []string{"vim", "-u", "NONE", "-N", "-c", "set ruler mouse=a", file}, "line 5 ", "50Gonew text\x1b", "new text"},
		{"less", []string{"less", file}, "line 5 ", "100g/line 150\r", "line 155 of"},
		{"htop", []string{"htop"}, "Swp", "h", "Process state"},
		{"bash", []string{"env", "PS1=ready> ", "bash", "--norc", "--noprofile"}, "ready>", "seq 1 40; printf '\\033[7mreverse'\r", "reverse"},
	} {
		t.Run(test.name, func(t *testing.T) {
			runnertest.Need(t, test.name)
			state := runnertest.NewState(t)
			spec := runnertest.SpecFor(t, state, test.command...)
			spec.Name = "a"
			runnertest.Begin(t, spec)
			dir := runnertest.OpenState(t, state)
			runnertest.Seen(t, dir, "a", "its first picture", runnertest.Shows(test.first))
			w := openWindow(t, ledger.Size{Cols: 80, Rows: 24}, attacherRole{Dir: state, Name: "a"})
			w.shows(test.first)
			w.keys(test.keys)
			w.shows(test.then)
			if test.name != "htop" { // which changes all the time
				w.like(dir, "a")
			}
			small := openWindow(t, ledger.Size{Cols: 40, Rows: 12}, attacherRole{Dir: state, Name: "a", ReadOnly: true})
			small.until("a part of it", func(s *screen.Snapshot) bool {
				return strings.TrimSpace(runnertest.Text(s)) != "" && !strings.Contains(runnertest.Text(s), "$ before")
			})
			w.size(ledger.Size{Cols: 40, Rows: 12})
			runnertest.Seen(t, dir, "a", "the other size", func(s *screen.Snapshot) bool { return s.Cols == 40 && s.Rows == 12 })
			if test.name != "htop" {
				w.like(dir, "a")
				small.like(dir, "a")
			}
			w.keys("\x1c")
			w.restored("[detached")
			small.keys("\x1c")
			small.restored("[detached")
		})
	}
}

// TestAttachLead types in turns in windows of several sizes.
func TestAttachLead(t *testing.T) {
	state := runnertest.NewState(t)
	spec := runnertest.Shell(t, state, `stty -echo; while read line; do printf '<%s %s>' "$line" "$(stty size)"; done`)
	spec.Name = "a"
	runnertest.Begin(t, spec)
	dir := runnertest.OpenState(t, state)
	sizes := []ledger.Size{{Cols: 80, Rows: 24}, {Cols: 100, Rows: 30}, {Cols: 30, Rows: 5}}
	var windows []*window
	for i, size := range sizes {
		windows = append(windows, openWindow(t, size, attacherRole{Dir: state, Name: "a"}))
		runnertest.Seen(t, dir, "a", "the window's size", func(s *screen.Snapshot) bool { return s.Cols == size.Cols })
		windows[i].keys(fmt.Sprintf("w%d\r", i))
		windows[i].shows(fmt.Sprintf("<w%d %d %d>", i, size.Rows, size.Cols))
	}
	tiny := openWindow(t, ledger.Size{Cols: 1, Rows: 1}, attacherRole{Dir: state, Name: "a", ReadOnly: true})
	for round := range 6 {
		i := round % len(windows)
		windows[i].keys(fmt.Sprintf("r%d\r", round))
		windows[i].shows(fmt.Sprintf("<r%d %d %d>", round, sizes[i].Rows, sizes[i].Cols))
		windows[i].like(dir, "a")
	}
	if s := runnertest.See(t, dir, "a"); s.Cols != 30 {
		t.Errorf("the session has %d columns", s.Cols)
	}
	for _, w := range windows {
		w.keys("\x1c")
		w.restored("[detached")
	}
	tiny.keys("\x1c")
	tiny.restored("")
	if s := runnertest.See(t, dir, "a"); s.Cols != 30 || s.Rows != 5 {
		t.Errorf("the session has %dx%d after all have left", s.Cols, s.Rows)
	}
	one := openWindow(t, ledger.Size{Cols: 1, Rows: 1}, attacherRole{Dir: state, Name: "a"})
	one.keys("q\r")
	runnertest.Seen(t, dir, "a", "one cell", func(s *screen.Snapshot) bool { return s.Cols == 1 && runnertest.Text(s) == ">" })
	one.like(dir, "a")
	one.keys("\x1c")
	one.wait()
}

// TestAttachPastes types a mebibyte. The program reads exactly these bytes.
func TestAttachPastes(t *testing.T) {
	state := runnertest.NewState(t)
	file := filepath.Join(t.TempDir(), "pasted")
	spec := runnertest.Shell(t, state, fmt.Sprintf("stty raw -echo; echo READY; head -c 1048588 > %s; echo DONE; sleep 1000", file))
	spec.Name = "a"
	runnertest.Begin(t, spec)
	w := openWindow(t, ledger.Size{Cols: 80, Rows: 24}, attacherRole{Dir: state, Name: "a"})
	w.shows("READY")
	var data bytes.Buffer
	data.WriteString("\x1b[200~")
	for data.Len() < 1<<20+6 {
		data.WriteByte(byte(data.Len()*7) | 1)
	}
	pasted := bytes.ReplaceAll(data.Bytes(), []byte("\x1b[201~"), []byte("xxxxxx"))
	pasted = append(pasted[:1<<20+6], "\x1b[201~"...)
	w.keys(string(pasted))
	w.shows("DONE")
	got, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(got, pasted) {
		t.Errorf("%d bytes have arrived, want %d: %v", len(got), len(pasted), err)
	}
	w.keys("\x1c")
	w.restored("[detached")
}

// TestAttachDetachesFromStuck presses the detach keys while the program reads nothing and its terminal is full of typed
// keys.
func TestAttachDetachesFromStuck(t *testing.T) {
	state := runnertest.NewState(t)
	spec := runnertest.Shell(t, state, "stty raw -echo; echo READY; sleep 1000")
	spec.Name = "a"
	runnertest.Begin(t, spec)
	w := openWindow(t, ledger.Size{Cols: 80, Rows: 24}, attacherRole{Dir: state, Name: "a"})
	w.shows("READY")
	w.keys(strings.Repeat("typed ahead ", 20_000) + "\x1c")
	w.restored("[detached")
}

func TestAttachReadOnly(t *testing.T) {
	state := runnertest.NewState(t)
	spec := runnertest.Shell(t, state, `echo READY; read x; echo "got <$x>"; sleep 1000`)
	spec.Name = "a"
	c := runnertest.Begin(t, spec)
	dir := runnertest.OpenState(t, state)
	w := openWindow(t, ledger.Size{Cols: 80, Rows: 24}, attacherRole{Dir: state, Name: "a", ReadOnly: true, Keys: "ctrl-p,ctrl-q"})
	w.shows("READY")
	w.keys("nothing\r\x03\x1c\x10")
	if _, err := c.Call(runnertest.WithPatience(t), wire.Request{Op: wire.OpInput, Data: []byte("else\r")}); err != nil {
		t.Fatal(err)
	}
	w.shows("got <else>")
	w.size(ledger.Size{Cols: 60, Rows: 10})
	w.shows("got <else>")
	w.keys("\x11")
	w.restored("[detached")
	if s := runnertest.See(t, dir, "a"); s.Cols != 80 {
		t.Errorf("the session has %d columns", s.Cols)
	}
}

// TestAttachStops stops and continues attach twice. While it is stopped, the terminal is as before.
func TestAttachStops(t *testing.T) {
	state := runnertest.NewState(t)
	spec := runnertest.Shell(t, state, everythingOn+"exec sleep 1000")
	spec.Name = "a"
	runnertest.Begin(t, spec)
	dir := runnertest.OpenState(t, state)
	w := openWindow(t, ledger.Size{Cols: 80, Rows: 24}, attacherRole{Dir: state, Name: "a"})
	for range 2 {
		w.like(dir, "a")
		_ = w.process.Process.Signal(syscall.SIGTSTP)
		neutral := screen.New(1, 1, 0).Snapshot(screen.Visible()).Modes
		w.until("its own modes", func(s *screen.Snapshot) bool { return s.Modes == neutral })
		ctx := runnertest.WithPatience(t)
		for {
			settings, err := term.GetState(int(w.tty.Fd()))
			if err != nil || ctx.Err() != nil {
				t.Fatal(err, ctx.Err())
			}
			if *settings == w.settings {
				break
			}
		}
		_ = w.process.Process.Signal(syscall.SIGCONT)
	}
	w.like(dir, "a")
	w.keys("\x1c")
	w.restored("[detached")
}

// TestAttachFlood detaches during a flood of output, in a window of the session's size and in another.
func TestAttachFlood(t *testing.T) {
	state := runnertest.NewState(t)
	spec := runnertest.Shell(t, state, "exec yes 'a line of a flood'")
	spec.Name = "a"
	spec.Foreground = false
	runnertest.Begin(t, spec)
	for _, role := range []attacherRole{{Dir: state, Name: "a"}, {Dir: state, Name: "a", ReadOnly: true}} {
		size := ledger.Size{Cols: 80, Rows: 24}
		if role.ReadOnly {
			size.Cols = 40
		}
		w := openWindow(t, size, role)
		w.shows("a line of a flood\na line of a flood")
		w.keys("\x1c")
		w.restored("[detached")
	}
}

// TestAttachQueries checks that a query gets one answer, however many windows show the session.
func TestAttachQueries(t *testing.T) {
	state := runnertest.NewState(t)
	file := filepath.Join(t.TempDir(), "answers")
	spec := runnertest.Shell(t, state, fmt.Sprintf(`stty raw -echo; echo READY; head -c 1 >/dev/null; printf '\033[c\033[5n\033]11;?\033\\\033[?u'; dd bs=1 count=45 of=%s 2>/dev/null; echo ASKED; sleep 1000`, file))
	spec.Name = "a"
	runnertest.Begin(t, spec)
	var windows []*window
	for range 2 {
		w := openWindow(t, ledger.Size{Cols: 80, Rows: 24}, attacherRole{Dir: state, Name: "a"})
		w.shows("READY")
		windows = append(windows, w)
	}
	windows[0].keys("!")
	windows[0].shows("ASKED")
	windows[1].shows("ASKED")
	got, err := os.ReadFile(file)
	if want := "\x1b[?62;6;22c\x1b[0n\x1b]11;rgb:0000/0000/0000\x1b\\\x1b[?0u"; err != nil || string(got) != want {
		t.Errorf("answers %q, %v, want %q", got, err, want)
	}
}

func TestReach(t *testing.T) {
	state := runnertest.NewState(t)
	_, result := runnertest.RunFor(t, runnertest.Shell(t, state, "true"))
	dir := runnertest.OpenState(t, state)
	if _, err := Reach(dir, result.Session.ID); !errors.Is(err, wire.ErrEnded) {
		t.Errorf("an ended session: %v", err)
	}
	spec := runnertest.Shell(t, state, "sleep 1000")
	spec.NoTerminal, spec.Name = true, "p"
	c := runnertest.Begin(t, spec)
	if _, err := Reach(dir, "p"); !errors.Is(err, wire.ErrNoTerminal) {
		t.Errorf("a session without a terminal: %v", err)
	}
	if err := track.Identity(c.Session.Holder).Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := proc.Await(runnertest.WithPatience(t), track.Identity(c.Session.Holder)); err != nil {
		t.Fatal(err)
	}
}
