//go:build unix

package proc

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// defaultPath is where execvp(3) searches when PATH is not set: _CS_PATH of confstr(3).
const defaultPath = "/bin:/usr/bin"

// lookup finds program as execvp(3) does, in cwd and with the PATH of env.
func lookup(program, cwd string, env []string) (string, error) {
	if program == "" {
		return "", fmt.Errorf("%q: %w", program, ErrNotFound)
	}
	if strings.Contains(program, "/") {
		path := program
		if !filepath.IsAbs(path) {
			path = filepath.Join(cwd, path)
		}
		return path, executableFile(program, path)
	}
	var denied error
	search, ok := valueIn(env, "PATH")
	if !ok {
		search = defaultPath
	}
	for _, folder := range strings.Split(search, string(filepath.ListSeparator)) {
		path := filepath.Join(folder, program)
		if !filepath.IsAbs(path) { // an empty element is the working directory, and so is an empty PATH
			path = filepath.Join(cwd, path)
		}
		err := executableFile(program, path)
		if err == nil {
			return path, nil
		}
		if errors.Is(err, ErrNotExecutable) && denied == nil {
			denied = err
		}
	}
	if denied != nil {
		return "", denied
	}
	return "", fmt.Errorf("%s: %w", program, ErrNotFound)
}

func executableFile(program, path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, unix.ENOTDIR):
		return fmt.Errorf("%s: %w", program, ErrNotFound)
	case err != nil:
		return fmt.Errorf("%s: %w: %w", program, ErrNotExecutable, err)
	case info.IsDir():
		return fmt.Errorf("%s: %w: it is a directory", program, ErrNotExecutable)
	}
	if err := unix.Access(path, unix.X_OK); err != nil {
		return fmt.Errorf("%s: %w: %w", program, ErrNotExecutable, err)
	}
	return nil
}

// valueIn returns the last value of name in env.
func valueIn(env []string, name string) (value string, ok bool) {
	for i := len(env) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(env[i], name+"="); ok {
			return value, true
		}
	}
	return "", false
}
