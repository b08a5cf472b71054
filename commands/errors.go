package commands

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"reflect"
	"slices"
	"strings"
	"syscall"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/ledger/regular"
	"devtools/runner"
	"devtools/runner/attach"
	"devtools/runner/guard"
	"devtools/runner/guard/isolation"
	"devtools/runner/list"
	"devtools/runner/proc"
	"devtools/runner/watch"
	"devtools/runner/wire"
	"devtools/screen/render"
)

// Exit codes. The manual has the same table.
const (
	codeFailed        = 1
	codeUsage         = 2
	codeWaiting       = 120
	codeRunning       = 121
	codeFailCondition = 122
	codeNoSession     = 123
	codeTimeout       = 124
	codeNotStarted    = 125
	codeNotExecutable = 126
	codeNotFound      = 127
	codeInterrupted   = 130
)

// errNoState reports that nothing was ever started in the folder where the command looks.
var errNoState = fmt.Errorf("%w", ledger.ErrNoSession)

// A noLabelledError is ErrNoSession of labels: no running session has them.
type noLabelledError struct{}

func (noLabelledError) Error() string { return ledger.ErrNoSession.Error() }
func (noLabelledError) Unwrap() error { return ledger.ErrNoSession }

// A usageError reports a wrong command line.
type usageError struct {
	message string
	hint    string // hint in place of the usual one; "": the usual one
}

func (e *usageError) Error() string { return e.message }

func usagef(format string, args ...any) error {
	return &usageError{message: fmt.Sprintf(format, args...)}
}

// An exitCode ends devtools with the exit code of a program, without a message from devtools.
type exitCode int

