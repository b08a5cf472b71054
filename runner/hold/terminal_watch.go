package hold

import (
	"os"

	"devtools/runner/blocked"
	"devtools/runner/pty"
)

// watchTerminal returns a watch of the programs that read the terminal.
func watchTerminal(t *pty.Terminal) *blocked.Watch {
	device, filesystem := t.Device()
	return blocked.NewWatch(os.Getpid(), blocked.Terminal{
		Device: device, Filesystem: filesystem,
		Foreground: t.Foreground,
		Modes: func() (blocked.Modes, error) {
			m, err := t.Modes()
			return blocked.Modes{Canonical: m.Canonical, Echo: m.Echo, Timed: m.Timed}, err
		},
	})
}
