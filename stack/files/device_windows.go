package files

// sameDevice reports whether both folders are on one file system, which folders above each other are here.
func sameDevice(string, string) bool { return true }
