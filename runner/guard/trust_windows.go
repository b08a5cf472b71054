package guard

import "io/fs"

// checkOwn reports nothing: the access list of the user's folder protects the file.
func checkOwn(string, fs.FileInfo) error { return nil }

// checkFolder reports nothing, as checkOwn.
func checkFolder(string) error { return nil }