func (c exitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

// An interruptedError says what a signal has interrupted.
type interruptedError struct{ message string }

func (e *interruptedError) Error() string { return e.message }
func (e *interruptedError) Unwrap() error { return context.Canceled }

// A sessionError is an error about one session. Its hint names the session.
type sessionError struct {
	err  error
	name string
	hint string // hint in place of the usual one for this kind; "": the usual one
}

func (e *sessionError) Error() string { return e.err.Error() }
func (e *sessionError) Unwrap() error { return e.err }

// A hintedError is an error with a hint of its own, in place of the usual one for its kind.
type hintedError struct {
	err  error
	hint string
}

func (e *hintedError) Error() string { return e.err.Error() }
func (e *hintedError) Unwrap() error { return e.err }

// unrecorded is the hint about a session that has ended, in place of those that name its log.
const unrecorded = "its output was not recorded (--no-record)"

// hintOf returns the hint for this error. kind is the usual hint for this kind of error.
func (e *sessionError) hintOf(kind string) string {
	if e.hint != "" {
		return e.hint
	}
	return hintAbout(e.name, kind)
}

// hintAbout returns a hint of the table of errors for one session, so that its command lines can be pasted. Without a name, or with
// one that no session can have, it stays as it is.
func hintAbout(name, hint string) string {
	if name == "" || ledger.CheckName(name) != nil {
		return hint
	}
	for _, command := range []string{"log", "screen", "wait"} {
		hint = strings.ReplaceAll(hint, "devtools "+command+" ", "devtools "+command+" "+name+" ")
	}
	return strings.ReplaceAll(hint, "NAME", name)
}

// sessionIn returns the name of the session that err is about, or "" if it is about none, or about several.
func sessionIn(err error) string {
	names := map[string]bool{}
	for _, one := range errorsIn(err) {
		names[ledger.SessionOf(one)] = true
	}
	if len(names) > 1 {
		return ""
	}
	return ledger.SessionOf(err)
}

// A startError is a failure before the program ran.
type startError struct{ err error }

func (e *startError) Error() string { return e.err.Error() }
func (e *startError) Unwrap() error { return e.err }

const usageHint = "devtools help lists the commands; devtools COMMAND --help shows its options"

const tokenHint = "devtools watch --token prints a token of the present state"

// An errorKind is a row of the table of errors. kind is the name in JSON, hint says what to do next.
type errorKind struct {
	matches func(error) bool
	code    int
	kind    string
	hint    string
}

// kinds returns the table of errors. The first matching row applies, so special errors come first.
func kinds() []errorKind {
	return slices.Concat([]errorKind{
		{isA[cli.ExitCoder], codeUsage, "usage", usageHint}, // from cli itself: no help for a topic, no such shell
		{isA[*usageError], codeUsage, "usage", usageHint},
		{is(ledger.ErrNoToken), codeUsage, "not_answered", tokenHint},
		{is(watch.ErrOtherSources), codeUsage, "not_answered", tokenHint},
		{isA[*questionError], codeUsage, "not_answered", ""},
		{is(ledger.ErrBadName), codeUsage, "bad_name", "use up to 64 letters, digits, '.', '_' and '-', but not digits alone"},
		{is(errNoState), codeNoSession, "no_such_session", "go to the folder where the session was started, or name it with -C DIR or --dir DIR"},
		{isA[noLabelledError], codeNoSession, "no_such_session", ""},
		{is(ledger.ErrNoSession), codeNoSession, "no_such_session", "devtools ps --all lists the sessions"},
		{is(runner.ErrMainEnded), codeNoSession, "ended", "--tree sends the signal to what it has left, which devtools ps lists"},
		{is(wire.ErrSandboxEnded), codeNoSession, "ended", "devtools log prints its output until then"},
		{is(wire.ErrEnded), codeNoSession, "ended", "devtools log prints its output, if it was recorded, devtools screen its last picture, devtools wait its exit code"},
		{is(wire.ErrElsewhere), codeNoSession, "elsewhere", "use --dir DIR with that folder"},
		{is(proc.ErrNotFound), codeNotFound, "not_found", ""},
		{is(proc.ErrNotExecutable), codeNotExecutable, "not_executable", ""},
		{isPolicyError(forbidden), codeNotExecutable, forbidden, ""},
		{isPolicyError(unconfirmed), codeNotExecutable, unconfirmed, ""},
		{isPolicyError(brokenRules), codeNotExecutable, brokenRules, ""},
		{is(errFailed), codeFailCondition, "fail_condition", "devtools screen shows the terminal, devtools log prints the output"},
		{is(errUnmet), codeFailed, "ended_early", "devtools log prints its output"},
		{is(wire.ErrTimeout), codeTimeout, "timeout", "a larger --timeout waits longer, devtools log prints the output"},
		{is(context.DeadlineExceeded), codeTimeout, "timeout", ""},
		{is(context.Canceled), codeInterrupted, "interrupted", ""},
		{is(ledger.ErrWatched), codeNotStarted, "watched", "end that watch first, or give this one another --name"},
		{isA[*renameError], codeFailed, "name_taken", "use another name, or end that session: devtools kill NAME"},
		{is(wire.ErrNameTaken), codeNotStarted, "name_taken", "use another --name, or end that session: devtools kill NAME"},
		{is(wire.ErrTooMany), codeNotStarted, "too_many_sessions", "devtools ps lists them, devtools kill ends one; --max-sessions allows more"},
		{is(isolation.ErrUnavailable), codeNotStarted, "no_isolation", "devtools doctor shows what is missing; --isolation medium limits no access"},
		{is(wire.ErrNoTether), codeNotStarted, "no_tether", ""},
		{is(wire.ErrHalfTyped), codeNotStarted, "busy", "devtools screen shows the line; devtools send-keys NAME C-u clears it"},
		{is(wire.ErrBusy), codeNotStarted, "busy", "devtools screen shows what runs there; devtools run without --in starts a session of its own"},
		{is(wire.ErrNoShell), codeNotStarted, "no_shell", "devtools launch starts a shell: bash, zsh, fish or sh; a REPL must show its prompt"},
		{is(wire.ErrIncomplete), codeUsage, "incomplete", "close the open quote, bracket or keyword; some languages end a command with ;"},
		{is(wire.ErrNotSet), codeUsage, "not_set", "set it in the command itself"},
		{is(regular.ErrOther), codeNotStarted, "unsafe_folder", "remove it, or use another folder: --dir DIR or DEVTOOLS_DIR"},
		{is(ledger.ErrUnsafe), codeNotStarted, "unsafe_folder", "use another folder: --dir DIR or DEVTOOLS_DIR"},
		{is(wire.ErrNotRecorded), codeFailed, "not_recorded", "devtools ps --all tells how it ended"},
		{is(wire.ErrHolderGone), codeFailed, "holder_gone", "devtools log prints its output, if it was recorded"},
		{is(wire.ErrOlder), codeFailed, "older_holder", "devtools kill NAME ends it; this devtools can start it again"},
		{is(attach.ErrNotAttachable), codeFailed, "no_terminal", "without a terminal, devtools screen shows the session and devtools send-keys NAME types into it"},
		{is(attach.ErrInside), codeFailed, "inside", "attach from another terminal"},
		{is(wire.ErrWithdrawn), codeFailed, "withdrawn", ""},
		{is(runner.ErrNoMoment), codeFailed, "no_such_moment", ""},
		{is(runner.ErrBeyondEnd), codeFailed, "beyond_end", "the offset may be from an earlier session; use the next of devtools log --json, which names its session"},
		{is(errNoScreen), codeFailed, "no_such_screen", ""},
		{is(wire.ErrNoAnswer), codeFailed, "no_answer", "it may be stopped or very busy; devtools doctor NAME finds out"},
		{is(wire.ErrManyClients), codeFailed, "too_many_clients", "try again, or end some commands that use the session"},
		{is(wire.ErrNoDescriptors), codeFailed, "no_descriptors", "end some commands that use the session, or start it with a higher ulimit -n"},
		{is(render.ErrTooLarge), codeFailed, "too_large", "choose fewer rows with -S and -E"},
		{is(wire.ErrNoLabel), codeFailed, "no_such_label", "devtools label NAME prints the labels"},
		{is(wire.ErrNoCapture), codeFailed, "no_such_capture", "devtools capture list NAME lists the captures"},
		{is(proc.ErrNoProcess), codeFailed, "no_such_process", "devtools ps lists the processes"},
		{is(wire.ErrNoFolder), codeNotStarted, "not_started", "set XDG_RUNTIME_DIR or TMPDIR to a folder of your own that can be written"},
		{func(err error) bool { return ledger.Unwritable(err) && !isIsolated(err) }, codeNotStarted, "read_only", "use a folder that can be written: --dir DIR, DEVTOOLS_DIR or XDG_STATE_HOME; a plain devtools run works without one"},
	}, typingKinds(), scarceKinds(), []errorKind{
		{is(wire.ErrHolderFailed), codeNotStarted, "not_started", "too few processes, open files or memory may be left: ulimit -a shows the limits, devtools doctor what is used"},
		{is(ledger.ErrNotMade), codeNotStarted, "not_started", "use another folder: --dir DIR or DEVTOOLS_DIR"},
		{isA[*startError], codeNotStarted, "not_started", ""},
		{func(error) bool { return true }, codeFailed, "failed", ""},
	})
}

// typingKinds returns the rows of what was not typed, or not read.
func typingKinds() []errorKind {
	return []errorKind{
		{is(wire.ErrScreenChanged), codeFailed, "screen_changed", "devtools screen shows it; with --hash it prints the new hash"},
		{is(wire.ErrNoTerminal), codeFailed, "no_terminal", "devtools log prints its output, devtools send-keys writes into a session of launch --no-pty"},
		{is(wire.ErrHasTerminal), codeUsage, "not_piped", "devtools send-keys NAME C-d ends the input of a program that reads lines"},
		{is(wire.ErrNotPiped), codeUsage, "not_piped", "devtools kill -s sends a signal; --eof closes standard input; --hex types any byte"},
		{is(wire.ErrInputClosed), codeFailed, "input_closed", "devtools log prints its output"},
		{is(wire.ErrInputFull), codeFailed, "input_full", "--timeout waits longer; devtools doctor NAME finds out what the program does"},
		{is(wire.ErrProgramEnded), codeFailed, "not_typed", "devtools screen shows what it printed"},
		{is(wire.ErrWithheld), codeFailed, "withheld", "--no-wait types ahead of the program; --timeout waits longer; devtools screen shows what it does"},
		{is(wire.ErrNotRead), codeFailed, "not_read", "devtools screen shows what the program does"},
		{is(wire.ErrConfined), codeNotExecutable, "confined", "act on it outside of the sandbox, or start it there with --share, which lets sandboxes act on it"},
		{is(isolation.ErrPinned), codeNotExecutable, "pinned", "only who may change that file can allow more; devtools policy show prints what is in force"},
		{is(wire.ErrTypedBefore), codeFailed, "not_typed", "repeat the call when nobody else types there"},
		{is(wire.ErrNotTyped), codeFailed, "not_typed", "devtools screen shows what the program does"},
	}
}

// scarceKinds returns the rows of what the machine or its limits have too little of.
func scarceKinds() []errorKind {
	return []errorKind{
		{isIsolated, codeFailed, "isolated", "this call runs in a session of --isolation high, which reaches no other session: call devtools outside of it"},
		{is(wire.ErrUnreachable), codeFailed, "unreachable", "devtools log and devtools screen read it, devtools wait waits for its end; act on it from where it was started"},
		{isOutput, codeFailed, "output_failed", "only the output is lost: what was to be done is done; df -h shows full disks"},
		{is(proc.ErrNoTerminal), codeFailed, "no_terminals", "end some sessions or programs with terminals, or raise sysctl kernel.pty.max"},
		{is(proc.ErrTerminalRefused), codeNotStarted, "no_terminal", "--no-pty runs it with pipes; a terminal needs /dev/ptmx and /dev/pts, and that the sandbox allows their use"},
		{is(syscall.ENOSPC), codeFailed, "disk_full", "free room: devtools prune --keep 20 removes ended sessions; df -h and df -i show what is full"},
		{is(syscall.EDQUOT), codeFailed, "disk_full", "your quota is used up: devtools prune --keep 20 removes ended sessions; quota shows it"},
		{is(syscall.EROFS), codeFailed, "read_only", "use a folder that can be written: --dir DIR or DEVTOOLS_DIR"},
		{is(syscall.EMFILE), codeFailed, "no_descriptors", "the hard limit of open files is too low: ulimit -Hn shows it; only root raises it"},
		{is(syscall.ENFILE), codeFailed, "no_descriptors", "the machine has too many files open: end some programs, or raise sysctl fs.file-max"},
		{is(proc.ErrNoFork), codeFailed, "no_processes", "end some processes, or raise their limit: ulimit -u, or pids.max of the control group; devtools doctor shows how many there are"},
		{is(syscall.ENOMEM), codeFailed, "no_memory", "end some programs, or raise the limit of memory: ulimit -v"},
	}
}

func is(target error) func(error) bool {
	return func(err error) bool { return errors.Is(err, target) }
}

func isA[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// A failure is the form of an error with --json.
type failure struct {
	Error errorDetail `json:"error"` // what went wrong
}

// An errorDetail says what went wrong.
type errorDetail struct {
	Code    int    `json:"code"`              // exit code of devtools
	Kind    string `json:"kind"`              // kind of the error, such as usage, no_such_session or timeout
	Message string `json:"message"`           // what has happened, for people
	Hint    string `json:"hint,omitzero"`     // what to do next
	Name    string `json:"name,omitzero"`     // name of the session that it is about, where the command knows it
	Rule    string `json:"ruleName,omitzero"` // rule of the policy that does not let the call be done
	File    string `json:"file,omitzero"`     // policy file of that rule, or of the mistake; "built-in rules" for the rules of devtools
	Line    int    `json:"line,omitzero"`     // line of the rule, or of the mistake, in that file
	Matched string `json:"matched,omitzero"`  // command that the rule of the policy matched
	AllowID string `json:"allowId,omitzero"`  // what a person gives to policy allow, so that the repeated call passes
}

// report prints err, unless err is only an exit code, and returns the exit code. command is the subcommand that
// failed, or "" for devtools itself. It prints text, or with the function reminder an object with what that returns.
func report(w io.Writer, command string, err error, reminder func() list.Reminder) int {
	if err == nil {
		return 0
	}
	if code, ok := errors.AsType[exitCode](err); ok {
		return int(code)
	}
	detail := newErrorDetail(command, err)
	if reminder != nil {
		var text bytes.Buffer
		_ = encode(&text, failure{detail})
		if object, err := appendReminder(text.Bytes(), reminder()); err == nil {
			_, _ = observed(w).Write(object) // there is no other place to report a failure
		}
		return detail.Code
	}
	message(w, "%s", detail.Message)
	hint(w, detail.Hint)
	return detail.Code
}

// newErrorDetail looks err up in the table of errors.
func newErrorDetail(command string, err error) errorDetail {
	var k errorKind
	for _, k = range kinds() {
		if k.matches(err) {
			break
		}
	}
	for _, scarce := range scarceKinds() {
		if k.hint == "" && scarce.matches(err) {
			k.hint = scarce.hint
		}
	}
	if k.code == codeFailed && isA[*startError](err) {
		k.code = codeNotStarted
	}
	if k.kind == "usage" && command != "" {
		k.hint = "devtools " + command + " --help shows its options"
	}
	name := ""
	if about, ok := errors.AsType[*sessionError](err); ok {
		k.hint, name = about.hintOf(k.hint), about.name
	} else {
		k.hint = hintAbout(sessionIn(err), k.hint)
	}
	if usage, ok := errors.AsType[*usageError](err); ok {
		k.hint = cmp.Or(usage.hint, k.hint)
	}
	if hinted, ok := errors.AsType[*hintedError](err); ok {
		k.hint = hinted.hint
	}
	mask := knownMatcher().String
	detail := errorDetail{Code: k.code, Kind: k.kind, Message: mask(strings.TrimSuffix(inWords(err), "\n")), Hint: mask(k.hint), Name: name}
	if p, ok := errors.AsType[*policyError](err); ok {
		detail.Hint, detail.Rule, detail.File, detail.Line = mask(p.hint), p.verdict.Rule, p.verdict.File, lineOf(p.verdict)
		detail.Matched, detail.AllowID = mask(p.verdict.Command), p.id
	}
	if p, ok := errors.AsType[*guard.FileError](err); ok {
		detail.File, detail.Line = p.File, p.Line
	}
	return detail
}

// errorDetails returns the details of err, or of each of the errors that errors.Join has joined in it.
func errorDetails(err error) []errorDetail {
	details := []errorDetail{}
	for _, one := range errorsIn(err) {
		details = append(details, newErrorDetail("", one))
	}
	return details
}

// errorsIn returns the errors that errors.Join has joined in err, or err alone.
func errorsIn(err error) (all []error) {
	if err == nil {
		return nil
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok && reflect.TypeOf(err) == reflect.TypeOf(errors.Join(err)) {
		for _, one := range joined.Unwrap() {
			all = append(all, errorsIn(one)...)
		}
		return all
	}
	return []error{err}
}

// told returns the error of a command whose result is printed. With --json the result says all that the error says, so
// only its exit code is left.
func told(cmd *cli.Command, err error) error {
	if err == nil || !cmd.Bool("json") || isA[exitCode](err) {
		return err
	}
	return exitCode(newErrorDetail(cmd.Name, err).Code)
}
