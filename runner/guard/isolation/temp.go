package isolation

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// tempPrefix begins the name of a temporary folder; the id of its session follows.
const tempPrefix = "devtools-temp-"

// MakeTemp makes the temporary folder of a session, in the one that the environment names.
func MakeTemp(env []string, id string) (path string, err error) {
	base := lookup(env, "TMPDIR")
	if !filepath.IsAbs(base) {
		base = "/tmp"
	}
	path = filepath.Join(base, tempPrefix+id)
	return path, os.Mkdir(path, 0o700) // it fails if anybody has made it before
}

// RemoveTemp removes the temporary folder of the session id, if path is one: the path may come from a file that somebody else has
// written.
func RemoveTemp(path, id string) error {
	if path == "" {
		return nil
	}
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if id == "" || !filepath.IsAbs(path) || filepath.Base(path) != tempPrefix+id || !info.IsDir() || !own(info) {
		return errors.New("temporary folder " + path + ": it is not that of the session")
	}
	if os.RemoveAll(path) == nil {
		return nil
	}
	// A program may have made folders that nobody may write to. What it has left running may put links in their place meanwhile:
	// a Root changes nothing outside.
	root, err := os.OpenRoot(path)
	if errors.Is(err, fs.ErrPermission) && os.Chmod(path, 0o700) == nil {
		root, err = os.OpenRoot(path)
	}
	if err != nil {
		return err
	}
	defer root.Close()
	_ = fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() || errors.Is(err, fs.ErrPermission) {
			_ = root.Chmod(name, 0o700)
		}
		return nil
	})
	return os.RemoveAll(path)
}
