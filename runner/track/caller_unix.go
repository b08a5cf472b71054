//go:build unix

package track

import (
	"golang.org/x/sys/unix"

	"devtools/runner/proc"
)

// session returns the number of our session, setsid(2). The kernel says 0 where the session began outside of our PID namespace, as
// in "unshare --pid --fork", and in what PID 1 has not put into a session. Then it is the number of our oldest ancestor in it.
func session() int {
	if id, err := unix.Getsid(0); id != 0 || err != nil {
		return id
	}
	return proc.OldestInSession(0).PID
}
