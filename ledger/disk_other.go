//go:build !linux

package ledger

func diskAt(string) (Disk, error) { return Disk{FreeBytes: -1, FreeFiles: -1}, nil }

// canSwap returns false: this system cannot swap two files in one step.
func canSwap(string, string) bool { return false }
