package proc

// WorkingDirectory returns the working directory of the process that has pid now. If the directory was deleted, it
// returns the path that it had. It returns "" if we have no permission to look, or if the platform does not tell.
func WorkingDirectory(pid int) string { return workingDirectory(pid) }
