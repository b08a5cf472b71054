//go:build unix

package attach

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/term"

	"devtools/ledger"
	"devtools/runner/runnertest"
	"devtools/screen"
)

// An attacherRole says what the test binary attaches.
type attacherRole struct {
	Dir, Name string
	ReadOnly  bool
	Keys      string
	CopyKeys  string
	Within    []string // command that runs the attacher in a terminal of its own, such as tmux
	Panic     bool     // at the word END
}

const attacherVariable = "DEVTOOLS_TEST_ATTACH"

// runAsAttacher does what the subcommand attach does, in a process with a terminal of its own.
func runAsAttacher() error {
	var role attacherRole
	if err := json.Unmarshal([]byte(os.Getenv(attacherVariable)), &role); err != nil {
		return err
	}
	dir, err := ledger.Open(role.Dir)
	if err != nil {
		return err
	}
	c, err := Reach(dir, role.Name)
	if err != nil {
		return err
	}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
	opts := Options{In: os.Stdin, Out: os.Stdout, ReadOnly: role.ReadOnly, Signals: signals}
	if role.Keys != "" {
		if opts.DetachKeys, err = ParseKeys(role.Keys); err != nil {
			return err
		}
	}
	if role.CopyKeys != "" {
		if opts.CopyKeys, err = ParseKeys(role.CopyKeys); err != nil {
			return err
		}
	}
	if role.Panic {
		a, err := newAttachment(context.Background(), c, opts)
		if err != nil {
			return err
		}
		write := a.display.write
		a.display.write = func(p []byte) error {
			if bytes.Contains(p, []byte("END")) {
				panic("as the test wants it")
			}
			return write(p)
		}
		return a.run()
	}
	result, err := Attach(context.Background(), c, opts)
	if err != nil {
		return err
	}
	if result.Stuck {
		return nil
	}
	fmt.Printf("[%s %s]\r\n", result.How, runnertest.Code(result.Session))
	return nil
}

// A window is a person's terminal, modelled by package screen, with a process in it that attaches a session.
type window struct {
	t        testing.TB
	pty, tty *os.File
	settings term.State // before
	process  *exec.Cmd
	ended    chan struct{}

	mu    sync.Mutex
	model *screen.Terminal
	raw   bytes.Buffer
	grown chan struct{}
}

// openWindow opens a terminal of the size and attaches the session in it.
func openWindow(t testing.TB, size ledger.Size, role attacherRole) *window {
	t.Helper()
	w := newWindow(t, size, role)
	go w.read()
	return w
}

// ownTitle is the title of a window before.
const ownTitle = "the window's own"

