package runner

import (
	"errors"
	"io"
	"os"
)

// A duplex is a connection of two pipes.
type duplex struct {
	io.ReadCloser
	out io.WriteCloser
}

func (d duplex) Write(p []byte) (int, error) { return d.out.Write(p) }

// Close ends the writing first, which ends the other side's reading.
func (d duplex) Close() error { return errors.Join(d.out.Close(), d.ReadCloser.Close()) }

// A channel is the holder's end of the start-up channel.
type channel struct {
	duplex
	input *os.File // the standard input for the command
}

// startUpChannel returns the holder's end of the channel.
func startUpChannel() (*channel, error) {
	info, err := os.Stderr.Stat()
	if err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return nil, errors.New("hold: started by hand; devtools run starts sessions")
	}
	return &channel{duplex{os.Stderr, os.Stdout}, os.Stdin}, nil
}
