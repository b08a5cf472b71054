package guard

import (
	_ "embed"
	"strings"
	"sync"
)

// codeTable says what calls in code mean. Its first lines describe the format.
//
//go:embed code.txt
var codeTable string

// codeCalls returns what a language calls things: the kind by the name.
func codeCalls(language string) map[string]string {
	if calls, ok := codeLanguages.Load(language); ok {
		return calls.(map[string]string)
	}
	calls := map[string]string{}
	for l := range strings.Lines(codeTable) {
		head, names, ok := strings.Cut(l, ": ")
		words := strings.Fields(head)
		if !ok || l[0] == '#' || words[1] != language {
			continue
		}
		kind := words[0]
		if kind == "perhaps" {
			kind += " " + strings.Trim(strings.Join(words[2:], " "), "[]")
		}
		for name := range strings.FieldsSeq(names) {
			calls[name] = kind
		}
	}
	codeLanguages.Store(language, calls)
	return calls
}

var codeLanguages sync.Map // the result of codeCalls by the language

// shellLanguage reports whether a language is that of a shell.
func shellLanguage(language string) bool {
	p, _ := known(language)
	return language == "shell" || p.has("sh")
}

// mostCode is how deep code in code is followed.
const mostCode = 4

// code judges a program text: the commands that it executes, and the trees that it deletes.
func (j *judge) code(x *invocation, language, text string, depth int) {
	if shellLanguage(language) {
		x.command.Run(text, "", nil, nil)
		return
	}
	switch language {
	case "crontab":
		j.crontab(x, text)
		return
	case "python", "python3":
		language = "py"
	case "node", "javascript", "typescript", "ts", "bun", "deno":
		language = "js"
	case "ruby":
		language = "rb"
	case "make":
		for l := range strings.SplitSeq(text, "\n") {
			if i := strings.IndexAny(l, ";\t"); i >= 0 {
				j.tolerant(func() { x.command.Run(l[i+1:], x.folder(), nil, nil) })
			}
		}
		return
	case "sed":
		script := readSed(text)
		for _, command := range script.commands {
			j.tolerant(func() { x.command.Run(command, "", nil, nil) })
		}
		for _, file := range script.files {
			x.command.Start([]string{"tee", file}, nil, "", nil)
		}
		return
	case "vim", "sql", "gdb", "bind":
		j.escapes(x, language, text)
		return
	}
	if language == "tcl" {
		p := newCodeReader(j, x, language, text, nil)
		p.depth = depth
		p.tcl(text, map[string]string{}, 0)
		return
	}
	list := tokens(language, text)
	if (depth > mostCode || len(text) > mostCodeBytes || len(list) == mostTokens) && j.ev.Scripts == 0 {
		j.unknown("its code is too long or too deeply nested")
		return
	}
	p := newCodeReader(j, x, language, text, list)
	p.depth = depth
	for i := range list {
		p.at(i)
	}
}

// crontab judges the commands of a table for cron.
func (j *judge) crontab(x *invocation, text string) {
	for l := range strings.SplitSeq(text, "\n") {
		fields := strings.Fields(l)
		skip := 5
		if len(fields) > 0 && strings.HasPrefix(fields[0], "@") {
			skip = 1
		}
		if len(fields) > skip && fields[0][0] != '#' {
			j.tolerant(func() { x.command.Run(strings.Join(fields[skip:], " "), "", nil, nil) })
		}
	}
}

// escapes judges the commands for a shell in the language of an editor or a client: what follows a
// ! or a word such as shell.
func (j *judge) escapes(x *invocation, language, text string) {
	for l := range strings.SplitSeq(text, "\n") {
		l = strings.Trim(strings.TrimSpace(l), ":'\"")
		var command string
		ok := false
		for _, begin := range []string{"!", `\!`, ".shell ", ".system ", "shell ", "r !", "read !", "w !", "silent !", "silent! !", "%!", "system(", `| !`} {
			if command, ok = strings.CutPrefix(l, begin); ok {
				break
			}
		}
		if i := strings.Index(l, "!"); !ok && language == "vim" && i >= 0 {
			command, ok = l[i+1:], true
		}
		if language == "bind" { // KEYS: COMMAND
			_, command, ok = strings.Cut(l, ":")
		}
		if ok {
			j.tolerant(func() { x.command.Run(strings.Trim(command, `'")`), "", nil, nil) })
		}
	}
}
