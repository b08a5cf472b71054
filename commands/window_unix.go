//go:build unix

package commands

import (
	"os"
	"os/signal"
	"time"

	"golang.org/x/sys/unix"
)

// windowSignals returns the signals that tell of another size of the terminal.
func windowSignals() []os.Signal { return []os.Signal{unix.SIGWINCH} }

// stopSelf stops the job that this process belongs to, as ^Z does where the terminal is not raw, and returns
// when it is continued.
func stopSelf() {
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, unix.SIGCONT)
	defer signal.Stop(continued)
	if unix.Kill(0, unix.SIGTSTP) == nil {
		select {
		case <-continued:
		case <-time.After(time.Second): // without a shell that could continue us, we are not stopped
		}
	}
}
