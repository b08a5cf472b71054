package blocked

import (
	"slices"

	"golang.org/x/sys/unix"
)

// ignoreProgramTerminals leaves out of a wait the terminals at which nobody types: an editor runs a compiler in one and shows what
// that prints.
func (in *inspector) ignoreProgramTerminals(w *wait) {
	had := len(in.masterFDs)
	in.masterFDs = slices.DeleteFunc(in.masterFDs, in.forProgram)
	if had > 0 && len(in.masterFDs) == 0 {
		w.sources = slices.DeleteFunc(w.sources, func(s source) bool { return s == masterSource })
	}
}

// forProgram reports whether the terminal behind this master is set for a program to type, as Emacs sets it (child_setup_tty): it
// reads lines, but neither echoes nor returns the carriage. For a person asked for a password it still does the latter.
func (in *inspector) forProgram(fd int) bool {
	master, err := in.copyFD(fd)
	if err != nil {
		return false
	}
	defer unix.Close(master)
	settings, err := unix.IoctlGetTermios(master, unix.TCGETS)
	return err == nil && settings.Lflag&(unix.ICANON|unix.ECHO) == unix.ICANON && settings.Oflag&unix.ONLCR == 0
}
