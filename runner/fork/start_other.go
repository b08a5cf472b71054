//go:build unix && !(linux && (amd64 || arm64))

package fork

import "syscall"

// start sets the umask of this process until the program has started: package syscall has no place for that of the child.
func start(path string, argv []string, attr *syscall.ProcAttr, umask *int) (pid int, err error) {
	if umask != nil {
		defer syscall.Umask(syscall.Umask(*umask))
	}
	return syscall.ForkExec(path, argv, attr)
}
