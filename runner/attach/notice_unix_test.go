//go:build unix

package attach

import (
	"strings"
	"testing"
	"time"

	"devtools/ledger"
	"devtools/runner"
	"devtools/runner/runnertest"
	"devtools/runner/wire"
	"devtools/screen"
)

// askIn asks a person in the session a for something. The channel gets what has ended the request.
func askIn(t testing.TB, dir ledger.Dir, message string) <-chan string {
	t.Helper()
	asker, err := Reach(dir, "a")
	if err != nil {
		t.Fatal(err)
	}
	ctx := runnertest.WithPatience(t)
	answered := make(chan string, 1)
	go func() {
		defer asker.Close()
		by, err := asker.Ask(ctx, message, nil)
		if err != nil {
			by = err.Error()
		}
		answered <- by
	}()
	return answered
}

// TestNoticeAsked checks that an attached person sees at once, and whole, what somebody asks for. The program goes on and gets the
// keys. Who detaches then has done it; who only watches has not.
func TestNoticeAsked(t *testing.T) {
	state := runnertest.NewState(t)
	spec := runnertest.Shell(t, state, `stty -echo; echo START; while read x; do echo "<$x>"; done`)
	spec.Name = "a"
	runnertest.Begin(t, spec)
	dir := runnertest.OpenState(t, state)
	w := openWindow(t, ledger.Size{Cols: 40, Rows: 12}, attacherRole{Dir: state, Name: "a"})
	watching := openWindow(t, ledger.Size{Cols: 40, Rows: 12}, attacherRole{Dir: state, Name: "a", ReadOnly: true})
	w.shows("START")
	watching.shows("START")
	message := strings.TrimSpace(strings.Repeat("word ", 30)) + " the end\nof it"
	answered := askIn(t, dir, message)
	want := "asked: " + strings.TrimSpace(strings.Repeat("word ", 6)) + "\n" + strings.Repeat("word word word word word word word word\n", 3) + "the end\nof it"
	for _, w := range []*window{w, watching} {
		s := w.shows(want)
		if text := runnertest.Text(s); !strings.HasPrefix(text, "START") {
			t.Errorf("the picture is\n%s", text)
		}
	}
	w.keys("typed\r")
	s := w.shows("<typed>")
	if s.Cursor.Row != 2 || !s.Cursor.Visible {
		t.Errorf("the cursor is %+v", s.Cursor)
	}
	w.keys(copyKeysTyped)
	s = w.shows("/6]")
	if !strings.Contains(runnertest.Text(s), "of it") {
		t.Errorf("copy mode covers the notice:\n%s", runnertest.Text(s))
	}
	w.keys("q")
	w.until("the program", func(s *screen.Snapshot) bool { return !strings.Contains(runnertest.Text(s), "/6]") })
	watching.keys("\x1c")
	watching.restored("[detached")
	select {
	case by := <-answered:
		t.Errorf("a person who only watches has answered: %s", by)
	default:
	}
	w.keys("\x1c")
	w.restored("<typed>\n[detached")
	if by := <-answered; by != runner.ByAttach {
		t.Errorf("the request was ended by %s", by)
	}
}

// TestNoticeAskedBefore checks that a person who attaches where somebody asks for something sees the session at once, with the
// request below it. Each key is for the program, also the first one.
func TestNoticeAskedBefore(t *testing.T) {
	state := runnertest.NewState(t)
	spec := runnertest.Shell(t, state, `stty -echo; echo START; read x; echo "<$x>"; sleep 1000`)
	spec.Name = "a"
	c := runnertest.Begin(t, spec)
	dir := runnertest.OpenState(t, state)
	message := strings.Repeat("word ", 200) // ten seconds to read
	answered := askIn(t, dir, message)
	if _, err := c.Call(runnertest.WithPatience(t), wire.Request{Op: wire.OpAsked}); err != nil {
		t.Fatal(err)
	}
	w := newWindow(t, ledger.Size{Cols: 80, Rows: 24}, attacherRole{Dir: state, Name: "a"})
	w.keys("fromask")
	go w.read()
	begin := time.Now()
	w.until("the session and the request", func(s *screen.Snapshot) bool {
		return runnertest.Shows("asked: word")(s) && runnertest.Shows("START")(s)
	})
	if took := time.Since(begin); took > readingTime(message)/2 {
		t.Errorf("the session is shown after %v", took)
	}
	w.keys("\r")
	w.shows("<fromask>")
	w.keys("\x1c")
	w.restored("[detached")
	if by := <-answered; by != runner.ByAttach {
		t.Errorf("the request was ended by %s", by)
	}
}

// TestNoticeReadOnly checks that a person who only watches is told once that keys have no effect, and that the notice goes away.
func TestNoticeReadOnly(t *testing.T) {
	state := runnertest.NewState(t)
	spec := runnertest.Shell(t, state, `echo START; read x; echo "<$x>"; sleep 1000`)
	spec.Name = "a"
	c := runnertest.Begin(t, spec)
	dir := runnertest.OpenState(t, state)
	size := ledger.Size{Cols: 80, Rows: 24}
	w := openWindow(t, size, attacherRole{Dir: state, Name: "a", ReadOnly: true})
	w.shows("START")
	w.keys("\x1b[I") // the window has got the focus: no key
	w.keys("x")
	const told = `read-only: keys have no effect, except ctrl-\ to detach and alt-pageup to`
	w.shows(told)
	w.keys("y")
	w.until("the end of the notice", func(s *screen.Snapshot) bool { return !strings.Contains(runnertest.Text(s), "read-only") })
	w.like(dir, "a")
	w.keys("z")
	typeInto(t, c, "else\r")
	w.shows("<else>")
	w.keys("\x1c")
	w.restored("[detached")
	if n := strings.Count(w.raw.String(), "read-only:"); n != 1 {
		t.Errorf("it is told %d times", n)
	}
}

// The rows of a notice fit the window, and leave a row for the picture.
func TestNoticeLines(t *testing.T) {
	n := notice{text: strings.Repeat("x", 100)}
	for size, want := range map[ledger.Size]int{{Cols: 80, Rows: 24}: 2, {Cols: 10, Rows: 24}: 10, {Cols: 10, Rows: 5}: 4, {Cols: 10, Rows: 1}: 0} {
		lines := n.lines(size)
		if len(lines) != want {
			t.Errorf("%v: %d rows, want %d", size, len(lines), want)
		}
		if cut := want > 0 && strings.HasPrefix(lines[len(lines)-1], "…"); cut != (want == 4) {
			t.Errorf("%v: %q", size, lines)
		}
	}
}

// TestNoticeIsSafe checks that a notice shows what would change how it reads as escapes, and keeps its lines.
func TestNoticeIsSafe(t *testing.T) {
	var n notice
	n.add("asked: \u202eexe\x1b[2J\nsecond")
	got := strings.Join(n.lines(ledger.Size{Cols: 80, Rows: 24}), "|")
	if want := `asked: \u202eexe\u001b[2J|second`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
