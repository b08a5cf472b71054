//go:build !linux

package proc

func workingDirectory(int) string { return "" }

func executablePath(int) string { return "" }
