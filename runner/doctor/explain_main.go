package doctor

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"devtools/runner/blocked"
	"devtools/runner/proc"
	"devtools/runner/wire"
)

// running explains why the main process goes on.
func (e *explainer) running() {
	if e.main == nil {
		e.say(reasonNoAnswer, "is about to end: its main process (pid %d) is gone, and its holder has not reported that yet.", e.session.Main.PID)
		return
	}
	chain := e.chain(*e.main)
	last := chain[len(chain)-1]
	e.Doing = last.Doing
	for _, a := range chain {
		e.evidence("%s %s", titled(a), a.Text)
	}
	i, w := e.told, e.outlook.Waiting
	stopped := e.stopped()
	switch {
	case i != nil && i.Signal != "" && i.SignalMs >= 100:
		e.signalled(chain)
	case last.Doing == blocked.DoingFrozen || e.main.Doing == blocked.DoingFrozen:
		e.because(reasonFrozen, "is not running, because", "%s %s", titled(last), last.Text)
		e.hint("resume it with echo 0 > cgroup.freeze in that folder, or echo THAWED > freezer.state for version 1")
	case i != nil && i.Held > 0:
		e.heldBack(last)
	case len(e.session.Asks) > 0:
		e.person()
	case stopped != nil:
		e.stoppedBy(*stopped)
	case w != nil:
		e.input(w)
	case last.Doing == blocked.DoingBusy:
		e.because(reasonBusy, "is running because", "%s %s%s", titled(last), last.Text, e.under(chain))
		if total, n := e.busy(); n > 1 {
			e.evidence("%d processes compute, and use %.0f%% of a processor together", n, 100*total)
		}
		e.hint("devtools screen %s shows its output, devtools kill %s ends it", e.Name, e.Name)
	case last.Doing == blocked.DoingOutput:
		e.because(reasonBehind, "is blocked, because", "%s %s: the terminal is held, as with Ctrl-S", titled(last), last.Text)
		e.hint("devtools send-keys %s C-q resumes the terminal", e.Name)
	case last.Doing == blocked.DoingZombie:
		e.because(reasonZombies, "does not end, because", "%s %s", titled(last), last.Text)
	default:
		e.because(reasonQuiet, "does not end, because", "%s %s%s", titled(last), last.Text, e.under(chain))
		e.afterQuiet(last)
	}
}

// afterQuiet adds hints for a process that waits.
func (e *explainer) afterQuiet(last blocked.Activity) {
	switch last.Doing {
	case blocked.DoingListens:
		e.hint("it is a server, which runs until devtools kill %s ends it", e.Name)
		return
	case blocked.DoingLock, blocked.DoingFull, blocked.DoingPipe:
		if len(last.On) > 0 {
			e.hint("examine pid %d, for which it waits", last.On[0])
		}
	case blocked.DoingDisk:
		e.hint("no signal ends such a wait: check the disk, or the server of the file system")
	}
	e.hint("devtools kill %s ends it", e.Name)
}

// under says that the first process of a chain waits for the last one.
func (e *explainer) under(chain []blocked.Activity) string {
	if len(chain) < 2 {
		return ""
	}
	return ", and " + titled(chain[0]) + " waits for it to end"
}

// chain returns the main process and, for each process that waits for a child, the child on which it depends.
func (e *explainer) chain(a blocked.Activity) []blocked.Activity {
	chain := []blocked.Activity{a}
	for len(chain) < 32 && (a.Doing == blocked.DoingChild || a.Doing == blocked.DoingSignal && e.hasChild(a)) {
		best := -1
		for i, child := range e.list {
			if child.Parent == a.PID && child.Doing != blocked.DoingZombie && (best < 0 || weight(child) < weight(e.list[best])) {
				best = i
			}
		}
		if best < 0 {
			break
		}
		a = e.list[best]
		chain = append(chain, a)
	}
	return chain
}

func (e *explainer) hasChild(a blocked.Activity) bool {
	return slices.ContainsFunc(e.list, func(c blocked.Activity) bool { return c.Parent == a.PID && c.Doing != blocked.DoingZombie })
}

// weights orders the activities of processes. Activities on which others depend come first.
var weights = [...]blocked.Doing{
	blocked.DoingFrozen, blocked.DoingTraced, blocked.DoingStopped, blocked.DoingBusy, blocked.DoingDisk, blocked.DoingOutput, blocked.DoingInput, blocked.DoingLock,
	blocked.DoingChild, blocked.DoingRuns, blocked.DoingNetwork, blocked.DoingSleeps, blocked.DoingListens, blocked.DoingEvents, blocked.DoingSignal,
	blocked.DoingThreads, blocked.DoingUnknown, blocked.DoingFull, blocked.DoingPipe, blocked.DoingZombie,
}

