//go:build unix && !(linux && (amd64 || arm64))

package fork

import "syscall"

// start sets the umask of this process until the program has started: package syscall has no place for that of the child.
// It sets the limit of open files itself: to that with which this process was started.
func start(path string, argv []string, attr *syscall.ProcAttr, as Settings) (pid int, err error) {
	if as.Umask != nil {
		defer syscall.Umask(syscall.Umask(*as.Umask))
	}
	return syscall.ForkExec(path, argv, attr)
}
