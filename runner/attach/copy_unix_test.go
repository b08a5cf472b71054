//go:build unix

package attach

import (
	"cmp"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"devtools/ledger"
	"devtools/runner"
	"devtools/runner/proc"
	"devtools/runner/runnertest"
	"devtools/runner/track"
	"devtools/runner/wire"
	"devtools/screen"
)

// copyKeysTyped is what a terminal sends for the key that begins copy mode.
const copyKeysTyped = "\x1b[5;3~"

// typeInto types into a session, not by way of a window.
func typeInto(t testing.TB, c *runner.Client, text string) {
	t.Helper()
	if _, err := c.Call(runnertest.WithPatience(t), wire.Request{Op: wire.OpInput, Data: []byte(text)}); err != nil {
		t.Fatal(err)
	}
}

// scrolled returns the number of rows in the scrollback of the window.
func (w *window) scrolled() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.model.Snapshot(screen.View{First: 0, Last: -1}).History
}

// TestCopyMode looks back while the program goes on, and while the window changes its size. Afterwards the window shows the live
// picture, and keys go to the program again.
func TestCopyMode(t *testing.T) {
	for name, test := range map[string]struct {
		begin  string // what the program prints first
		first  string // what copy mode shows after a page
		window ledger.Size
		look   bool
	}{
		"lines":       {`i=0; while [ $i -lt 60 ]; do i=$((i+1)); printf '\033[32mline %s\033[m\r\n' $i; done; `, "line 20", ledger.Size{Cols: 80, Rows: 24}, false},
		"full screen": {everythingOn, "READY", ledger.Size{Cols: 80, Rows: 24}, false},
		"smaller":     {`i=0; while [ $i -lt 60 ]; do i=$((i+1)); echo "line $i"; done; `, "line 47", ledger.Size{Cols: 33, Rows: 9}, true},
	} {
		t.Run(name, func(t *testing.T) {
			state := runnertest.NewState(t)
			spec := runnertest.Shell(t, state, test.begin+`echo START; while read x; do printf '<%s>\r\n' "$x"; done`)
			spec.Name = "a"
			c := runnertest.Begin(t, spec)
			dir := runnertest.OpenState(t, state)
			w := openWindow(t, test.window, attacherRole{Dir: state, Name: "a", ReadOnly: test.look})
			w.shows("START")
			if !test.look {
				w.like(dir, "a")
			}
			was := w.scrolled()
			w.keys(copyKeysTyped)
			s := w.until("copy mode", func(s *screen.Snapshot) bool {
				return s.Modes.BracketedPaste && s.Modes.Mouse == screen.NoMouse && strings.Contains(runnertest.Text(s), test.first) && strings.Contains(runnertest.Text(s), "/")
			})
			if s.Modes.ApplicationCursor || s.Modes.Mouse != screen.NoMouse || s.Modes.Keyboard != 0 || s.Title != cmp.Or(runnertest.See(t, dir, "a").Title, ownTitle) {
				t.Errorf("copy mode shows\n%s\nmodes %+v, title %q", runnertest.Text(s), s.Modes, s.Title)
			}
			typeInto(t, c, "meanwhile\r")
			runnertest.Seen(t, dir, "a", "meanwhile", runnertest.Shows("<meanwhile>"))
			w.keys("/START\r")
			w.until("the match", func(s *screen.Snapshot) bool { return !strings.Contains(runnertest.Text(s), "<meanwhile>") })
			w.keys("q")
			if test.look {
				w.shows("<meanwhile>")
			} else {
				w.like(dir, "a")
				if got := w.scrolled(); got != was {
					t.Errorf("the window has %d rows in its scrollback, not %d", got, was)
				}
				w.keys(copyKeysTyped)
				w.shows("[")
				w.size(ledger.Size{Cols: 50, Rows: 14})
				w.until("the other size", func(s *screen.Snapshot) bool {
					return strings.HasSuffix(strings.SplitN(runnertest.Text(s), "\n", 2)[0], "]")
				})
				w.keys("gGqagain\r")
				w.shows("<again>")
				w.like(dir, "a")
			}
			w.keys("\x1c")
			w.restored("[detached")
		})
	}
}

