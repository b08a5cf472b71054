package wire

import (
	"errors"
	"fmt"
	"strings"
	"syscall"

	"devtools/ledger"
	"devtools/runner/guard/isolation"
	"devtools/runner/proc"
)

// Errors that callers branch on.
var (
	ErrNameTaken     = errors.New("name is taken")
	ErrNoTerminal    = errors.New("has no terminal")
	ErrEnded         = errors.New("has ended")
	ErrHolderGone    = errors.New("its holder is gone")
	ErrHolderFailed  = errors.New("it ended at once") // before it could start the command
	ErrElsewhere     = errors.New("belongs to another state folder")
	ErrNoAnswer      = errors.New("its holder does not answer") // the holder is alive, and may be stopped
	ErrNoDescriptors = errors.New("its holder has no file descriptor left for another client")
	ErrManyClients   = errors.New("its holder serves as many clients as it can")
	ErrOlder         = errors.New("its holder is of an older devtools, which cannot do this") // it does not know the request
	ErrTimeout       = errors.New("timed out")
	ErrTooMany       = errors.New("too many sessions")
	ErrWithdrawn     = errors.New("the request was withdrawn")
	ErrNoShell       = errors.New("not a shell that devtools launched")
	ErrBusy          = errors.New("is busy")
	ErrHalfTyped     = errors.New("a line is half typed at its prompt") // it is busy with that
	ErrIncomplete    = errors.New("the command is not complete")
	ErrNotSet        = errors.New("cannot be set for one command")
	ErrAnswered      = errors.New("the program no longer waits for this answer")
	ErrNoCapture     = errors.New("no such capture is running")
	ErrNoLabel       = errors.New("has no label")
	ErrNoTether      = errors.New("no such process") // for a tether
	ErrScreenChanged = errors.New("the screen has changed")
	ErrNotTyped      = errors.New("not typed")
	ErrWithheld      = errors.New("keys withheld") // the program does not read
	ErrNotRead       = errors.New("typed, but not seen to be read")
	ErrTypedBefore   = errors.New("something else was typed since the policies were asked about these keys")
	ErrConfined      = errors.New("runs outside of this sandbox, which may read it and not act on it")

	ErrHasTerminal = errors.New("has a terminal")  // what was asked for is for a session without one
	ErrNotPiped    = errors.New("has no terminal") // and so the meaning of a key is lost
	ErrInputClosed = errors.New("standard input is closed")
	ErrInputFull   = errors.New("standard input is full") // and the program does not read it

	ErrProgramEnded = errors.New("the program has ended")       // but its session has not
	ErrUnreachable  = errors.New("cannot be reached from here") // the holder is alive

	// ErrNoSocket is ErrUnreachable of a holder that does not open its socket, which was removed, again.
	ErrNoSocket = fmt.Errorf("%w: its socket is gone", ErrUnreachable)
)

// errRestarting is ErrEnded of a session that its holder starts again.
var errRestarting = fmt.Errorf("%w, and is started again: devtools restart does so at once", ErrEnded)

// Ended returns ErrEnded of the session s, which has ended.
func Ended(s ledger.Session) error {
	switch {
	case !s.RestartAt.IsZero():
		return errRestarting
	case SandboxEnded(s):
		return ErrSandboxEnded
	}
	return ErrEnded
}

// An endedError is ErrHolderGone of a session that is known to have ended: it is ErrEnded, too.
type endedError string

func (e endedError) Error() string { return string(e) }

func (endedError) Is(target error) bool { return target == ErrEnded || target == ErrHolderGone }

// ErrSandboxEnded is ErrEnded and ErrHolderGone of a session that ended together with its sandbox.
var ErrSandboxEnded error = endedError("its sandbox ended with the call that started it")

// SandboxEnded reports whether the sandbox of the session s, which has no holder any more, has ended before its end could be recorded.
// Our own sandbox has not. The kernel gives the number of an ended one to another, whose first process has started later.
func SandboxEnded(s ledger.Session) bool {
	if s.EndsWith == "" || s.Ended() {
		return false
	}
	first, err := proc.Glimpse(1)
	return s.Namespace != proc.Namespace() || err == nil && s.Holder.Start < first.Start
}

