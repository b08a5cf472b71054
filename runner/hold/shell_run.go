package hold

import (
	"fmt"
	"os"
	"time"

	"devtools/ledger"
	"devtools/runner/proc"
	"devtools/runner/wire"
)

func (h *holder) shellBegun(run *shellRun, m shellMark) {
	run.begun, run.began = true, time.Now()
	run.result.Offset = m.end
	if h.screenFeed != nil {
		h.screenFeed.order(order{begun: true, at: m.end}) // without room for it, a question seems longer
	}
	if h.shell.kind == wire.ShellBash {
		h.afterwards(lostCheck, func() { h.findLost(run, lostCheck) })
	}
	if h.shell.kind == wire.ShellFish {
		h.shell.lead.begin(run, m.end)
		h.afterwards(leadPatience, func() {
			if h.shell.lead.run == run {
				h.shellLed(0)
			}
		})
		return
	}
	h.tellBegun(run)
}

// lostCheck is after what time it is first looked at whether a command has taken the hooks of bash away.
const lostCheck = 300 * time.Millisecond

// findLost asks bash for the end of a command, when it edits a line though no mark of the end has come: the
// command has changed both PROMPT_COMMAND and PS1.
func (h *holder) findLost(run *shellRun, wait time.Duration) {
	if run.ended || h.exited {
		return
	}
	if h.shellReads() {
		h.typeToShell([]byte(loadKey), nil, h.shellReads)
	}
	wait = min(2*wait, 10*time.Second)
	h.afterwards(wait, func() { h.findLost(run, wait) })
}

// shellLed takes in how many bytes the shell has printed itself before the output of the command.
func (h *holder) shellLed(n int) {
	run := h.shell.lead.run
	h.shell.lead.run = nil
	run.result.Offset += int64(n)
	h.tellBegun(run)
}

func (h *holder) tellBegun(run *shellRun) {
	if h.links[run.call.link] {
		run.call.link.answer(wire.Response{ID: run.call.request.ID, Run: run.id, Offset: run.result.Offset})
	}
}

// shellEnded takes in the end of the output, and what else the mark says.
func (h *holder) shellEnded(run *shellRun, m shellMark) {
	if !run.ended {
		run.ended = true
		run.result.Next = m.begin
		run.result.Duration = time.Since(run.began)
		run.result.Cwd = proc.WorkingDirectory(h.program.PID)
	}
	run.result.ExitCode = max(m.code, 0) // what comes last knows it best
	if run.piped && len(m.stages) > 1 && m.stages[len(m.stages)-1] == run.result.ExitCode {
		run.result.Pipeline = m.stages
	}
	if m.complete {
		h.shellDone(run)
	}
}

// shellDone gives the result to all who wait for it.
func (h *holder) shellDone(run *shellRun) {
	run.done = true
	run.call.request = &wire.Request{ID: run.call.request.ID} // its text is kept no longer
	_ = os.Remove(h.shell.commandFile())                      // it is read
	h.tellShell(time.Now())
}

// shellGone ends the command that the shell has taken with it, when the end of the session is known.
func (h *holder) shellGone() {
	if h.shell == nil {
		return
	}
	if run := h.shell.current; run != nil && run.begun && !run.done {
		if !run.ended {
			run.ended = true
			run.result.Next = h.log.Next()
			run.result.Duration = time.Since(run.began)
			run.result.Ended = true
			if code := h.session.ExitCode; code != nil {
				run.result.ExitCode = *code
			}
			run.result.Signal = h.session.Signal
		}
		h.shellDone(run)
	}
	h.nextShellRun() // refuses what still waits
	if run := h.shell.current; run != nil {
		h.rejectShellRun(run, ledger.SessionError(h.session.Name, wire.ErrEnded))
	}
	h.promptChanged()
}

// tellShell lets those know who follow a command, each not too often. What may be the beginning of a mark
// is nobody's output yet.
func (h *holder) tellShell(now time.Time) {
	s := h.shell
	if s == nil {
		return
	}
	waiting := s.follows[:0]
	for _, p := range s.follows {
		run := s.find(p.run)
		switch {
		case run == nil:
			h.refuse(p.link, &wire.Request{ID: p.id}, fmt.Errorf("command %d is forgotten", p.run))
		case run.done:
			run.reported = true
			p.link.answer(wire.Response{ID: p.id, Next: run.result.Next, Closed: true, Shell: &run.result})
		case h.shellNext(run) > p.from && now.Sub(p.link.told) >= tellInterval:
			p.link.told = now
			p.link.answer(wire.Response{ID: p.id, Next: h.shellNext(run)})
		default:
			waiting = append(waiting, p)
		}
	}
	s.follows = waiting
}

// shellNext returns up to where the output is that of the command.
func (h *holder) shellNext(run *shellRun) int64 {
	if run.ended {
		return run.result.Next
	}
	return max(run.result.Offset, h.log.Next()-int64(len(h.shell.marks.held)))
}

// shellDue returns when somebody who follows a command is to be told of more of it.
func (h *holder) shellDue() (at time.Time) {
	if h.shell == nil {
		return at
	}
	for _, p := range h.shell.follows {
		if run := h.shell.find(p.run); run != nil && h.shellNext(run) > p.from {
			if due := p.link.told.Add(tellInterval); at.IsZero() || due.Before(at) {
				at = due
			}
		}
	}
	return at
}

// unreported returns the last command, if nobody has got its end; s may be nil.
func (s *shellState) unreported() *shellRun {
	if s == nil || len(s.runs) == 0 {
		return nil
	}
	if run := s.runs[len(s.runs)-1]; run.begun && !run.reported {
		return run
	}
	return nil
}

func (s *shellState) find(id int) *shellRun {
	for _, run := range s.runs {
		if run.id == id {
			return run
		}
	}
	return nil
}
