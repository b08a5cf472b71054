package commands

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/ledger/transcript"
	"devtools/runner"
	"devtools/runner/doctor"
	"devtools/runner/list"
	"devtools/runner/track"
	"devtools/runner/wire"
)

// A runResult is the output of run --json.
type runResult struct {
	Status      string   `json:"status"`             // what has become of the command: completed, running, waiting_for_input or timeout
	ExitCode    *int     `json:"exitCode,omitempty"` // exit code of the command, when it has ended; 128+n when signal n ended it; a command of a REPL has none
	Pipeline    []int    `json:"pipeline,omitempty"` // exit codes of the stages of the pipeline with which the command, a line of bash or zsh, ends; absent where they are not known
	Stages      []string `json:"stages,omitempty"`   // the commands of these stages, as in the line; not with --in
	Signal      string   `json:"signal,omitzero"`    // signal that ended the command, such as SIGKILL
	EndReason   string   `json:"endReason,omitzero"` // what ended the command: idle_limit or tether
	Output      string   `json:"output"`             // output since offset; a line says where some was left out
	Stdout      *string  `json:"stdout,omitempty"`   // with --no-pty: standard output of the command
	Stderr      *string  `json:"stderr,omitempty"`   // with --no-pty: standard error of the command
	Tty         *bool    `json:"tty,omitempty"`      // false: the command had pipes, not a terminal; absent with a terminal
	Encoding    string   `json:"encoding"`           // encoding of output, stdout and stderr: utf8 or base64
	OutputBytes int64    `json:"outputBytes"`        // length of the whole output since offset, as the command wrote it
	Truncated   bool     `json:"truncated"`          // --max-output or --max-lines has left some output out
	Offset      int64    `json:"offset"`             // offset at which the output begins
	readOn
	LostBytes      int64          `json:"lostBytes"`                // output that could not be stored
	GapBytes       int64          `json:"gapBytes,omitzero"`        // output since offset that the log no longer has, because of --max-log
	Log            string         `json:"log,omitzero"`             // file with the output; absent with --no-record
	Isolation      string         `json:"isolation,omitzero"`       // level of the isolation of the session, if it is not medium: none, basic or high
	WithheldEnv    []string       `json:"withheldEnv,omitempty"`    // with --profile agent: variables of the caller that seem secret and were not passed to the command
	Name           string         `json:"name"`                     // name of the session
	SessionID      string         `json:"sessionId"`                // id of the session
	PID            int            `json:"pid"`                      // main process of the session
	StartedAt      ledger.Time    `json:"startedAt"`                // start of the command
	DurationMs     int64          `json:"durationMs"`               // time from the start to the end of the command, or until now
	ExitedAfterMs  *int64         `json:"exitedAfterMs,omitempty"`  // time from the start to the end of the main process
	DrainedAfterMs *int64         `json:"drainedAfterMs,omitempty"` // time from the start until all output was read
	Leftovers      []list.Process `json:"leftovers"`                // processes that outlived the main process
	EndedLeftovers []list.Process `json:"endedLeftovers"`           // with --leftovers kill: processes that outlived the main process and were ended

	Answers       []runner.AnswerReport `json:"answers"`                // what became of each --answer
	Met           []string              `json:"met"`                    // conditions of --until that came true
	Match         string                `json:"match,omitzero"`         // text that matched
	FailCondition string                `json:"failCondition,omitzero"` // condition of --fail that came true
	Prompt        string                `json:"prompt"`                 // question of a command that waits for input, as in waiting; "" if it does not wait
	inputResult
	callEnd
	Hints  []string `json:"hints"`            // what to do next, each a command line or a sentence
	Advice *advice  `json:"advice,omitempty"` // for a command that keeps running: what to call in place of run
}

// takeInput notes what the command does about input.
func (r *runResult) takeInput(in wire.InputState) {
	r.inputResult = newInputResult(in)
	r.Prompt = r.prompt()
}

