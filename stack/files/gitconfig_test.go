package files

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var configs = []struct{ text, excludes string }{
	{"[core]\nexcludesfile=a", "a"},
	{"[CORE]\n\tExcludesFile =  a b \t \n", "a b"},
	{"[core] excludesfile = a # b", "a"},
	{"[core]\nexcludesfile = \"a # b\" ; c", "a # b"},
	{"[core]\nexcludesfile = a\\\n  b\n", "a  b"},
	{"[core]\nexcludesfile = \"a\\tb\\\\\\\"\"\n", "a\tb\\\""},
	{"[core \"x\"]\nexcludesfile = a\n", ""},
	{"[core]\nexcludesfile = a\n[other]\nexcludesfile = b\n", "a"},
	{"[core]\nexcludesfile = a\nexcludesfile = b\n", "b"},
	{"# [core]\n; x\n[core]\n  # excludesfile = c\nexcludesfile = a", "a"},
	{"[core]\nbare\nexcludesfile = a", "a"},
	{"[user]\nname = [core]\nemail = \"]\"\n[core]\r\nexcludesfile = a\r\n", "a"},
	{"[alias]\nx = \"!f() { \\\n echo \\\"excludesfile\\\"; \\\n }; f\"\n[core]\nexcludesfile = a", "a"},
	{"[include]\npath = other\n[core]\nbare = false", "from other"},
	{"[core]\nexcludesfile = a\n[include]\npath = other\n", "from other"},
	{"[include]\npath = missing\n[core]\nexcludesfile = a", "a"},
	{"[core]\nexcludesfile = \"  a \" \n", "  a "},
	{"", ""},
}

func TestGitConfig(t *testing.T) {
	dir := t.TempDir()
	lay(t, dir, map[string]string{"other": "[core]\nexcludesfile = from other\n", "loop": "[include]\npath = loop\n[core]\nexcludesfile = x\n"})
	file := filepath.Join(dir, "config")
	_, missing := exec.LookPath("git")
	for _, c := range configs {
		lay(t, dir, map[string]string{"config": c.text})
		var got gitConfig
		if err := got.read(file, dir, 0); err != nil || got.excludesFile != c.excludes {
			t.Errorf("%q: %q, %v", c.text, got.excludesFile, err)
		}
		if missing == nil {
			out, _ := exec.Command("git", "config", "--includes", "-z", "-f", file, "core.excludesfile").Output() // without the setting it fails
			if want := strings.TrimSuffix(string(out), "\x00"); want != c.excludes {
				t.Errorf("%q: git reads %q", c.text, want)
			}
		}
	}
	var c gitConfig
	if err := c.read(filepath.Join(dir, "loop"), dir, 0); err == nil {
		t.Error("files that include each other were read without an error")
	}
	for text, want := range map[string]bool{"true": true, "YES": true, "on": true, "1": true, "0": false, "": false, "no": false, "false": false, "off": false, "00": false, "2k": true} {
		if configTrue(text) != want {
			t.Errorf("%q is not read as %v", text, want)
		}
	}
}

// A quoted value is read as it was before it was quoted, whatever whole lines come before it.
func FuzzGitConfig(f *testing.F) {
	for _, c := range configs {
		f.Add(c.text, "# "+c.excludes)
	}
	file := filepath.Join(f.TempDir(), "config")
	quote := strings.NewReplacer("\\", "\\\\", "\"", "\\\"", "\n", "\\n", "\t", "\\t", "\b", "\\b")
	f.Fuzz(func(t *testing.T, value, comment string) {
		if len(value)+len(comment) > MostBytes/4 {
			return
		}
		text := "# " + strings.ReplaceAll(comment, "\n", "\n;") + "\n[a \"]\\\"\"] x = y\n[core]\nexcludesFile = \"" + quote.Replace(value) + "\"\t; " + strings.ReplaceAll(comment, "\n", "")
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		var c gitConfig
		if err := c.read(file, "", 0); err != nil || c.excludesFile != value {
			t.Errorf("%q: %q, %v", text, c.excludesFile, err)
		}
	})
}

// The settings of the user come before those of the repository, with their keys as git lists them.
func TestGitSettings(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	for file, text := range map[string]string{
		home + "/.gitconfig":   "[Alias] St = status\n[include]\npath = ~/more\n",
		home + "/more":         "[core]\nhooksPath = \"a b\"\n",
		dir + "/.git/HEAD":     "ref: refs/heads/main\n",
		dir + "/.git/config":   "[remote \"Up.x\"]\n\tpush = +a:b # why\n[x \"",
		dir + "/sub/deep/file": "",
	} {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	set := func(key, value string) { got = append(got, key+"="+value) }
	if gitDir := GitSettings(dir+"/sub/deep", home, set); gitDir != dir+"/.git" {
		t.Errorf("git's folder is %q", gitDir)
	}
	if want := "alias.st=status core.hookspath=a b remote.Up.x.push=+a:b"; strings.Join(got, " ") != want {
		t.Errorf("settings %q, want %q", got, want)
	}
	if got = nil; GitSettings(t.TempDir(), "", set) != "" || got != nil {
		t.Errorf("settings %q outside of a repository", got)
	}
}
