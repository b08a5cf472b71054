package hold

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"devtools/ledger"
	"devtools/runner/proc"
	"devtools/runner/wire"
)

const (
	// promptPatience is how long a command waits for a prompt that is on its way. This is the first prompt,
	// after the user's files, or the next one after another command of ours.
	promptPatience = 10 * time.Second

	// unseenPrompt is how long a command waits for the prompt before it looks for one that was not printed. A
	// terminal can be too narrow for the prompt.
	unseenPrompt = 500 * time.Millisecond

	// handPatience is how long the shell may need to take a command at its prompt, and handByte is the additional time for each
	// byte: on busy processors, bash did not take 216 kB within 5 s in 2 of 5 rounds.
	handPatience = 5 * time.Second
	handByte     = 100 * time.Microsecond

	// leadPatience is how long a shell may need to print its own text before a command's output.
	leadPatience = time.Second

	// maxShellCalls is how many requests about the shell may wait for their answers.
	maxShellCalls = 256

	// maxRuns is how many commands are remembered after their end.
	maxRuns = 16
)

// The shell part runs commands in an integrated shell. It refuses them if the session has none.
type shell struct {
	*core
	display       *display
	typeKeys      func(keystrokes) error // queues keys of the holder's own
	inputIdle     func() bool            // nothing waits to be typed
	promptChanged func()                 // the result of atPrompt may have changed
	logEvent      func(ledger.Event)     // logs an event of the session

	*integration // nil if the shell is not integrated
	marks        markScanner
	prompt       promptState
	lead         leadIn
	over         int64  // offset before which all queries are of programs that have ended
	repliesLeft  bool   // the shell's line and its input may be replies that no command has read, and nothing else
	touched      bool   // something was typed since the last command began
	entered      bool   // the last input of a client ended a line
	adopted      string // what executed returns for the shell that was integrated after exec; "" for none
	lastRun      int
	current      *shellRun   // command that runs for a client, or nil
	runs         []*shellRun // recent commands, current among them
	queue        []shellCall // commands that wait for the prompt
	unseen       time.Time   // when to look for a prompt that was not printed; zero for never
	follows      []pending
	callers      callers
	promptAt     int64        // offset at which the last prompt begins
	line         lineBefore   // line that is typed at the prompt
	typed        typedCommand // command that was typed and runs now
}

// A shellCall is a client's request to run a command.
type shellCall struct {
	link    *link
	request *wire.Request
	until   time.Time
	again   bool // already sent back once
}

// integrated reports whether the shell tells what it does.
func (s *shell) integrated() bool { return s.integration != nil }

// integrate prepares the shell that is about to start, if the command is a shell that can be integrated.
func (s *shell) integrate() (err error) {
	kept := s.keepHistory()
	folder, lasting := s.dir.ShellFolder(s.session.ID), s.dir.LastingShellFolder(s.session.ID)
	if s.isolated() {
		if s.unreachable() {
			return nil
		}
		lasting = folder // Landlock lets the shell not look into the holder's /proc/PID/fd
	}
	s.integration, err = integrate(&s.spec, folder, lasting, kept)
	if s.integration != nil {
		s.marks.aid, s.prompt.coming = s.aid, true
	}
	return err
}

// keepHistory keeps the history of the shells of the session apart from that of the user, if it has to be. It returns their file for it,
// "" for none: fish has none, and no file is kept of a session without a record. nil stands for the file of the user.
func (s *shell) keepHistory() *string {
	if !s.spec.OwnHistory {
		return nil
	}
	file := filepath.Join(cmp.Or(s.session.TempFolder, filepath.Dir(s.dir.ShellFolder(s.session.ID))), "shell-history")
	if s.spec.NoRecord {
		file = ""
	}
	s.spec.Env = slices.DeleteFunc(s.spec.Env, func(pair string) bool {
		return strings.HasPrefix(pair, "HISTFILE=") || strings.HasPrefix(pair, "fish_history=")
	})
	s.spec.Env = append(s.spec.Env, "HISTFILE="+file, "fish_history=")
	return &file
}

// serve answers the requests about the shell.
func (s *shell) serve(l *link, req *wire.Request) {
	if (req.Op == wire.OpShell || req.Op == wire.OpShellWith) && !s.integrated() {
		l.refuse(req, s.noShell())
		return
	}
	if len(s.queue)+len(s.follows) >= maxShellCalls {
		l.refuse(req, errors.New("too many requests about the shell wait already"))
		return
	}
	now := time.Now()
	switch req.Op {
	case wire.OpShell, wire.OpShellWith:
		if s.unseen.IsZero() {
			s.unseen = now.Add(unseenPrompt)
		}
		patience := promptPatience
		if !s.prompt.seen && req.FirstMs > 0 { // its start-up files may take any time
			patience = time.Duration(req.FirstMs) * time.Millisecond
		}
		s.queue = append(s.queue, shellCall{link: l, request: req, until: now.Add(patience)})
		s.nextRun()
	case wire.OpShellFollow:
		s.follows = append(s.follows, pending{link: l, id: req.ID, from: req.Offset, run: req.Run})
		s.tell(now)
	case wire.OpShellSignal:
		if err := s.signal(req); err != nil {
			l.refuse(req, err)
			return
		}
		l.answer(wire.Response{ID: req.ID})
	case wire.OpShellWithdraw:
		s.withdraw(l)
		l.answer(wire.Response{ID: req.ID})
	}
}

