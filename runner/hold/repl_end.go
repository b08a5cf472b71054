package hold

import (
	"fmt"
	"time"

	"devtools/runner/proc"
	"devtools/runner/prompt"
	"devtools/runner/wire"
)

// look takes a probe result while a command runs in the REPL. It reports whether the result says how the command goes on.
func (p *repl) look(run *shellRun, s probeResult) bool {
	if !p.answers(run, s) {
		return false
	}
	r := run.repl
	switch p.after(run, s) {
	case prompt.PromptIsBack:
		if len(r.lines) > 0 && !r.dropped {
			if rowOf(s) != r.row+1 {
				p.begin(run) // it has printed something: the output goes on with the prompts for the other lines
			}
			return p.goOn(run, s)
		}
		p.end(run)
		return true
	case prompt.TakesMore:
		return p.more(run, s)
	}
	p.begin(run) // it asks something
	return false
}

// answers reports whether a probe result is about what the program does after the last Enter: it waits, it has read all
// input, and it has printed something.
func (p *repl) answers(run *shellRun, s probeResult) bool {
	if !run.repl.entered || !s.waits() || s.picture.Offset <= run.repl.enterAt {
		return false
	}
	return !p.unread()
}

// after tells what the line of the cursor means for the command.
func (p *repl) after(run *shellRun, s probeResult) prompt.Return {
	return run.repl.prompt.after(prompt.CursorLine(s.picture.Snapshot))
}

// asks reports whether a command in the REPL asks something: the program waits, and not at its prompt.
func (p *repl) asks(run *shellRun, s probeResult) bool {
	if run.done || !p.answers(run, s) {
		return false
	}
	after := p.after(run, s)
	return after == prompt.Elsewhere || after == prompt.TakesMore && run.repl.stuck
}

// rowOf returns the row of the cursor, counted from the start of the session.
func rowOf(s probeResult) int {
	pic := s.picture
	return pic.scrolled + pic.Snapshot.Cursor.Row - pic.Snapshot.First
}

// goOn types the next line of a command.
func (p *repl) goOn(run *shellRun, s probeResult) bool {
	typed := s.typed
	run.repl.entered, run.repl.row = false, rowOf(s)
	err := p.typeLine(run, func() bool { return !run.givenUp.Load() && p.typed.Load() == typed })
	p.note(err)
	return err == nil
}

// more goes on with a command at the prompt for its rest: it types the next line, or the keys that end a command, or those
// that drop it.
func (p *repl) more(run *shellRun, s probeResult) bool {
	r := run.repl
	known, _ := prompt.FindInterpreter(r.prompt.program, r.prompt.line)
	switch {
	case len(r.lines) > 0 && !r.dropped:
	case known.Finish != "" && !r.finished:
		r.finished, r.lines = true, []string{""}
	case known.Cancel != "" && !r.dropped:
		r.dropped, r.beginBy = true, time.Now().Add(replPatience)
		err := p.typeEnter(run, known.Cancel, func() bool { return true })
		p.note(err)
		return err == nil
	default:
		r.stuck = true
		p.begin(run)
		return false
	}
	return p.goOn(run, s)
}

// end ends a command: the prompt is back.
func (p *repl) end(run *shellRun) {
	if run.repl.dropped && !run.begun {
		p.shell.rejectRun(run, p.named(fmt.Errorf("%w: the REPL waited for more, and was interrupted", wire.ErrIncomplete)))
		return
	}
	p.begin(run)
	run.ended = true
	run.result.Incomplete = run.repl.dropped
	run.result.Next = p.log.Next()
	run.result.Duration = time.Since(run.began)
	run.result.Cwd = proc.WorkingDirectory(p.program.PID)
	p.shell.runDone(run)
}
