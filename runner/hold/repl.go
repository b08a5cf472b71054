package hold

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"devtools/runner/proc"
	"devtools/runner/prompt"
	"devtools/runner/wire"
)

const (
	// replPatience is how long a command waits for the REPL to show its prompt. What is known of some programs takes 1.6 s
	// without output.
	replPatience = 2500 * time.Millisecond

	// maxReplText is how many bytes a command for a REPL may have.
	maxReplText = 32 << 10
)

// The keys that begin and end a paste where a program has asked for that (mode 2004), and Enter.
const (
	pasteBegins = "\x1b[200~"
	pasteEnds   = "\x1b[201~"
	enterKey    = "\r"
)

// The repl part runs commands in a REPL: a program that is no integrated shell, and waits at a prompt for lines. Nothing
// marks where a command ends. It is over when the program waits at its prompt again. The commands are those of the shell
// part, which tells the clients of their output and end.
type repl struct {
	*core
	shell   *shell
	probing *probing

	prompt replPrompt // the last prompt at which a command was typed; zero: none yet
}

// A replRun is what the repl part knows of a command.
type replRun struct {
	prompt replPrompt // where it was typed
	lines  []string   // lines that are still to be typed
	raw    bool       // the REPL has a line editor
	paste  bool       // the line editor takes several lines at once

	row      int       // row, counted from the start of the session, at whose prompt the last line was typed
	entered  bool      // the last Enter is typed
	enterAt  int64     // end of the output before that Enter
	beginBy  time.Time // when the command counts as running, if its REPL has not asked for more
	finished bool      // the keys that end a command of several lines are typed
	dropped  bool      // the keys that drop an unfinished command are typed
	stuck    bool      // the program takes more of a command that cannot be dropped
}

// serve answers the request to run a command.
func (p *repl) serve(l *link, req *wire.Request) {
	switch {
	case p.program.Tty == nil || !req.REPL: // an older client would report an exit code
		l.refuse(req, p.shell.noShell())
		return
	case p.exited():
		l.refuse(req, p.named(wire.ErrEnded))
		return
	}
	asked, before := time.Now(), p.running()
	if before != nil && !before.repl.entered {
		l.refuse(req, p.otherRun())
		return
	}
	p.probing.ask(&asker{
		link: l, until: asked.Add(replPatience),
		heard: func(s probeResult, last bool) bool {
			if !last && !s.waits() && !p.stillRuns(before, s, asked) {
				return false
			}
			if err := p.start(shellCall{link: l, request: req}, s); err != nil {
				l.refuse(req, err)
			}
			return true
		},
		ended: func(error) { l.refuse(req, p.named(wire.ErrEnded)) },
	})
}

// stillRuns reports whether a probe result shows that the command before, which ran when another one was asked for, goes on.
// The prompt may be back already: that is known a moment later.
func (p *repl) stillRuns(before *shellRun, s probeResult, asked time.Time) bool {
	switch run := p.running(); {
	case run == nil:
		return false
	case run != before || !run.repl.entered: // another one was first, or the next line is typed
		return true
	case !s.settled() && !s.stays(asked.Add(replPatience)):
		return false
	}
	return s.quiet >= takeTime || s.at.Sub(asked) >= takeTime // otherwise it may be about to print its prompt
}

// start types the first line of a command, if the REPL is at its prompt.
func (p *repl) start(call shellCall, s probeResult) error {
	at, err := p.promptOf(s)
	if err != nil {
		return err
	}
	known, _ := prompt.FindInterpreter(at.program, at.line)
	r := &replRun{prompt: at, raw: !s.waiting.Canonical}
	r.paste = r.raw && s.picture.Snapshot.Modes.BracketedPaste && (known == nil || !known.Split)
	if r.lines, err = r.split(string(call.request.Data)); err != nil {
		return p.named(err)
	}
	r.row = rowOf(s)
	sh := p.shell
	sh.lastRun++
	run := &shellRun{call: call, id: sh.lastRun, repl: r, handedBy: handedBy(call)}
	typed := s.typed
	if err := p.typeLine(run, func() bool {
		return run.awaited() && p.typed.Load() == typed && p.printedAt.Load() == s.printed
	}); err != nil {
		return err
	}
	p.prompt = at
	p.probing.prompt.Store(&at)
	sh.remember(run)
	return nil
}

