package guard

import (
	"path"
	"strings"

	"devtools/stack/line"
)

// file returns the program in a file: one that the line has written, or that is on the disk.
func (x *invocation) file(language, name string, params []string) []start {
	if input := x.command.Input; input != nil && (name == "-" || name == "/dev/stdin" || name == "/dev/fd/0" || name == "/proc/self/fd/0") {
		x.feed(input.Text)
		return []start{x.execute(language, input.Text, params)}
	}
	if x.command.Made(name) {
		text := x.command.Text(name)
		x.feed(text)
		return []start{x.execute(language, text, params)}
	}
	if strings.ContainsAny(name, line.Signs) {
		return nil
	}
	full := x.judge.resolve(x.command.Absolute(name), true)
	if text, ok := x.judge.scriptText(full); ok {
		return []start{x.fromDisk(x.execute(language, text, params))}
	}
	return nil
}

// fromDisk evaluates a file of the disk. In it, only what is known for certain counts.
func (x *invocation) fromDisk(run start) start {
	j := x.judge
	x.scripts++
	return func() string {
		if j.files++; j.files > mostScripts {
			return line.Unknown
		}
		j.ev.Script(func() { run() })
		return line.Unknown
	}
}

// mostScripts is the most files of the disk that are read for a call.
const mostScripts = 20

// script returns the program in a file that is executed itself.
func (x *invocation) script() []start {
	name := x.words[0]
	switch {
	case !strings.Contains(name, "/") || strings.ContainsAny(name, line.Signs):
		return nil
	case x.command.Made(name):
		text := x.command.Text(name)
		x.feed(text)
		return []start{x.execute(language(text), text, x.words[1:])}
	case x.resolved == "" || len(x.table.words) > 0:
		return nil
	}
	text, ok := x.judge.scriptText(x.resolved)
	if !ok {
		return nil
	}
	return []start{x.fromDisk(x.execute(language(text), text, x.words[1:]))}
}

// language returns the language of a file by its first line.
func language(text string) string {
	first, _, _ := strings.Cut(text, "\n")
	words := strings.Fields(strings.TrimPrefix(first, "#!"))
	for i, word := range words {
		if !strings.HasPrefix(first, "#!") {
			break
		}
		if name := path.Base(word); i < 3 && name != "env" && word[0] != '-' {
			p, _ := known(strings.TrimRight(name, "0123456789."))
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
