//go:build !linux

package wire

import (
	"errors"
	"net"
	"os"
)

// fifoSuffix ends the path of a door that is a FIFO. There are none here: elsewhere, sandboxes allow
// sockets, or a FIFO cannot be waited for.
const fifoSuffix = ".fifo"

func listenFIFO(string) (net.Listener, error) { return nil, errors.ErrUnsupported }

func dialFIFO(string) (net.Conn, error) { return nil, errors.ErrUnsupported }

// removeDoor removes the socket at path. It may be gone already.
func removeDoor(path string) { _ = os.Remove(path) }
