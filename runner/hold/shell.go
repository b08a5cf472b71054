package hold

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"devtools/ledger"
	"devtools/runner/condition"
	"devtools/runner/proc"
	"devtools/runner/pty"
	"devtools/runner/wire"
)

const (
	// promptPatience is how long a command waits for a prompt that is on its way. This is the first prompt,
	// after the user's files, or the next one after another command of ours.
	promptPatience = 10 * time.Second

	// unseenPrompt is how long a command waits for the prompt before it looks for one that was not printed. A
	// terminal can be too narrow for the prompt.
	unseenPrompt = 500 * time.Millisecond

	// handPatience is how long the shell may need to take a command at its prompt.
	handPatience = 5 * time.Second

	// leadPatience is how long a shell may need to print its own text before a command's output.
	leadPatience = time.Second

	// maxShellCalls is how many requests about the shell may wait for their answers.
	maxShellCalls = 256

	// maxRuns is how many commands are remembered after their end.
	maxRuns = 16
)

// A shellState is what the holder knows about an integrated shell. It belongs to the loop.
type shellState struct {
	*integration
	marks markScanner

	seen   bool // the shell has had a prompt
	ready  bool // the shell reads a line
	coming bool // a prompt is on its way
	more   bool // the shell reads the rest of a command
	typed  bool // input since the prompt came, or since the previous command ended
	early  bool // the previous command has ended, and the prompt has not come yet

	lastRun int
	lead    leadIn
	current *shellRun   // command that runs for a client, or nil
	runs    []*shellRun // recent commands, current among them
	queue   []shellCall // commands that wait for the prompt
	follows []pending
}

// A shellCall is a client's request to run a command.
type shellCall struct {
	link    *link
	request *wire.Request
	until   time.Time
	again   bool // already sent back once
}

// A shellRun is a command that runs for a client.
type shellRun struct {
	call  shellCall
	id    int
	begun bool
	ended bool // its output has ended

	givenUp atomic.Bool // its keys must no longer be typed

	piped bool // it has a pipeline; otherwise the codes of stages may be those of the command before
	done  bool // everything about it is known

	reported bool // a client has its result

	began  time.Time
	result wire.ShellResult
}

// startShell integrates the shell that is about to start, if the command is a shell that can be integrated.
func (h *holder) startShell() error {
	s, err := integrate(&h.spec, h.dir.ShellFolder(h.session.ID))
	if s != nil {
		h.shell = &shellState{integration: s, marks: markScanner{aid: s.aid}, coming: true}
	}
	return err
}

// atPrompt reports whether the shell waits for a line at its prompt, and whether that is known at all.
func (h *holder) atPrompt() (known, at bool) {
	s := h.shell
	if s == nil || h.exited {
		return s != nil, false
	}
	return s.seen, s.ready && !s.more && h.shellInFront()
}

// shellInFront reports whether the shell itself is in the foreground.
func (h *holder) shellInFront() bool {
	group, err := h.program.Tty.Foreground()
	return err == nil && group == h.program.PID
}

// promptChanged is called when the result of atPrompt may have changed. It tells the waiters for the prompt.
func (h *holder) promptChanged() {
	known, at := h.atPrompt()
	if !known || !at {
		return
	}
	for _, w := range slices.Clone(h.waiters) {
		for _, a := range slices.Concat(w.until, w.fail) {
			if a.looking && a.cond.Kind == condition.UntilPrompt {
				h.met(w, a, "")
			}
		}
	}
}

