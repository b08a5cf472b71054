//go:build unix

package start

import "syscall"

// forkChild starts the program as a child of this process.
func forkChild(path string, argv, environment []string, files []uintptr) error {
	_, err := syscall.ForkExec(path, argv, &syscall.ProcAttr{Files: files, Env: environment, Sys: &syscall.SysProcAttr{Setsid: true}})
	return err
}