// showRun prints what became of the command and returns its exit code.
func showRun(ctx context.Context, cmd *cli.Command, dir ledger.Dir, req runRequest, out *runOutput, r runner.RunResult) error {
	out.gone = r.Session.NoRecord && r.Session.Ended()
	if !r.SinkBusy {
		if err := out.close(cmd, r.Session.Name); err != nil {
			return brokenPipe(err)
		}
	}
	if out.view != nil && r.Status != runner.Completed && !r.SinkBusy {
		if err := out.view.leave(); err != nil {
			return brokenPipe(err)
		}
	}
	code, why := runCode(r)
	if r.Missing > 0 && code == 0 {
		code = codeFailed
	}
	gap := max(r.Deleted, out.deleted(req.spec.Dir, r.Session, req.from))
	if !cmd.Bool("json") {
		tellMissing(cmd, r, gap)
	}
	result := newRunResult(r.Session, r.Status)
	result.Offset, result.GapBytes, result.Advice, result.Answers = req.from, gap, req.advice, r.Answers
	result.WithheldEnv = req.spec.Withheld
	result.Met, result.Match, result.FailCondition = append(result.Met, r.Until.Met...), r.Until.Match, r.Until.Failed
	if !req.spec.NoFolder && (!r.Session.Ended() || len(result.Leftovers) > 0 || r.Status == runner.TimedOut && req.keep) {
		result.callEnd = callEndOf(r.Session)
	}
	switch result.takeInput(r.Input); {
	case r.Session.Ended():
		result.takeStages(cmd, r.Session)
	case result.EndsWithCall:
		result.Hints = []string{withinCall}
	case r.Status == runner.WaitingForInput:
		result.Hints = append(req.unreadHint(cmd), answerHints(cmd, result.Name, *r.Input.Waiting)...)
	case req.spec.NoFolder: // nobody can reach it
	default:
		result.Hints = runningHints(cmd, result.Name)
		if r.Status == runner.TimedOut {
			result.Hints = append(result.Hints, devtoolsCommand(cmd)+" doctor "+result.Name+req.why)
		}
		if strings.HasPrefix(r.Input.Reason, "stopped_sig") {
			result.Hints = append([]string{doctor.Foreground}, result.Hints...)
		}
	}
	if cmd.Bool("json") {
		result.Log = runner.LogPath(dir, r.Session) // text output has no path, and finding it reads the folder
		if !r.SinkBusy {
			result.fill(req, out, r)
		}
		if req.spec.NoFolder {
			result.Hints = append(result.Hints, "the command ran"+fromMemory)
		}
		if err := printResult(cmd, result); err != nil {
			return brokenPipe(err)
		}
	} else {
		reportRunning(cmd, r, result, why, req)
		remindSince(ctx, cmd, dir, startedBy(r.Session))
	}
	if err := endedEarly(cmd, r, req.until, code); err != nil {
		return err
	}
	if req.viewed && r.Session.Signal == "SIGINT" {
		interrupt() // the key went only to the command
	}
	if r.Signal != nil && (r.Status == runner.Running || r.Session.Signal == signalName(r.Signal)) {
		endBy(r.Signal) // so that the calling shell sees how devtools ended
	}
	return exitCode(code)
}

// tellMissing says what of the output cannot be had again. gap is what --max-log has deleted, in bytes.
func tellMissing(cmd *cli.Command, r runner.RunResult, gap int64) {
	switch lost := r.Session.LostBytes; {
	case r.Missing > 0:
		message(cmd.Root().ErrWriter, "%d bytes of output are lost: they could not be stored", r.Missing)
	case lost > 0:
		message(cmd.Root().ErrWriter, "%d bytes of the output could not be stored: devtools log does not have them", lost)
	}
	if gap > 0 {
		note(cmd, "%d bytes of the output were deleted (--max-log): devtools log does not have them", gap)
	}
}

// endedEarly returns an error if the command ended with code 0 before the conditions of --until came true. With another code,
// it only prints that.
func endedEarly(cmd *cli.Command, r runner.RunResult, until runner.Wait, code int) error {
	if !early(r, until) {
		return nil
	}
	waited := r.Until
	waited.Session, waited.Ended = r.Session, true
	err := waitFault(waited, until)
	if code != 0 {
		note(cmd, "%v", err)
		return nil
	}
	return err
}

// early reports whether the command ended before the conditions of --until came true.
func early(r runner.RunResult, until runner.Wait) bool {
	return len(until.Until) > 0 && r.Status == runner.Completed && !met(r) && r.Until.Failed == ""
}

// met reports whether the conditions of --until came true before the command ended.
func met(r runner.RunResult) bool { return len(r.Until.Met) > 0 && !r.Until.Ended }