// gone returns the error for a session whose holder is gone.
func gone(dir ledger.Dir, session ledger.Session) error {
	err := ErrHolderGone
	if record, _ := dir.LoadSession(session.ID); record.Ended() {
		err = endedError(ErrEnded.Error())
	} else if SandboxEnded(record) {
		err = ErrSandboxEnded
	}
	return ledger.SessionError(session.Name, err)
}

// A Fault is an error that crosses the socket.
type Fault struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
	Session string `json:"session,omitzero"` // name of the session with which the message begins; "": with none
}

// faults lists the errors that keep their identity across the socket. For an error that matches several of them,
// the first one counts.
var faults = []struct {
	kind string
	err  error
}{
	{"name_taken", ErrNameTaken},
	{"not_found", proc.ErrNotFound},
	{"not_allowed", proc.ErrNotExecutable},
	{"no_process", proc.ErrNoProcess},
	{"no_tether", ErrNoTether},
	{"no_label", ErrNoLabel},
	{"no_session", ledger.ErrNoSession},
	{"bad_name", ledger.ErrBadName},
	{"no_terminal", ErrNoTerminal},
	{"too_many", ErrTooMany},
	{"changed", ErrScreenChanged},
	{"answered", ErrAnswered},
	{"no_capture", ErrNoCapture},
	{"withdrawn", ErrWithdrawn},
	{"no_shell", ErrNoShell},
	{"half_typed", ErrHalfTyped},
	{"busy", ErrBusy},
	{"incomplete", ErrIncomplete},
	{"not_set", ErrNotSet},
	{"program", ErrProgramEnded},
	{"ended", ErrEnded},
	{"descriptors", ErrNoDescriptors},
	{"clients", ErrManyClients},
	{"has_terminal", ErrHasTerminal},
	{"not_piped", ErrNotPiped},
	{"input_closed", ErrInputClosed},
	{"input_full", ErrInputFull},
	{"withheld", ErrWithheld},
	{"not_read", ErrNotRead},
	{"not_typed", ErrNotTyped},
	{"typed_before", ErrTypedBefore},
	{"confined", ErrConfined},
	{"unreachable", ErrUnreachable},
	{"not_possible", ErrOlder},
	{"pinned", isolation.ErrPinned},
	{"no_isolation", isolation.ErrUnavailable},
	{"no_folder", ErrNoFolder},
	{"no_fork", proc.ErrNoFork},
	{"no_terminals", proc.ErrNoTerminal},
	{"terminal_refused", proc.ErrTerminalRefused},
	{"no_memory", syscall.ENOMEM},
	{"no_files", syscall.EMFILE},
	{"no_system_files", syscall.ENFILE},
	{"disk_full", syscall.ENOSPC},
	{"quota", syscall.EDQUOT},
	{"read_only", syscall.EROFS},
	{"no_access", syscall.EACCES},
}

// NewFault returns err as a Fault, with the kind of the first error in faults that it matches.
func NewFault(err error) *Fault {
	f := &Fault{Kind: "failed", Message: err.Error(), Session: ledger.SessionOf(err)}
	for _, known := range faults {
		if errors.Is(err, known.err) {
			f.Kind = known.kind
			break
		}
	}
	return f
}

// Err returns the error again that NewFault took. [ledger.SessionOf] knows its session.
func (f *Fault) Err() error {
	if text, ok := strings.CutPrefix(f.Message, ledger.SessionError(f.Session, errors.New("")).Error()); ok {
		return ledger.SessionError(f.Session, f.plain(text))
	}
	return f.plain(f.Message)
}

// plain returns the error with a text of its own.
func (f *Fault) plain(text string) error {
	for _, known := range faults {
		if f.Kind == known.kind {
			return &remoteError{message: text, is: known.err}
		}
	}
	return &remoteError{message: text}
}

// A remoteError has the text of an error from the holder and the identity of one of the errors above, or of none.
type remoteError struct {
	message string
	is      error
}

func (e *remoteError) Error() string { return e.message }
func (e *remoteError) Unwrap() error { return e.is }
