// Package ledger keeps the record of what happened and what is alive. It consists of the folder .devtools, its event
// log, its set of active sessions and one record for each session. No other package knows a path in that folder.
//
// These rules always hold:
//
//   - The shared files change under one lock. The active set is replaced as a whole.
//     The log grows by single writes of whole lines.
//   - Nobody holds the lock while a process is started, signalled or waited for.
//   - A holder is alive as long as it holds the lock of its claim file. Its pid proves nothing.
package ledger

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"devtools/ledger/regular"
)

// FolderName is the name of the state folder in a workspace.
const FolderName = ".devtools"

// The names in a state folder. The manual lists them.
const (
	activeFile  = "active-processes.json"
	eventFile   = "process-log.jsonl"
	lockFile    = "lock"
	sessionsDir = "sessions"
	namesDir    = "names"
	runDir      = "run"
	claimFile   = "claim"
	ignoreFile  = ".gitignore"
)

// version is the schema version that is written into every file. Readers accept newer versions and ignore fields that
// they do not know.
const version = 1

// ErrUnsafe reports a state folder that cannot be trusted. It is a symbolic link, is not a folder, belongs to another
// user or can be written by other users.
var ErrUnsafe = errors.New("unsafe state folder")

// A Dir is a state folder that exists, belongs to the user and cannot be written by others, or one that nobody
// has looked at, see [At]. It is a value. Several goroutines may use it.
type Dir struct {
	path string
	root string // path by which the files are opened; differs from path after Follow
	// workspace has the device and the inode of the folder above, as they were at Follow.
	workspace [2]uint64
	// notice receives one line about each repair. It may be nil.
	notice   func(string)
	noRepair bool // damaged files stay as they are
	discards bool // what is written is discarded, see Discarding
	fresh    bool // it had no folder for sessions when it was opened, or lost its .gitignore with other files
	// adopt is called when something is missing that a living session may have had. It reports whether it is there now. It may be nil.
	adopt func() bool
	by    Process // process that holds claims; zero: this process, of which only the pid is known
}

// Path returns the absolute path of the state folder.
func (d Dir) Path() string { return d.path }

// Notify returns a copy of d that calls f with one line about every repair.
func (d Dir) Notify(f func(string)) Dir {
	d.notice = f
	return d
}

// OnLost returns a copy of d that calls adopt before it says that there is no such session. adopt reports whether sessions whose
// files were removed have new ones now.
func (d Dir) OnLost(adopt func() bool) Dir {
	d.adopt = adopt
	return d
}

// recovered calls the function of OnLost. The result does not call it again.
func (d Dir) recovered() (Dir, bool) {
	adopt := d.adopt
	d.adopt = nil
	return d, adopt != nil && adopt()
}

// RunFolder returns the path of the folder for the sockets of its sessions that no runtime folder can have.
func (d Dir) RunFolder() string { return filepath.Join(d.path, runDir) }

// Notef tells one line to the function of Notify.
func (d Dir) Notef(format string, args ...any) {
	if d.notice != nil {
		d.notice(fmt.Sprintf(format, args...))
	}
}

// Find returns the path of the state folder for the working directory from. The folder may not exist yet. Find takes
// the first of these:
//
//   - the nearest state folder at from or above it, up to the nearest [regular.Repository]
//   - the place in that repository
//   - the place in the working directory
//
// Above from, only a state folder of the user counts, and the search ends where [regular.Above] says so. The result is absolute when
// from is absolute.
func Find(from string) string {
	path, _ := find(from)
	return path
}

// find works as Find, and reports whether the folder exists.
func find(from string) (path string, found bool) {
	home, _ := os.UserHomeDir() // without a home folder the search does not end there
	from = filepath.Clean(from)
	for dir := from; dir != ""; dir = regular.Above(dir, home) {
		candidate := filepath.Join(dir, FolderName)
		info, err := os.Lstat(candidate)
		if err == nil && (dir == from || ownedByUser(info)) || regular.Repository(dir) {
			return candidate, err == nil
		}
	}
	return filepath.Join(from, FolderName), false
}

// LockOf returns the file whose lock each change of the state folder at path needs.
func LockOf(path string) string { return filepath.Join(path, lockFile) }