// promptOf returns where the program waits for a command.
func (p *repl) promptOf(s probeResult) (at replPrompt, err error) {
	first := p.prompt == replPrompt{}
	switch {
	case p.stoppedText() != "":
		return at, p.busy("%s", p.stoppedText())
	case p.running() != nil:
		return at, p.otherRun()
	case !s.waits() && first:
		return at, p.shell.noShell()
	case !s.waits():
		return at, p.busy("%s", p.atWork())
	}
	at = promptIn(s)
	known, more := prompt.FindInterpreter(at.program, at.line)
	switch {
	case proc.IsShell(at.program): // its commands have exit codes, which a REPL cannot tell
		return at, p.shell.noShell()
	case known != nil && more:
		return at, p.named(fmt.Errorf("%w: %w", wire.ErrBusy, wire.ErrHalfTyped))
	case atREPL(s) && (known != nil || first || p.prompt.after(at.line) == prompt.PromptIsBack):
		return at, nil
	case prompt.HalfTyped(at.program, at.line), !first && strings.HasPrefix(at.line, p.prompt.line):
		return at, p.named(fmt.Errorf("%w: %w", wire.ErrBusy, wire.ErrHalfTyped))
	case first:
		return at, p.shell.noShell()
	}
	return at, p.busy("it waits for input: %q", at.line)
}

// A replPrompt is a program that reads the terminal, and the line of the cursor there.
type replPrompt struct{ program, line string }

// promptIn returns which program waits, and at which line.
func promptIn(s probeResult) replPrompt {
	return replPrompt{s.verdict.Comm, prompt.CursorLine(s.picture.Snapshot)}
}

// after tells what the line of the cursor means for a command that was typed at the prompt.
func (a replPrompt) after(line string) prompt.Return { return prompt.After(a.program, a.line, line) }

// busy returns the error for a program that takes no command now.
func (p *repl) busy(format string, args ...any) error {
	return p.named(fmt.Errorf("%w: %s", wire.ErrBusy, fmt.Sprintf(format, args...)))
}

// otherRun returns the error for a program in which a command of another client runs.
func (p *repl) otherRun() error { return p.busy("another run --in runs a command there") }

// atREPL reports whether a program that waits for input does so at the prompt of a REPL, for a new command.
func atREPL(s probeResult) bool {
	at := promptIn(s)
	known, more := prompt.FindInterpreter(at.program, at.line)
	return known != nil && !more || known == nil && s.waiting.Kind == string(prompt.REPL) && prompt.UnknownREPL(at.line)
}

// atWork describes what runs in front.
func (p *repl) atWork() string {
	if p.shellInFront() {
		return "its program is at work"
	}
	return p.front()
}

