//go:build !linux

package track

import "os"

func Executable() (string, error) { return os.Executable() }

// holderName is what a holder is called, "" where that depends on its file.
const holderName = ""

// executesUs is not known here: the arguments decide.
func executesUs(int) bool { return true }