// shellOp answers the requests about the shell.
func (h *holder) shellOp(l *link, req *wire.Request) {
	s := h.shell
	if s == nil {
		h.refuse(l, req, h.noShell())
		return
	}
	if len(s.queue)+len(s.follows) >= maxShellCalls {
		h.refuse(l, req, errors.New("too many requests about the shell wait already"))
		return
	}
	switch req.Op {
	case wire.OpShell:
		s.queue = append(s.queue, shellCall{link: l, request: req, until: time.Now().Add(promptPatience)})
		h.nextShellRun()
		h.afterwards(promptPatience, h.nextShellRun)
		h.afterwards(unseenPrompt, h.findPrompt)
	case wire.OpShellFollow:
		s.follows = append(s.follows, pending{link: l, id: req.ID, from: req.Offset, run: req.Run})
		h.tellShell(time.Now())
	case wire.OpShellSignal:
		if err := h.signalShell(req); err != nil {
			h.refuse(l, req, err)
			return
		}
		l.answer(wire.Response{ID: req.ID})
	}
}

// leastCols is how many columns the line editors of bash and zsh need. With fewer they crash on the key that
// loads a command.
const leastCols = 4

var errNarrow = errors.New("its terminal is too narrow for its shell: devtools resize makes it wider")

// findPrompt lets commands that wait for the prompt go on, if the shell edits a line without having printed
// one.
func (h *holder) findPrompt() {
	s := h.shell
	if len(s.queue) == 0 || !s.coming {
		return
	}
	m, err := h.program.Tty.Modes()
	if err != nil || m.Canonical || m.Echo || !h.shellInFront() || time.Since(h.lastBytes) < unseenPrompt/2 {
		h.afterwards(unseenPrompt, h.findPrompt)
		return
	}
	s.seen, s.ready, s.coming = true, true, false
	h.promptChanged()
	h.nextShellRun()
}

// noShell returns the error for a session in which no command can be run.
func (h *holder) noShell() error {
	return ledger.SessionError(h.session.Name, fmt.Errorf("%w: it runs %s", wire.ErrNoShell, strings.Join(h.session.Command, " ")))
}

// afterwards makes the loop call f after d.
func (h *holder) afterwards(d time.Duration, f func()) {
	time.AfterFunc(d, func() { h.done <- f })
}

// nextShellRun starts the command that waits for the prompt, or refuses those that wait in vain.
func (h *holder) nextShellRun() {
	s := h.shell
	for len(s.queue) > 0 {
		call := s.queue[0]
		err := h.shellBusy(call)
		if err == errNotYet {
			return
		}
		s.queue = s.queue[1:]
		if !h.links[call.link] {
			continue // its client is gone
		}
		if err == nil {
			err = h.startShellRun(call)
		}
		if err != nil {
			h.refuse(call.link, call.request, err)
		}
	}
}

// errNotYet says that the prompt may still come in time.
var errNotYet = errors.New("the prompt is on its way")

// shellBusy returns why the shell cannot take a command now, or nil if it can.
func (h *holder) shellBusy(call shellCall) error {
	s := h.shell
	busy := func(format string, args ...any) error {
		return ledger.SessionError(h.session.Name, fmt.Errorf("%w: "+format, append([]any{wire.ErrBusy}, args...)...))
	}
	patient := time.Now().Before(call.until)
	switch {
	case h.exited:
		return ledger.SessionError(h.session.Name, wire.ErrEnded)
	case h.shellReplaced():
		return ledger.SessionError(h.session.Name, fmt.Errorf("%w: the shell has been replaced by %s (exec)", wire.ErrNoShell, h.nowRuns()))
	case s.current != nil && !s.current.ended:
		return busy("it runs another command for run --in")
	case (s.coming || !h.input.idle()) && patient: // the input of others comes first
		return errNotYet
	case !s.seen:
		return busy("it has had no prompt yet: %s", h.front())
	case (s.kind == wire.ShellBash || s.kind == wire.ShellZsh) && h.session.Size.Cols < leastCols:
		return ledger.SessionError(h.session.Name, errNarrow)
	case s.more:
		return busy("a command is half typed at its prompt")
	case !s.ready || !h.shellInFront():
		return busy("%s", h.front())
	case s.kind == wire.ShellPOSIX && s.typed:
		return busy("a line is half typed at its prompt")
	}
	if m, err := h.program.Tty.Modes(); err == nil && m.Canonical && s.kind != wire.ShellPOSIX {
		return busy("its line editor is off")
	}
	return nil
}

