package regular

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestRepository compares the rule with what git says about repositories of this user.
func TestRepository(t *testing.T) {
	git := func(args ...string) error {
		cmd := exec.Command("git", args...)
		cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+t.TempDir(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
			"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
		return cmd.Run()
	}
	for name, make := range map[string]string{
		"init":            "git init -q .",
		"work tree":       "git init -q a && cd a && git commit -qm x --allow-empty && git worktree add -q ../b && mv ../b/.git ../",
		"separate":        "git init -q --separate-git-dir=elsewhere .",
		"relative":        "git init -q --separate-git-dir=elsewhere . && echo gitdir: elsewhere >.git",
		"reftable":        "git init -q --ref-format=reftable . || git init -q .",
		"link":            "git init -q a && ln -s a/.git .git",
		"nothing":         "true",
		"empty folder":    "mkdir .git",
		"empty file":      ": >.git",
		"other text":      "git init -q --separate-git-dir=elsewhere . && echo elsewhere >.git",
		"of nothing":      "echo gitdir: elsewhere >.git",
		"without HEAD":    "git init -q . && rm .git/HEAD",
		"without objects": "git init -q . && rm -r .git/objects",
		"without refs":    "git init -q . && rm -r .git/refs",
		"FIFO":            "mkfifo .git",
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if NoFollow == 0 {
				t.Skip("made by a shell")
			}
			cmd := exec.Command("sh", "-c", make)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			want := git("-C", dir, "rev-parse", "--git-dir") == nil
			if got := Repository(dir); got != want {
				t.Errorf("%v, git says %v", got, want)
			}
		})
	}
}

// Of another user, neither the folder nor the file .git counts, nor a link.
func TestRepositoryOfAnother(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give files to another user")
	}
	dir := t.TempDir()
	if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	file, link := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(file, ".git"), []byte("gitdir: "+dir+"/.git\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, ".git"), filepath.Join(link, ".git")); err != nil {
		t.Fatal(err)
	}
	for _, top := range []string{link, file, dir} {
		if !Repository(top) {
			t.Errorf("%s: my own is none", top)
		}
		if err := os.Lchown(filepath.Join(top, ".git"), 65534, 65534); err != nil {
			t.Fatal(err)
		}
		if Repository(top) {
			t.Errorf("%s: that of another user is one", top)
		}
	}
}

func TestShared(t *testing.T) {
	root := t.TempDir()
	t.Setenv("TMPDIR", filepath.Join(root, "temp"))
	home, open, own := filepath.Join(root, "home"), filepath.Join(root, "open"), filepath.Join(root, "own")
	for _, dir := range []string{open, own} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{home, filepath.Join(root, "temp"), filepath.VolumeName(root) + string(filepath.Separator)} {
		if Shared(dir, home) == "" {
			t.Errorf("%s may be a workspace by itself", dir)
		}
	}
	if closed := NoFollow == 0; !closed && Shared(open, home) == "" {
		t.Errorf("a folder that others can write to may be a workspace by itself")
	}
	if what := Shared(own, home); what != "" {
		t.Errorf("an own folder is %s", what)
	}
	if got := Above(filepath.Join(home, "a"), home); got != "" {
		t.Errorf("the search goes on to %s", got)
	}
	if got := Above(filepath.Join(own, "a"), home); got != own {
		t.Errorf("the search goes on to %q", got)
	}
}
