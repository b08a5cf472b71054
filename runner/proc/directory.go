package proc

// WorkingDirectory returns the working directory of the process that has pid now, or the path of the
// deleted folder that it is in. It is "" where we may not look, and where the platform does not tell.
func WorkingDirectory(pid int) string { return workingDirectory(pid) }

// Program returns the path of the file that the process executes, with " (deleted)" behind it where that is gone. It is
// "" where the system does not tell.
func Program(pid int) string { return executablePath(pid) }
