package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"devtools/ledger"
	"devtools/runner/blocked"
	"devtools/runner/census"
	"devtools/runner/proc"
	"devtools/runner/track"
	"devtools/runner/wire"
)

// The reasons why a session does not end, or the ways in which it has ended.
const (
	reasonBusy       = "busy"        // its program computes
	reasonQuiet      = "quiet"       // it waits for something that the sentence names
	reasonInput      = "input"       // it waits for input
	reasonPerson     = "person"      // it waits for a person who was asked
	reasonShell      = "shell"       // its shell is at the prompt
	reasonStopped    = "stopped"     // a signal has stopped it
	reasonTraced     = "traced"      // a debugger holds it
	reasonFrozen     = "frozen"      // its control group is frozen
	reasonBehind     = "behind"      // a reader does not take its output, or the terminal is held
	reasonDiskFull   = "disk_full"   // the disk does not take its output
	reasonSignal     = "signal"      // it was told to end, and goes on
	reasonLeftovers  = "leftovers"   // its main process has ended, but others are alive
	reasonZombies    = "zombies"     // no parent has waited for its ended processes
	reasonStranger   = "stranger"    // a process outside its tree has its terminal open
	reasonStarting   = "starting"    // it has not started yet
	reasonNoAnswer   = "no_answer"   // its holder does not answer
	reasonOrphaned   = "orphaned"    // its holder is gone, but processes are alive
	reasonUnseen     = "unseen"      // its processes are in another pid namespace
	reasonCopied     = "copied"      // this folder is a copy of the folder with the session
	reasonLost       = "lost"        // its holder was killed, and it is gone
	reasonNotStarted = "not_started" // it never started
	reasonRestarting = "restarting"  // its command has ended, and is started again in a moment
	reasonEnded      = "ended"       // it has ended
)

// An Explanation says what a session is doing and why it does not end.
type Explanation struct {
	Name      string        `json:"name"`           // name of the session
	SessionID string        `json:"sessionId"`      // id of the session
	Status    string        `json:"status"`         // status of the session, as in ps
	Doing     blocked.Doing `json:"doing,omitzero"` // activity of the process on which the session depends, as in processes

	// Reason is the reason as one word: busy, quiet, input, person, shell, stopped, traced, frozen, behind, disk_full,
	// signal, leftovers, zombies, stranger, starting, no_answer, orphaned, unseen, copied, lost, not_started, restarting or ended.
	Reason    string        `json:"reason"`
	Sentence  string        `json:"sentence"`  // the reason in words
	Evidence  []string      `json:"evidence"`  // observations that lead to it
	Processes []ProcessView `json:"processes"` // processes of the session
	Hints     []string      `json:"hints"`     // what to do next, each a command line or a sentence
	Record    Record        `json:"record"`    // internal facts about the session

	Cause string `json:"-"` // what keeps the session from ending, as in Sentence behind "because"; "" where that has no such part
}

// A ProcessView says what a process of a session does.
type ProcessView struct {
	PID       int    `json:"pid"`       // its pid
	ParentPID int    `json:"parentPid"` // its parent
	Name      string `json:"name"`      // name of its program
	State     string `json:"state"`     // state in the kernel: running, sleeping, blocked, stopped, traced, zombie, idle or hidden

	// Doing is its activity as one word: busy, running, sleeping, child, input, output, lock, full, pipe, network, listening,
	// events, signal, threads, disk, stopped, traced, frozen, zombie or unknown.
	Doing     blocked.Doing `json:"doing"`
	Text      string        `json:"text"`               // the activity in words that follow the name
	StartedAt ledger.Time   `json:"startedAt,omitzero"` // its start
}

// explainPatience is how long the holder may take to answer.
const explainPatience = 3 * time.Second

// An explainer makes an Explanation.
type explainer struct {
	Explanation
	dir     ledger.Dir
	session ledger.Session
	told    *wire.HolderStatus // status from the holder; nil if there is none
	outlook wire.InputState
	tty     int
	list    []blocked.Activity // activities of the session's processes, parents first
	main    *blocked.Activity  // main process; nil if it is gone
	now     time.Time
}

