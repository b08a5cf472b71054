package hold

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"devtools/ledger"
	"devtools/ledger/transcript"
	"devtools/runner/wire"
)

// newShell returns a shell part that is integrated with bash, and the number of times that its prompt was told to have
// changed.
func newShell(t *testing.T) (s *shell, changed *int) {
	t.Helper()
	changed = new(int)
	s = &shell{
		core: newCore(t), display: &display{}, integration: &integration{kind: wire.ShellBash, aid: "secret", folder: t.TempDir()},
		inputIdle: func() bool { return true }, promptChanged: func() { *changed++ },
		typeKeys: func(keystrokes) error { return nil }, logEvent: func(ledger.Event) {},
	}
	s.session.Command = []string{"bash"}
	if err := s.makeHanded(&s.spec); err != nil {
		t.Fatal(err)
	}
	s.marks.aid, s.prompt.coming = s.aid, true
	return s, changed
}

// see lets the shell print a mark.
func (s *shell) see(mark string) {
	data := []byte("\x1b]133;" + mark + ";aid=secret\a")
	at := s.log.Next()
	s.log.Append(data, transcript.Output, 0)
	s.scan(data, at)
}

// begins makes a command the current one, as if it had been handed to the shell.
func (s *shell) begins(l *link, id int) *shellRun {
	run := &shellRun{call: shellCall{link: l, request: &wire.Request{ID: 1}}, id: id, handedBy: time.Now().Add(handPatience)}
	s.current, s.runs = run, append(s.runs, run)
	return run
}

// The marks of the shell say whether it reads a line.
func TestPromptStates(t *testing.T) {
	s, changed := newShell(t)
	for i, step := range []struct {
		mark string
		want promptState
	}{
		{"A", promptState{coming: true}},
		{"B", promptState{seen: true, ready: true}},
		{"C", promptState{seen: true}},
		{"D;0", promptState{seen: true, coming: true, early: true}},
		{"A", promptState{seen: true, coming: true, early: true}},
		{"B", promptState{seen: true, ready: true}},
		{"P", promptState{seen: true, ready: true, more: true}},
		{"C", promptState{seen: true}},
	} {
		if s.see(step.mark); s.prompt != step.want {
			t.Errorf("step %d, %s: %+v, want %+v", i, step.mark, s.prompt, step.want)
		}
	}
	if *changed != 8 {
		t.Errorf("told of %d changes", *changed)
	}
}

// A line that is typed before the prompt stands at the prompt. One that was typed before the command ended does not.
func TestPromptTyped(t *testing.T) {
	s, _ := newShell(t)
	s.see("B")
	s.noteTyped([]byte("make"))
	if !s.prompt.typed {
		t.Error("typed at the prompt")
	}
	s.see("C")
	s.noteTyped([]byte("for make"))
	if s.see("D;0"); s.prompt.typed {
		t.Error("typed for the command that has ended")
	}
	s.noteTyped([]byte("next"))
	if s.see("B"); !s.prompt.typed {
		t.Error("typed ahead of the prompt")
	}
}

// The end of a command is logged once, also of one that was typed where the shell tells its line and the terminal has shown it; but not in a
// session without a record.
func TestShellLogsCommands(t *testing.T) {
	s, _ := newShell(t)
	var logged []string
	s.logEvent = func(e ledger.Event) { logged = append(logged, fmt.Sprintf("%s %s %d", e.By, e.Cmd, *e.ExitCode)) }
	s.begins(newClient(), 7).call.request.Data = []byte("make")
	for _, mark := range []string{
		"C;aid=secret;r=7", "D;3;aid=secret;r=7;p=3", "A;aid=secret", "B;aid=secret\aecho 'a;b' \\n\r\n> ls\r\n",
		"C;aid=secret;r=;c=echo 'a;b' \\\\n\\nls", "D;1;aid=secret;r=;p=1", "A;aid=secret;s=1", "B;aid=secret",
		"C;aid=secret;r=", "D;0;aid=secret;r=;p=0", "A;aid=secret", "B;aid=secret\aa secret\r\n",
		"C;aid=secret;r=;c=hidden secret", "D;0;aid=secret;r=;p=0", "A;aid=secret", "B;aid=secret\aforged\r\n",
		"C;aid=other;r=;c=forged", "D;0;aid=secret;r=;p=0",
	} {
		s.print(mark)
	}
	if want := []string{"run --in make 3", "typed echo 'a;b' \\n\nls 1"}; !slices.Equal(logged, want) {
		t.Errorf("%q, want %q", logged, want)
	}
	s.spec.NoRecord, logged = true, nil
	s.scan([]byte("\x1b]133;C;aid=secret;r=;c=secret\a\x1b]133;D;0;aid=secret;r=\a"), s.log.Next())
	if len(logged) > 0 {
		t.Errorf("%q without a record", logged)
	}
}

