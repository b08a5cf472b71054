//go:build linux && !amd64 && !arm64

package proc

// lasting knows no call where nobody tried.
func lasting(int) string { return "" }
