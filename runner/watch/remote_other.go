//go:build !linux

package watch

func remote(string) string { return "" }

// keepsTimes reports whether the folder lies on a file system where its times tell that its names are the same.
func keepsTimes(string) bool { return false }