// A line that was typed in bash is told if it alone has come into the history since the prompt, and is still the newest entry, or if it
// repeats that entry, as the terminal has shown.
func TestShellLogsHistory(t *testing.T) {
	const at, prompt = "1795847930", "B;aid=secret;h=7"
	same, begin, end := "C;aid=secret;r=;h=7;t="+at, "C;aid=secret;r=;h=8;t="+at, "D;1;aid=secret;r=;p=1;n=1"
	entry := "    7  " + at + " false\n1\x00"
	for name, test := range map[string]struct {
		written string
		marks   []string
		want    string
	}{
		"a line":               {entry, []string{prompt, begin, end}, "false 1"},
		"a changed entry":      {"    7* " + at + " false\n1\x00", []string{prompt, begin, end}, "false 1"},
		"several lines":        {"    7  " + at + " false\nfalse\n1\x00", []string{prompt, begin, end}, "false\nfalse 1"},
		"pasted":               {"    8  " + at + " false\n1\x00", []string{prompt, begin, "C;aid=secret;r=;h=9;t=" + at, end}, ""},
		"pasted, not added":    {entry, []string{prompt, begin, begin, end}, ""},
		"not added":            {"    6  " + at + " old\n1\x00", []string{prompt, same, end}, ""},
		"the same again":       {"    6  1795847000 false\n1\x00", []string{prompt + "\afalse\r\n\x1b[?2004l\r", same, end}, "false 1"},
		"again, without 2004":  {"    6  1795847000 false\n1\x00", []string{prompt + "\afalse\r\n", same, end}, "false 1"},
		"again, with a blank":  {"    6  1795847000 false\n1\x00", []string{prompt + "\a false\r\n\x1b[?2004l\r", same, end}, ""},
		"again, and corrected": {"    6  1795847000 false\n1\x00", []string{prompt + "\afalsx\b\x1b[Ke\r\n\x1b[?2004l\r", same, end}, ""},
		"again, pasted":        {"    6  1795847000 false\n1\x00", []string{prompt + "\afalse\r\n\x1b[?2004l\r", same, same, end}, ""},
		"again, not the last":  {"    5  1795847000 false\n1\x00", []string{prompt + "\afalse\r\n\x1b[?2004l\r", same, end}, ""},
		"again, not shown":     {"    6  1795847000 false\n1\x00", []string{prompt + "\a\r\n", same, end}, ""},
		"two added":            {"    8  " + at + " false\n1\x00", []string{prompt, "C;aid=secret;r=;h=9;t=" + at, end}, ""},
		"added by the command": {"    8  " + at + " false\n1\x00", []string{prompt, begin, end}, ""},
		"an older entry":       {"    7  1795847000 false\n1\x00", []string{prompt, begin, end}, ""},
		"typed slowly":         {"    7  1795847000 for\n1\x00", []string{prompt, "P;k=s;aid=secret;t=1795847000", "P;k=s;aid=secret;t=1795847100", begin, end}, "for 1"},
		"hidden":               {entry, []string{prompt + "\a\r\n", begin, end}, ""},
		"a part is hidden":     {entry, []string{prompt + "\afals\r\n", begin, end}, ""},
		"shown and corrected":  {entry, []string{prompt + "\afalse\b \x1b[De\r\n", begin, end}, "false 1"},
		"no time":              {"    7  ??false\n1\x00", []string{prompt, begin, end}, ""},
		"nothing written":      {"", []string{prompt, begin, end}, ""},
		"of another end":       {entry, []string{prompt, begin, "D;1;aid=secret;r=;p=1;n=2"}, ""},
		"ahead of the marks":   {entry + "    8  " + at + " true\n2\x00", []string{prompt, begin, end}, "false 1"},
		"no prompt":            {entry, []string{begin, end}, ""},
		"run --in":             {entry, []string{prompt, "C;aid=secret;r=3;h=8;t=" + at, end}, ""},
		"a blank":              {"    7  " + at + "  false\n1\x00", []string{prompt, begin, end}, ""},
		"a control character":  {"    7  " + at + " f\a\n1\x00", []string{prompt, begin, end}, ""},
		"900":                  {"    7  " + at + " " + strings.Repeat("é", 900) + "\n1\x00", []string{prompt, begin, end}, strings.Repeat("é", 900) + " 1"},
		"901":                  {"    7  " + at + " " + strings.Repeat("é", 901) + "\n1\x00", []string{prompt, begin, end}, ""},
		"very long":            {"    7  " + at + " " + strings.Repeat("x", 1<<20) + "\n1\x00" + entry, []string{prompt, begin, end}, "false 1"},
	} {
		s, _ := newShell(t)
		s.history = new(historyPipe)
		s.history.add([]byte(test.written))
		var logged string
		s.logEvent = func(e ledger.Event) { logged += fmt.Sprintf("%s %d", e.Cmd, *e.ExitCode) }
		for _, mark := range append(test.marks, "A;aid=secret;s=1") {
			if mark == prompt {
				mark += "\a" + strings.ReplaceAll(strings.TrimSuffix(test.want, " 1"), "\n", "\r\n> ") + "\r\n"
			}
			s.print(mark)
		}
		if logged != test.want {
			t.Errorf("%s: %.50q, want %.50q", name, logged, test.want)
		}
	}
}

