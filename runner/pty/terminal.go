package pty

// Modes are the settings of a terminal's line discipline that decide how it handles keys (termios(3)).
type Modes struct {
	Signals   bool // ISIG: control characters send signals
	Canonical bool // ICANON
	Echo      bool // ECHO
	Timed     bool // VMIN is 0 and VTIME is not: a read ends by itself
}

// Try opens a terminal as Start does, and closes it. It returns why that failed, or [errors.ErrUnsupported] where no command gets one.
func Try() error { return try() }
