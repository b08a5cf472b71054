package ledger

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Follow returns a copy of d that works even after the folder, or a folder above it, has been renamed. That needs a
// system that can name an open folder; elsewhere Follow returns d. The folder stays open for the life of the process.
func (d Dir) Follow() Dir {
	f, err := os.Open(d.path)
	if err != nil {
		return d
	}
	d.workspace = workspaceOf(d.path)
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

// followed keeps the garbage collector from closing the folders of Follow, whose numbers other processes know, see Lasting.
var followed []*os.File

// At returns the state folder at path without a look at it: it may be gone, or not be safe. Its files must not be used, but its
// sessions can be reached at their sockets.
func At(path string) Dir { return Dir{path: path, root: path} }

// Removed reports whether the files of the living session id were removed, with the folder or in it: its claim is gone. That
// is known only after Follow.
func (d Dir) Removed(id string) bool {
	_, err := os.Lstat(d.claim(id))
	return d.root != d.path && errors.Is(err, fs.ErrNotExist)
}

// workspaceOf returns the device and the inode of the folder in which a state folder is, or zeros.
func workspaceOf(path string) (number [2]uint64) {
	if info, err := os.Stat(filepath.Dir(path)); err == nil {
		number[0], number[1] = fileNumber(info)
	}
	return number
}

// Site returns a number for the place of a state folder, which need not exist: the device and the inode of the workspace, and
// the name of the folder there; or its path, where files have no such numbers. Different places rarely have the same number.
func Site(path string) uint32 { return Dir{path: path, workspace: workspaceOf(path)}.Site() }

// Site returns the number of the place of d, after Follow.
func (d Dir) Site() uint32 {
	sum := fnv.New32a()
	name := filepath.Base(d.path)
	if d.workspace == ([2]uint64{}) {
		name = d.path
	}
	fmt.Fprintf(sum, "%s %d", name, d.workspace)
	return sum.Sum32()
}

// ErrOtherPlace reports that the workspace is no longer the one in which the state folder was.
var ErrOtherPlace = errors.New("its workspace is another folder now")

// Renew gives the living session id, whose files were removed, a folder of its own in the state folder that now stands in
// the place of d. From then on d, and every copy of it, is that folder. This process must hold the session: it takes the
// claim anew. The error is ErrOtherPlace if another workspace stands there.
func (d Dir) Renew(id string) error {
	now, err := Open(d.Place())
	if err != nil {
		return err
	}
	if workspaceOf(now.path) != d.workspace {
		return fmt.Errorf("%s: %w", now.path, ErrOtherPlace)
	}
	if err := d.reopen(now.path); err != nil {
		return err
	}
	if _, err := d.folder(sessionsDir); err != nil {
		return err
	}
	if err := os.Mkdir(d.SessionFolder(id), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return d.Claim(id)
}

// Lasting returns a path of the state folder for other processes of the user. After Follow, it serves as long as this process lives, also
// when the folder was renamed, where the system has such a path.
func (d Dir) Lasting() string {
	open, ok := strings.CutPrefix(d.root, "/proc/self/")
	if !ok {
		return d.path
	}
	lasting := fmt.Sprintf("/proc/%d/%s", os.Getpid(), open) // another /proc than ours may have other numbers
	ours, err := os.Stat(d.root)
	again, againErr := os.Stat(lasting)
	list, listErr := os.Stat(filepath.Dir(lasting)) // root's if the system hides this process from others, prctl(2)
	if err != nil || againErr != nil || listErr != nil || !os.SameFile(ours, again) || !ownedByUser(list) {
		return d.path
	}
	return lasting
}

// Place returns the path that the folder has now, also when it was renamed after Follow, or the one that it had when it was
// removed.
func (d Dir) Place() string {
	if d.root == d.path {
		return d.path
	}
	now, err := os.Readlink(d.root)
	if removed, ok := strings.CutSuffix(now, " (deleted)"); ok { // proc_pid_fd(5)
		return removed
	}
	ours, oursErr := os.Stat(d.root)
	if again, againErr := os.Stat(now); err != nil || oursErr != nil || againErr != nil || !os.SameFile(ours, again) {
		return d.path
	}
	return now
}

// Told returns a text for other processes, in which the files of the folder have the names that they have now. After Follow,
// errors name them below /proc/self, which is another folder for each process.
func (d Dir) Told(text string) string {
	open, followed := strings.CutPrefix(d.root, "/proc/self/")
	if !followed || !strings.Contains(text, open) {
		return text
	}
	place := d.Place()
	return strings.NewReplacer(d.root+"/", place+"/", fmt.Sprintf("/proc/%d/%s/", os.Getpid(), open), place+"/").Replace(text)
}
