//go:build !linux

package watch

func remote(string) string { return "" }

// keepsTimes reports whether the folder lies on a file system where unchanged folder times mean unchanged names.
func keepsTimes(string) bool { return false }
