package proc

import (
	"errors"
	"io/fs"
	"syscall"
)

var (
	// ErrGone says that the process no longer exists, even if another process has its pid now. It is a kind of
	// [fs.ErrNotExist].
	ErrGone error = &fault{"no such process", fs.ErrNotExist}

	// ErrNotPermitted says that the system does not permit us to inspect or signal the process. It is a kind of
	// [syscall.EPERM] and therefore of [fs.ErrPermission].
	ErrNotPermitted error = &fault{"not permitted", syscall.EPERM}

	// ErrForeign says that the process exists, but /proc does not show it with a number of our pid namespace.
	ErrForeign error = &fault{"/proc shows the processes of another PID namespace: mount one of this, as unshare --mount-proc does", fs.ErrPermission}

	// ErrProtected says that this package never signals the process: it is the first process of the system, or our own.
	ErrProtected error = &fault{"protected process", fs.ErrPermission}
)

// A fault is an error of this package that also matches a standard error.
type fault struct {
	text string
	kind error
}

func (f *fault) Error() string { return f.text }
func (f *fault) Unwrap() error { return f.kind }

// Errors that callers branch on.
var (
	ErrNotFound      = errors.New("command not found")
	ErrNotExecutable = errors.New("not executable")
	ErrNoProcess     = errors.New("no process of a session")
)
