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
