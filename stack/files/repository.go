package files

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"time"

	"devtools/ledger/regular"
)

// A repository is what git's files in a folder with a .git say about ignored files.
type repository struct {
	dir    string // the folder
	base   string // its path from the root of the rules, with a slash at the end, or ""
	gitDir string // git's folder for this worktree
	common string // git's folder for all worktrees
	config gitConfig

	read  sync.Once
	index *gitIndex
	rules *Rules // for problems
}

// hasRepository reports whether git considers the folder the top of a repository. Then .git is a
// folder with a HEAD, or a file that leads to one, as in worktrees and submodules.
func hasRepository(dir string) bool {
	_, err := os.Lstat(filepath.Join(gitDirOf(dir), "HEAD"))
	return err == nil
}

// gitDirOf returns the folder that .git is or names.
func gitDirOf(dir string) string {
	git, _ := regular.GitFolders(dir)
	return git
}

func resolve(dir, path string) string {
	path = filepath.FromSlash(path)
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// GitWrites reports whether git has locked the repository of a folder, as it does while it writes
// the files. A lock older than patience comes from a git that was killed.
func GitWrites(dir string, patience time.Duration) bool {
	if !hasRepository(dir) {
		dir, _ = repositoryAbove(dir)
	}
	info, err := os.Lstat(filepath.Join(gitDirOf(dir), "index.lock"))
	return err == nil && time.Since(info.ModTime()) < patience
}

// openRepository reads the configuration for the repository in a folder.
func (r *Rules) openRepository(dir, base string) *repository {
	p := &repository{dir: dir, base: base, rules: r}
	p.gitDir, p.common = regular.GitFolders(dir)
	system := "/etc/gitconfig"
	if file := r.env("GIT_CONFIG_SYSTEM"); file != "" {
		system = file
	}
	if !configTrue(r.env("GIT_CONFIG_NOSYSTEM")) {
		r.readConfig(&p.config, system)
	}
	if file, ok := r.o.Env("GIT_CONFIG_GLOBAL"); ok {
		r.readConfig(&p.config, file)
	} else {
		r.readConfig(&p.config, r.userGit("config"))
		if r.o.Home != "" {
			r.readConfig(&p.config, filepath.Join(r.o.Home, ".gitconfig"))
		}
	}
	r.readConfig(&p.config, filepath.Join(p.common, "config"))
	if p.config.worktreeConfig {
		r.readConfig(&p.config, filepath.Join(p.gitDir, "config.worktree"))
	}
	return p
}

// userGit returns the path of a file in the user's folder for git, "" if there is none.
func (r *Rules) userGit(name string) string {
	if dir := r.env("XDG_CONFIG_HOME"); dir != "" {
		return filepath.Join(dir, "git", name)
	}
	if r.o.Home == "" {
		return ""
	}
	return filepath.Join(r.o.Home, ".config", "git", name)
}

func (r *Rules) env(name string) string {
	value, _ := r.o.Env(name)
	return value
}

func (r *Rules) readConfig(c *gitConfig, file string) {
	if file == "" {
		return
	}
	if err := c.read(file, r.o.Home, 0); err != nil {
		r.problem(r.shown(file), err)
	}
}

// lists returns the rules for the whole repository, the higher ones first.
func (p *repository) lists() (all []*list) {
	add := func(file string) {
		if file == "" {
			return
		}
		data, err := readOutside(file)
		if errors.Is(err, os.ErrNotExist) {
			return
		}
		if l := p.rules.parse(data, err, Git, p.rules.shown(file), len(p.base)); l != nil {
			all = append(all, l)
		}
	}
	add(filepath.Join(p.common, "info", "exclude"))
	switch file := p.config.excludesFile; {
	case file != "":
		add(resolve(p.dir, expandHome(file, p.rules.o.Home)))
	case !p.config.excludes:
		add(p.rules.userGit("ignore"))
	}
	return all
}

// tracked returns the index. It reads the index at its first use.
func (p *repository) tracked() *gitIndex {
	p.read.Do(func() {
		hash := 20
		if p.config.sha256 {
			hash = 32
		}
		file := filepath.Join(p.gitDir, "index")
		x, err := readIndex(file, hash)
		if err != nil {
			p.rules.problem(p.rules.shown(file), err)
		}
		p.index = x
	})
	return p.index
}