// runCode returns the exit code of a result. why says why the wait ended, unless it was because the command ended.
func runCode(r runner.RunResult) (code int, why string) {
	switch {
	case r.Until.Failed != "":
		return codeFailCondition, "--fail " + r.Until.Failed + " is true"
	case met(r) && !r.Until.MetExit():
		return 0, strings.Join(r.Until.Met, ", ") + " " + plural(len(r.Until.Met), "is", "are") + " true"
	}
	switch r.Status {
	case runner.TimedOut:
		return codeTimeout, "timed out"
	case runner.WaitingForInput:
		return codeWaiting, waitingText(*r.Input.Waiting)
	case runner.Running:
		return stillRuns(r.Signal)
	}
	if r.Session.ExitCode == nil {
		return codeFailed, ""
	}
	return *r.Session.ExitCode, ""
}

// stillRuns returns the exit code of a run that has left its command running: for a signal, or nil for --wait background.
func stillRuns(sig os.Signal) (code int, why string) {
	switch sig {
	case nil:
		return 0, "in the background"
	case syscall.SIGPIPE:
		return codeRunning, "the caller of run has ended"
	}
	return codeRunning, "a signal has ended run"
}

// runningHints returns commands about a session that runs.
func runningHints(cmd *cli.Command, name string) []string {
	devtools := devtoolsCommand(cmd)
	return []string{devtools + " run --resume " + name, devtools + " log " + name + " --follow", devtools + " kill " + name}
}

// lookBefore is how long before the timeout it is looked why the command has not ended: doctor measures for 0.2 s.
const lookBefore = 600 * time.Millisecond

// lookForReason looks, shortly before the timeout, why the command does not end. why gets doctor's reason if that is known by then.
func lookForReason(ctx context.Context, client *runner.Client, timeout time.Duration, why *atomic.Value) (stop func() bool) {
	return time.AfterFunc(timeout-lookBefore, func() {
		if e, err := doctor.Explain(ctx, client.Dir, client.Session.ID); err == nil && e.Cause != "" {
			why.Store(": " + e.Cause)
		}
	}).Stop
}

func newRunResult(s ledger.Session, status string) runResult {
	result := runResult{
		Status:         status,
		Encoding:       "utf8",
		Isolation:      s.Isolation,
		Name:           s.Name,
		SessionID:      s.ID,
		readOn:         readOnFrom(s.ID, 0),
		PID:            s.Main.PID,
		StartedAt:      s.StartedAt,
		DurationMs:     time.Since(s.StartedAt.Time).Milliseconds(),
		Leftovers:      []list.Process{},
		EndedLeftovers: []list.Process{},
		Answers:        []runner.AnswerReport{},
		Met:            []string{},
		Hints:          []string{},
	}
	if s.Size.Cols == 0 {
		result.Tty = new(bool)
	}
	if s.Ended() {
		result.ExitCode, result.Signal, result.EndReason = s.ExitCode, s.Signal, s.EndReason
		result.ExitedAfterMs, result.DrainedAfterMs = &s.ExitedAfterMs, &s.DrainedAfterMs
		result.DurationMs = max(s.ExitedAfterMs, s.DrainedAfterMs)
		result.Leftovers, result.EndedLeftovers = list.Leftovers(s), list.EndedLeftovers(s)
	}
	return result
}

// fill adds the output to the result.
func (result *runResult) fill(req runRequest, out *runOutput, r runner.RunResult) {
	result.OutputBytes, result.readOn, result.LostBytes = r.Next-req.from, readOnFrom(result.SessionID, r.Next), max(r.Missing, r.Session.LostBytes)
	all := out.all
	if !out.check.text(r.Status == runner.Completed) {
		if result.Encoding = "base64"; out.bytes != nil {
			all = out.bytes
		}
	}
	result.Truncated = all.preview.Cut()
	name := out.log(r.Session.Name)
	result.Output = result.encode(all, name)
	if c := out.apart[transcript.Output]; c != nil {
		stdout, stderr := result.encode(c, name), result.encode(out.apart[transcript.Stderr], name)
		result.Stdout, result.Stderr = &stdout, &stderr
	}
}

// encode returns the preview in the encoding of the result. In base64, head and tail follow each other without text
// in between.
func (result *runResult) encode(c *outputStream, name string) string {
	if result.Encoding == "base64" {
		head, tail, _ := c.preview.Parts(false)
		return base64.StdEncoding.EncodeToString(append(head[:len(head):len(head)], tail...))
	}
	return strings.ToValidUTF8(c.text(true, name), string(utf8.RuneError))
}

