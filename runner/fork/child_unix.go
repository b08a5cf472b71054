//go:build unix

package fork

import "syscall"

// Child starts the program at path as a child of this process, in a kernel session of its own, with files as its descriptors.
func Child(path string, argv, environment []string, files []uintptr) error {
	_, err := syscall.ForkExec(path, argv, &syscall.ProcAttr{Files: files, Env: environment, Sys: &syscall.SysProcAttr{Setsid: true}})
	return err
}

// Detached works as Child. On Linux the new process is not a child of this one, because a program that ends a caller often
// ends all its descendants, too. It returns when the program has been started or could not be started.
func Detached(path string, argv, environment []string, files []uintptr) error {
	return detached(path, argv, environment, files)
}

// Start starts the program at path as syscall.ForkExec does, with Setpgid, and Foreground, Ctty, UseCgroupFD and CgroupFD of attr.Sys.
// On Linux on amd64 and arm64, the child takes over what the program is to have of as. Elsewhere, this process has that umask for a
// moment, in which no other goroutine may make a file. The error is a syscall.Errno if the program could not be executed.
func Start(path string, argv []string, attr *syscall.ProcAttr, as Settings) (pid int, err error) {
	return start(path, argv, attr, as)
}