// split returns the lines of a command as they are typed, each before an Enter.
func (r *replRun) split(text string) (lines []string, err error) {
	text = strings.TrimRight(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	control := func(c rune) bool { return c < ' ' && c != '\n' && c != '\t' || c == 0x7f }
	several := strings.Contains(text, "\n")
	switch {
	case len(text) > maxReplText:
		return nil, fmt.Errorf("the command has %d bytes, and a REPL gets at most %d: write it into a file", len(text), maxReplText)
	case strings.ContainsFunc(text, control):
		return nil, errors.New("the command has control characters, which are keys for a REPL")
	case r.paste && (several || strings.Contains(text, "\t")):
		return []string{pasteBegins + text + pasteEnds}, nil
	case r.raw && strings.Contains(text, "\t"):
		return nil, errors.New("the command has a tab, which is a key for its REPL: use blanks")
	}
	lines = strings.Split(text, "\n")
	for _, line := range lines {
		if !r.raw && len(line) >= queueBytes {
			return nil, fmt.Errorf("a line of the command has %d bytes, and its REPL takes at most %d: write it into a file", len(line), queueBytes-1)
		}
	}
	return lines, nil
}

// typeLine types the next line of a command. still says whether that is still right when it is typed.
func (p *repl) typeLine(run *shellRun, still func() bool) error {
	r := run.repl
	text := r.lines[0]
	r.lines = r.lines[1:]
	if text == "" {
		return p.typeEnter(run, enterKey, still)
	}
	printed := p.printedAt.Load()
	return p.shell.typeKeys(keystrokes{
		data: []byte(text), still: still, by: wire.ByRunIn,
		wrote:  func() { go p.awaitEcho(run, printed) },
		failed: func(err error) { p.fail(run, err) },
	})
}

// awaitEcho waits until a line is on the screen and the REPL reads again. Then the Enter follows, so that the output after it
// is without the line. printed is when the last output before came. It runs in a goroutine of its own.
func (p *repl) awaitEcho(run *shellRun, printed int64) {
	tty := p.program.Tty
	watch := watchTerminal(tty)
	defer watch.Close()
	taken := await(takePatience, func() bool {
		n, err := tty.Unread()
		_, reads := watch.Blocked()
		return err != nil || n == 0 && reads && p.caughtUp() && p.printedAt.Load() != printed
	})
	p.done <- func() {
		err := errors.New("its REPL has not taken the line, which stays typed")
		if taken {
			begun := run.begun
			err = p.typeEnter(run, enterKey, func() bool { return begun && !run.givenUp.Load() || run.awaited() })
		}
		if err != nil {
			p.fail(run, p.named(err))
		}
	}
}

// typeEnter types the end of a line, or other keys that the REPL takes at once. The output begins before them.
func (p *repl) typeEnter(run *shellRun, keys string, still func() bool) error {
	r := run.repl
	r.entered, r.enterAt = false, p.log.Next()
	return p.shell.typeKeys(keystrokes{
		data: []byte(keys), still: still, by: wire.ByRunIn,
		wrote:  func() { p.lineEntered(run) },
		failed: func(err error) { p.fail(run, err) },
	})
}

// fail gives up a command of which a line could not be typed.
func (p *repl) fail(run *shellRun, err error) {
	if run.begun { // it waits for more, or its prompt comes back
		p.note(err)
		run.repl.lines = nil
		p.lineEntered(run)
		return
	}
	p.shell.rejectRun(run, err)
}

// beginTime is how long a REPL may take to ask for the rest of a command. After that the command counts as running.
const beginTime = time.Second

// lineEntered notes that a line is typed with its Enter.
func (p *repl) lineEntered(run *shellRun) {
	r := run.repl
	r.entered, run.handedBy = true, time.Time{}
	if run.began.IsZero() {
		run.began = time.Now()
	}
	if r.beginBy.IsZero() && !r.dropped {
		r.beginBy = time.Now().Add(beginTime)
	}
	p.probing.ask(&asker{heard: func(s probeResult, _ bool) bool { return run.done || !r.entered || p.look(run, s) }})
}

// begin tells the client that the command runs. Its output begins before the last Enter.
func (p *repl) begin(run *shellRun) {
	if run.begun {
		return
	}
	run.begun, run.result.REPL = true, true
	run.result.Offset = run.repl.enterAt
	p.shell.display.mark(order{begun: true, at: p.log.Next()})
	p.shell.tellBegun(run)
}

// running returns the command that runs in the REPL, or nil.
func (p *repl) running() *shellRun {
	if run := p.shell.current; run != nil && run.repl != nil && !run.done {
		return run
	}
	return nil
}

// gone notes that the program has ended. A command whose last line was typed may have ended it.
func (p *repl) gone() {
	if run := p.running(); run != nil && run.repl.entered {
		p.begin(run)
	}
}

// deadline returns when tick has something to do, or a zero time.
func (p *repl) deadline() time.Time {
	if run := p.running(); run != nil && !run.begun {
		return run.repl.beginBy
	}
	return time.Time{}
}

// tick begins a command that its REPL has taken, as it seems.
func (p *repl) tick(now time.Time) {
	if due(p.deadline(), now) {
		p.begin(p.running())
	}
}
