package hold

import (
	"os"

	"devtools/runner/blocked"
	"devtools/runner/pty"
)

// watchInput returns a watch of the programs that read the terminal, or the pipe in its place.
func watchInput(p *pty.Program) *blocked.Watch {
	if p.Tty == nil {
		return watchPipe(p)
	}
	return watchTerminal(p.Tty)
}

// watchPipe returns a watch of the programs that read the pipe. In front is the process group of the main process, and nothing
// is taken away from a line or thrown away unread: it is like a terminal that takes lines.
func watchPipe(p *pty.Program) *blocked.Watch {
	inode, filesystem := p.Input.Inode()
	return blocked.NewWatch(os.Getpid(), blocked.Terminal{
		Pipe:       &blocked.Pipe{Inode: inode, Filesystem: filesystem},
		Foreground: func() (int, error) { return p.PID, nil },
		Modes:      func() (blocked.Modes, error) { return blocked.Modes{Canonical: true, Echo: true}, nil },
	})
}

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
