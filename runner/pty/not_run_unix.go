//go:build unix

package pty

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"devtools/runner/proc"
)

// beginning returns the first bytes of a program that could not be started, or none.
func beginning(path string) []byte {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	defer file.Close()
	start := make([]byte, 256) // as many as the kernel looks at, execve(2)
	n, _ := io.ReadFull(file, start)
	return start[:n]
}

// isBinary reports whether a file is no script, as bash finds out: a byte 0 is near its beginning.
func isBinary(path string) bool { return bytes.IndexByte(beginning(path), 0) >= 0 }

// interpreterOf returns the program that the first line of a script names, or "". As in the kernel, it ends at a blank or a tab.
func interpreterOf(path string) string {
	line, _, _ := strings.Cut(string(beginning(path)), "\n")
	line, ok := strings.CutPrefix(line, "#!")
	line = strings.TrimLeft(line, " \t")
	if end := strings.IndexAny(line, " \t"); end >= 0 {
		line = line[:end]
	}
	if !ok {
		return ""
	}
	return line
}

// notFound returns the error for a program that the system has not found. The program itself may exist, but not what runs it.
func notFound(opts Options, err error) error {
	name := opts.Command[0]
	if _, missing := os.Stat(opts.Path); missing != nil {
		return fmt.Errorf("%s: %w: %w", name, proc.ErrNotFound, err)
	}
	interpreter := interpreterOf(opts.Path)
	path := interpreter
	if !filepath.IsAbs(path) {
		path = filepath.Join(opts.Cwd, path)
	}
	switch _, missing := os.Stat(path); {
	case strings.HasSuffix(interpreter, "\r"):
		return fmt.Errorf("%s: %w: its lines have the ends of Windows, so its interpreter is %q", name, proc.ErrNotExecutable, interpreter)
	case interpreter != "" && errors.Is(missing, os.ErrNotExist):
		return fmt.Errorf("%s: %w: its interpreter %s does not exist", name, proc.ErrNotExecutable, interpreter)
	case interpreter != "":
		return fmt.Errorf("%s: %w: what its interpreter %s needs does not exist", name, proc.ErrNotExecutable, interpreter)
	}
	return fmt.Errorf("%s: %w: a file that it needs does not exist: its loader (ldd shows it)", name, proc.ErrNotExecutable)
}
