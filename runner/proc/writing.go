package proc

// Writing returns the paths of the files that the process has open for writing: a fraction of a millisecond's work. It is
// empty where the system does not tell, or not us.
func Writing(pid int) []string { return writing(pid) }
