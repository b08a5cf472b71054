//go:build linux && !amd64 && !arm64

package blocked

// calls is empty on untested architectures: no wait of a thread is recognized there.
var calls [0]call

const (
	restartsPoll = false
	olderOpen    = -1 // the number of no call
)

// otherCallName recognizes no call on untested architectures.
func otherCallName(int) string { return "" }
