package ledger

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"devtools/ledger/regular"
)

// ErrUnwritable says that nothing can be written into the state folder.
var ErrUnwritable = errors.New("cannot write into the state folder")

// unwritable returns err as ErrUnwritable if the system does not let this process write into the folder.
func (d Dir) unwritable(err error) error {
	if refused(err) {
		err = fmt.Errorf("%w %s: %w", ErrUnwritable, d.path, reason(err))
	}
	return err
}

// Unwritable reports whether err says that a state folder can be neither made nor written, for want of permission or on a
// read-only file system.
func Unwritable(err error) bool {
	return (errors.Is(err, ErrNotMade) || errors.Is(err, ErrUnwritable)) && refused(err)
}

// refused reports whether the system does not let this process write.
func refused(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
}

// Discarding returns the state folder at path for a session that no folder can have. What is there can be read; what is written is
// discarded.
func Discarding(path string) Dir {
	d := At(path)
	d.discards = true
	return d
}

// inStateHomeName is the name of the state folder of a workspace that cannot be written. The folders above it mirror the path of the
// workspace. It differs from FolderName, because the folder above it is not the workspace.
const inStateHomeName = ".state"

// stateHome returns the folder for the state of workspaces that cannot be written: $XDG_STATE_HOME/devtools. It returns "" for a user
// without a home folder.
func stateHome() string {
	base := os.Getenv("XDG_STATE_HOME")
	if home, err := os.UserHomeDir(); !filepath.IsAbs(base) && err == nil {
		base = filepath.Join(home, ".local", "state")
	}
	if !filepath.IsAbs(base) {
		return ""
	}
	return filepath.Join(base, "devtools")
}

// inStateHome returns the path of the state folder below base for a workspace that cannot be written.
func inStateHome(base, workspace string) string {
	return filepath.Join(base, workspace[len(filepath.VolumeName(workspace)):], inStateHomeName)
}

// InStateHome returns the path of the state folder that CreateInStateHome makes in place of the one at path, or "" where it makes none.
func InStateHome(path string) string {
	base := stateHome()
	if _, missing := os.Lstat(path); base == "" || missing == nil {
		return ""
	}
	return inStateHome(base, filepath.Dir(path))
}

// Locate works as Find. If there is no state folder yet, it returns the nearest one that CreateInStateHome has made.
func Locate(from string) string {
	path, found := find(from)
	if found {
		return path
	}
	base := stateHome()
	if _, err := os.Lstat(base); err != nil { // most users have none: this is one look
		return path
	}
	home, _ := os.UserHomeDir()
	for dir := filepath.Clean(from); dir != ""; dir = regular.Above(dir, home) {
		other := inStateHome(base, dir)
		if _, err := os.Lstat(other); err == nil {
			return other
		}
		if regular.Repository(dir) {
			break
		}
	}
	return path
}

// CreateInStateHome makes the state folder in the user's own folder for a workspace whose state folder at path could not be made, because of err.
// Locate finds it from then on. An existing folder at path has files that people have written, so nothing takes its place.
func CreateInStateHome(path string, err error) (other string, _ error) {
	base := stateHome()
	if _, missing := os.Lstat(path); !Unwritable(err) || base == "" || missing == nil {
		return "", err
	}
	regular.CloseUmask()
	other = inStateHome(base, filepath.Dir(path))
	failed := os.MkdirAll(filepath.Dir(other), 0o700)
	if failed == nil {
		_, failed = Create(other)
	}
	if failed != nil {
		return "", fmt.Errorf("%w; nor %s: %w", err, other, reason(failed))
	}
	return other, nil
}
