// Package ledger keeps what happened and what is alive: the folder .devtools, its event log, its
// set of active sessions and one record for each session. It is the only package that knows a path
// in that folder.
//
// The invariants: the shared files change under one lock, the active set as a whole and the log by one
// write of whole lines; nobody holds the lock while a process is started, signalled or waited
// for; whether a holder lives is the lock on its claim file, never its pid.
package ledger

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// FolderName is the name of the state folder in a workspace.
const FolderName = ".devtools"

// The files of a state folder, as the manual lists them.
const (
	activeFile  = "active-processes.json"
	eventFile   = "process-log.jsonl"
	lockFile    = "lock"
	sessionsDir = "sessions"
	namesDir    = "names"
	claimFile   = "claim"
	ignoreFile  = ".gitignore"
)

// version is the schema version written into every file. Readers accept newer ones and ignore the
// fields that they do not know.
const version = 1

// ErrUnsafe reports a state folder that cannot be trusted: a symbolic link, not a folder, or
// somebody else's.
var ErrUnsafe = errors.New("unsafe state folder")

// A Dir is a state folder that is there, is ours and is closed to others. It is a value and safe
// for use by several goroutines.
type Dir struct {
	path string
	root string // by which its files are reached: the path, unless the folder is followed
	// notice is told, in one line, what was repaired on the way. It may be nil.
	notice func(string)
	still  bool    // nothing is repaired on the way
	by     Process // who holds claims; empty is this process, of which only the pid is known
}

// Path returns the absolute path of the state folder.
func (d Dir) Path() string { return d.path }

// Notify returns a copy of d that tells f, in one line, of every repair that it makes.
func (d Dir) Notify(f func(string)) Dir {
	d.notice = f
	return d
}

// Follow returns d for a process that goes on using it when the folder, or one above it, gets another name, where the
// system can name an open folder. The folder stays open for the life of the process.
func (d Dir) Follow() Dir {
	f, err := os.Open(d.path)
	if err != nil {
		return d
	}
	root := fmt.Sprintf("/proc/self/fd/%d", f.Fd())
	folder, err := f.Stat()
	if again, rootErr := os.Stat(root); err != nil || rootErr != nil || !os.SameFile(folder, again) {
		_ = f.Close() // nothing was written
		return d
	}
	followed = append(followed, f)
	d.root = root
	return d
}

// followed keeps the folders of this process from being closed as garbage.
var followed []*os.File

func (d Dir) notef(format string, args ...any) {
	if d.notice != nil {
		d.notice(fmt.Sprintf(format, args...))
	}
}

// Find returns the path of the state folder for the working directory from, whether it exists or
// not: the nearest one at or above it, but not above the nearest .git, nor in the home folder; else
// beside that .git; else in the working directory. The result is absolute when from is.
func Find(from string) string {
	home, _ := os.UserHomeDir() // without a home there is none to keep out of
	for dir := filepath.Clean(from); ; dir = filepath.Dir(dir) {
		candidate := filepath.Join(dir, FolderName)
		if dir != home || dir == from {
			if _, err := os.Lstat(candidate); err == nil {
				return candidate
			}
		}
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return candidate
		}
		if dir == filepath.Dir(dir) {
			return filepath.Join(from, FolderName)
		}
	}
}

// Open returns the state folder at path, which must exist. The error is fs.ErrNotExist when it
// does not, and ErrUnsafe when it is not ours to use.
func Open(path string) (Dir, error) { return open(path, false) }

// Inspect is Open for who only looks: what the folder returned finds damaged stays as it is, and a folder that is open
// to others too.
func Inspect(path string) (Dir, error) { return open(path, true) }

