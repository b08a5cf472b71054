package proc

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// lookup finds program as exec.LookPath does, in cwd, with the PATH of env and with the extensions of PATHEXT.
// It finds a program in the working directory only by a path. It ignores relative elements of PATH.
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
		search, _ := valueIn(env, "PATH")
		for _, folder := range filepath.SplitList(search) {
			if filepath.IsAbs(folder) {
				places = append(places, filepath.Join(folder, program))
			}
		}
	}
	failure := ErrNotFound
	for _, place := range places {
		path, err := exec.LookPath(place)
		if err == nil {
			return path, nil
		}
		if errors.Is(err, fs.ErrPermission) { // also the error for a folder
			failure = ErrNotExecutable
		}
	}
	return "", fmt.Errorf("%s: %w", program, failure)
}

// valueIn returns the last value of name, in any case, in env.
func valueIn(env []string, name string) (value string, ok bool) {
	for _, pair := range env {
		if key, v, _ := strings.Cut(pair, "="); strings.EqualFold(key, name) {
			value, ok = v, true
		}
	}
	return value, ok
}
