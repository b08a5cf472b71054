//go:build unix

package files

import "syscall"

// sameDevice reports whether both folders are on one file system.
func sameDevice(a, b string) bool {
	var one, other syscall.Stat_t
	return syscall.Stat(a, &one) == nil && syscall.Stat(b, &other) == nil && one.Dev == other.Dev
}
