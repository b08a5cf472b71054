//go:build unix && !linux

package start

// forkDetached starts the program as a child of this process.
func forkDetached(path string, argv, environment []string, files []uintptr) error {
	return forkChild(path, argv, environment, files)
}
