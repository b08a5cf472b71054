package hold

import (
	"fmt"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"devtools/ledger"
	"devtools/ledger/transcript"
	"devtools/runner/proc"
	"devtools/runner/wire"
)

// A shellRun is a command that runs for a client.
type shellRun struct {
	call  shellCall
	id    int
	begun bool
	ended bool // its output has ended

	givenUp  atomic.Bool // its keys must no longer be typed
	replied  bool        // a reply to a query was typed since it was handed to the shell; set while the input writer waits
	handedBy time.Time   // when the shell must have begun it

	ledBy    time.Time     // when the shell's own text before the output must have come
	lostAt   time.Time     // next check whether it has removed the shell's hooks; zero for never
	lostWait time.Duration // between the last check and lostAt

	piped  bool // it has a pipeline; otherwise the codes of stages may be those of the command before
	tidied bool // the shell was told to bring back what was set for it
	done   bool // everything about it is known

	reported *link // the client that has its result, or is about to get it

	began  time.Time
	result wire.ShellResult

	repl *replRun // nil for a command of a shell
}

// awaited reports whether the client of a command that has not begun is there. Any goroutine may call it.
func (run *shellRun) awaited() bool { return !run.givenUp.Load() && !run.call.link.isGone() }

func (s *shell) begun(run *shellRun, m shellMark) {
	run.begun, run.began = true, time.Now()
	s.forgetGiven()
	s.noteCommand(run)
	run.result.Offset = m.end
	s.display.mark(order{begun: true, at: m.end})
	if s.kind == wire.ShellBash {
		run.lostAt, run.lostWait = run.began.Add(lostCheck), lostCheck
	}
	if s.kind == wire.ShellFish {
		s.lead.begin(run, m.end)
		run.ledBy = run.began.Add(leadPatience)
		return
	}
	s.tellBegun(run)
}

// noteCommand notes the text of a command, which the shell has read at its prompt. One that is too long is only counted.
func (s *shell) noteCommand(run *shellRun) {
	text := strings.ToValidUTF8(s.masks.String(string(run.call.request.Data)), string(utf8.RuneError)) + "\r"
	entry := transcript.Entry{At: run.began.Sub(s.started), Kind: transcript.Input, Text: text, By: wire.ByRunIn}
	if len(text) > wire.MaxInput {
		entry.Text, entry.Bytes = "", int64(len(text))
	}
	s.log.Note(entry)
}

// lostCheck is how long a command runs before the first check whether it has removed the hooks of bash. Each check waits
// twice as long as the one before, up to maxLostCheck.
const (
	lostCheck    = 300 * time.Millisecond
	maxLostCheck = 10 * time.Second
)

// findLost asks bash for the end of a command. It does so when bash edits a line though no mark of the end has
// come: the command has changed both PROMPT_COMMAND and PS1.
func (s *shell) findLost(run *shellRun, now time.Time) {
	if s.reads() {
		_ = s.typeKeys(keystrokes{data: []byte(loadKey), still: s.reads}) // the next check tries again
	}
	run.lostWait = min(2*run.lostWait, maxLostCheck)
	run.lostAt = now.Add(run.lostWait)
}

// led skips the n bytes that the shell itself has printed before the output of the command.
func (s *shell) led(n int) {
	run := s.lead.run
	s.lead.run = nil
	run.result.Offset += int64(n)
	s.tellBegun(run)
}

func (s *shell) tellBegun(run *shellRun) {
	if !run.call.link.gone {
		run.call.link.answer(wire.Response{
			ID: run.call.request.ID, Run: run.id, Offset: run.result.Offset, Shell: &run.result,
			CalledAt: ledger.Time{Time: s.callers.served(run.call.request.Caller, run.began)},
		})
	}
}

// runEnded records the end of the output, and the other facts in the mark.
func (s *shell) runEnded(run *shellRun, m shellMark) {
	if !run.ended {
		run.ended = true
		run.result.Next = m.begin
		run.result.Duration = time.Since(run.began)
	}
	run.result.Cwd = proc.WorkingDirectory(s.program.PID)
	run.result.ExitCode = max(m.code, 0) // the last mark knows it best
	if run.piped && len(m.stages) > 1 && m.stages[len(m.stages)-1] == run.result.ExitCode {
		run.result.Pipeline = m.stages
	}
	if m.complete {
		s.runDone(run)
	}
}

// tidy makes a POSIX shell bring back what was set for a command that was interrupted, and reports whether it will.
func (s *shell) tidy(run *shellRun) bool {
	req := run.call.request
	if s.kind != wire.ShellPOSIX || req.Cwd == "" && len(req.Env) == 0 {
		return false
	}
	run.tidied = s.typeKeys(keystrokes{
		data: []byte(" " + endLine), still: s.takes,
		failed: func(error) { s.runDone(run) },
	}) == nil
	return run.tidied
}

