package hold

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"devtools/runner/wire"
)

// A promptState is what an integrated shell has told about its prompt.
type promptState struct {
	seen   bool // the shell has had a prompt
	ready  bool // the shell reads a line
	coming bool // a prompt is on its way
	more   bool // the shell reads the rest of a command
	typed  bool // input since the prompt came, or since the previous command ended
	early  bool // the previous command has ended, and the prompt has not come yet
}

// commandStarts notes that the shell has taken a command.
func (p *promptState) commandStarts() { p.ready, p.coming, p.more = false, false, false }

// commandEnded notes that the command is over. A prompt follows.
func (p *promptState) commandEnded() { p.coming, p.typed, p.early = true, false, true }

// read notes that the prompt is there and the shell reads a line. Input that came before the prompt is part of the line.
func (p *promptState) read() {
	p.seen, p.ready, p.coming, p.more = true, true, false, false
	p.typed, p.early = p.typed && p.early, false
}

// found notes that the shell reads a line, though it has not printed its prompt.
func (p *promptState) found() { p.seen, p.ready, p.coming = true, true, false }

// again notes that the shell has sent a command back, and that another prompt follows.
func (p *promptState) again() { p.ready, p.coming = false, true }

// atPrompt reports whether the shell waits for a line at its prompt, and whether that is known at all.
func (s *shell) atPrompt() (known, at bool) {
	if !s.integrated() || s.exited() {
		return s.integrated(), false
	}
	return s.prompt.seen, s.prompt.ready && !s.prompt.more && s.shellInFront()
}

// noteTyped notes that a client types.
func (s *shell) noteTyped(data []byte) {
	if !s.integrated() {
		return
	}
	s.prompt.typed, s.repliesLeft = true, false
	s.noteEnter(data)
	if s.kind != wire.ShellPOSIX {
		return
	}
	if line := bytes.IndexAny(data, "\r\n"); line >= 0 { // nothing else tells that a command starts
		if s.prompt.ready {
			s.touched, s.prompt.coming = line < len(data)-1, false
		}
		s.prompt.ready = false
		s.promptChanged()
	}
	s.prompt.typed = !s.program.Tty.KillsLine(data)
	if s.prompt.ready && bytes.HasSuffix(data, []byte{'\x03'}) && s.program.Tty.TakesItself([]byte{'\x03'}) {
		s.prompt.coming = true // the shell drops the line, and begins another one
	}
}

// scan looks for marks of the shell in a chunk that begins at the offset at.
func (s *shell) scan(data []byte, at int64) {
	if !s.integrated() {
		return
	}
	s.lead.see(data, at)
	s.marks.scan(data, at, s.mark)
	if s.lead.run != nil {
		if n, whole := s.lead.length(s.log.Next()); whole {
			s.led(n)
		}
	}
}

// mark handles a mark of the shell.
func (s *shell) mark(m shellMark) {
	switch m.kind {
	case markStart:
		s.commandStarted(m)
	case markEnd:
		s.commandEnded(m)
	case markPrompt:
		s.promptBegins(m)
	case markReady:
		s.display.markTyping(order{at: m.end, prompt: true})
		s.line = lineBefore{next: m.history, at: m.end}
		s.promptEnds()
	case markMore:
		s.display.markTyping(order{at: m.end, prompt: true})
		s.prompt.more = true
		s.line.enters(m)
	case markRejected:
		s.commandRejected(m)
	}
	s.promptChanged()
}

// marked returns the command of ours that a mark is about, or nil.
func (s *shell) marked(m shellMark) *shellRun {
	if run := s.current; run != nil && run.id == m.run && !run.done {
		return run
	}
	return nil
}

// commandStarted handles the mark of a command's start. It may be a command that a person has typed.
func (s *shell) commandStarted(m shellMark) {
	s.prompt.commandStarts()
	s.display.markTyping(order{at: m.begin, accepted: true})
	run := s.marked(m)
	s.repliesLeft = s.repliesLeft && run != nil && run.replied // such a reply may have come behind its keys
	s.touched = s.touched && !s.entered
	if run != nil && !run.begun {
		s.begun(run, m)
	}
	s.typedStarts(m)
}

// commandEnded handles the mark of a command's end.
func (s *shell) commandEnded(m shellMark) {
	s.prompt.commandEnded()
	s.outlived(m.begin)
	if s.lead.run != nil {
		n, _ := s.lead.length(m.begin)
		s.led(n)
	}
	if run := s.marked(m); run != nil && run.begun {
		s.runEnded(run, m)
	}
	s.learnTyped(m)
	s.typedEnds(m.code, "")
}

// promptBegins handles the mark of a prompt. If the mark of a command's end has not come, the command has removed it.
func (s *shell) promptBegins(m shellMark) {
	s.promptAt = m.begin
	if s.kind != wire.ShellFish { // fish asks itself before its first prompt
		s.outlived(m.begin)
	}
	if run := s.promptOf(m); run != nil && run.begun {
		m.complete = !s.tidy(run)
		s.runEnded(run, m)
	}
	s.typedEnds(m.code, "")
}

// promptEnds handles the mark after the prompt: the shell reads a line.
func (s *shell) promptEnds() {
	s.prompt.read()
	if run := s.current; run != nil && run.ended && !run.tidied {
		s.runDone(run)
	}
	s.nextRun()
}

// commandRejected handles the mark of a command that the shell has not taken.
func (s *shell) commandRejected(m shellMark) {
	run := s.marked(m)
	switch {
	case run == nil:
	case m.reason == "again" && !run.begun && !run.call.again: // the next prompt has all the marks
		run.call.again = true
		s.prompt.again()
		s.sendBack(run)
	default:
		s.rejectRun(run, s.rejection(m.reason))
	}
}

// sendBack makes a command wait for the prompt once more.
func (s *shell) sendBack(run *shellRun) {
	s.current = nil
	s.queue = append([]shellCall{run.call}, s.queue...)
}

// promptOf returns the command of ours that a prompt follows. The prompt names it. The prompt of zsh cannot:
// there it is the running command, if the shell itself is in front.
func (s *shell) promptOf(m shellMark) *shellRun {
	run := s.current
	switch {
	case run == nil || run.ended:
		return nil
	case run.id == m.run, s.kind == wire.ShellZsh && m.code >= 0 && s.shellInFront():
		return run
	}
	return nil
}

// rejection returns the error for a reason that the shell has given.
func (s *shell) rejection(reason string) error {
	if name, ok := strings.CutPrefix(reason, "env:"); ok {
		return s.named(fmt.Errorf("%w: the variable %s is special or read-only in its shell", wire.ErrNotSet, name))
	}
	switch reason {
	case "cwd":
		return s.named(fmt.Errorf("%w: its shell cannot enter the directory", wire.ErrNotSet))
	case "incomplete":
		return s.named(wire.ErrIncomplete)
	case "line":
		return s.named(fmt.Errorf("%w: %w", wire.ErrBusy, wire.ErrHalfTyped))
	case "narrow":
		return s.named(errNarrow)
	case "promptvars":
		return s.named(errors.New("its bash has promptvars off, without which it cannot tell when a command runs: shopt -s promptvars sets it"))
	}
	return s.named(errors.New("its shell could not read the command"))
}