// print prints a mark, and what follows it behind BEL.
func (s *shell) print(mark string) {
	mark, text, _ := strings.Cut(mark, "\a")
	output, at := []byte("\x1b]133;"+mark+"\a"+text), s.log.Next()
	s.log.Append(output, transcript.Output, 0)
	s.scan(output, at)
}

// A command gets its result from the marks of its end.
func TestShellRunMarks(t *testing.T) {
	s, _ := newShell(t)
	l, follower := newClient(), newClient()
	run := s.begins(l, 7)
	s.see("C;r=6")
	if run.begun {
		t.Fatal("the mark of another command begins it")
	}
	s.see("C;r=7")
	sameIDs(t, "begun", l.answered(), 1)
	begin := s.log.Next()
	s.serve(follower, &wire.Request{ID: 2, Op: wire.OpShellFollow, Run: 7, Offset: begin})
	s.log.Append([]byte("out"), transcript.Output, 0)
	if at := s.deadline(); at.IsZero() {
		t.Error("no deadline for new output")
	}
	s.tick(run.began.Add(tellInterval))
	if got := follower.answered(); len(got) != 1 || got[0].Next != begin+3 {
		t.Errorf("%+v", got)
	}
	s.serve(follower, &wire.Request{ID: 3, Op: wire.OpShellFollow, Run: 7, Offset: begin + 3})
	s.see("D;3;r=7;p=3")
	got := follower.answered()
	if len(got) != 1 || !got[0].Closed || got[0].Shell == nil || got[0].Shell.ExitCode != 3 || got[0].Next != begin+3 {
		t.Fatalf("%+v", got)
	}
	if s.unreported() != nil {
		t.Error("the result counts as unreported")
	}
}

// A command that the shell does not begin in time is given up.
func TestShellRunNotTaken(t *testing.T) {
	s, _ := newShell(t)
	l := newClient()
	run := s.begins(l, 1)
	if at := s.deadline(); !at.Equal(run.handedBy) {
		t.Errorf("deadline %v, want %v", at, run.handedBy)
	}
	s.tick(run.handedBy)
	got := l.answered()
	if len(got) != 1 || got[0].Error == nil || !errors.Is(got[0].Error.Err(), wire.ErrBusy) || !run.givenUp.Load() {
		t.Errorf("%+v", got)
	}
	if s.current != nil || !s.deadline().IsZero() {
		t.Error("it is still there")
	}
}