func open(path string, still bool) (Dir, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return Dir{}, err
	}
	info, err := os.Lstat(path)
	if err != nil {
		return Dir{}, err
	}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return Dir{}, fmt.Errorf("%w: %s is a symbolic link", ErrUnsafe, path)
	case !info.IsDir():
		return Dir{}, fmt.Errorf("%w: %s is not a folder", ErrUnsafe, path)
	case !ownedByUser(info):
		return Dir{}, fmt.Errorf("%w: %s belongs to another user", ErrUnsafe, path)
	}
	if info, err := os.Lstat(filepath.Join(path, sessionsDir)); err == nil && !info.IsDir() {
		return Dir{}, fmt.Errorf("%w: %s in %s is not a folder", ErrUnsafe, sessionsDir, path)
	}
	if open := info.Mode().Perm() & 0o077; open != 0 && closedModes {
		// Only a folder that is ours by its name is closed. A read-only mount keeps its modes.
		if filepath.Base(path) == FolderName && (still || os.Chmod(path, 0o700) == nil) {
			open = 0
		}
		if open&0o022 != 0 {
			return Dir{}, fmt.Errorf("%w: other users can write to %s (mode %04o)", ErrUnsafe, path, info.Mode().Perm())
		}
	}
	return Dir{path: path, root: path, still: still}, nil
}

// Create returns the state folder at path and makes it, with mode 0700 and a .gitignore that
// hides it from git, when it is not there. Its parent must exist.
func Create(path string) (Dir, error) {
	d, err := Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return Dir{}, err
		}
		d, err = Open(path)
	}
	if err != nil {
		return Dir{}, err
	}
	if info, err := os.Lstat(d.file(ignoreFile)); err == nil && info.Size() > 0 {
		return d, nil
	}
	return d, d.writeIgnore()
}

// writeIgnore hides the folder from git, but for what people write. Where that cannot be done, nothing is to be kept in it.
func (d Dir) writeIgnore() error {
	f, err := openFile(d.file(ignoreFile), os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return err
	}
	_, err = f.WriteString("*\n!" + promptsFile + "\n!" + stacksFile + "\n")
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(d.file(ignoreFile)) // empty it would look like one that hides nothing
		_ = os.Remove(d.path)             // and this succeeds only if we have just made it
	}
	return err
}

// Stamp writes into s which folder this is.
func (d Dir) Stamp(s *Session) {
	s.Folder = d.path
	s.FolderDevice, s.FolderInode = d.number()
}

// Copied reports whether the record s was written in another folder than this one, which is then a copy of that one:
// what it says of living processes is about the other folder's. A folder that was moved, and one that was restored to its place, are no copies.
func (d Dir) Copied(s Session) bool {
	if s.Folder == "" || s.Folder == d.path {
		return false
	}
	device, inode := d.number()
	return s.FolderDevice != device || s.FolderInode != inode
}

// number returns the device and the inode of the folder, stat(2), and zeros where files have none.
func (d Dir) number() (device, inode uint64) {
	info, err := os.Stat(d.root)
	if err != nil {
		return 0, 0
	}
	return fileNumber(info)
}

// openFile opens a file of the folder. A symbolic link in its place is refused: whoever has put it there
// wants another file to be changed. A FIFO is not waited for.
func openFile(path string, flag int) (*os.File, error) {
	return os.OpenFile(path, flag|noFollow|nonBlock, 0o600)
}

func (d Dir) file(name string) string { return filepath.Join(d.root, name) }

// folder returns the path of a folder in d, which it makes where it is not there. The error is ErrUnsafe when
// something else is in its place, as a link that somebody has put there, or others can get at what is in it.
func (d Dir) folder(name string) (string, error) {
	path := d.file(name)
	err := os.Mkdir(path, 0o700)
	if err == nil || !errors.Is(err, fs.ErrExist) {
		return path, err
	}
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return "", err
	case !info.IsDir():
		return "", fmt.Errorf("%w: %s in %s is not a folder", ErrUnsafe, name, d.path)
	case !ownedByUser(info):
		return "", fmt.Errorf("%w: %s in %s belongs to another user", ErrUnsafe, name, d.path)
	case closedModes && info.Mode().Perm()&0o022 != 0:
		return "", fmt.Errorf("%w: other users can write to %s in %s (mode %04o)", ErrUnsafe, name, d.path, info.Mode().Perm())
	}
	return path, nil
}
