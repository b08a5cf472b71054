//go:build !linux

package ledger

import "os"

// swap renames the file at from. It replaces the file at to.
func swap(from, to string) error { return os.Rename(from, to) }