// front describes in words which program runs in front.
func (h *holder) front() string {
	group, err := h.program.Tty.Foreground()
	if err != nil {
		return "nobody knows what runs in front"
	}
	pid := group
	for _, info := range pty.Tree() {
		if info.Group == group {
			pid = info.PID
			break // parents come first
		}
	}
	line := strings.Join(proc.CommandLine(pid), " ")
	if line == "" {
		return "what ran in front is just ending"
	}
	if pid == h.program.PID {
		return fmt.Sprintf("the shell itself is at work (pid %d, %s)", pid, line)
	}
	return fmt.Sprintf("%s runs in front (pid %d)", line, pid)
}

// startShellRun makes the shell take a command.
func (h *holder) startShellRun(call shellCall) error {
	s := h.shell
	s.lastRun++
	run := &shellRun{call: call, id: s.lastRun, piped: bytes.ContainsRune(call.request.Data, '|')}
	keys, err := s.hand(run.id, string(call.request.Data))
	if err != nil {
		return ledger.SessionError(h.session.Name, fmt.Errorf("the command cannot be handed to its shell: %w", err))
	}
	if !h.typeToShell([]byte(keys), run, func() bool { return !run.givenUp.Load() && h.shellTakes() }) {
		return errors.New("too much input waits for the program already")
	}
	s.current = run
	s.runs = append(s.runs, run)
	if len(s.runs) > maxRuns {
		s.runs = s.runs[1:]
	}
	h.afterwards(handPatience, func() {
		if !run.begun {
			h.rejectShellRun(run, ledger.SessionError(h.session.Name, fmt.Errorf("%w: it did not take the command at its prompt", wire.ErrBusy)))
		}
	})
	return nil
}

// typeToShell queues the holder's own keys, and reports whether there was room. They are typed only if still
// allows it right before.
func (h *holder) typeToShell(keys []byte, run *shellRun, still func() bool) bool {
	return h.queueKeys(keystrokes{data: keys, run: run, still: still}) == nil
}

// shellTakes reports whether the shell is in front, and the terminal is set as at its prompt. The input writer
// calls it, too.
func (h *holder) shellTakes() bool {
	if !h.shellInFront() {
		return false
	}
	m, err := h.program.Tty.Modes()
	return err == nil && (!m.Canonical || h.shell.kind == wire.ShellPOSIX) // a POSIX shell may have a line editor, too
}

// shellReads reports whether the shell itself reads the terminal in raw mode. A program in its place or of its
// process group does not count.
func (h *holder) shellReads() bool {
	if !h.shellInFront() || !h.program.Tty.Editing() {
		return false
	}
	watch := watchTerminal(h.program.Tty)
	defer watch.Close()
	block, ok := watch.Blocked()
	if !ok || block.PID != h.program.PID {
		return false
	}
	return !h.shellReplaced()
}

// nowRuns returns the present command line of the main process.
func (h *holder) nowRuns() string { return strings.Join(proc.CommandLine(h.program.PID), " ") }

// shellReplaced reports whether the shell has executed another program in its place. Another shell counts,
// too: it knows nothing of us.
func (h *holder) shellReplaced() bool {
	return !proc.StartedWith(h.program.PID, h.session.ID+"/") // in the path of the shell's files, and never quoted
}

// rejectShellRun gives up a command that the shell has not begun.
func (h *holder) rejectShellRun(run *shellRun, err error) {
	if h.shell.current != run || run.begun {
		return
	}
	h.shell.current = nil
	run.givenUp.Store(true)
	_ = os.Remove(h.shell.commandFile()) // otherwise the shell would take the command later
	if h.links[run.call.link] {
		h.refuse(run.call.link, run.call.request, err)
	}
	h.nextShellRun()
}

