package regular

import (
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Above returns the folder above dir, where the search for the workspace of dir goes on. It returns "" where that ends: at the root, and
// below a folder that is [Shared].
func Above(dir, home string) string {
	above := filepath.Dir(dir)
	if above == dir || Shared(above, home) != "" {
		return ""
	}
	return above
}

// Shared says what a folder is that is never a workspace by itself, since more than one project lies there, or somebody else may put
// one there. It returns "" for another folder, such as a [Repository] that others can write to.
func Shared(dir, home string) string {
	switch dir {
	case strings.TrimRight(home, "/"): // as it is written in HOME
		return "your home folder"
	case filepath.Dir(dir):
		return "the whole file system"
	case filepath.Clean(os.TempDir()):
		return "the folder for temporary files"
	}
	if OpenToAll(dir) && !Repository(dir) {
		return "a folder that others can write to"
	}
	return ""
}

// OpenToAll reports whether everybody can write to the folder dir. One that only its group can write to is not meant: users may have
// groups of their own, whose umask is 002.
func OpenToAll(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && openToAll(info)
}

// Repository reports whether git would take the folder dir for the top of a repository of this user: .git belongs to the user, and is a
// folder with what is_git_directory (setup.c of git) looks for, or a file that names one. The one of another user is none for root, too,
// although git takes that of SUDO_UID.
func Repository(dir string) bool {
	info, err := os.Lstat(filepath.Join(dir, ".git"))
	if err != nil || !Owned(info) {
		return false
	}
	git, common := GitFolders(dir)
	if info, err := os.Stat(git); err != nil || !Owned(info) {
		return false
	}
	head, err := os.Lstat(filepath.Join(git, "HEAD"))
	return err == nil && !head.IsDir() && isFolder(filepath.Join(common, "objects")) && isFolder(filepath.Join(common, "refs"))
}

// GitFolders returns git's folder for the work tree dir, which .git is or names, and its folder for all work trees of the repository.
func GitFolders(dir string) (git, common string) {
	git = filepath.Join(dir, ".git")
	if info, err := os.Stat(git); err == nil && info.IsDir() {
		return git, git
	}
	git = named(git, "gitdir: ")
	return git, named(filepath.Join(git, "commondir"), "") // only linked work trees have that file
}

// named returns the path that a file names behind a prefix: the file itself if it has another text, its folder if there is none.
func named(file, prefix string) string {
	var text []byte
	if f, _, err := Open(file, os.O_RDONLY); err == nil {
		defer f.Close()
		text, _ = io.ReadAll(io.LimitReader(f, 1<<13))
	}
	path, ok := strings.CutPrefix(filepath.FromSlash(strings.TrimRight(string(text), "\r\n")), prefix)
	switch {
	case !ok:
		return file
	case filepath.IsAbs(path):
		return path
	}
	return filepath.Join(filepath.Dir(file), path)
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
