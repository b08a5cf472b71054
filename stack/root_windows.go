package stack

import "path/filepath"

// deviceOf returns the drive of a folder, by its letter.
func deviceOf(dir string) (device string, ok bool) { return filepath.VolumeName(dir), true }
