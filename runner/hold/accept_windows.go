package hold

import (
	"io"
	"net"
)

// outOfDescriptors reports false: Windows has no such limit.
func outOfDescriptors(error) bool { return false }

func connectionWaits(net.Listener) bool { return false }

// hungUp reports false: it is learned when the connection is read.
func hungUp(io.ReadWriteCloser) bool { return false }

// A spare does nothing on Windows, where none is needed.
type spare struct{}

func newSpare() spare     { return spare{} }
func (s *spare) release() {}
func (s *spare) take()    {}
