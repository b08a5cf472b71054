package proc

// WorkingDirectory returns the working directory of the process that has pid now, or the path of the
// deleted folder that it is in. It is "" where we may not look, and where the platform does not tell.
func WorkingDirectory(pid int) string { return workingDirectory(pid) }
