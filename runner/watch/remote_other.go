//go:build !linux

package watch

func remote(string) string { return "" }
