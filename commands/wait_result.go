package commands

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"devtools/runner"
	"devtools/runner/condition"
	"devtools/runner/track"
	"devtools/runner/wire"
)

// A waitResult is the output of wait --json.
type waitResult struct {
	Name          string   `json:"name"`               // name of the session
	SessionID     string   `json:"sessionId"`          // id of the session
	Met           []string `json:"met"`                // conditions that came true
	Match         string   `json:"match,omitzero"`     // text that matched
	FailCondition string   `json:"failCondition"`      // condition of --fail that came true; "" if none did
	Ended         bool     `json:"ended"`              // the program ended before the conditions came true
	TimedOut      bool     `json:"timedOut"`           // the time was over before the conditions came true
	Notes         []string `json:"notes"`              // why conditions have not come true
	ExitCode      *int     `json:"exitCode,omitempty"` // exit code of the main process, when it has ended
	Signal        string   `json:"signal,omitzero"`    // signal that ended the main process, such as SIGTERM
	EndReason     string   `json:"endReason,omitzero"` // what ended the session: idle_limit or tether
	WaitedMs      int64    `json:"waitedMs"`           // duration of the wait
	FromLog       bool     `json:"fromLog,omitzero"`   // the holder cannot be reached from here: the files of the session have the answer
	inputResult            // known if the wait was for input, or when the time was over
}

func newWaitResult(w runner.Waited, waited time.Duration) waitResult {
	return waitResult{
		Name: w.Session.Name, SessionID: w.Session.ID, Met: append([]string{}, w.Met...), Match: w.Match,
		FailCondition: w.Failed, Ended: w.Ended, TimedOut: w.TimedOut, Notes: append([]string{}, w.Notes...),
		ExitCode: w.Session.ExitCode, Signal: w.Session.Signal, EndReason: w.Session.EndReason, WaitedMs: waited.Milliseconds(), FromLog: w.FromLog,
		inputResult: newInputResult(w.Input),
	}
}

// errUnmet reports a program that ended before the conditions came true. errFailed reports a condition of --fail that
// came true.
var (
	errUnmet  = errors.New("ended before")
	errFailed = errors.New("--fail")
)

// waitFault returns the error of a wait, or nil if the conditions came true.
func waitFault(w runner.Waited, what runner.Wait) error {
	why := ""
	notes := w.Notes
	switch reason := w.Input.Reason; {
	case !w.TimedOut:
	case w.Input.Waiting != nil:
		notes = append(slices.Clip(notes), waitingText(*w.Input.Waiting))
	case w.Input.AcceptsInput:
		notes = append(slices.Clip(notes), "the program reads its terminal, but does not wait for it")
	case reason != "" && slices.ContainsFunc(what.Until, func(c condition.Condition) bool { return c.String() == "input" }):
		notes = append(slices.Clip(notes), "the program does not wait for input: "+reason)
	}
	if len(notes) > 0 {
		why = " (" + strings.Join(notes, "; ") + ")"
	}
	wanted := unmet(w, what)
	missing := strings.Join(wanted, ", ")
	var err error
	switch {
	case w.Failed != "":
		err = fmt.Errorf("session %q: %s is true: %w", w.Session.Name, w.Failed, errFailed)
	case w.TimedOut:
		err = fmt.Errorf("session %q still runs: %w after %v without %s%s", w.Session.Name, wire.ErrTimeout, what.Timeout, missing, why)
	case w.Ended:
		err = fmt.Errorf("session %q %w %s: %s%s", w.Session.Name, errUnmet, comesTrue(wanted), ending(w), why)
	default:
		return nil
	}
	hint := ""
	switch {
	case w.Session.NoRecord && w.Session.Ended():
		hint = unrecorded
	case w.Failed != "" && w.Session.Size.Cols == 0: // there is no terminal
		hint = "devtools log " + w.Session.Name + " prints the output"
	}
	return &sessionError{err: err, name: w.Session.Name, hint: hint}
}

// unmet returns the conditions that have not come true.
func unmet(w runner.Waited, what runner.Wait) (wanted []string) {
	for _, c := range what.Until {
		if !slices.Contains(w.Met, c.String()) {
			wanted = append(wanted, c.String())
		}
	}
	return wanted
}

// comesTrue describes what has not happened, as a part of a sentence.
func comesTrue(wanted []string) string {
	var ports []string
	for _, text := range wanted {
		kind, number, _ := strings.Cut(text, ":")
		switch {
		case kind != "port":
			return strings.Join(wanted, ", ") + " was true"
		case number == "":
			ports = append(ports, "any port")
		default:
			ports = append(ports, "port "+number)
		}
	}
	return "it listened on " + strings.Join(ports, " or ")
}

// ending says how the program of a session ended.
func ending(w runner.Waited) string {
	why := ""
	if w.Session.EndReason != "" {
		why = ", ended by " + track.EndedBy(w.Session)
	}
	switch {
	case w.Session.Signal != "":
		return "by " + w.Session.Signal + why
	case w.Session.ExitCode != nil:
		return fmt.Sprintf("exit code %d%s", *w.Session.ExitCode, why)
	}
	return "its exit code is unknown"
}

// waitCode works as waitFault. In addition, its hint says how to answer a program that still waits for input, and if the
// wait was for the program's end, it returns the program's exit code.
func waitCode(w runner.Waited, what runner.Wait) error {
	if err := waitFault(w, what); err != nil {
		if about, ok := errors.AsType[*sessionError](err); ok && w.TimedOut && w.Input.Waiting != nil {
			shows := "screen"
			if w.Session.Size.Cols == 0 { // there is no terminal
				shows = "log"
			}
			about.hint = fmt.Sprintf("devtools %[1]s %[2]s shows what it asks, devtools send-keys %[2]s KEYS answers", shows, about.name)
		}
		return err
	}
	if w.Exited() && w.Session.ExitCode != nil && *w.Session.ExitCode != 0 {
		return exitCode(*w.Session.ExitCode)
	}
	return nil
}

// waitText prints the session's question, if the wait was for input.
func waitText(w io.Writer, r waitResult) error {
	if r.Waiting == nil || !slices.Contains(r.Met, "input") || r.Waiting.Prompt == "" {
		return nil
	}
	_, err := fmt.Fprintln(w, oneLine(r.Waiting.Prompt))
	return err
}
