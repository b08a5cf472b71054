package files

import (
	"bytes"
	"path/filepath"
	"strings"
)

// GitSettings calls set for each setting of git that holds in the folder dir: those of the user with the home folder home,
// then those of the repository, whose folder of git it returns; "" outside of one. Keys are as `git config --list` has
// them, such as remote.origin.push. Files that cannot be read have no settings. It starts nothing. See git-config(1).
func GitSettings(dir, home string, set func(key, value string)) (gitDir string) {
	ok := hasRepository(dir)
	if !ok {
		dir, ok = repositoryAbove(dir)
	}
	named := func(key, value string) {
		if name, rest, ok := strings.Cut(key, `"`); ok { // a subsection
			i := strings.LastIndex(rest, `"`)
			key = name + "." + rest[:max(i, 0)] + rest[i+1:]
		}
		set(key, value)
	}
	if home != "" {
		_ = readSettings(filepath.Join(home, ".config", "git", "config"), home, 0, named)
		_ = readSettings(filepath.Join(home, ".gitconfig"), home, 0, named)
	}
	if !ok {
		return ""
	}
	gitDir = gitDirOf(dir)
	if data, err := readOutside(filepath.Join(gitDir, "commondir")); err == nil {
		gitDir = resolve(gitDir, string(bytes.TrimRight(data, "\r\n")))
	}
	_ = readSettings(filepath.Join(gitDir, "config"), home, 0, named)
	return gitDir
}
