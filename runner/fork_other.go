//go:build unix && !linux

package runner

import "syscall"

// forkDetached starts the program at path with the environment, and with files as its descriptors.
func forkDetached(path string, argv, environment []string, files []uintptr) error {
	_, err := syscall.ForkExec(path, argv, &syscall.ProcAttr{Files: files, Env: environment, Sys: &syscall.SysProcAttr{Setsid: true}})
	return err
}
