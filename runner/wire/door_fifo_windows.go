package wire

import (
	"errors"
	"net"
	"os"
)

// fifoSuffix ends the path of a door that is a FIFO. There are none on Windows.
const fifoSuffix = ".fifo"

func listenFIFO(string) (net.Listener, error) { return nil, errors.ErrUnsupported }

func dialFIFO(string) (net.Conn, error) { return nil, errors.ErrUnsupported }

func knockFIFO(string) error { return errors.ErrUnsupported }

// removeDoor removes the socket at path. It may be gone already.
func removeDoor(path string) { _ = os.Remove(path) }
