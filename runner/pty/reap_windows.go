package pty

// Reap does nothing: a process that has ended waits for nobody here.
func Reap() {}
