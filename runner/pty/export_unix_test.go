//go:build unix

package pty

// CloseInherited does what PrepareHolder leaves out where the starter has closed everything.
var CloseInherited = closeInherited
