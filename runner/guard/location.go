package guard

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// A location is where a path leads.
type location struct {
	path    string // absolute, without links and ".."; may have signs
	unknown bool   // it may lead anywhere
}

// locate returns where a path of a command leads. follow says that the command follows a link at its
// end.
func (j *judge) locate(x *command, word string, follow bool) (at location) {
	full := x.path(word)
	i := strings.IndexAny(full, unknown+downloaded)
	if len(full) > mostPath && i < 0 {
		i = mostPath
	}
	if i >= 0 {
		at.unknown, at.path = true, full[:i]
		return at
	}
	if strings.HasSuffix(word, "/") || strings.HasSuffix(word, "/.") {
		follow = true
	}
	if at.path = path.Clean(full); !above("/dev", at.path) { // what /dev/stderr leads to is no matter
		at.path = j.resolve(full, follow)
	}
	return at
}

// The most bytes and links of a path, as in Linux.
const (
	mostPath  = 4096
	mostLinks = 40
)

// resolve returns an absolute path without ".." and links. follow says whether a link at its end is followed too.
func (j *judge) resolve(full string, follow bool) string {
	current, rest, links := "/", full, 0
	for rest != "" {
		var name, to string
		name, rest, _ = strings.Cut(rest, "/")
		next := path.Join(current, name)
		if (follow || strings.Trim(rest, "/") != "") && links <= mostLinks {
			to = j.link(next)
		}
		switch {
		case to == "":
			current = next
			continue
		case path.IsAbs(to):
			current = "/"
		}
		links++
		rest = to + "/" + rest
	}
	return current
}

// link returns where a link on the disk leads, "" for what is no link. It looks at each path once, so that a verdict is about one state
// of the disk.
func (j *judge) link(name string) string {
	to, known := j.links[name]
	if !known {
		own := above("/proc", name) // such as /proc/self/cwd: they say where devtools is, not the command
		if info, err := os.Lstat(name); err == nil && !own && info.Mode()&fs.ModeSymlink != 0 {
			to, _ = os.Readlink(name)
		}
		j.links[name] = to
	}
	return to
}

// above reports whether a folder is the other one, or above it.
func above(folder, other string) bool {
	return folder == other || folder == "/" || strings.HasPrefix(other, folder+"/")
}

// fits reports whether a condition of a rule about paths holds.
func (at location) fits(condition string, x *command) fit {
	j := x.shell.judge
	switch {
	case condition == "device":
		return at.device()
	case at.unknown && (condition == "outside" || condition == "root"):
		return maybe
	case condition == "outside":
		return fitIf((j.root == "" || j.call.Shared || !above(j.root, at.path)) && !at.scratch(x))
	case condition == "root":
		dir := at.path
		if all := path.Base(dir); strings.Trim(all, "*.") == "" && strings.Contains(all, "*") { // everything in a folder
			dir = path.Dir(dir)
		}
		return fitIf(j.root != "" && above(dir, j.root))
	}
	if rest, ok := strings.CutPrefix(condition, "~/"); ok {
		condition = path.Join(x.shell.Get("HOME").String(), rest)
	} else if !strings.HasPrefix(condition, "/") {
		condition = path.Join(j.root, condition)
	}
	if at.unknown {
		return fits(condition, at.path+unknown)
	}
	if ok, _ := path.Match(at.path, condition); ok { // the shell replaces a pattern such as .devtools/*
		return yes
	}
	return fitIf(deep(strings.Split(condition, "/"), strings.Split(at.path, "/")))
}

// scratch reports whether the path is below a folder for temporary files or caches, and no file of somebody else.
func (at location) scratch(x *command) bool {
	home := x.shell.Get("HOME").String()
	cache, _ := x.variable("XDG_CACHE_HOME")
	below := func(dir string) bool {
		all := path.Dir(at.path) == dir && strings.ContainsAny(path.Base(at.path), "*?[") // also what others have there
		return path.IsAbs(dir) && dir != "/" && at.path != dir && !all && above(x.shell.judge.resolve(dir, true), at.path)
	}
	temporary := slices.ContainsFunc([]string{"/tmp", "/var/tmp", "/private/tmp", x.shell.Get("TMPDIR").String()}, below) && !above(home, at.path)
	if temporary || slices.ContainsFunc([]string{cache, home + "/.cache", home + "/Library/Caches"}, below) {
		info, err := os.Lstat(at.path)
		return err != nil || !errors.Is(checkOwn(at.path, info), errForeign)
	}
	return strings.HasPrefix(at.path, "/dev/") && at.device() == no
}

// deep reports whether a pattern fits a path, part by part. ** stands for any number of parts.
func deep(pattern, name []string) bool {
	for ; len(pattern) > 0; pattern, name = pattern[1:], name[1:] {
		before, after, stars := strings.Cut(pattern[0], "**")
		switch rest := pattern[1:]; {
		case pattern[0] == "**":
			return deep(rest, name) || len(name) > 0 && deep(pattern, name[1:])
		case stars:
			return deep(slices.Concat([]string{before + "*" + after}, rest), name) || deep(slices.Concat([]string{before + "*", "**", "*" + after}, rest), name)
		case len(name) == 0:
			return false
		}
		if ok, _ := path.Match(pattern[0], name[0]); !ok {
			return false
		}
	}
	return len(name) == 0
}

// harmlessDevices are the devices that nothing is lost by writing to.
const harmlessDevices = " null zero full random urandom tty ptmx console stdin stdout stderr fd pts shm mqueue tcp udp log "

// device reports whether the path is a disk or another device.
func (at location) device() fit {
	rest, below := strings.CutPrefix(at.path, "/dev/")
	name, _, _ := strings.Cut(rest, "/")
	harmless := strings.HasPrefix(name, "tty") || strings.Contains(harmlessDevices, " "+name+" ")
	switch {
	case at.unknown && at.path == "/dev/":
		return maybe
	case at.unknown && (at.path == "" || harmless):
		return no // nothing says that it is one
	case !below:
		info, err := os.Stat(at.path)
		return fitIf(err == nil && info.Mode()&fs.ModeDevice != 0 && info.Mode()&fs.ModeCharDevice == 0)
	}
	return fitIf(!harmless)
}
