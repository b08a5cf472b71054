package proc

// Openers returns the processes that have the terminal with the device number tty ([Info.TTY]) open, of all that we may
// look at: some milliseconds' work. It is empty where the system does not tell.
func Openers(tty int) []Info {
	if tty == 0 {
		return nil
	}
	return openers(tty)
}

// FolderOpeners returns the other processes that have the folder at path open, of all that we may look at: some
// milliseconds' work. It is empty where the system does not tell.
func FolderOpeners(path string) []Info { return folderOpeners(path) }

// OldBuild reports whether the program of the process was deleted, or another one put in its place, since it began.
func OldBuild(pid int) bool { return oldBuild(pid) }