// TestCopyModeEnds ends an attach in copy mode in all ways. The terminal is as before, and the end of the output is there.
func TestCopyModeEnds(t *testing.T) {
	for name, test := range map[string]struct {
		end  func(w *window, c *runner.Client)
		word string
	}{
		"keys":    {func(w *window, _ *runner.Client) { w.keys("\x1c") }, "[detached"},
		"search":  {func(w *window, _ *runner.Client) { w.keys("/text\x1c") }, "[detached"},
		"TERM":    {func(w *window, _ *runner.Client) { _ = w.process.Process.Signal(syscall.SIGTERM) }, "[interrupted"},
		"session": {func(w *window, c *runner.Client) { typeInto(w.t, c, "\r") }, "the end\n[ended 7]"},
		"holder": {func(w *window, c *runner.Client) {
			holder := track.Identity(c.Session.Holder)
			if err := holder.Signal(syscall.SIGKILL); err != nil {
				w.t.Error(err)
			}
			if err := proc.Await(runnertest.WithPatience(w.t), holder); err != nil {
				w.t.Error(err)
			}
		}, "its holder is gone"},
		"HUP": {func(w *window, _ *runner.Client) { _ = w.process.Process.Signal(syscall.SIGHUP) }, "[closed"},
	} {
		t.Run(name, func(t *testing.T) {
			state := runnertest.NewState(t)
			spec := runnertest.Shell(t, state, `i=0; while [ $i -lt 60 ]; do i=$((i+1)); echo "line $i"; done; echo START; read x; echo the end; exit 7`)
			spec.Name = "a"
			c := runnertest.Begin(t, spec)
			w := openWindow(t, ledger.Size{Cols: 80, Rows: 24}, attacherRole{Dir: state, Name: "a"})
			w.shows("START")
			w.keys(copyKeysTyped)
			w.shows("[22/38]")
			test.end(w, c)
			w.restored(test.word)
		})
	}
}

// TestCopyModeKeys checks that a lone ESC ends copy mode, that its keys do not reach the program, and that those that follow do.
func TestCopyModeKeys(t *testing.T) {
	state := runnertest.NewState(t)
	spec := runnertest.Shell(t, state, `stty -echo; echo START; while read x; do echo "<$x>"; done`)
	spec.Name = "a"
	runnertest.Begin(t, spec)
	w := openWindow(t, ledger.Size{Cols: 80, Rows: 24}, attacherRole{Dir: state, Name: "a", CopyKeys: "ctrl-b,["})
	w.shows("START")
	w.keys("before\x02")
	w.keys("[kkg/nothing\r")
	w.shows("not found: nothing [0/0]")
	w.keys("\x1b")
	w.until("the live picture", func(s *screen.Snapshot) bool { return !s.Modes.Alternate })
	w.keys(" after\r\x02[")
	w.shows("[0/0]")
	w.keys("\x1b[200~q\r\x1b[201~jq\x02x\r")
	w.shows("<before after>")
	w.until("the key that begins nothing", func(s *screen.Snapshot) bool { return strings.Contains(runnertest.Text(s), "x>") })
	w.keys("\x1c")
	w.restored("[detached")
}

// TestCopyModeInTmux does the same in a window of tmux: neither what the window shows nor tmux's own scrollback is changed.
func TestCopyModeInTmux(t *testing.T) {
	tmux := runnertest.Need(t, "tmux")
	socket := filepath.Join(t.TempDir(), "s")
	state := runnertest.NewState(t)
	spec := runnertest.Shell(t, state, `i=0; while [ $i -lt 60 ]; do i=$((i+1)); printf '\033[32mline %s 漢字\033[m\r\n' $i; done; echo START; while read x; do echo "<$x>"; done`)
	spec.Name = "a"
	c := runnertest.Begin(t, spec)
	dir := runnertest.OpenState(t, state)
	w := openWindow(t, ledger.Size{Cols: 80, Rows: 24}, attacherRole{Dir: state, Name: "a", Within: []string{tmux, "-S", socket, "-f", "/dev/null", "new-session"}})
	ask := func(args ...string) string {
		out, err := exec.CommandContext(runnertest.WithPatience(t), tmux, append([]string{"-S", socket}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("tmux %v: %v: %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	w.shows("START")
	ask("set", "-g", "status", "off")
	same := func(s *screen.Snapshot) bool {
		return runnertest.Text(s) == runnertest.Text(runnertest.See(t, dir, "a"))
	}
	w.until("the session in the whole window", same)
	was := ask("display", "-p", "#{history_size} #{pane_title}")
	w.keys(copyKeysTyped)
	s := w.shows("[22/38]")
	if text := runnertest.Text(s); !strings.HasPrefix(text, "line 17 漢字 ") {
		t.Errorf("copy mode shows\n%s", text)
	}
	w.keys("?line 2 \r")
	w.shows("[37/38]")
	typeInto(t, c, "meanwhile\r")
	runnertest.Seen(t, dir, "a", "meanwhile", runnertest.Shows("<meanwhile>"))
	w.keys("q")
	w.shows("<meanwhile>")
	w.until("the session again", same)
	if is := ask("display", "-p", "#{history_size} #{pane_title}"); is != was {
		t.Errorf("tmux has %s, not %s", is, was)
	}
	w.keys("\x1c")
	w.wait()
}
