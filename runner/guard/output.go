package guard

import (
	"path"
	"strconv"
	"strings"

	"devtools/stack/line"
)

// output returns what a command prints, as far as that is known without executing it.
func (x *invocation) output() string {
	if len(x.words) == 0 {
		return ""
	}
	words := x.words[1:]
	switch x.names[0] {
	case "echo":
		return line.Echo(words)
	case "printf":
		if len(words) > 0 && words[0] == "-v" {
			return ""
		}
		return line.Printf(words)
	case "cat":
		return x.concatenated()
	case "psub": // fish
		file := "/dev/fd/psub" + strconv.Itoa(len(x.judge.commands))
		x.command.Write(file, x.inputText())
		return file
	case "tee":
		return x.inputText()
	case "xargs":
		if len(x.operands) == 0 && x.command.Input != nil && !strings.ContainsAny(x.command.Input.Text, line.Unknown+line.Computed) { // echo
			return strings.Join(x.items(), " ") + "\n"
		}
	case "git":
		return x.gitOutput()
	case "find", "gfind", "fd", "fdfind":
		if items := x.foundItems(); len(items) > 0 {
			return strings.Join(items, "\n") + "\n"
		}
	case "sort", "uniq", "head", "tail", "grep", "egrep", "fgrep":
		return x.picked()
	}
	if name := x.pathOutput(); name != "" {
		return name + "\n"
	}
	if len(x.operands) > 0 && strings.HasPrefix(x.operands[0], "completion") { // it prints a script for a shell
		return ""
	}
	switch {
	case x.table.has("names"):
		return line.Names + "\n"
	case x.table.has("silent"), x.table.has("setup"):
		return ""
	case x.table.has("decodes"):
		return line.Computed
	}
	return line.Unknown
}

// pathOutput returns the path that a command prints, "" if it prints something else or nothing known.
func (x *invocation) pathOutput() string {
	switch x.names[0] {
	case "pwd":
		return x.command.Dir()
	case "dirname":
		if len(x.operands) > 0 && !strings.ContainsAny(x.operands[0], line.Signs) {
			return path.Dir(x.operands[0])
		}
	case "basename":
		if len(x.operands) == 1 && !strings.ContainsAny(x.operands[0], line.Signs) {
			return path.Base(x.operands[0])
		}
	case "realpath", "readlink":
		if len(x.operands) > 0 {
			return x.operands[len(x.operands)-1]
		}
	case "which", "command", "type":
		if len(x.operands) > 0 {
			return "/usr/bin/" + x.operands[len(x.operands)-1]
		}
	case "mktemp": // the line itself makes it, so that it may delete it
		return path.Join(x.judge.workspace(), "made-by-mktemp") + line.Names
	case "npm", "pnpm", "yarn":
		if len(x.operands) == 1 && (x.operands[0] == "root" || x.operands[0] == "prefix" || x.operands[0] == "bin") && len(x.options) == 0 {
			return line.Names
		}
	}
	return ""
}

func (x *invocation) inputText() string {
	if x.command.Input == nil {
		return line.Unknown
	}
	return x.command.Input.Text
}

// concatenated returns what cat prints.
func (x *invocation) concatenated() string {
	if len(x.operands) == 0 {
		return x.inputText()
	}
	text := ""
	for _, operand := range x.operands {
		if operand == "-" {
			text += x.inputText()
		} else {
			text += x.command.Text(operand)
		}
	}
	return text
}

// picked returns what a program prints that takes lines from its input: names, if they are all names.
func (x *invocation) picked() string {
	text := x.inputText()
	if strings.ContainsAny(text, line.Unknown+line.Computed) || !strings.Contains(text, line.Names) {
		return line.Unknown
	}
	return text
}

// gitOutput returns what git prints.
func (x *invocation) gitOutput() string {
	if len(x.operands) == 0 {
		return line.Unknown
	}
	switch x.operands[0] {
	case "rev-parse":
		for _, o := range x.options {
			if o.name == "--show-toplevel" && x.judge.workspace() != "" {
				return x.judge.workspace() + "\n"
			}
		}
		return line.Names + "\n"
	case "branch", "describe", "log", "symbolic-ref", "rev-list", "merge-base", "tag", "config", "remote":
		return line.Names + "\n"
	case "ls-files", "diff", "status":
		return "found" + line.Names + "\n"
	}
	return line.Unknown
}

// remember keeps what a command changes that later commands of the line may use: files and links.
func (x *invocation) remember() {
	if len(x.words) == 0 {
		return
	}
	if x.table.has("links") && (len(x.operands) > 1 || len(x.operands) > 0 && len(x.values("out")) > 0) && x.judge.ev.Scripts == 0 {
		x.rememberCopies()
		return
	}
	if x.table.words["text"] == "sed" && x.has("-i", "--in-place") {
		x.rememberEdits()
	}
	switch x.table.words["writes"] {
	case "all":
		text := line.Computed
		if x.names[0] == "tee" {
			text = x.inputText()
		}
		for _, operand := range x.operands {
			x.command.Write(operand, text)
		}
	case "of":
		for _, file := range x.written() {
			x.command.Write(file, line.Computed)
		}
	}
	for _, file := range x.values("out") {
		if file != "-" {
			x.command.Write(file, line.Computed)
		}
	}
	if x.table.has("loads") {
		for _, operand := range x.operands {
			if name := path.Base(operand); strings.Contains(operand, "/") && len(name) > 1 {
				x.command.Write(name, line.Computed)
			}
		}
	}
}