// A command that its client gives up, or whose client is gone, is not handed to the shell later.
func TestShellWithdraw(t *testing.T) {
	for _, gone := range []bool{false, true} {
		s, _ := newShell(t)
		l, other := newClient(), newClient()
		run := s.begins(l, 1)
		run.repl = &replRun{} // a shell would be asked whether it has read the keys
		if late := time.Now().Add(time.Hour); gone {
			s.queue = []shellCall{{link: other, request: &wire.Request{ID: 4}, until: late}, {link: l, request: &wire.Request{ID: 5}, until: late}}
			l.gone = true
			s.dropped(l)
			if len(s.queue) != 1 || s.queue[0].link != other {
				t.Errorf("%d wait", len(s.queue))
			}
		} else {
			s.serve(l, &wire.Request{ID: 6, Op: wire.OpShellWithdraw})
			sameIDs(t, "withdrawn", l.answered(), 1, 6)
		}
		if s.current != nil || run.awaited() {
			t.Errorf("gone %v: it was not given up", gone)
		}
	}
}

// A command whose keys are typed may begin. Its client hears what becomes of it.
func TestShellWithdrawsNothingEntered(t *testing.T) {
	s, _ := newShell(t)
	l := newClient()
	run := s.begins(l, 1)
	run.repl = &replRun{entered: true}
	s.withdraw(l)
	if s.current != run || !run.awaited() {
		t.Error("it was given up")
	}
	if l.left.Store(true); run.awaited() {
		t.Error("its client is gone")
	}
}

// The end of the shell ends its command, and refuses the commands that wait.
func TestShellGone(t *testing.T) {
	s, _ := newShell(t)
	l, waits, follower := newClient(), newClient(), newClient()
	run := s.begins(l, 1)
	s.see("C;r=1")
	s.queue = []shellCall{{link: waits, request: &wire.Request{ID: 5}, until: time.Now().Add(time.Hour)}}
	s.serve(follower, &wire.Request{ID: 6, Op: wire.OpShellFollow, Run: 1, Offset: s.log.Next()})
	code := 9
	s.session.ExitCode = &code
	s.ended.Store(true)
	s.gone()
	if got := follower.answered(); len(got) != 1 || !got[0].Closed || !got[0].Shell.Ended || got[0].Shell.ExitCode != 9 {
		t.Errorf("the command: %+v", got)
	}
	if got := waits.answered(); len(got) != 1 || got[0].Error == nil || !errors.Is(got[0].Error.Err(), wire.ErrEnded) {
		t.Errorf("the command that waits: %+v", got)
	}
	if !run.done {
		t.Error("it is not done")
	}
}

// Without an integrated shell every request is refused, and nothing is due.
func TestShellNotIntegrated(t *testing.T) {
	s := &shell{core: newCore(t)}
	s.session.Command = []string{"sleep", "1"}
	l := newClient()
	s.serve(l, &wire.Request{ID: 1, Op: wire.OpShell})
	got := l.answered()
	if len(got) != 1 || got[0].Error == nil || !errors.Is(got[0].Error.Err(), wire.ErrNoShell) {
		t.Errorf("%+v", got)
	}
	s.scan([]byte("\x1b]133;B;aid=\a"), 0)
	s.tick(time.Now())
	if known, at := s.atPrompt(); known || at || !s.deadline().IsZero() || s.prompt != (promptState{}) {
		t.Error("it knows a prompt")
	}
}

// Only so many requests wait for one shell.
func TestShellBounds(t *testing.T) {
	s, _ := newShell(t)
	s.queue = make([]shellCall, maxShellCalls)
	l := newClient()
	s.serve(l, &wire.Request{ID: 1, Op: wire.OpShell})
	if got := l.answered(); len(got) != 1 || got[0].Error == nil {
		t.Errorf("%+v", got)
	}
	if len(s.queue) != maxShellCalls {
		t.Errorf("%d wait", len(s.queue))
	}
}

// at checks that the next deadline of the shell is at, does what is due then, and checks that the deadline has passed: the
// loop would spin otherwise.
func (s *shell) at(t *testing.T, what string, at time.Time) {
	t.Helper()
	if got := s.deadline(); !got.Equal(at) {
		t.Errorf("%s: the deadline is %v later than wanted", what, got.Sub(at))
	}
	s.tick(at)
	if next := s.deadline(); !next.IsZero() && !next.After(at) {
		t.Errorf("%s: the next deadline is %v before this one", what, at.Sub(next))
	}
}

