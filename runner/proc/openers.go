package proc

// Openers returns the processes that have a terminal open. tty is its device number ([Info.TTY]). Openers searches all
// processes that we have permission to inspect, which takes some milliseconds. The result is empty where the system
// does not tell.
func Openers(tty int) []Info {
	if tty == 0 {
		return nil
	}
	return openers(tty)
}

// FolderOpeners returns the other processes that have the folder at path open. It searches all processes that we have
// permission to inspect, which takes some milliseconds. The result is empty where the system does not tell.
func FolderOpeners(path string) []Info { return folderOpeners(path) }

// OldBuild reports whether the program file of the process was deleted or replaced since the process started.
func OldBuild(pid int) bool { return oldBuild(pid) }
