package proc

// Subreaper makes our process the parent of every descendant whose own parent
// ends, in the place of the first process of the system (PR_SET_CHILD_SUBREAPER,
// prctl(2)). It stays so until we exit, is not inherited by children, and obliges
// us to wait for what we adopt. It is [errors.ErrUnsupported] on other systems
// than Linux.
func Subreaper() error { return subreaper() }
