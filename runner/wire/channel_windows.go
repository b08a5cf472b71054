package wire

import (
	"errors"
	"io"
	"os"
)

// A Duplex is a connection that consists of two pipes.
type Duplex struct {
	io.ReadCloser
	Writer io.WriteCloser
}

func (d Duplex) Write(p []byte) (int, error) { return d.Writer.Write(p) }

// Close closes the writing pipe first. That ends the reading on the other side.
func (d Duplex) Close() error { return errors.Join(d.Writer.Close(), d.ReadCloser.Close()) }

// A channel is the holder's end of the start-up channel.
type channel struct {
	Duplex
	Files []*os.File // standard input for the command
}

// OwnError does nothing: the standard error is an end of the channel.
func (c *channel) OwnError() error { return nil }

// StartUpChannel returns the holder's end of the channel.
func StartUpChannel() (*channel, error) {
	info, err := os.Stderr.Stat()
	if err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return nil, errors.New("hold cannot be started by hand: devtools run starts sessions")
	}
	return &channel{Duplex{os.Stderr, os.Stdout}, []*os.File{os.Stdin}}, nil
}