// reportRunning says on stderr what continues: the command itself and its leftovers.
func reportRunning(cmd *cli.Command, r runner.RunResult, result runResult, why string, req runRequest) {
	name := r.Session.Name
	if r.Status == runner.WaitingForInput && !req.viewed {
		endLine(cmd, *r.Input.Waiting)
	}
	but := "" // a signal was refused, or did not help
	if len(result.Leftovers) > 0 {
		but = ", but not all that it started"
	}
	but += result.text(": its sandbox")
	and := result.text(", and")
	switch {
	case r.Status == runner.WaitingForInput && r.Session.Ended():
		message(cmd.Root().ErrWriter, "%s: session %q was ended%s", why, name, but)
	case r.Status == runner.WaitingForInput:
		sayContinues(cmd, result.Hints, "%s: session %q still runs%s", why, name, and)
	case r.Status == runner.Completed && r.Until.Failed != "":
		message(cmd.Root().ErrWriter, "%s: session %q has ended", why, name)
	case why != "" && !r.Session.Ended():
		if r.Status == runner.TimedOut {
			why += " after " + req.timeout.String()
			if wanted := unmet(r.Until, req.until); len(wanted) > 0 {
				why += " without " + strings.Join(wanted, ", ")
			}
			if result.AcceptsInput {
				why += "; it also reads its terminal"
			}
		}
		goes := "still runs"
		if req.spec.NoFolder {
			goes = "ends with this call"
		}
		sayContinues(cmd, result.Hints, "%s: session %q %s (pid %d)%s", why, name, goes, r.Session.Main.PID, and)
	case r.Status != runner.Completed && why != "":
		message(cmd.Root().ErrWriter, "%s after %s: session %q was ended%s", why, req.timeout, name, but)
	}
	if cmd.Bool("quiet") || !early(r, req.until) { // else endedEarly says it
		sayEndReason(cmd, r.Session)
	}
	if r.Quit {
		note(cmd, `ctrl-\ ended the command (SIGQUIT); in attach it detaches`)
	}
	sayAnswers(cmd, result.Answers)
	if n := len(result.Leftovers); n > 0 {
		note(cmd, "%d %s outlived %s and %s tracked%s: %s", n, plural(n, "process", "processes"), name, plural(n, "is", "are"), result.text(", in a sandbox that"), names(result.Leftovers))
	}
	if n := len(result.EndedLeftovers); n > 0 {
		note(cmd, "%d %s outlived %s and %s ended: %s", n, plural(n, "process", "processes"), name, plural(n, "was", "were"), names(result.EndedLeftovers))
	}
}

// sayContinues says that a command continues, and unless --quiet is set, what to do next. Who reads the output may not see the
// exit code, as behind a pipe.
func sayContinues(cmd *cli.Command, hints []string, format string, args ...any) {
	message(cmd.Root().ErrWriter, format, args...)
	if !cmd.Bool("quiet") {
		hint(cmd.Root().ErrWriter, strings.Join(hints, ", "))
	}
}

// sayEndReason says that the idle limit or the tether ended the session, if it did.
func sayEndReason(cmd *cli.Command, s ledger.Session) {
	if s.EndReason != "" {
		message(cmd.Root().ErrWriter, "session %q was ended by %s", s.Name, track.EndedBy(s))
	}
}

func names(processes []list.Process) string {
	var all []string
	for _, p := range processes {
		all = append(all, fmt.Sprintf("%s (pid %d)", oneLine(p.Name), p.PID))
	}
	return strings.Join(shorten(all, 8), ", ")
}

// shorten cuts a list for a message of one line.
func shorten(list []string, most int) []string {
	if len(list) <= most {
		return list
	}
	return append(list[:most:most], fmt.Sprintf("and %d more", len(list)-most))
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// showBackground prints how to reach a command that continues.
func showBackground(ctx context.Context, cmd *cli.Command, dir ledger.Dir, s ledger.Session, withheld []string) error {
	result := newRunResult(s, runner.Running)
	result.WithheldEnv = withheld
	result.Hints, result.callEnd = runningHints(cmd, s.Name), callEndOf(s)
	if result.EndsWithCall {
		result.Hints = []string{withinCall}
	}
	result.say(cmd, fmt.Sprintf("session %q", s.Name))
	result.Log = runner.LogPath(dir, s)
	err := show(cmd, result, func(w io.Writer, r runResult) error {
		_, err := fmt.Fprintln(w, r.Name)
		return err
	})
	remindSince(ctx, cmd, dir, startedBy(s))
	return err
}
