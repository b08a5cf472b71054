package runner

import (
	"io"
	"os"

	"devtools/runner/wire"
)

var (
	DialEnded = dialEnded
	Replay    = replay
)

func (s *Starter) Send(spec wire.Spec, stdin *os.File) (io.ReadWriteCloser, error) {
	return s.send(spec, stdin)
}
