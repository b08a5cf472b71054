package guard

import (
	"slices"
	"strings"

	"devtools/stack/line"
)

// A sedScript is what a script of sed does to the system, sed(1) "COMMAND SYNOPSIS".
type sedScript struct {
	commands []string // lines for a shell: those of e, and what s///e inserts
	files    []string // written by w, W and s///w
	texts    []string // that it may put into what it reads: those of a, i and c, and what s/// inserts
	reads    []string // files that r and R put into it
	space    bool     // e and s///e execute the text that sed reads
}

// readSed reads a script of sed, as far as it can be read.
func readSed(text string) (script sedScript) {
	r := sedReader{text: text}
	for r.skipAddress(); r.at < len(r.text); r.skipAddress() {
		command := r.text[r.at]
		r.at++
		switch command {
		case 's', 'y':
			if r.at == len(r.text) {
				return script
			}
			delimiter := r.text[r.at]
			r.at++
			r.until(delimiter)
			with := r.until(delimiter)
			if command == 's' {
				script.texts = append(script.texts, strings.ReplaceAll(with, `\`+string(delimiter), string(delimiter)))
				r.flags(&script, with)
			}
		case 'e':
			if line := strings.TrimSpace(r.until('\n')); line != "" {
				script.commands = append(script.commands, line)
			} else {
				script.space = true
			}
		case 'w', 'W':
			script.files = append(script.files, strings.TrimSpace(r.until('\n')))
		case 'a', 'i', 'c':
			script.texts = append(script.texts, strings.TrimLeft(r.until('\n'), "\\ \t\n"))
		case 'r', 'R':
			script.reads = append(script.reads, strings.TrimSpace(r.until('\n')))
		case '#':
			r.until('\n')
		}
	}
	return script
}

// A sedReader is at a place of a script.
type sedReader struct {
	text string
	at   int
}

// skipAddress goes to the letter of the next command.
func (r *sedReader) skipAddress() {
	for ; r.at < len(r.text); r.at++ {
		switch c := r.text[r.at]; {
		case c == '/':
			r.at++
			r.until('/')
			r.at--
		case c == '\\' && r.at+1 < len(r.text):
			r.at += 2
			r.until(r.text[r.at-1])
			r.at--
		case strings.IndexByte("0123456789,$!~+ \t\n;{}", c) < 0:
			return
		}
	}
}

// until returns the text before a delimiter, and goes behind that.
func (r *sedReader) until(delimiter byte) string {
	from := r.at
	for ; r.at < len(r.text); r.at++ {
		switch r.text[r.at] {
		case delimiter:
			r.at++
			return r.text[from : r.at-1]
		case '\\':
			r.at++
		}
	}
	r.at = len(r.text)
	return r.text[min(from, r.at):]
}

// flags reads what stands behind s/…/WITH/.
func (r *sedReader) flags(script *sedScript, with string) {
	for ; r.at < len(r.text) && strings.IndexByte(";}\n", r.text[r.at]) < 0; r.at++ {
		switch r.text[r.at] {
		case 'e':
			script.space = true
			script.commands = append(script.commands, strings.ReplaceAll(with, `\/`, "/"))
		case 'w':
			r.at++
			script.files = append(script.files, strings.TrimSpace(r.until('\n')))
			return
		}
	}
}

// A substitution is s/OLD/WITH/ with plain texts.
type substitution struct {
	old, with string
	all       bool
}

// substitutions returns what a script of sed does. ok is false if it does something else, or has patterns.
func substitutions(text string) (list []substitution, ok bool) {
	const special = `\.[]*^$&+?(){}|` + "\n"
	r := sedReader{text: text}
	for {
		if r.at += len(text[r.at:]) - len(strings.TrimLeft(text[r.at:], " \t\n;")); r.at == len(text) {
			return list, true
		}
		if text[r.at] != 's' || r.at+1 == len(text) {
			return nil, false
		}
		delimiter := text[r.at+1]
		r.at += 2
		one := substitution{old: r.until(delimiter), with: r.until(delimiter)}
		if one.all = r.at < len(text) && text[r.at] == 'g'; one.all {
			r.at++
		}
		if delimiter == '/' {
			one.old, one.with = strings.ReplaceAll(one.old, `\/`, "/"), strings.ReplaceAll(one.with, `\/`, "/")
		}
		if one.old == "" || strings.ContainsAny(one.old+one.with, special) || r.at < len(text) && strings.IndexByte(" \t\n;", text[r.at]) < 0 {
			return nil, false
		}
		list = append(list, one)
	}
}

// editing returns the script of sed, part by part.
func (x *invocation) editing() []string {
	if scripts := x.values("code"); len(scripts) > 0 || len(x.operands) == 0 {
		return scripts
	}
	return x.operands[:1]
}

// edit returns what sed makes of some texts, as far as that is known without executing it.
func (x *invocation) edit(text string) (edited string, ok bool) {
	list, ok := substitutions(strings.Join(x.editing(), "\n"))
	for _, o := range x.options {
		ok = ok && slices.Contains([]string{"-i", "--in-place", "-e", "--expression", "-E", "-r", "--regexp-extended"}, o.name)
	}
	if !ok || strings.ContainsAny(text, line.Signs) || len(text) > mostCodeBytes || len(list) > mostSubstitutions {
		return line.Unknown, false
	}
	lines := strings.Split(text, "\n")
	for i := range lines {
		for _, one := range list {
			n := 1
			if one.all {
				n = -1
			}
			if lines[i] = strings.Replace(lines[i], one.old, one.with, n); len(lines[i]) > mostCodeBytes {
				return line.Unknown, false
			}
		}
	}
	return strings.Join(lines, "\n"), true
}

// mostSubstitutions is the most substitutions of a script of sed that are done.
const mostSubstitutions = 20

// edits returns the files that sed reads.
func (x *invocation) edits() []string {
	if len(x.values("code")) > 0 {
		return x.operands
	}
	return x.operands[min(1, len(x.operands)):]
}

// edited returns what sed prints.
func (x *invocation) edited() string {
	if x.has("-i", "--in-place") {
		return ""
	}
	text := ""
	for _, file := range x.edits() {
		text += x.command.Text(file)
	}
	if len(x.edits()) == 0 {
		text = x.inputText()
	}
	text, _ = x.edit(text)
	return text
}

// puts returns the texts that sed may put into a file, each for itself. Those that a shell does not understand come last.
func (x *invocation) puts() (texts []string) {
	script := readSed(strings.Join(x.editing(), "\n"))
	for _, file := range script.reads {
		texts = append(texts, x.command.Text(file))
	}
	for _, text := range script.texts {
		if strings.Trim(text, `&\123456789 `) != "" {
			texts = append(texts, text)
		}
	}
	texts = slices.DeleteFunc(texts, func(text string) bool { return strings.ContainsAny(text, line.Signs) })
	others := slices.Clone(texts)
	understood := func(text string) bool { return line.Check(text) == nil }
	texts = slices.DeleteFunc(texts, func(text string) bool { return !understood(text) })
	return append(texts, slices.DeleteFunc(others, understood)...)
}

// rememberEdits keeps what sed -i makes of files: if that is not known, the text with all that sed may put into it. They are judged
// as files of the disk if they are there.
func (x *invocation) rememberEdits() {
	for _, file := range x.edits() {
		before := x.command.Text(file)
		text, ok := x.edit(before)
		if puts := x.puts(); !ok && len(puts) > 0 && !strings.ContainsAny(before, line.Signs) {
			text, ok = before+"\n"+strings.Join(puts, "\n"), true
		}
		full := x.judge.resolve(x.command.Absolute(file), true)
		switch {
		case !ok || len(text) > mostScript:
		case x.command.Made(file):
			x.command.Write(file, text)
		default:
			if x.judge.edited == nil {
				x.judge.edited = map[string]string{}
			}
			x.judge.edited[full] = text
			x.judge.copy(full, full)
		}
	}
}