// withdraw gives up the commands of a client that have not begun. One whose keys the program may have read begins soon, or is refused.
func (s *shell) withdraw(l *link) {
	s.queue = slices.DeleteFunc(s.queue, func(call shellCall) bool {
		if call.link == l && !l.gone {
			l.refuse(call.request, s.notTaken("no prompt yet: "+s.starting()))
		}
		return call.link == l
	})
	run := s.current
	if run == nil || run.call.link != l || run.begun || run.repl != nil && run.repl.entered {
		return
	}
	if run.repl == nil {
		if n, err := s.program.Tty.Unread(); err == nil && n == 0 {
			return
		}
	}
	s.rejectRun(run, s.notTaken(notTakenReason))
}

// notTakenReason is why a shell has not taken a command that was handed to it.
const notTakenReason = "it did not take the command at its prompt"

// handedBy returns until when a shell or a REPL must have taken a command that it is given now.
func handedBy(call shellCall) time.Time {
	return time.Now().Add(handPatience + time.Duration(len(call.request.Data))*handByte)
}

// notTaken returns the error for a shell that has not taken a command.
func (s *shell) notTaken(why string) error {
	return s.named(fmt.Errorf("%w: %s", wire.ErrBusy, cmp.Or(s.stoppedText(), why)))
}

// leastCols is how many columns the line editors of bash and zsh need. With fewer they crash on the key that
// loads a command.
const leastCols = 4

var errNarrow = errors.New("its terminal is too narrow for its shell: devtools resize makes it wider")

// findPrompt lets commands that wait for the prompt go on, if the shell reads a line without having printed
// one.
func (s *shell) findPrompt(now time.Time) {
	if s.unseen = (time.Time{}); len(s.queue) == 0 {
		return
	}
	s.unseen = now.Add(unseenPrompt) // while a command waits, its prompt may still come, or not be printed
	if !s.prompt.coming || now.Sub(s.lastBytes) < unseenPrompt/2 || !s.readsUnprompted() {
		return
	}
	s.prompt.found()
	s.promptChanged()
	s.nextRun()
}

// readsUnprompted reports whether the shell reads a line, though its prompt has not come. A POSIX shell may have no line editor;
// one that has a trap of INT prints no prompt after C-c. Its start-up files may read the terminal, too.
func (s *shell) readsUnprompted() bool {
	m, err := s.program.Tty.Modes()
	switch {
	case err != nil || !s.shellInFront():
		return false
	case m.Canonical:
		return s.kind == wire.ShellPOSIX && s.prompt.seen && s.waitsForLine(s.kind)
	}
	return !m.Echo
}

// noShell returns the error for a session in which no command can be run.
func (s *shell) noShell() error {
	if s.program.Tty == nil {
		return s.named(fmt.Errorf("%w: it has no terminal", wire.ErrNoShell))
	}
	if s.isolated() && s.unreachable() {
		return s.named(fmt.Errorf("%w: with --isolation high it takes no commands, because of its --secret or --no-record", wire.ErrNoShell))
	}
	if odd := wire.OddArgument(s.session.Command); odd != "" {
		return s.named(fmt.Errorf("%w: it runs %s, and a shell with %s cannot be used", wire.ErrNoShell, strings.Join(s.session.Command, " "), odd))
	}
	return s.named(fmt.Errorf("%w: it runs %s", wire.ErrNoShell, strings.Join(s.session.Command, " ")))
}

// nextRun starts the command that waits for the prompt, or refuses the commands that cannot run any more.
func (s *shell) nextRun() {
	for len(s.queue) > 0 {
		call := s.queue[0]
		err := s.busy(call)
		if err == errNotYet {
			return
		}
		s.queue = s.queue[1:]
		if call.link.gone {
			continue // its client is gone
		}
		if err == nil {
			err = s.startRun(call)
		}
		if err != nil {
			call.link.refuse(call.request, err)
		}
	}
}

// errNotYet says that the prompt may still come in time.
var errNotYet = errors.New("the prompt is on its way")

