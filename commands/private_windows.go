package commands

import "os"

// checkPrivate leaves it to the access control of Windows who can read a file.
func checkPrivate(*os.File) error { return nil }
