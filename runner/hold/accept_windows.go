package hold

import "net"

// outOfDescriptors reports false: there is no such limit.
func outOfDescriptors(error) bool { return false }

func connectionWaits(*net.UnixListener) bool { return false }

// A spare is needed nowhere here.
type spare struct{}

func newSpare() spare     { return spare{} }
func (s *spare) release() {}
func (s *spare) take()    {}