// Explain says what the session called name is doing, and why it does not end. It changes nothing. The error is
// ledger.ErrNoSession when there is no such session.
func Explain(ctx context.Context, dir ledger.Dir, name string) (Explanation, error) {
	s, err := Within(ctx, Briefly, func() (ledger.Session, error) { return dir.Session(name) })
	if errors.Is(err, errNoReply) {
		err = fmt.Errorf("session %q: cannot read the records: %w; devtools doctor examines the folder", name, err)
	}
	if err != nil {
		return Explanation{}, err
	}
	if record, err := dir.LoadSession(s.ID); err == nil && (!dir.Held(s.ID) || record.Ended()) {
		orphaned := s.Status == ledger.StatusOrphaned
		if s = record; orphaned {
			s.Status = ledger.StatusOrphaned
		}
	} else if err == nil {
		s.Asks = record.Asks
	}
	e := &explainer{
		Explanation: Explanation{Name: s.Name, SessionID: s.ID, Status: s.Status, Evidence: []string{}, Processes: []ProcessView{}, Hints: []string{}},
		dir:         dir, session: s, now: time.Now(),
	}
	if !dir.Held(s.ID) {
		e.unheld(ctx)
	} else {
		e.held(ctx)
	}
	for _, a := range e.list {
		e.Processes = append(e.Processes, ProcessView{
			a.PID, a.Parent, a.Name, cmp.Or(proc.StateWord(a.State), string(a.State)), a.Doing, a.Text, ledger.Time{Time: a.Started()},
		})
	}
	e.Record = e.record()
	return e.Explanation, ctx.Err()
}

// say sets the reason and the sentence. The sentence begins with the name of the session.
func (e *explainer) say(reason, format string, args ...any) {
	e.Reason, e.Sentence, e.Cause = reason, e.Name+" "+fmt.Sprintf(format, args...), ""
}

// because works as say, for a state that has a cause.
func (e *explainer) because(reason, state, format string, args ...any) {
	cause := fmt.Sprintf(format, args...)
	e.say(reason, "%s %s.", state, cause)
	e.Cause = cause
}

func (e *explainer) evidence(format string, args ...any) {
	e.Evidence = append(e.Evidence, fmt.Sprintf(format, args...))
}

func (e *explainer) hint(format string, args ...any) {
	e.Hints = append(e.Hints, fmt.Sprintf(format, args...))
}

// unheld explains a session without a holder here.
func (e *explainer) unheld(ctx context.Context) {
	s := e.session
	living := census.Survivors(e.dir, []ledger.Session{s})[0]
	switch {
	case e.dir.Copied(s), census.Foreign(s):
		e.say(reasonCopied, "belongs to another folder, where its holder (pid %d) keeps it; this folder seems to be a copy of that one.", s.Holder.PID)
		e.evidence("the holder is running, and has not claimed the session here")
		e.hint("go to the folder where it was started, %s or one above it", s.Cwd)
	case len(living) > 0:
		s.Leftovers = living
		infos := census.Orphans(s)
		e.Status = ledger.StatusOrphaned
		e.look(ctx, infos)
		e.say(reasonOrphaned, "has lost its holder, which was killed, and %s: %s.", livesOn(len(e.list)), e.names(e.list))
		e.evidence("no holder has claimed the session, and its own (pid %d) is gone", s.Holder.PID)
		e.hint("devtools kill %s ends its processes", s.Name)
		e.hint("devtools kill-orphans ends the processes of all such sessions")
	case s.Ended():
		e.ended()
	case s.Main.PID == 0:
		e.Status = ledger.StatusKilled
		e.say(reasonNotStarted, "has ended: its holder was killed while it started the program, and whether that ran is not known.")
	default:
		e.Status = ledger.StatusKilled
		if e.say(reasonLost, "has ended, and its holder was killed: how it ended is not known."); wire.SandboxEnded(s) {
			e.say(reasonLost, "has ended: its sandbox ended with the call that started it.")
		}
		e.evidence("the main process, pid %d, is gone, and its end is not recorded", s.Main.PID)
		e.hintLog("devtools log %s prints its output until then", s.Name)
	}
}

