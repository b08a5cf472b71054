package proc

// Subreaper makes our process the parent of every descendant whose own parent ends. Otherwise the first process of the
// system would be that parent (PR_SET_CHILD_SUBREAPER, prctl(2)).
//
// This lasts until we exit, and children do not inherit it. We must wait for the processes that we adopt. On other
// systems than Linux the error is [errors.ErrUnsupported].
func Subreaper() error { return subreaper() }
