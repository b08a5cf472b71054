package start

import (
	"errors"
	"io"
	"os"
	"syscall"

	"golang.org/x/sys/windows"

	"devtools/runner/track"
	"devtools/runner/wire"
)

// prepareDetached does nothing: the holder's handles are known only later.
func (s *Starter) prepareDetached() {}

// prepareChild does nothing, as prepareDetached.
func (s *Starter) prepareChild() {}

// Send starts the holder and gives it the spec.
func (s *Starter) Send(spec wire.Spec) (io.ReadWriteCloser, error) {
	var stdin *os.File
	if spec.Stdin {
		stdin = s.stdin
	}
	conn, err := spawnHolder(stdin)
	if err != nil {
		return nil, err
	}
	s.conn = conn
	return conn, wire.WriteLine(conn, spec)
}

// spawnHolder starts a holder and returns this process's end of the start-up channel. A process gets its three standard
// handles and no others. So the holder writes to the channel by its standard output and reads it by its standard error.
// Its standard input is stdin, for the command, when that is not nil.
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
	return wire.Duplex{In: fromHolder, Out: toHolder}, nil
}

// startDetached starts a holder that outlives this process. The holder gets its own process group, leaves the job where
// the job allows it, and has its own console without a window (CREATE_NO_WINDOW). With DETACHED_PROCESS it would have no
// console, and could not send a CTRL_BREAK_EVENT to its command.
func startDetached(self string, files ...*os.File) error {
	const flags = windows.CREATE_NO_WINDOW | windows.CREATE_NEW_PROCESS_GROUP
	attr := &os.ProcAttr{
		Files: files,
		Sys:   &syscall.SysProcAttr{CreationFlags: flags | windows.CREATE_BREAKAWAY_FROM_JOB},
	}
	process, err := os.StartProcess(self, []string{os.Args[0], "hold"}, attr)
	if errors.Is(err, windows.ERROR_ACCESS_DENIED) { // the job lets no process out
		attr.Sys.CreationFlags = flags
		process, err = os.StartProcess(self, []string{os.Args[0], "hold"}, attr)
	}
	if err != nil {
		return err
	}
	return process.Release() // this process never waits for it
}

// inheritedJobs returns nil: there, the job server of make has no descriptors.
func inheritedJobs() []*os.File { return nil }