func weight(a blocked.Activity) int { return slices.Index(weights[:], a.Doing) }

// busy returns how many processes compute, and how many processors they use together.
func (e *explainer) busy() (total float64, n int) {
	for _, a := range e.list {
		if a.Doing == blocked.DoingBusy {
			total, n = total+a.Used, n+1
		}
	}
	return total, n
}

// stopped returns the stopped process on which the session depends: the main process or one in its chain. It returns nil
// if there is none.
func (e *explainer) stopped() *blocked.Activity {
	for _, a := range e.chain(*e.main) {
		if a.Doing == blocked.DoingStopped || a.Doing == blocked.DoingTraced {
			return &a
		}
	}
	return nil
}

// Foreground says how to run in front what the terminal has stopped in the background. SIGCONT does not help: it stops again.
const Foreground = "run it without the program that puts it into the background: for a time limit, give run the option --timeout instead"

func (e *explainer) stoppedBy(a blocked.Activity) {
	if a.Doing == blocked.DoingTraced {
		e.because(reasonTraced, "is not running, because", "%s %s", titled(a), a.Text)
		e.hint("resume the debugger, or end it: kill %d", a.Tracer)
		return
	}
	how := "is stopped by a signal, as with Ctrl-Z, and nobody has resumed it"
	next := fmt.Sprintf("kill -CONT %d resumes it; in the background it stops again when it uses the terminal", a.PID)
	if signal := proc.SignalName(a.StopSignal); signal == "SIGTTIN" || signal == "SIGTTOU" || e.outlook.Reason == "stopped_sigttin" {
		how, next = "was stopped by the terminal, which it uses though it runs in the background, and nothing continues it", Foreground
	}
	e.because(reasonStopped, "is not running, because", "%s %s", titled(a), how)
	e.hint("%s", next)
	e.hint("devtools kill %s ends it", e.Name)
}

// heldBack explains a session whose output is not taken.
func (e *explainer) heldBack(last blocked.Activity) {
	i := e.told
	waits := titled(last) + " waits until there is room"
	if last.Doing == blocked.DoingOutput {
		waits = titled(last) + " is blocked in writing to the terminal"
	}
	switch {
	case i.Unsaved > 0:
		e.because(reasonDiskFull, "is blocked, because", "the disk is full: %s of its output are not stored, and %s", BytesText(i.Unsaved), waits)
	case i.HeldFor != "":
		e.because(reasonBehind, "is blocked, because", "its capture to %s is %s behind, and %s", i.HeldFor, BytesText(i.Held), waits)
		e.hint("devtools capture list %s lists the captures, devtools capture stop %s ends one", e.Name, e.Name)
	default:
		e.because(reasonBehind, "is blocked, because", "the caller of run does not read its output and is %s behind, and %s", BytesText(i.Held), waits)
		e.hint("that devtools run is stopped, or nobody reads its output: end it, and the session continues")
	}
}

// person explains a session that waits for a person.
func (e *explainer) person() {
	a := e.session.Asks[0]
	e.say(reasonPerson, "waits for a person, who was asked %s ago: %s", Span(e.now.Sub(a.Since.Time)), strings.TrimRight(a.Message, ".\n ")+".")
	e.hint("devtools attach %s connects your terminal to it", e.Name)
}

// input explains a program that waits for input.
func (e *explainer) input(w *wire.Waiting) {
	e.Doing = blocked.DoingInput
	who := fmt.Sprintf("%s (pid %d)", w.Command, w.PID)
	e.Evidence = append(e.Evidence, w.Evidence...)
	e.evidence("the confidence is %s", w.Confidence)
	question := strings.Join(strings.Fields(w.Prompt), " ")
	switch {
	case w.Kind == "repl" && w.PID == e.session.Main.PID && proc.IsShell(w.Command):
		e.say(reasonShell, "is at the prompt of its shell: %s waits for the next command.", who)
		e.hint("devtools run --in %s -- COMMAND runs a command in it, devtools kill %s ends it", e.Name, e.Name)
		return
	case question == "", w.Kind == "editor": // what an editor shows is its text
		e.say(reasonInput, "waits for input: %s reads the terminal.", who)
	default:
		e.say(reasonInput, "waits for input: %s asks %q.", who, question)
	}
	switch {
	case w.Secret:
		e.hint("devtools ask %s --message TEXT asks a person to type it; or use devtools attach %s", e.Name, e.Name)
	case w.Drawn, w.Kind == "pager", w.Kind == "key":
		e.hint("devtools screen %s shows it, devtools send-keys %s KEY answers", e.Name, e.Name)
	default:
		e.hint("devtools send-keys %s ANSWER Enter answers", e.Name)
	}
}

