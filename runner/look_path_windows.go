package runner

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"devtools/runner/proc"
)

// lookup finds program as exec.LookPath does, with the extensions of PATHEXT, in cwd and with the PATH
// of env. What lies in the working directory is found by a path only, and no relative element of PATH
// counts.
func lookup(program, cwd string, env []string) (string, error) {
	var places []string
	switch {
	case filepath.IsAbs(program):
		places = []string{program}
	case program != "" && os.IsPathSeparator(program[0]):
		places = []string{filepath.VolumeName(cwd) + program}
	case strings.ContainsAny(program, `:\/`):
		places = []string{filepath.Join(cwd, program)}
	default:
		for _, folder := range filepath.SplitList(variable(env, "PATH")) {
			if filepath.IsAbs(folder) {
				places = append(places, filepath.Join(folder, program))
			}
		}
	}
	failure := proc.ErrNotFound
	for _, place := range places {
		path, err := exec.LookPath(place)
		if err == nil {
			return path, nil
		}
		if errors.Is(err, fs.ErrPermission) { // a folder is one
			failure = proc.ErrNotExecutable
		}
	}
	return "", fmt.Errorf("%s: %w", program, failure)
}

// variable returns the last value of name, in any case, in env.
func variable(env []string, name string) (value string) {
	for _, pair := range env {
		if key, v, _ := strings.Cut(pair, "="); strings.EqualFold(key, name) {
			value = v
		}
	}
	return value
}
