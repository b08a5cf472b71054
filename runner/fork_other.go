//go:build unix && !linux

package runner

import (
	"syscall"

	"devtools/runner/track"
)

// forkDetached starts the program at path with files as its descriptors.
func forkDetached(path string, argv []string, files []uintptr) error {
	_, err := syscall.ForkExec(path, argv, &syscall.ProcAttr{Files: files, Env: track.Unmarked(syscall.Environ()), Sys: &syscall.SysProcAttr{Setsid: true}})
	return err
}
