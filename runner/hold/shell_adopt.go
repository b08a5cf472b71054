package hold

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"devtools/runner/proc"
	"devtools/runner/wire"
)

// adopt integrates a shell that was executed in place of the one before (exec bash). It types a line at the shell's prompt,
// which makes it source the script. It returns why it cannot, or errNotYet: the prompt with the marks comes next.
func (s *shell) adopt() error {
	command := proc.CommandLine(s.program.PID)
	if len(command) == 0 { // the kernel shows none until the new program is loaded
		return s.named(fmt.Errorf("%w: its shell is being replaced (exec)", wire.ErrBusy))
	}
	kind, _, _ := wire.ShellOf(command)
	replaced := fmt.Errorf("%w: the shell has been replaced by %s (exec)", wire.ErrNoShell, s.nowRuns())
	switch {
	case kind == "":
		return s.named(replaced)
	case s.touched || s.repliesLeft: // the line may not be empty
		return s.named(fmt.Errorf("%w, and something was typed since", replaced))
	case !s.waitsForLine(kind):
		return s.named(fmt.Errorf("%w: %s", wire.ErrBusy, s.front()))
	}
	adopted := &integration{kind: kind, aid: s.aid, folder: s.folder, command: s.command, given: s.given, history: s.history, kept: s.kept}
	adopted.openHistory(&s.spec)
	file := filepath.Join(s.folder, "adopt")
	if err := writeNew(file, adopted.scriptForRunning()); err != nil {
		return s.named(err)
	}
	s.integration, s.adopted = adopted, s.executed()
	s.endReplaced()
	s.prompt.again()
	err := s.typeKeys(keystrokes{
		data: []byte(" . " + s.quote(file) + "\r"), still: s.takes,
		failed: func(error) { s.notAdopted() },
	})
	if err != nil {
		s.adopted = ""
		return errQueueFull
	}
	return errNotYet
}

// notAdopted lets the commands that wait try again, as the line that integrates the shell was not typed.
func (s *shell) notAdopted() {
	s.adopted = ""
	s.nextRun()
}

// executed returns a text that names the program of the main process, and differs after each exec of the same one.
func (s *shell) executed() string {
	return strings.Join(proc.CommandLine(s.program.PID), "\x00") + "\x00" + proc.Image(s.program.PID)
}

// waitsForLine reports whether the main process, a shell of the kind, reads the terminal as at its prompt.
func (s *shell) waitsForLine(kind string) bool {
	m, err := s.program.Tty.Modes()
	if err != nil || !s.shellInFront() || m.Canonical && kind != wire.ShellPOSIX {
		return false
	}
	watch := watchTerminal(s.program.Tty)
	defer watch.Close()
	block, ok := watch.Blocked()
	return ok && block.PID == s.program.PID
}

// endReplaced ends the command that has replaced the shell: the new shell is at its prompt.
func (s *shell) endReplaced() {
	run := s.current
	if run == nil || !run.begun || run.done {
		return
	}
	if !run.ended {
		run.ended = true
		run.result.Next = s.log.Next()
		run.result.Duration = time.Since(run.began)
		run.result.Cwd = proc.WorkingDirectory(s.program.PID)
	}
	s.runDone(run)
}

// noteEnter notes whether the input of a client ends a line.
func (s *shell) noteEnter(data []byte) {
	s.touched, s.entered = true, bytes.HasSuffix(data, []byte("\r")) || bytes.HasSuffix(data, []byte("\n"))
}
