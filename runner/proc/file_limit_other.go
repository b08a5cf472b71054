//go:build unix && !(linux && (amd64 || arm64))

package proc

import "golang.org/x/sys/unix"

// raiseFileLimit does nothing: a holder knows by its own limit what its program is to have.
func raiseFileLimit(unix.Rlimit) {}