// newWindow works as openWindow, but nothing reads the output of the terminal.
func newWindow(t testing.TB, size ledger.Size, role attacherRole) *window {
	t.Helper()
	w := &window{t: t, ended: make(chan struct{}), grown: make(chan struct{}, 1)}
	var err error
	if w.pty, w.tty, err = pty.Open(); err != nil {
		t.Fatal(err)
	}
	w.model = screen.New(size.Cols, size.Rows, 1000)
	w.model.OnReply(func(answer []byte) {
		if len(role.Within) == 0 {
			t.Errorf("the outer terminal is asked, and answers %q", answer)
		}
	})
	w.size(size)
	settings, err := term.GetState(int(w.tty.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	w.settings = *settings
	w.print("\x1b]2;" + ownTitle + "\a$ before\r\n")
	text, err := json.Marshal(role)
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := append(slices.Clone(role.Within), self, "attacher")
	w.process = exec.Command(command[0], command[1:]...)
	w.process.Env = append(os.Environ(), attacherVariable+"="+string(text))
	if len(role.Within) > 0 {
		w.process.Env = append(w.process.Env, "TERM=xterm-256color")
	}
	w.process.Stdin, w.process.Stdout, w.process.Stderr = w.tty, w.tty, w.tty
	w.process.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := w.process.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { _ = w.process.Wait(); close(w.ended) }()
	t.Cleanup(func() {
		_ = w.process.Process.Kill()
		<-w.ended
		_ = w.pty.Close()
		_ = w.tty.Close()
	})
	return w
}

// size sets the size of the window.
func (w *window) size(size ledger.Size) {
	if err := pty.Setsize(w.pty, &pty.Winsize{Cols: uint16(size.Cols), Rows: uint16(size.Rows)}); err != nil {
		w.t.Fatal(err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.model.Resize(size.Cols, size.Rows)
}

func (w *window) print(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, _ = w.model.Write([]byte(text))
	w.raw.WriteString(text)
	select {
	case w.grown <- struct{}{}:
	default:
	}
}

func (w *window) read() {
	buffer := make([]byte, 64<<10)
	for {
		n, err := w.pty.Read(buffer)
		if err != nil {
			return
		}
		w.print(string(buffer[:n]))
	}
}

func (w *window) snapshot() *screen.Snapshot {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.model.Snapshot(screen.Visible())
}

// keys types text.
func (w *window) keys(text string) {
	w.t.Helper()
	if _, err := w.pty.WriteString(text); err != nil {
		w.t.Fatal(err)
	}
}

// until waits until the window shows the wanted picture.
func (w *window) until(what string, wanted func(*screen.Snapshot) bool) *screen.Snapshot {
	w.t.Helper()
	deadline := time.After(runnertest.Patience / 3)
	for {
		s := w.snapshot()
		if wanted(s) {
			return s
		}
		select {
		case <-w.grown:
		case <-deadline:
			w.t.Fatalf("the window never showed %s:\n%s\n%+v\n%.3000q", what, runnertest.Text(s), s.Modes, w.raw.String())
		}
	}
}

func (w *window) shows(what string) *screen.Snapshot {
	w.t.Helper()
	return w.until(what, runnertest.Shows(what))
}

// like waits until the window shows the picture of the session.
func (w *window) like(dir ledger.Dir, name string) *screen.Snapshot {
	w.t.Helper()
	return w.until("what the session shows", func(s *screen.Snapshot) bool {
		inside := runnertest.See(w.t, dir, name)
		return runnertest.Text(s) == runnertest.Text(inside) && s.Cursor == inside.Cursor && s.Modes == inside.Modes && s.Title == cmp.Or(inside.Title, ownTitle) && s.Hash() == inside.Hash()
	})
}

// wait waits until the process is gone, and returns its exit code.
func (w *window) wait() int {
	w.t.Helper()
	select {
	case <-w.ended:
	case <-time.After(runnertest.Patience / 3):
		w.t.Fatalf("attach does not end:\n%s", runnertest.Text(w.snapshot()))
	}
	return w.process.ProcessState.ExitCode()
}

// restored checks that the terminal is as it was before. The last line that attach prints ends with a line feed: the cursor is then
// in an empty row. A carriage return alone is not enough.
func (w *window) restored(word string) {
	w.t.Helper()
	w.wait()
	neutral := screen.New(1, 1, 0).Snapshot(screen.Visible())
	s := w.until(word+", its own modes and an empty row", func(s *screen.Snapshot) bool {
		return s.Modes == neutral.Modes && runnertest.Shows(word)(s) && s.Cursor.Col == 0 && s.Text(s.Cursor.Row, false) == ""
	})
	settings, err := term.GetState(int(w.tty.Fd()))
	if err != nil {
		w.t.Fatal(err)
	}
	if *settings != w.settings {
		w.t.Errorf("settings %+v, want %+v", *settings, w.settings)
	}
	if !s.Cursor.Visible || s.Cursor.Shape != screen.Block || s.Title != ownTitle {
		w.t.Errorf("cursor %+v, title %q", s.Cursor, s.Title)
	}
	if s.Cols < 20 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	_, _ = w.model.Write([]byte("plain text"))
	s = w.model.Snapshot(screen.Visible())
	row := s.Cursor.Row
	for c := range s.Cells(row) {
		if c.Style != (screen.Style{}) {
			w.t.Errorf("what is written then has the style %+v: %q", c.Style, s.Text(row, false))
			break
		}
	}
	if got := s.Text(row, false); got != "plain text" {
		w.t.Errorf("what is written then is in the row %q", got)
	}
}
