package proc

// Writing returns the paths of the files that the process has open for writing. This takes a fraction of a millisecond.
// The result is empty where the system does not tell, or does not permit us to look.
func Writing(pid int) []string { return writing(pid) }