// Open returns the state folder at path. The error is fs.ErrNotExist when the folder does not exist, and ErrUnsafe
// when it cannot be trusted.
func Open(path string) (Dir, error) { return open(path, false) }

// Inspect works as Open, for a caller that only reads. It leaves a damaged file as it is. It also leaves the mode of
// a folder that is open to other users.
func Inspect(path string) (Dir, error) { return open(path, true) }

func open(path string, noRepair bool) (Dir, error) {
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
	sessions, sessionsErr := os.Lstat(filepath.Join(path, sessionsDir))
	if sessionsErr == nil && !sessions.IsDir() {
		return Dir{}, fmt.Errorf("%w: %s in %s is not a folder", ErrUnsafe, sessionsDir, path)
	}
	if open := info.Mode().Perm() & 0o077; open != 0 && closedModes {
		// Only a folder with the usual name is closed to others. On a read-only mount the mode stays.
		if filepath.Base(path) == FolderName && (noRepair || os.Chmod(path, 0o700) == nil) {
			open = 0
		}
		if open&0o022 != 0 {
			return Dir{}, fmt.Errorf("%w: other users can write to %s (mode %04o)", ErrUnsafe, path, info.Mode().Perm())
		}
	}
	return Dir{path: path, root: path, noRepair: noRepair, fresh: errors.Is(sessionsErr, fs.ErrNotExist)}, nil
}

// Fresh reports whether the folder may have lost its files when it was opened: it is new, or its content was deleted.
func (d Dir) Fresh() bool { return d.fresh }

// Create returns the state folder at path. If the folder does not exist, Create makes it, with mode 0700 and a
// .gitignore that hides it from git. The parent folder must exist.
func Create(path string) (Dir, error) {
	regular.CloseUmask()
	d, err := Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return Dir{}, notMade(path, err)
		}
		d, err = Open(path)
	}
	if err != nil {
		return Dir{}, err
	}
	if info, err := os.Lstat(d.file(ignoreFile)); err == nil && info.Size() > 0 {
		return d, nil
	}
	d.fresh = true
	return d, d.unwritable(d.writeIgnore())
}

// ErrNotMade says that the state folder could not be made.
var ErrNotMade = errors.New("cannot make the state folder")

// notMade returns the error for the state folder at path that could not be made because of err.
func notMade(path string, err error) error {
	return fmt.Errorf("%w %s: %w", ErrNotMade, path, reason(err))
}

// ignored is the content of the .gitignore. New lines come last, see outdated.
const ignored = "*\n!" + promptsFile + "\n!" + stacksFile + "\n!" + declaredFile + "\n!" + policyFile + "\n"

// writeIgnore hides the folder from git, except for the files that people write. If that fails, it removes the folder
// again where it can: the folder must not be used without its .gitignore.
func (d Dir) writeIgnore() error {
	f, err := openFile(d.file(ignoreFile), os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return err
	}
	_, err = f.WriteString(ignored)
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(d.file(ignoreFile)) // an empty file would look like one that hides nothing
		_ = os.Remove(d.path)             // this succeeds only if the folder is new and empty
	}
	return err
}

// Stamp notes in s to which folder the record belongs.
func (d Dir) Stamp(s *Session) {
	s.Folder = d.path
	s.FolderDevice, s.FolderInode = d.number()
}

// Copied reports whether the record s was written in another folder, of which this folder is a copy. What s says
// about living processes then concerns the other folder. A folder that was moved is not a copy. Neither is a folder
// that was restored to its place.
func (d Dir) Copied(s Session) bool {
	if s.Folder == "" || s.Folder == d.path {
		return false
	}
	device, inode := d.number()
	return s.FolderDevice != device || s.FolderInode != inode
}

// number returns the device and the inode of the folder, stat(2). Both are zero where files have no such numbers.
func (d Dir) number() (device, inode uint64) {
	info, err := os.Stat(d.root)
	if err != nil {
		return 0, 0
	}
	return fileNumber(info)
}

func (d Dir) file(name string) string { return filepath.Join(d.root, name) }

// folder returns the path of a folder in d and makes the folder if it does not exist. The error is ErrUnsafe in two
// cases. Something else stands in its place, for example a link that someone put there. Or other users own it or can
// write to it.
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