// runDone gives the result to all clients that wait for it.
func (s *shell) runDone(run *shellRun) {
	if !run.done {
		s.logRun(run)
	}
	run.done = true
	run.call.request = &wire.Request{ID: run.call.request.ID} // drops the text, which is no longer needed
	s.forgetCommand()
	s.tell(time.Now())
}

// gone ends the command that ended with the shell, once the end of the session is known.
func (s *shell) gone() {
	if run := s.current; run != nil && run.begun && !run.done {
		if !run.ended {
			run.ended = true
			run.result.Next = s.log.Next()
			run.result.Duration = time.Since(run.began)
			run.result.Ended = true
			if code := s.session.ExitCode; code != nil {
				run.result.ExitCode = *code
			}
			run.result.Signal = s.session.Signal
		}
		s.runDone(run)
	}
	if code := s.session.ExitCode; code != nil { // the shell has ended with the command
		s.typedEnds(*code, s.session.Signal)
	}
	s.nextRun() // refuses the commands that still wait
	if run := s.current; run != nil {
		s.rejectRun(run, s.named(wire.ErrEnded))
	}
	s.promptChanged()
}

// tick does what is due: it gives up waits whose time is over, and tells the clients of more output.
func (s *shell) tick(now time.Time) {
	if len(s.queue) > 0 && due(s.queue[0].until, now) {
		s.nextRun()
	}
	if due(s.unseen, now) {
		s.findPrompt(now)
	}
	if run := s.lead.run; run != nil && due(run.ledBy, now) {
		s.led(0)
	}
	switch run := s.current; {
	case run == nil:
	case !run.begun && due(run.handedBy, now):
		s.rejectRun(run, s.notTaken(notTakenReason))
	case run.checksHooks() && due(run.lostAt, now) && !s.exited():
		s.findLost(run, now)
	}
	s.tell(now)
}

// checksHooks reports whether the command may have removed the shell's hooks, by which its end is known.
func (run *shellRun) checksHooks() bool { return run.begun && !run.ended }

// tell tells the clients that follow a command of more output, each not too often. Bytes that may be the
// beginning of a mark do not count as output yet.
func (s *shell) tell(now time.Time) {
	waiting := s.follows[:0]
	for _, p := range s.follows {
		run := s.find(p.run)
		switch {
		case run == nil:
			p.link.refuse(&wire.Request{ID: p.id}, fmt.Errorf("command %d is forgotten", p.run))
		case run.done:
			run.reported = p.link
			p.link.answer(wire.Response{ID: p.id, Next: run.result.Next, Closed: true, Shell: &run.result})
		case s.outputEnd(run) > p.from && now.Sub(p.link.told) >= tellInterval:
			p.link.told = now
			p.link.answer(wire.Response{ID: p.id, Next: s.outputEnd(run)})
		default:
			waiting = append(waiting, p)
		}
	}
	s.follows = waiting
}

// outputEnd returns the offset up to which the output is that of the command.
func (s *shell) outputEnd(run *shellRun) int64 {
	if run.ended {
		return run.result.Next
	}
	return max(run.result.Offset, s.log.Next()-int64(len(s.marks.held)))
}

// deadline returns when tick has something to do, or a zero time.
func (s *shell) deadline() (at time.Time) {
	if len(s.queue) > 0 {
		at = s.queue[0].until
	}
	at = soonest(at, s.unseen)
	if run := s.lead.run; run != nil {
		at = soonest(at, run.ledBy)
	}
	switch run := s.current; {
	case run == nil:
	case !run.begun:
		at = soonest(at, run.handedBy)
	case run.checksHooks() && !s.exited():
		at = soonest(at, run.lostAt)
	}
	for _, p := range s.follows {
		if run := s.find(p.run); run != nil && s.outputEnd(run) > p.from {
			at = soonest(at, p.link.told.Add(tellInterval))
		}
	}
	return at
}

// reader returns the client that has got the end of the last command, or nil.
func (s *shell) reader() *link {
	if len(s.runs) == 0 {
		return nil
	}
	return s.runs[len(s.runs)-1].reported
}

// unreported returns the last command, if no client has got its end.
func (s *shell) unreported() *shellRun {
	if len(s.runs) == 0 {
		return nil
	}
	if run := s.runs[len(s.runs)-1]; run.begun && run.reported == nil {
		return run
	}
	return nil
}

// find returns the recent command with the id, or nil.
func (s *shell) find(id int) *shellRun {
	for _, run := range s.runs {
		if run.id == id {
			return run
		}
	}
	return nil
}

// waiting returns 0: the requests about the shell have a limit of their own.
func (s *shell) waiting(*link) int { return 0 }

// dropped forgets the requests of a client that is gone. Its commands go on, if they have begun. If it was killed before it had
// read all answers, another client may get its result.
func (s *shell) dropped(l *link) {
	s.withdraw(l)
	dropFrom(&s.follows, l)
	for _, run := range s.runs {
		if run.reported == l && l.unread {
			run.reported = nil
		}
	}
}
