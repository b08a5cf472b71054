//go:build unix

package runner

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"devtools/runner/proc"
)

// lookup finds program as execvp(3) does, in cwd and with the PATH of env.
func lookup(program, cwd string, env []string) (string, error) {
	if program == "" {
		return "", fmt.Errorf("%q: %w", program, proc.ErrNotFound)
	}
	if strings.Contains(program, "/") {
		path := program
		if !filepath.IsAbs(path) {
			path = filepath.Join(cwd, path)
		}
		return path, executableFile(program, path)
	}
	var denied error
	for _, folder := range filepath.SplitList(variable(env, "PATH")) {
		path := filepath.Join(folder, program)
		if !filepath.IsAbs(path) { // an empty element is the working directory
			path = filepath.Join(cwd, path)
		}
		err := executableFile(program, path)
		if err == nil {
			return path, nil
		}
		if errors.Is(err, proc.ErrNotExecutable) && denied == nil {
			denied = err
		}
	}
	if denied != nil {
		return "", denied
	}
	return "", fmt.Errorf("%s: %w", program, proc.ErrNotFound)
}

func executableFile(program, path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, unix.ENOTDIR):
		return fmt.Errorf("%s: %w", program, proc.ErrNotFound)
	case err != nil:
		return fmt.Errorf("%s: %w: %w", program, proc.ErrNotExecutable, err)
	case info.IsDir():
		return fmt.Errorf("%s: %w: it is a directory", program, proc.ErrNotExecutable)
	}
	if err := unix.Access(path, unix.X_OK); err != nil {
		return fmt.Errorf("%s: %w: %w", program, proc.ErrNotExecutable, err)
	}
	return nil
}

// variable returns the last value of name in env.
func variable(env []string, name string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(env[i], name+"="); ok {
			return value
		}
	}
	return ""
}
