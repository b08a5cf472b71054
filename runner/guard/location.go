package guard

import (
	"io/fs"
	"os"
	"path"
	"strings"

	"devtools/stack/line"
)

// A location is where a path leads.
type location struct {
	path    string // absolute, without links and ".."; may have signs
	literal string // as the command has it
	root    string // folder of the workspace, without links; "" if it is not known
	unknown bool   // it may lead anywhere
	all     bool   // it is everything in the folder of the workspace, as * there
}

// locate returns where a path of a command leads. follow says that the command follows a link at its
// end.
func (j *judge) locate(c *line.Command, word string, follow bool) location {
	at := location{literal: word, root: j.workspace()}
	full := c.Absolute(word)
	if i := strings.IndexAny(full, line.Unknown+line.Computed); i >= 0 {
		at.unknown, full = true, full[:i]
		at.path = full
		return at
	}
	if !path.IsAbs(full) { // the folder is not known
		full = path.Join("/"+unknownFolder, full)
		at.root = "/" + unknownFolder
	}
	if strings.HasSuffix(word, "/") || strings.HasSuffix(word, "/.") {
		follow = true
	}
	at.path = j.resolve(full, follow)
	if dir, last := path.Split(at.path); at.root != "" && strings.Trim(last, line.Names+".") == "" && strings.Contains(last, line.Names) {
		at.all = above(path.Clean(dir), at.root)
	}
	return at
}

// unknownFolder stands for a working directory that is not known.
const unknownFolder = "folder of the session"

// mostLinks is the most links of a path, as in Linux.
const mostLinks = 40

// resolve returns an absolute path without ".." and links, those that the line makes included. follow
// says whether a link at its end is followed too.
func (j *judge) resolve(full string, follow bool) string {
	current, rest, links := "/", full, 0
	for rest != "" {
		var name string
		name, rest, _ = strings.Cut(rest, "/")
		switch name {
		case "", ".":
			continue
		case "..":
			current = path.Dir(current)
			continue
		}
		next := path.Join(current, name)
		if strings.Trim(rest, "/") == "" && !follow || links > mostLinks {
			current = next
			continue
		}
		to, ok := j.ev.Linked(next)
		if !ok {
			to, ok = j.link(next)
		}
		if !ok {
			current = next
			continue
		}
		links++
		if path.IsAbs(to) {
			current = "/"
		}
		rest = to + "/" + rest
	}
	return current
}

// link returns where a link on the disk leads. ok is false for what is no link. It looks at each path once: the programs of PATH
// have many folders in common.
func (j *judge) link(name string) (to string, ok bool) {
	to, known := j.links[name]
	if !known {
		if info, err := os.Lstat(name); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			to, _ = os.Readlink(name)
		}
		if j.links == nil {
			j.links = map[string]string{}
		}
		j.links[name] = to
	}
	return to, to != ""
}

// above reports whether a folder is the other one, or above it.
func above(folder, other string) bool {
	return folder == other || folder == "/" || strings.HasPrefix(other, folder+"/")
}

// fits reports whether a condition of a rule about paths holds.
func (at location) fits(condition string, x *invocation) fit {
	switch condition {
	case "outside":
		if at.unknown {
			return maybe
		}
		return fitIf(at.root == "" || x.judge.call.Shared || !above(at.root, at.path))
	case "root":
		if at.unknown {
			return maybe
		}
		return fitIf(at.root != "" && above(at.path, at.root) || at.all)
	}
	if rest, ok := strings.CutPrefix(condition, "~/"); ok {
		condition = path.Join(x.command.Value("HOME")[0], rest)
	} else if !strings.HasPrefix(condition, "/") {
		condition = path.Join(at.root, condition)
	}
	if at.unknown {
		fixed := condition
		if i := strings.IndexAny(condition, "*?["); i >= 0 {
			fixed = condition[:i]
		}
		if strings.HasPrefix(at.path, fixed) || strings.HasPrefix(fixed, at.path) {
			return maybe
		}
		return no
	}
	if strings.ContainsAny(at.path, line.Signs) {
		if could(condition, at.path) {
			return maybe
		}
		return no
	}
	if deep(condition, at.path) || strings.HasSuffix(condition, "/**") && at.path == strings.TrimSuffix(condition, "/**") {
		return yes
	}
	return no
}

// deep reports whether a pattern fits a path. ** stands for any number of folders.
func deep(pattern, name string) bool {
	before, after, stars := strings.Cut(pattern, "**")
	if !stars {
		ok, _ := path.Match(pattern, name)
		return ok
	}
	for i := 0; i <= len(name); i++ {
		if ok, _ := path.Match(before, name[:i]); !ok {
			continue
		}
		rest := strings.TrimPrefix(after, "/")
		if rest == "" {
			return true
		}
		for k := i; k <= len(name); k++ {
			if (k == i || name[k-1] == '/') && deep(rest, name[k:]) {
				return true
			}
		}
		return false
	}
	return false
}

// harmlessDevices are the devices that nothing is lost by writing to.
const harmlessDevices = " null zero full random urandom tty ptmx console stdin stdout stderr fd pts shm mqueue tcp udp log "

// device reports whether the path is a disk or another device.
func (at location) device() fit {
	rest, below := strings.CutPrefix(at.path, "/dev/")
	switch {
	case at.unknown && (rest == "" || strings.Contains(harmlessDevices, " "+strings.TrimRight(rest, "/")+" ")):
		if at.path == "/dev/" {
			return maybe
		}
		return no // nothing says that it is one
	case !below:
		info, err := os.Stat(at.path)
		return fitIf(err == nil && info.Mode()&fs.ModeDevice != 0 && info.Mode()&fs.ModeCharDevice == 0)
	}
	name, _, _ := strings.Cut(rest, "/")
	if strings.HasPrefix(name, "tty") {
		return no
	}
	return fitIf(!strings.Contains(harmlessDevices, " "+name+" "))
}
