package guard

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"devtools/ledger/regular"
	"devtools/stack/files"
	"devtools/stack/line"
)

// mostScript is the most bytes of a script that is read.
const mostScript = 512 << 10

// readable takes from the text of a file what no language needs: the signs, NUL, which bash skips, and what some editors write before
// the first line.
var readable = strings.NewReplacer("\x00", "", unknown, "\x04", anyName, "\x04", downloaded, "\x04", "\ufeff", "")

// readText returns the text of a regular file, "" if it is none. whole is false if that is only its beginning.
func readText(name string) (text string, whole bool) {
	if strings.HasPrefix(name, "/proc/") || strings.HasPrefix(name, "/sys/") || strings.HasPrefix(name, "/dev/") || !path.IsAbs(filepath.ToSlash(name)) {
		return "", false
	}
	f, info, err := regular.Open(name, os.O_RDONLY)
	if err != nil {
		return "", false
	}
	defer f.Close()
	buffer := make([]byte, min(info.Size(), mostScript))
	n, _ := f.ReadAt(buffer, 0)
	if first, _, _ := bytes.Cut(buffer[:n], []byte("\n")); bytes.IndexByte(first, 0) >= 0 { // as bash finds out whether a file is a program
		return "", false
	}
	return readable.Replace(string(buffer[:n])), info.Size() <= mostScript
}

// text returns the text of a file that the line has written, or of one of the disk: none if there is no such file.
func (j *judge) text(name string) string {
	if text, made := j.made[path.Clean(name)]; made {
		return text
	}
	name = j.resolve(name, true)
	if text, whole := readText(name); whole {
		return text
	}
	if _, err := os.Lstat(name); err != nil {
		return ""
	}
	return unknown
}

// systems reports whether a file belongs to the system.
func (j *judge) systems(name string) bool {
	return slices.ContainsFunc([]string{"/usr/", "/bin/", "/sbin/", "/lib", "/opt/", "/nix/", "/snap/"}, func(dir string) bool {
		return strings.HasPrefix(name, dir) && (j.root == "" || !above(j.root, name))
	})
}

// mostFiles is how deep files are followed that files call.
const mostFiles = 2

// fromDisk returns what executes a file of the disk.
func (x *command) fromDisk(run start) []start {
	j := x.shell.judge
	if j.files >= mostFiles {
		x.code = true // it is not looked into
		return nil
	}
	x.scripts++
	return []start{func() string {
		j.files++
		defer func() { j.files-- }()
		return run()
	}}
}

// each returns what executes lines of a file of the disk, each in a shell of its own.
func (x *command) each(lines []string) []start {
	if len(lines) == 0 {
		return nil
	}
	return x.fromDisk(func() (out string) {
		for _, one := range lines {
			for _, run := range x.lineOf(one, nil, nil) {
				out += run()
			}
		}
		return out
	})
}

// packageScripts returns the scripts of package.json that a package manager runs.
func (x *command) packageScripts() []start {
	name, at, names := "", x.table.Number("task"), x.table.List("tasks")
	if x.table.Has("task") && at < len(x.args) {
		name = x.args[at]
		names = append(names, "pre"+name, name, "post"+name)
	}
	var file struct {
		Scripts map[string]string `json:"scripts"`
	}
	if names == nil || json.Unmarshal([]byte(x.shell.judge.text(x.folder()+"/package.json")), &file) != nil {
		return nil
	}
	var lines []string
	for _, one := range names {
		script := file.Scripts[one]
		if one == name && script != "" && at+1 < len(x.args) {
			script += " " + line.Quote(x.args[at+1:])
		}
		if script != "" {
			lines = append(lines, script)
		}
	}
	return x.each(lines)
}

// hooks returns the hooks of git that the command executes. See githooks(5).
func (x *command) hooks() (starts []start) {
	if !x.table.Has("hooks") || x.has("unverified") || strings.ContainsAny(x.folder(), signs) {
		return nil
	}
	dir, folder := x.shell.judge.resolve(x.folder(), true), ""
	gitDir := files.GitSettings(dir, x.shell.Get("HOME").String(), func(key, value string) {
		if strings.EqualFold(key, "core.hookspath") {
			folder = filepath.ToSlash(value)
		}
	})
	if gitDir == "" {
		return nil
	}
	if folder = cmp.Or(folder, path.Join(filepath.ToSlash(gitDir), "hooks")); !path.IsAbs(folder) {
		folder = path.Join(dir, folder)
	}
	for _, name := range x.table.List("hooks") {
		file := folder + "/" + name
		starts = append(starts, x.file(file, []string{file}, x.another())...)
	}
	return starts
}
