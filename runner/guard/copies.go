package guard

import (
	"os"
	"path"
	"slices"
	"strings"

	"devtools/stack/line"
)

// mostCopies is the most copies of copies that are followed, and the most files copied to one place, mostPath the longest path that may be one, mostCopied the most
// files that a pattern may name, and mostPatterns the most patterns.
const (
	mostCopies   = 10
	mostPath     = 4096
	mostCopied   = 200
	mostPatterns = 50
)

// original returns the file of which the line has made a copy: one by one, or with its folder. For other files it returns
// the same path.
func (j *judge) original(file string) string {
	if len(j.copies) == 0 || len(file) > mostPath {
		return file
	}
	for range mostCopies {
		from := j.copied(file)
		if from == "" || from == file {
			break
		}
		file = from
	}
	return file
}

// copied returns what was copied to a path, "" for nothing.
func (j *judge) copied(file string) string {
	for end := len(file); end > 0; end = strings.LastIndexByte(file[:end], '/') {
		from, ok := j.copies[file[:end]]
		rest := strings.TrimPrefix(file[end:], "/")
		switch {
		case !ok:
		case rest == "":
			return j.resolve(from, true)
		case rest == path.Base(from) && isFile(j.resolve(from, true)): // the line has made the folder before
			return j.resolve(from, true)
		case j.there(path.Join(from, rest)):
			return j.resolve(path.Join(from, rest), true)
		}
	}
	return ""
}

// copy keeps that a path is a copy of a file. What was copied there before stays a possibility: a copy may fail, or stand in a
// part that is not executed.
func (j *judge) copy(to, from string) {
	if j.copies == nil {
		j.copies, j.earlier = map[string]string{}, map[string][]string{}
	}
	if before, ok := j.copies[to]; ok {
		j.perhaps(to, before)
	}
	j.copies[to] = from
}

// perhaps keeps that a path may be a copy of a file of the disk.
func (j *judge) perhaps(to, from string) {
	switch {
	case to == from || slices.Contains(j.earlier[to], from):
	case len(j.earlier[to]) >= mostCopies && strings.ContainsAny(to, line.Signs): // as xargs -I{} mv {} {}.old: no file has this name
	case len(j.earlier[to]) >= mostCopies:
		j.unknown("it copies too many files to the same place")
	default:
		j.earlier[to] = append(j.earlier[to], from)
	}
}

// text returns the text of a file on the disk as readText does, with what the line has edited.
func (j *judge) text(full string) (string, bool) {
	if text, ok := j.edited[full]; ok {
		return text, true
	}
	return readText(full)
}

// there reports whether a file is on the disk, or is a copy that the line makes.
func (j *judge) there(file string) bool {
	if _, ok := j.copies[file]; ok {
		return true
	}
	_, err := os.Stat(j.resolve(file, true))
	return err == nil
}

// onDiskAs returns the file on the disk that a path of the line leads to: through links, and to what was copied there.
func (j *judge) onDiskAs(full string) string { return j.original(j.resolve(full, true)) }

// rememberCopies keeps the new names of files that the command copies, renames or links.
func (x *invocation) rememberCopies() {
	from, into := x.operands, ""
	if dirs := x.values("out"); len(dirs) > 0 {
		into = dirs[len(dirs)-1]
	}
	to := into
	if into == "" {
		from, to = from[:len(from)-1], from[len(from)-1]
	}
	if into == "" && (len(from) > 1 || strings.HasSuffix(to, "/") || to == "." || isFolder(x.judge.resolve(x.command.Absolute(to), true))) {
		into = to
	}
	if x.has("-d", "--directory") && x.names[0] == "install" || x.has("-T", "--no-target-directory") {
		into = ""
	}
	if matched := x.matched(from); len(matched) > 0 {
		from = matched
	}
	for _, one := range from {
		name := to
		if into != "" && !(x.table.has("contents") && strings.HasSuffix(one, "/")) {
			name = path.Join(into, path.Base(one))
		}
		x.rememberCopy(one, name)
	}
}

// matched returns the files that patterns such as *.sh among some words name, and the other words.
func (x *invocation) matched(words []string) (files []string) {
	for _, word := range words {
		if !strings.ContainsAny(path.Base(word), line.Signs) {
			files = append(files, word)
			continue
		}
		if x.judge.patterns++; x.judge.patterns > mostPatterns {
			x.judge.unknown("it copies too many patterns")
			break
		}
		files = append(files, x.judge.matching(x.command.Absolute(word), mostCopied)...)
	}
	return files
}

// rememberCopy keeps that a file gets another name, or a copy.
func (x *invocation) rememberCopy(from, to string) {
	input, keeps := x.command.Input, x.has("-n", "--no-clobber", "--ignore-existing", "--update")
	full := path.Clean(x.command.Absolute(to))
	switch {
	case x.has("-d", "--directory") && x.names[0] == "install":
	case keeps && x.judge.there(full):
	case input != nil && slices.Contains(inputs, from):
		x.command.Write(to, input.Text)
	case x.command.Made(to) && x.names[0] != "ln": // the command may fail
		x.command.Write(to, x.command.Text(from)+"\n"+x.command.Text(to))
	case x.command.Made(from):
		x.command.Write(to, x.command.Text(from))
	case x.names[0] == "ln" && x.has("-s", "--symbolic"):
		x.command.Link(from, to)
	case x.names[0] == "ln":
		x.command.Link(x.command.Absolute(from), to)
	case x.judge.there(x.command.Absolute(from)):
		source := x.judge.resolve(x.command.Absolute(from), true)
		x.judge.copy(full, x.judge.original(source))
		for _, one := range x.judge.instead(source) {
			x.judge.perhaps(full, one)
		}
	}
}

// instead returns the files of the disk that a copy may be if the last command that makes it is not executed, or fails: those that
// were copied there before, and the file in whose place it is.
func (j *judge) instead(full string) []string {
	if _, ok := j.copies[full]; !ok {
		return nil
	}
	files := slices.Clip(j.earlier[full])
	if isFile(full) {
		files = append(files, full)
	}
	return files
}

// inputs are the names of the standard input.
var inputs = []string{"/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"}

// has reports whether the command has one of some options.
func (x *invocation) has(names ...string) bool {
	return slices.ContainsFunc(x.options, func(o option) bool { return slices.Contains(names, o.name) })
}

func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}
