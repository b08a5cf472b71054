//go:build !linux

package track

import "os"

func Executable() (string, error) { return os.Executable() }

// holderName is the name of a holder's process; "" where the name depends on its file.
const holderName = ""

// executesUs cannot tell here, so the arguments decide.
func executesUs(int) bool { return true }
