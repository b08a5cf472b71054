package main

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// others is a script that prints the file for the program that its argument names.
//
//go:embed others.py
var others string

// writeOthers writes the widths of the C library, and of the package wcwidth of the installed
// python3, into folder.
func writeOthers(folder string) error {
	for _, name := range []string{"glibc", "wcwidth"} {
		out, err := exec.Command("python3", "-c", others, name).Output()
		if failed, ok := errors.AsType[*exec.ExitError](err); ok {
			err = fmt.Errorf("%w\n%s", err, failed.Stderr)
		}
		if err != nil {
			return fmt.Errorf("widths of %s: python3: %w", name, err)
		}
		if err := os.WriteFile(filepath.Join(folder, name+".txt"), out, 0o644); err != nil {
			return err
		}
	}
	return nil
}
