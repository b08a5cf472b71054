package proc

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Lookup returns the absolute path of the executable that program names. It searches in the working directory cwd
// and with the PATH of env, as the command will have them. Without PATH in env, it searches where the system does. The error is
// ErrNotFound or ErrNotExecutable, and names the program.
func Lookup(program, cwd string, env []string) (string, error) { return lookup(program, cwd, env) }

// CheckFolder returns an error if dir cannot be the working directory of a command, because it is no folder.
func CheckFolder(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		if failed, ok := errors.AsType[*fs.PathError](err); ok {
			err = failed.Err
		}
		return fmt.Errorf("working directory %s: %w", dir, err)
	}
	if !info.IsDir() {
		return fmt.Errorf("working directory %s: not a directory", dir)
	}
	return nil
}
