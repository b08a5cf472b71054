package proc

import (
	"io/fs"
	"syscall"
)

var (
	// ErrGone says that the process is no more, also when another one has its pid
	// now. It is a kind of [fs.ErrNotExist].
	ErrGone error = &fault{"no such process", fs.ErrNotExist}

	// ErrNotPermitted says that the system does not let us touch the process. It is
	// a kind of [syscall.EPERM] and so of [fs.ErrPermission].
	ErrNotPermitted error = &fault{"not permitted", syscall.EPERM}

	// ErrProtected says that the process is one this package never signals: the
	// first process of the system and our own.
	ErrProtected error = &fault{"protected process", fs.ErrPermission}
)

// A fault is an error of this package that is also of a kind others know.
type fault struct {
	text string
	kind error
}

func (f *fault) Error() string { return f.text }
func (f *fault) Unwrap() error { return f.kind }