func livesOn(n int) string {
	if n == 1 {
		return "1 of its processes still runs"
	}
	return fmt.Sprintf("%d of its processes still run", n)
}

// ended explains a session that has ended.
func (e *explainer) ended() {
	s := e.session
	how := "because its main process was gone"
	switch {
	case s.Signal != "":
		how = "by " + s.Signal
	case s.ExitCode != nil:
		how = fmt.Sprintf("with exit code %d", *s.ExitCode)
	}
	if s.TimedOut {
		how += ", because its time limit was over"
	}
	if s.EndReason != "" {
		how += ", by " + track.EndedBy(s)
	}
	e.say(reasonEnded, "has ended %s, %s ago, after %s.", how, Span(e.now.Sub(s.EndedAt.Time)), Span(time.Duration(s.ExitedAfterMs)*time.Millisecond))
	if s.LostBytes > 0 {
		e.evidence("%s of its output could not be stored", BytesText(s.LostBytes))
	}
	e.hintLog("devtools log %s prints its output", e.which())
}

// hintLog names the log of a session that has ended, if it was recorded.
func (e *explainer) hintLog(format, session string) {
	if e.session.NoRecord {
		e.evidence("its output was not recorded (--no-record)")
		return
	}
	e.hint(format, session)
}

// which names the session for a command. If another session has the name now, which returns the id.
func (e *explainer) which() string {
	if newest, err := e.dir.Session(e.Name); err == nil && newest.ID == e.SessionID {
		return e.Name
	}
	return e.SessionID
}

// look gets the activities of processes.
func (e *explainer) look(ctx context.Context, infos []proc.Info) {
	e.list = blocked.Activities(ctx, infos, e.tty)
	e.main = nil
	var known census.Known
	if len(e.session.Secrets) > 0 {
		known = census.Written(e.dir, e.session)
	}
	for i := range e.list {
		if len(e.session.Secrets) > 0 {
			e.list[i].Name, _ = known.Shown(e.list[i].ID)
		}
		if e.list[i].PID == e.session.Main.PID && !e.session.Ended() {
			e.main = &e.list[i]
		}
	}
}

// titled returns the name and pid of a process.
func titled(a blocked.Activity) string { return fmt.Sprintf("%s (pid %d)", a.Name, a.PID) }

// names lists the names of processes.
func (e *explainer) names(list []blocked.Activity) string {
	var words []string
	for _, a := range list {
		words = append(words, titled(a))
	}
	return some(words)
}

// held explains a session with a holder.
func (e *explainer) held(ctx context.Context) {
	if s := e.session; s.Namespace != 0 && s.Namespace != proc.Namespace() && !s.Closed { // its pids are those of others here
		e.say(reasonUnseen, "runs in another pid namespace, outside of this sandbox or in a container: its processes are not seen from here.")
		e.hint("devtools log %s prints its output; where it was started, devtools doctor %s says what it does", e.Name, e.Name)
		return
	}
	holder, err := proc.Read(e.session.Holder.PID)
	if err == nil {
		e.tty = holder.TTY
	}
	failed := e.askHolder(ctx)
	if err == nil {
		e.look(ctx, proc.Tree(holder.PID))
	}
	s := e.session
	if record, err := e.dir.LoadSession(s.ID); err == nil && record.Closed { // the session has ended in the meantime
		e.session, e.Status = record, record.Status
		e.ended()
		if record.NoRecord {
			e.evidence("its holder (pid %d) keeps the output for the processes that still read it", holder.PID)
			e.hint("kill %d ends the holder, and its output is gone", holder.PID)
		}
		return
	}
	if failed != nil {
		e.noAnswer(ctx, holder, failed)
		return
	}
	if s.Main.PID == 0 {
		e.say(reasonStarting, "is about to start: its holder (pid %d) prepares the program.", s.Holder.PID)
		return
	}
	switch {
	case !s.RestartAt.IsZero():
		e.say(reasonRestarting, "has ended, and its holder starts it again in %s.", Span(max(0, s.RestartAt.Sub(e.now))))
		e.hint("devtools kill %s ends it for good", e.Name)
	case e.told != nil && e.told.Exited:
		e.afterMain()
	default:
		e.running()
	}
	e.afterthoughts()
}

