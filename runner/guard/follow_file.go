package guard

import (
	"cmp"
	"os"
	"path"
	"slices"
	"strings"

	"devtools/stack/line"
)

// file returns the program in a file: one that the line has written, or that is on the disk.
func (x *invocation) file(language, name string, params []string) []start {
	if input := x.command.Input; input != nil && (name == "-" || slices.Contains(inputs, name)) {
		x.feed(input.Text)
		return []start{x.execute(language, input.Text, params)}
	}
	if x.command.Made(name) {
		text := x.command.Text(name)
		x.feed(text)
		return []start{x.execute(language, text, params)}
	}
	full := x.judge.onDiskAs(x.command.Absolute(name))
	switch {
	case strings.ContainsAny(full, line.Signs):
		return x.anyFile(language, x.judge.matching(full, mostMatching), params)
	case x.command.Made(full):
		return x.file(language, full, params)
	}
	return append(x.onDisk(language, full, params), x.replaced(language, name, params)...)
}

// anyFile returns the programs in the files that a pattern such as *.sh names: each may be executed.
func (x *invocation) anyFile(language string, files, params []string) (starts []start) {
	for _, file := range files {
		starts = append(starts, x.file(language, file, params)...)
	}
	return starts
}

// replaced returns the programs in the files that the file may be instead, because the command that copies or edits it may fail.
func (x *invocation) replaced(language, name string, params []string) (starts []start) {
	for _, full := range x.judge.instead(x.judge.resolve(x.command.Absolute(name), true)) {
		if x.judge.systems(full) {
			continue
		}
		text, _ := readText(full)
		as := language
		if as == "" {
			as = languageOf(text)
		}
		if text != "" && !line.Nested(text) {
			starts = append(starts, x.fromDisk(x.execute(as, text, params)))
		}
	}
	return starts
}

// onDisk returns the program in a file on the disk.
func (x *invocation) onDisk(language, full string, params []string) []start {
	text, whole := x.judge.scriptText(full)
	if language == "" {
		language = languageOf(text)
	}
	if !whole && text != "" && language == "sh" {
		x.fed = max(x.fed, maybe)
	}
	if text == "" {
		return nil
	}
	return []start{x.fromDisk(x.execute(language, text, params))}
}

// fromDisk evaluates a file of the disk. In it, only what is known for certain counts.
func (x *invocation) fromDisk(run start) start {
	j := x.judge
	x.scripts++
	return func() string {
		if j.files++; j.files > mostScripts {
			if j.ev.Scripts == 0 {
				j.unknown("it starts too many scripts")
			}
			return line.Unknown
		}
		j.ev.Script(func() { run() })
		return line.Unknown
	}
}

// mostScripts is the most files of the disk that are read for a call.
const mostScripts = 200

// ownPrograms returns the programs that a pattern such as ./tool* names, or that PATH leads to: a PATH of the
// line's own anywhere, another one in the workspace.
func (x *invocation) ownPrograms() (starts []start) {
	name := x.words[0]
	var files []string
	switch {
	case strings.Contains(name, "/"):
		files = x.judge.matching(x.command.Absolute(name), mostMatching)
	case !strings.ContainsAny(name, line.Signs):
		own := x.command.Own("PATH") != nil
		for _, value := range x.command.Value("PATH") {
			for _, file := range x.judge.searched(x.command, value, name) {
				if own || x.judge.workspace() != "" && above(x.judge.workspace(), file) {
					files = append(files, file)
				}
			}
		}
	}
	for _, file := range files {
		starts = append(starts, x.startOf(append([]string{file}, x.words[1:]...), nil))
	}
	return starts
}

// mostMatching is the most files that a pattern for a program may name, and mostEntries the most files of their folder.
const (
	mostMatching = 20
	mostEntries  = 2000
)

// matching returns the files that a path with signs in its last part may be, up to a number.
func (j *judge) matching(full string, most int) (files []string) {
	dir, pattern := path.Split(full)
	if !strings.ContainsAny(pattern, line.Signs) || strings.ContainsAny(dir, line.Signs) || strings.Trim(pattern, line.Unknown+line.Computed) == "" || !path.IsAbs(dir) {
		return nil
	}
	var names []string
	if f, err := os.Open(j.resolve(dir, true)); err == nil {
		names, _ = f.Readdirnames(mostEntries)
		f.Close()
	}
	for file := range j.copies {
		if folder, name := path.Split(file); folder == dir {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if could(name, pattern) && len(files) < most {
			files = append(files, dir+name)
		}
	}
	return files
}

// searched returns the file that a name leads to by a value of PATH, nothing if the system has it.
func (j *judge) searched(c *line.Command, value, name string) []string {
	for dir := range strings.SplitSeq(value, ":") {
		if strings.ContainsAny(dir, line.Signs) {
			continue
		}
		full := c.Absolute(path.Join(cmp.Or(dir, "."), name))
		if !c.Made(full) && !isFile(j.onDiskAs(full)) {
			continue
		}
		if j.systems(full) {
			return nil
		}
		return []string{full}
	}
	return nil
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// script returns the program in a file that is executed itself.
func (x *invocation) script() []start {
	name := x.words[0]
	switch {
	case !strings.Contains(name, "/") || strings.ContainsAny(name, line.Signs):
		return nil
	case x.command.Made(name):
		text := x.command.Text(name)
		x.feed(text)
		return []start{x.execute(languageOf(text), text, x.words)}
	case x.resolved == "":
		return nil
	}
	return append(x.onDisk("", x.resolved, x.words), x.replaced("", name, x.words)...)
}

// languageOf returns the language of a file by its first line.
func languageOf(text string) string {
	first, _, _ := strings.Cut(text, "\n")
	words := strings.Fields(strings.TrimPrefix(first, "#!"))
	for i, word := range words {
		if !strings.HasPrefix(first, "#!") {
			break
		}
		if name := path.Base(word); i < 3 && name != "env" && word[0] != '-' {
			p, _ := known(name)
			if p.words["file"] != "" {
				return p.words["file"]
			}
			if p.words["text"] != "" {
				return p.words["text"]
			}
		}
	}
	return "sh"
}
