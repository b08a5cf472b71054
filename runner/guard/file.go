package guard

import (
	"fmt"
	"os"
	"path/filepath"
)

// FileName is the name of a policy file, in the state folder and in the user's folder "devtools".
const FileName = "policies.toml"

// UserFile returns the path of the user's policy: devtools/policies.toml in $XDG_CONFIG_HOME, or in
// ~/.config if that variable is empty or relative. It returns "" if there is no home folder either.
func UserFile() string {
	dir := os.Getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) {
		home, err := os.UserHomeDir()
		if err != nil || !filepath.IsAbs(home) {
			return ""
		}
		dir = filepath.Join(home, ".config")
	}
	return filepath.Join(dir, "devtools", FileName)
}

// Template returns the text of a policy file that has the built-in rules, with comments.
func Template() string {
	return template
}

// A FileError is a mistake in a policy file.
type FileError struct {
	File string
	Line int // counted from 1; 0 if it is not known
	Err  error
}

// Error returns file, line and mistake: "/ws/.devtools/policies.toml:3: unknown key …".
func (e *FileError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %v", e.File, e.Err)
	}
	return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err)
}

// Unwrap returns the mistake without file and line.
func (e *FileError) Unwrap() error { return e.Err }