// askHolder asks the holder for what only the holder knows. The holder of an older build answers only part of it.
func (e *explainer) askHolder(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, explainPatience)
	defer cancel()
	c, err := Within(ctx, explainPatience, func() (*wire.Conn, error) { return wire.Dial(e.dir, e.session) })
	if err != nil {
		return err
	}
	defer c.Close()
	resp, err := c.Call(ctx, wire.Request{Op: wire.OpHolderStatus})
	if err == nil && resp.Insight != nil && resp.Session != nil {
		e.told, e.session = resp.Insight, *resp.Session
		e.Status = e.session.Status
	} else if err != nil && (ctx.Err() != nil || errors.Is(err, wire.ErrNoAnswer) || errors.Is(err, wire.ErrHolderGone)) {
		return err
	}
	if e.told == nil || e.told.Terminal && !e.told.Exited {
		e.outlook, _ = c.InputState(ctx) // without it, nothing is known about input
	}
	return nil
}

// noAnswer explains a holder that is alive but does not answer.
func (e *explainer) noAnswer(ctx context.Context, holder proc.Info, err error) {
	activity := blocked.Activities(ctx, []proc.Info{holder}, 0)
	what, hint := "is running and does not answer", ""
	if len(activity) == 1 {
		a := activity[0]
		switch a.Doing {
		case blocked.DoingStopped:
			what, hint = "is stopped by a signal", fmt.Sprintf("kill -CONT %d resumes it", a.PID)
		case blocked.DoingTraced, blocked.DoingFrozen:
			what = a.Text
		case blocked.DoingBusy:
			what = "is busy (it " + a.Text + ") and does not answer"
		}
		e.evidence("the holder (pid %d) %s", a.PID, a.Text)
	}
	if errors.Is(err, wire.ErrNoSocket) {
		what = "is running, but somebody has removed its socket " + e.session.Socket
		hint = fmt.Sprintf("kill %d ends the session with its holder", holder.PID)
	}
	e.say(reasonNoAnswer, "does not work: its holder (pid %d) %s, and without the holder nobody reads the output of the program.", holder.PID, what)
	if errors.Is(err, context.DeadlineExceeded) {
		e.evidence("it has not answered within %v", explainPatience)
	} else {
		e.evidence("%v", err)
	}
	if hint != "" {
		e.hint("%s", hint)
	}
}

// afterthoughts adds facts that hold for every reason.
func (e *explainer) afterthoughts() {
	i := e.told
	if i == nil {
		return
	}
	if i.QuietMs >= 1000 {
		e.evidence("it has printed nothing for %s", Span(time.Duration(i.QuietMs)*time.Millisecond))
	}
	if lost := i.Lost + i.Unsaved; lost > 0 && e.Reason != reasonDiskFull {
		e.Sentence = strings.TrimSuffix(e.Sentence, ".") + fmt.Sprintf("; %s of its output are not stored, because the disk is full.", BytesText(lost))
	}
	if i.Lost+i.Unsaved > 0 {
		if i.Fault != "" {
			e.evidence("error of the disk: %s", i.Fault)
		}
		e.hint("free some space in the file system of %s: devtools then stores the output that waits in memory", e.dir.Path())
	}
	if i.Untaken > 0 && e.Reason != reasonInput {
		e.evidence("the program has not read %s of typed input", count(i.Untaken, "byte"))
	}
	zombies := slices.DeleteFunc(slices.Clone(e.list), func(a blocked.Activity) bool { return a.Doing != blocked.DoingZombie })
	if len(zombies) > 0 && e.Reason != reasonZombies {
		e.evidence("zombies, whose parents have not waited for them: %s", e.names(zombies))
	}
}
