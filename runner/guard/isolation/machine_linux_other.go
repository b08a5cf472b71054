//go:build linux && !amd64 && !arm64

package isolation

// machine is unknown: the numbers of system calls, and how a child is forked, are those of two machines.
var machine struct {
	known bool
	arch  uint32
	x32   bool
	modes []modeCall
}
