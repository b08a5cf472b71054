//go:build unix

package commands

import (
	"os"
	"os/signal"
	"time"

	"golang.org/x/sys/unix"
)

// windowSignals returns the signals that report a new size of the terminal.
func windowSignals() []os.Signal { return []os.Signal{unix.SIGWINCH} }

// stopSelf stops the job of this process, as ^Z does on a terminal that is not raw. It returns when the job is
// resumed.
func stopSelf() {
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, unix.SIGCONT)
	defer signal.Stop(continued)
	if unix.Kill(0, unix.SIGTSTP) == nil {
		select {
		case <-continued:
		case <-time.After(time.Second): // without a shell that could resume it, the job is not stopped
		}
	}
}
