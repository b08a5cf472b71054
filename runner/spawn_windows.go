package runner

import (
	"errors"
	"io"
	"os"
	"syscall"

	"golang.org/x/sys/windows"

	"devtools/runner/track"
	"devtools/runner/wire"
)

// prepare does nothing: what a holder is to have is known later.
func (s *Starter) prepare() {}

// send starts the holder and gives it the spec.
func (s *Starter) send(spec wire.Spec, stdin *os.File) (io.ReadWriteCloser, error) {
	conn, err := spawnHolder(stdin)
	if err != nil {
		return nil, err
	}
	s.conn = conn
	return conn, wire.WriteLine(conn, spec)
}

// spawnHolder starts a holder. A process is given its three standard handles and no other, so the
// start-up channel is the holder's standard output and, to be read, its standard error; its standard
// input is stdin, for the command, when that is not nil. It returns our end of the channel.
func spawnHolder(stdin *os.File) (io.ReadWriteCloser, error) {
	self, err := track.Executable()
	if err != nil {
		return nil, err
	}
	if stdin == nil {
		if stdin, err = os.Open(os.DevNull); err != nil {
			return nil, err
		}
		defer stdin.Close()
	}
	in, toHolder, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	fromHolder, out, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, toHolder.Close())
	}
	defer out.Close()
	if err := startDetached(self, stdin, out, in); err != nil {
		return nil, errors.Join(err, toHolder.Close(), fromHolder.Close())
	}
	return wire.Duplex{ReadCloser: fromHolder, Writer: toHolder}, nil
}

// startDetached starts a holder that outlives us: in a process group of its own, outside of our job
// where that allows it, and on a console of its own that has no window (CREATE_NO_WINDOW). With
// DETACHED_PROCESS it had none, and could send its command no CTRL_BREAK_EVENT.
func startDetached(self string, files ...*os.File) error {
	const flags = windows.CREATE_NO_WINDOW | windows.CREATE_NEW_PROCESS_GROUP
	attr := &os.ProcAttr{
		Files: files,
		Sys:   &syscall.SysProcAttr{CreationFlags: flags | windows.CREATE_BREAKAWAY_FROM_JOB},
	}
	process, err := os.StartProcess(self, []string{os.Args[0], "hold"}, attr)
	if errors.Is(err, windows.ERROR_ACCESS_DENIED) { // the job lets nobody out
		attr.Sys.CreationFlags = flags
		process, err = os.StartProcess(self, []string{os.Args[0], "hold"}, attr)
	}
	if err != nil {
		return err
	}
	return process.Release() // we never wait for it
}
