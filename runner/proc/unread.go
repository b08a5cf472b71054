package proc

// Unread returns how many bytes typed at a terminal nobody has read yet, tty_ioctl(4)
// FIONREAD on the slave: of complete lines alone, where the terminal reads lines. It
// says 0 only when there are none: it has the kernel hand over first what was written
// to the master before the call, which FIONREAD by itself does not wait for. Where
// there are some, those of the last moment may be missing. The error is
// [errors.ErrUnsupported] where the system does not tell.
func Unread(slave int) (int, error) { return unread(slave) }