// busy returns why the shell cannot take a command now, or nil if it can.
func (s *shell) busy(call shellCall) error {
	busy := func(format string, args ...any) error {
		return s.named(fmt.Errorf("%w: "+format, append([]any{wire.ErrBusy}, args...)...))
	}
	patient := time.Now().Before(call.until)
	switch {
	case s.exited():
		return s.named(wire.ErrEnded)
	case s.replaced():
		return s.adopt()
	case s.current != nil && !s.current.ended:
		return busy("another run --in runs a command there")
	case (s.prompt.coming || !s.inputIdle()) && patient: // the input of others comes first
		return errNotYet
	case !s.prompt.seen:
		return busy("no prompt yet: %s", s.starting())
	case (s.kind == wire.ShellBash || s.kind == wire.ShellZsh) && s.session.Size.Cols < leastCols:
		return s.named(errNarrow)
	case s.prompt.more:
		return busy("a command is half typed at its prompt")
	case !s.prompt.ready || !s.shellInFront():
		return busy("%s", s.front())
	case s.kind == wire.ShellPOSIX && s.prompt.typed:
		return busy("%w", wire.ErrHalfTyped)
	case s.kind == wire.ShellPOSIX && s.repliesLeft: // it may have read them, and only an interrupt makes it forget them
		s.repliesLeft = false
		s.prompt.again()
		_ = s.typeKeys(keystrokes{data: []byte("\x03"), still: s.takes})
		return errNotYet
	}
	m, err := s.program.Tty.Modes()
	switch {
	case err != nil || !m.Canonical || s.kind == wire.ShellPOSIX:
		return nil
	case s.repliesLeft && patient: // C-g at the end of a reply makes zsh begin a new line
		return errNotYet
	}
	return busy("its line editor is off")
}

// startRun makes the shell take a command.
func (s *shell) startRun(call shellCall) error {
	s.lastRun++
	run := &shellRun{
		call: call, id: s.lastRun, piped: bytes.ContainsRune(call.request.Data, '|'), handedBy: handedBy(call),
	}
	keys, err := s.hand(run.id, call.request, s.repliesLeft)
	if err != nil {
		return s.named(fmt.Errorf("the command cannot be handed to its shell: %w", err))
	}
	err = s.typeKeys(keystrokes{
		data:   []byte(keys),
		still:  func() bool { return run.awaited() && !run.replied && s.takes() },
		failed: func(err error) { s.notHanded(run, err) },
	})
	if err != nil {
		return errQueueFull
	}
	s.remember(run)
	return nil
}

// notHanded handles a command whose keys were not typed. If a reply to a query came before them, the command waits for the
// prompt again, and then has keys that clear the line.
func (s *shell) notHanded(run *shellRun, err error) {
	if s.current == run && (run.replied || s.repliesLeft) && time.Now().Before(run.call.until) {
		s.sendBack(run)
		s.nextRun()
		return
	}
	s.rejectRun(run, err)
}

// remember notes a command that was handed to the shell.
func (s *shell) remember(run *shellRun) {
	s.current = run
	s.runs = append(s.runs, run)
	if len(s.runs) > maxRuns {
		s.runs = s.runs[1:]
	}
}

// forgetCommand removes the file of a command. Otherwise the shell would take the command later.
func (s *shell) forgetCommand() {
	if s.integrated() {
		s.forget()
	}
}

// takes reports whether the shell is in front, and the terminal is set as at its prompt. The input writer
// calls it, too.
func (s *shell) takes() bool {
	if !s.shellInFront() {
		return false
	}
	m, err := s.program.Tty.Modes()
	return err == nil && (!m.Canonical || s.kind == wire.ShellPOSIX) // a POSIX shell may have a line editor, too
}

// reads reports whether the shell itself reads the terminal in raw mode. A program in its place or of its
// process group does not count.
func (s *shell) reads() bool {
	if !s.shellInFront() || !s.program.Tty.Editing() {
		return false
	}
	watch := watchTerminal(s.program.Tty)
	defer watch.Close()
	block, ok := watch.Blocked()
	if !ok || block.PID != s.program.PID {
		return false
	}
	return !s.replaced()
}

// nowRuns returns the present command line of the main process.
func (s *shell) nowRuns() string {
	return strings.Join(s.masks.List(proc.CommandLine(s.program.PID)), " ")
}

// replaced reports whether the shell has executed another program in its place. Another shell counts,
// too: it is not integrated.
func (s *shell) replaced() bool {
	if s.adopted != "" {
		return s.adopted != s.executed()
	}
	return !proc.StartedWith(s.program.PID, s.session.ID+"/") // the path of the shell's files contains it, and needs no quotes
}

// rejectRun gives up a command that the shell has not begun.
func (s *shell) rejectRun(run *shellRun, err error) {
	if s.current != run || run.begun {
		return
	}
	s.current = nil
	run.givenUp.Store(true)
	s.forgetCommand()
	if !run.call.link.gone {
		run.call.link.refuse(run.call.request, err)
	}
	s.nextRun()
}

// signal sends a signal to the programs that run in front for a command. It never sends KILL to the
// shell.
func (s *shell) signal(req *wire.Request) error {
	run := s.find(req.Run)
	if run == nil || run.done {
		return proc.ErrNoProcess
	}
	sig, err := proc.ParseSignal(req.Signal)
	if err != nil {
		return err
	}
	switch {
	case !s.shellInFront():
	case sig == proc.SigHangUp:
		sig = syscall.SIGINT // the shell must live on
	case sig == syscall.SIGKILL:
		return fmt.Errorf("%w in front of the shell: what runs is the shell itself", proc.ErrNoProcess)
	}
	return s.program.Signal(sig)
}
