// Package fork starts programs where package syscall cannot: as a child of nobody, and with system calls of the caller's
// between fork and exec. Between the two, a child of a Go program can make system calls and no more.
package fork
