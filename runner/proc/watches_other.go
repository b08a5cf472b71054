//go:build !linux

package proc

func watchesFiles(int) bool { return false }
