package stack

import "path/filepath"

// deviceOf returns the drive letter of a folder.
func deviceOf(dir string) (device string, ok bool) { return filepath.VolumeName(dir), true }
