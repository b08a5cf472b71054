//go:build !linux

package proc

func workingDirectory(int) string { return "" }
