package proc

// openFiles says that a process can have many handles.
func openFiles() (most, open int) { return -1, 0 }

// mostProcesses says that a user can have many processes.
func mostProcesses() int { return -1 }
