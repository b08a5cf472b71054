package files

// sameDevice reports whether both folders are on one file system. On Windows a folder and those
// above it always are.
func sameDevice(string, string) bool { return true }
