package stack

import (
	"path"
	"slices"
	"strings"

	"devtools/stack/line"
)

// unknownProgram classifies a program that is not in the table.
func (cl *classifier) unknownProgram(args []line.Word, start int, at location) finding {
	text := args[start].Text
	if isWorkspaceFile(text) || path.IsAbs(text) {
		kind := languageOf(text)
		if kind == "" {
			kind = "program"
		}
		return cl.entry(kind, args, start, at)
	}
	in := (&program{name: programName(text)}).invoke(args[start+1:], at.fed)
	if f, ok := cl.help(in, at); ok {
		return f
	}
	if f, ok := cl.byArguments(in, at); ok {
		return f
	}
	if kind := languageOf(text); kind != "" {
		return cl.entry(kind, args, start, at)
	}
	return unknown(quoted(at.text) + ": nothing is known of the program " + shorten(programName(text)))
}

// byArguments guesses by flags and first words that have the same meaning for most programs.
func (cl *classifier) byArguments(in *invocation, at location) (finding, bool) {
	for i, arg := range in.args[:in.flags] {
		if arg.Text == "--watch" || arg.Text == "--watch=true" || arg.Text == "--hot" || arg.Text == "--serve" {
			class := Watcher
			if arg.Text == "--serve" {
				class = Server
			}
			return finding{
				class: class, confidence: Medium,
				reason: quoted(at.text) + " " + class.description() + ", as most programs with " + in.args[i].Text + " do",
			}, true
		}
	}
	if len(in.operands) == 0 {
		return finding{}, false
	}
	word := in.args[in.operands[0]].Text
	if strings.ContainsAny(word, "/. ") || word == "debug" {
		return finding{}, false
	}
	class := nameClass(word)
	if class == Unknown {
		return finding{}, false
	}
	return byName(class, at.text, "its word "+word), true
}

// byName is the finding of a guess by a name.
func byName(class Class, text, by string) finding {
	return finding{class: class, confidence: Low, reason: quoted(text) + " " + class.description() + ", judged by " + by + " alone"}
}

// classWords are the words that tell what a script, a task or a subcommand with such a name does.
var classWords = []struct {
	class Class
	words []string
}{
	{Watcher, []string{"watch", "watcher", "w"}},
	{Server, []string{
		"dev", "start", "serve", "server", "develop", "development", "preview", "storybook", "devserver", "runserver", "live",
		"worker", "workers", "daemon", "consumer", "scheduler", "debug",
	}},
	{Build, []string{
		"build", "compile", "bundle", "dist", "typecheck", "types", "tsc", "transpile", "release", "publish", "deploy",
		"generate", "gen", "codegen", "clean", "install", "setup", "package", "pack", "prepare", "prepublish", "prepublishonly",
		"postinstall", "preinstall", "prepack", "postpack", "make", "copy", "migrate", "seed", "version", "bump",
		"changelog", "export", "prebuild", "postbuild", "update", "sync", "bootstrap", "init", "coverage", "report", "size", "analyze",
	}},
	{Oneshot, []string{ // they stop or change something else
		"stop", "kill", "down", "status", "reset", "restore", "backup", "rollback", "import", "upload", "download", "prune", "db", "database",
	}},
	{Test, []string{
		"lint", "format", "fmt", "check", "fix", "prettier", "eslint", "validate", "verify", "stylelint", "lintfix", "audit", "precommit",
		"test", "tests", "spec", "unit", "e2e", "integration", "ci", "jest", "mocha", "vitest", "cypress", "pretest", "posttest", "bench", "benchmark",
	}},
}

// nameClass guesses what a script, a task or a subcommand with this name does.
func nameClass(name string) Class {
	found := map[Class]bool{}
	words := nameWords(name)
	for _, word := range words {
		for i := range classWords {
			if slices.Contains(classWords[i].words, word) {
				found[classWords[i].class] = true
				break
			}
		}
	}
	switch {
	case found[Watcher]:
		return Watcher
	case slices.Contains(words, "studio"): // a database studio, which a browser shows
		return Server
	case len(words) > 1 && words[0] == "start" && !found[Oneshot]:
		return Server // it serves what was built, or serves tests
	case found[Build]:
		return Build
	case found[Test]:
		return Test
	case found[Oneshot] && !found[Server] && len(words) == 1 && words[0] != "db" && words[0] != "database":
		return Oneshot
	case found[Oneshot]:
		return Unknown // "start the database" may wait for it, or leave it running
	case found[Server]:
		return Server
	}
	return Unknown
}

// nameWords splits a name into words.
func nameWords(name string) []string {
	return strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return strings.ContainsRune(":-_./ ", r) })
}

// fileClass guesses what code in a file of this name does. The last word is what it is, unless the
// first word tells what happens to that.
func fileClass(name string) Class {
	base := strings.TrimSuffix(path.Base(name), path.Ext(name))
	words := nameWords(base)
	if len(words) > 1 && nameClass(words[0]) == Unknown {
		if class := nameClass(words[len(words)-1]); class.Long() {
			return class
		}
	}
	return nameClass(base)
}

// languageOf returns the language of a file by its name, "" if it is unknown.
func languageOf(name string) string {
	switch path.Ext(name) {
	case ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".tsx", ".jsx":
		return "js"
	case ".py":
		return "py"
	case ".rb", ".ru":
		return "rb"
	case ".php":
		return "php"
	case ".sh", ".bash", ".zsh":
		return "sh"
	case ".go":
		return "go"
	}
	return ""
}
