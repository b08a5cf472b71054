package proc

// Unread returns how many bytes were typed at a terminal and not read yet, tty_ioctl(4) FIONREAD on the slave. If the
// terminal reads lines, only complete lines count.
//
// A result of 0 is reliable. Before the count, Unread makes the kernel pass on what was written to the master before
// the call. FIONREAD alone does not wait for that. If there are unread bytes, those of the last moment may be missing
// from the count.
//
// The error is [errors.ErrUnsupported] where the system does not tell.
func Unread(slave int) (int, error) { return unread(slave) }