// scanShell looks for marks of the shell in a chunk that begins at the offset at.
func (h *holder) scanShell(data []byte, at int64) {
	if h.shell == nil {
		return
	}
	s := h.shell
	s.lead.see(data, at)
	s.marks.scan(data, at, h.shellMark)
	if s.lead.run != nil {
		if n, whole := s.lead.length(h.log.Next()); whole {
			h.shellLed(n)
		}
	}
}

// shellMark handles a mark of the shell.
func (h *holder) shellMark(m shellMark) {
	s := h.shell
	run := s.current
	if run != nil && (run.id != m.run || run.done) {
		run = nil
	}
	switch m.kind {
	case markStart:
		s.ready, s.coming, s.more = false, false, false
		if run != nil && !run.begun {
			h.shellBegun(run, m)
		}
	case markEnd:
		s.coming, s.typed, s.early = true, false, true
		if s.lead.run != nil {
			n, _ := s.lead.length(m.begin)
			h.shellLed(n)
		}
		if run != nil && run.begun {
			h.shellEnded(run, m)
		}
	case markPrompt:
		if run = h.promptOf(m); run != nil && run.begun { // the mark of its end did not come: the command has removed it
			m.complete = true
			h.shellEnded(run, m)
		}
	case markReady:
		s.seen, s.ready, s.coming, s.more = true, true, false, false
		s.typed, s.early = s.typed && s.early, false
		if run = s.current; run != nil && run.ended {
			h.shellDone(run)
		}
		h.nextShellRun()
	case markMore:
		s.more = true
	case markRejected:
		switch {
		case run == nil:
		case m.reason == "again" && !run.begun && !run.call.again: // the next prompt has all the marks
			run.call.again, s.current = true, nil
			s.ready, s.coming = false, true
			s.queue = append([]shellCall{run.call}, s.queue...)
		default:
			h.rejectShellRun(run, h.rejection(m.reason))
		}
	}
	h.promptChanged()
}

// promptOf returns the command of ours that a prompt follows. The prompt names it. The prompt of zsh cannot:
// there it is the running command, if the shell itself is in front.
func (h *holder) promptOf(m shellMark) *shellRun {
	run := h.shell.current
	switch {
	case run == nil || run.ended:
		return nil
	case run.id == m.run, h.shell.kind == wire.ShellZsh && m.code >= 0 && h.shellInFront():
		return run
	}
	return nil
}

// rejection returns the error for a reason that the shell has given.
func (h *holder) rejection(reason string) error {
	switch reason {
	case "incomplete":
		return ledger.SessionError(h.session.Name, wire.ErrIncomplete)
	case "line":
		return ledger.SessionError(h.session.Name, fmt.Errorf("%w: a line is half typed at its prompt", wire.ErrBusy))
	case "narrow":
		return ledger.SessionError(h.session.Name, errNarrow)
	}
	return ledger.SessionError(h.session.Name, errors.New("its shell could not read the command"))
}

// signalShell sends a signal to the programs that run in front for a command. It never sends KILL to the
// shell.
func (h *holder) signalShell(req *wire.Request) error {
	run := h.shell.find(req.Run)
	if run == nil || run.done {
		return proc.ErrNoProcess
	}
	sig, err := proc.ParseSignal(req.Signal)
	if err != nil {
		return err
	}
	switch {
	case !h.shellInFront():
	case sig == proc.SigHangUp:
		sig = syscall.SIGINT // the shell must live on
	case sig == syscall.SIGKILL:
		return fmt.Errorf("%w in front of the shell: what runs is the shell itself", proc.ErrNoProcess)
	}
	return h.program.Signal(sig)
}

// noteTyped notes that a client types.
func (h *holder) noteTyped(data []byte) {
	if h.shell == nil {
		return
	}
	h.shell.typed = true
	if h.shell.kind == wire.ShellPOSIX && strings.ContainsAny(string(data), "\r\n") { // nothing else tells that a command starts
		h.shell.ready = false
		h.promptChanged()
	}
}