// signalled explains a session that was told to end and goes on.
func (e *explainer) signalled(chain []blocked.Activity) {
	i := e.told
	sig, err := proc.ParseSignal(i.Signal)
	bit := uint64(0)
	if err == nil && sig > 0 {
		bit = 1 << (uint(sig) - 1)
	}
	how, who := "has not ended", chain[0]
	for _, a := range slices.Backward(e.list) {
		switch {
		case a.Doing == blocked.DoingZombie:
			continue
		case a.Ignores&bit != 0:
			how, who = "ignores it", a
		case a.Blocks&bit != 0:
			how, who = "blocks it", a
		case a.Catches&bit != 0:
			how, who = "catches it and continues", a
		case a.Doing == blocked.DoingDisk || a.Doing == blocked.DoingFrozen || a.Doing == blocked.DoingStopped || a.Doing == blocked.DoingTraced:
			how, who = a.Text, a
		default:
			continue
		}
	}
	next := fmt.Sprintf("SIGKILL follows in %s", Span(time.Duration(i.KillMs)*time.Millisecond))
	if i.KillMs <= 0 || i.Signal == "SIGKILL" {
		next = "SIGKILL does not end it either while it is blocked in the kernel"
	}
	e.say(reasonSignal, "is being ended: %s was sent %s ago, but %s %s; %s.", i.Signal, Span(time.Duration(i.SignalMs)*time.Millisecond), titled(who), how, next)
	e.hint("devtools kill %s --signal KILL ends it at once", e.Name)
}

// afterMain explains why the session goes on although its main process has ended.
func (e *explainer) afterMain() {
	i, s := e.told, e.session
	how := ""
	switch {
	case s.Signal != "":
		how = " by " + s.Signal
	case s.ExitCode != nil:
		how = fmt.Sprintf(" with exit code %d", *s.ExitCode)
	}
	if s.Ended() {
		how += ", " + Span(e.now.Sub(s.EndedAt.Time)) + " ago"
	}
	living := slices.DeleteFunc(slices.Clone(e.list), func(a blocked.Activity) bool { return a.Doing == blocked.DoingZombie })
	openers := map[int]bool{}
	var strangers []blocked.Activity
	for _, info := range proc.Openers(e.tty) {
		openers[info.PID] = true
		if info.PID != s.Holder.PID && !slices.ContainsFunc(e.list, func(a blocked.Activity) bool { return a.PID == info.PID }) {
			strangers = append(strangers, blocked.Activity{Info: info})
		}
	}
	switch {
	case i.TreeGone && len(strangers) > 0:
		e.say(reasonStranger, "has ended%s, with all its processes, but %s, which it has not started, has its terminal open and prints there.", how, e.names(strangers))
		e.hint("to end the session, end that process: kill %d", strangers[0].PID)
		return
	case len(living) == 0 && len(e.list) > 0:
		e.say(reasonZombies, "has ended%s, and only zombies are left: %s.", how, e.names(e.list))
		return
	case len(living) == 0:
		e.say(reasonEnded, "has ended%s, and its holder reads the last output.", how)
		return
	}
	e.Doing = living[0].Doing
	run := "still runs"
	if len(living) > 1 {
		run = "still run"
	}
	e.say(reasonLeftovers, "has not ended although its main process has ended%s: %s %s.", how, e.names(living), run)
	for _, a := range living {
		terminal := "does not have the terminal open"
		if openers[a.PID] {
			terminal = "has the terminal open"
		}
		e.evidence("%s %s; it has run for %s and %s", titled(a), a.Text, Span(e.now.Sub(a.Started())), terminal)
	}
	switch {
	case i.Leftovers == wire.LeftoversWait:
		e.evidence("--leftovers wait: it waits for these processes")
	case i.GraceMs > 0:
		e.evidence("the grace for them lasts another %s", Span(time.Duration(i.GraceMs)*time.Millisecond))
	}
	if i.Signal != "" && i.SignalMs >= 100 {
		e.signalled(living)
	}
	e.hint("devtools kill %s ends them", e.Name)
}
