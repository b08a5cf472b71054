//go:build unix && !linux

package fork

func detached(path string, argv, environment []string, files []uintptr) error {
	return Child(path, argv, environment, files)
}
