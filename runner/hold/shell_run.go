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
		h.screenFeed.order(order{begun: true, at: m.end}) // if the feed has no room, a question only seems longer
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

// lostCheck is how long a command runs before the first check whether it has removed the hooks of bash.
const lostCheck = 300 * time.Millisecond

// findLost asks bash for the end of a command. It does so when bash edits a line though no mark of the end has
// come: the command has changed both PROMPT_COMMAND and PS1.
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

// shellLed skips the n bytes that the shell itself has printed before the output of the command.
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

// shellEnded records the end of the output, and the other facts in the mark.
func (h *holder) shellEnded(run *shellRun, m shellMark) {
	if !run.ended {
		run.ended = true
		run.result.Next = m.begin
		run.result.Duration = time.Since(run.began)
		run.result.Cwd = proc.WorkingDirectory(h.program.PID)
	}
	run.result.ExitCode = max(m.code, 0) // the last mark knows it best
	if run.piped && len(m.stages) > 1 && m.stages[len(m.stages)-1] == run.result.ExitCode {
		run.result.Pipeline = m.stages
	}
	if m.complete {
		h.shellDone(run)
	}
}

// shellDone gives the result to all clients that wait for it.
func (h *holder) shellDone(run *shellRun) {
	run.done = true
	run.call.request = &wire.Request{ID: run.call.request.ID} // drops the text, which is no longer needed
	_ = os.Remove(h.shell.commandFile())                      // the shell has read it
	h.tellShell(time.Now())
}

// shellGone ends the command that ended with the shell, once the end of the session is known.
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
	h.nextShellRun() // refuses the commands that still wait
	if run := h.shell.current; run != nil {
		h.rejectShellRun(run, ledger.SessionError(h.session.Name, wire.ErrEnded))
	}
	h.promptChanged()
}

// tellShell tells the clients that follow a command of more output, each not too often. Bytes that may be the
// beginning of a mark do not count as output yet.
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

// shellNext returns the offset up to which the output is that of the command.
func (h *holder) shellNext(run *shellRun) int64 {
	if run.ended {
		return run.result.Next
	}
	return max(run.result.Offset, h.log.Next()-int64(len(h.shell.marks.held)))
}

// shellDue returns when a client that follows a command must be told of more output.
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

// unreported returns the last command, if no client has got its end. s may be nil.
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
