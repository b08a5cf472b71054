// Package fork starts programs where package syscall cannot: as a child of nobody, and with system calls of the caller's
// between fork and exec. Between the two, a child of a Go program can make system calls and no more.
package fork

// Settings are what a program is to have as its caller has it, and not as this process.
type Settings struct {
	Umask     *int   // umask(2); nil: that of this process
	FileLimit uint64 // soft limit of open files, RLIMIT_NOFILE of getrlimit(2); 0: that of this process
}
