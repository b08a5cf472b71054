//go:build !linux

package ledger

import "os"

// swap puts the file at from in the place of the one at to.
func swap(from, to string) error { return os.Rename(from, to) }
