//go:build unix

package pty

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The interpreter of a script is in its first line, and ends at a blank.
func FuzzInterpreterOf(f *testing.F) {
	f.Add([]byte("#!/bin/sh -e\n"))
	f.Add([]byte("#! \t/usr/bin/env\x00\r\n"))
	f.Add([]byte("\x7fELF"))
	path := filepath.Join(f.TempDir(), "x")
	f.Fuzz(func(t *testing.T, script []byte) {
		if err := os.WriteFile(path, script, 0o600); err != nil {
			t.Fatal(err)
		}
		program := interpreterOf(path)
		first, _, _ := strings.Cut(string(script), "\n")
		if strings.ContainsAny(program, " \t\n") || len(program) > 256 || !strings.Contains(first, program) {
			t.Errorf("%q: %q", script, program)
		}
		isBinary(path)
	})
}
