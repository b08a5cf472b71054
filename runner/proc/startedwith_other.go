//go:build !linux

package proc

// StartedWith reports whether text is in the arguments or the environment that the program of the process was
// executed with; true as well where that cannot be read, as here.
func StartedWith(int, string) bool { return true }
