package wire

import (
	"errors"
	"os"
)

// A channel is the holder's end of the start-up channel.
type channel struct{ Duplex }

// Take returns the standard input for the command.
func (c *channel) Take(Spec) (stdin *os.File, jobs []*os.File, err error) { return os.Stdin, nil, nil }

// OwnError does nothing: the standard error is an end of the channel.
func (c *channel) OwnError() error { return nil }

// StartUpChannel returns the holder's end of the channel.
func StartUpChannel() (*channel, error) {
	info, err := os.Stderr.Stat()
	if err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return nil, errors.New("hold cannot be started by hand: devtools run starts sessions")
	}
	return &channel{Duplex{In: os.Stderr, Out: os.Stdout}}, nil
}