// A command that waits for a prompt is refused when its patience is over. Before that, a prompt that was not printed is
// looked for again and again.
func TestShellPatience(t *testing.T) {
	s, _ := newShell(t)
	idle := false
	s.inputIdle = func() bool { return idle }
	s.session.Command = []string{"bash"}
	s.prompt = promptState{seen: true, more: true} // no prompt is coming: the command waits for the input of others
	l := newClient()
	s.serve(l, &wire.Request{ID: 1, Op: wire.OpShell})
	patient := s.queue[0].until
	first := s.unseen
	s.at(t, "the first look for a prompt", first)
	s.at(t, "the second look", first.Add(unseenPrompt))
	if len(l.answered()) > 0 {
		t.Error("it is refused early")
	}
	s.unseen = time.Time{}
	s.queue[0].until = time.Now() // the shell asks the clock itself
	s.at(t, "the patience", s.queue[0].until)
	if got := l.answered(); len(got) != 1 || got[0].Error == nil || patient.Sub(first) != promptPatience-unseenPrompt {
		t.Errorf("%+v", got)
	}
	if s.serve(l, &wire.Request{ID: 2, Op: wire.OpShell}); s.unseen.IsZero() || len(s.queue) != 1 {
		t.Error("a later command has no look for the prompt")
	}
}

// The first prompt may take as long as the client says. Each later one is there soon.
func TestShellFirstPrompt(t *testing.T) {
	s, _ := newShell(t)
	for _, seen := range []bool{false, true} {
		s.prompt, s.queue = promptState{seen: seen, coming: true}, nil
		begin := time.Now()
		s.serve(newClient(), &wire.Request{ID: 1, Op: wire.OpShell, FirstMs: time.Hour.Milliseconds()})
		if patience := s.queue[0].until.Sub(begin); (patience >= time.Hour) == seen {
			t.Errorf("seen %v: it waits for %v", seen, patience)
		}
	}
}

// fish says where the output of a command begins. If it does not in time, the output begins at the mark.
func TestShellLead(t *testing.T) {
	s, _ := newShell(t)
	s.kind = wire.ShellFish
	l := newClient()
	run := s.begins(l, 1)
	s.see("C;r=1")
	sameIDs(t, "before the lead is known", l.answered())
	s.at(t, "the lead", run.began.Add(leadPatience))
	sameIDs(t, "after its time", l.answered(), 1)
	if run.result.Offset != s.log.Next() || !s.deadline().IsZero() {
		t.Errorf("the output begins at %d", run.result.Offset)
	}
}

// While a command runs in bash, the holder looks whether the command has removed the hooks: less and less often.
func TestShellHooks(t *testing.T) {
	s, _ := newShell(t)
	run := s.begins(newClient(), 1)
	s.see("C;r=1")
	if at := s.deadline(); !at.Equal(run.began.Add(lostCheck)) {
		t.Errorf("the first look is after %v", at.Sub(run.began))
	}
	s.ended.Store(true) // so that nothing asks the terminal
	if at := s.deadline(); !at.IsZero() {
		t.Error("a look after the end")
	}
	s.ended.Store(false)
	if s.see("D;0;r=1"); !s.deadline().IsZero() {
		t.Error("a look after the command")
	}
}

// A command that the shell sends back waits for the next prompt, once.
func TestShellAgain(t *testing.T) {
	s, _ := newShell(t)
	s.inputIdle = func() bool { return false }
	s.prompt = promptState{seen: true, ready: true}
	l := newClient()
	s.begins(l, 1).call.until = time.Now().Add(time.Hour)
	s.see("X;r=1;e=again")
	if want := (promptState{seen: true, coming: true}); s.current != nil || len(s.queue) != 1 || s.prompt != want || len(l.answered()) > 0 {
		t.Fatalf("%d wait, %+v", len(s.queue), s.prompt)
	}
	run := s.begins(l, 2)
	run.call, s.queue = s.queue[0], nil
	s.see("X;r=2;e=again")
	if got := l.answered(); len(got) != 1 || got[0].Error == nil {
		t.Errorf("sent back twice: %+v", got)
	}
}
