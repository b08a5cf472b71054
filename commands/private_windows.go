package commands

import "os"

// nonBlock has no effect, because Windows has no FIFOs among its files.
const nonBlock = 0

// checkPrivate accepts every file. The access control of Windows decides who can read it.
func checkPrivate(*os.File) error { return nil }

// inherited cannot tell: a program has no list of the handles that it was passed.
func inherited(int) bool { return true }
