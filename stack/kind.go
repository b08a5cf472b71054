package stack

import (
	"slices"
	"strings"

	"devtools/stack/line"
)

// kindOf returns the kind of a script. The name decides, unless the script does something else.
// named reports whether the name has decided. It does if nothing certain is known about what the
// script does.
func kindOf(name string, does finding) (kind string, named bool) {
	kind = kindByName(name)
	if does.confidence == Low {
		return kind, true
	}
	goesOn := kind == "dev" || kind == "start"
	switch {
	case does.class == Server && strings.HasPrefix(strings.ToLower(name), "preview"):
		return "start", false // it serves what was built
	case does.class == Server && (kind == "build" || kind == "lint" || kind == "other"):
		return "dev", false
	case does.class == Watcher && (kind == "build" || kind == "other"):
		return "dev", false // for scripts that test or lint, it is their purpose that counts
	case goesOn && does.class == Build:
		return "build", false
	case goesOn && does.class == Test:
		return "test", false
	case goesOn && does.class == Oneshot && !does.detaches:
		return "other", false
	}
	return kind, true
}

// kindByName returns the kind of a script by its name.
func kindByName(name string) string {
	name = strings.ToLower(name)
	first, rest, _ := strings.Cut(strings.NewReplacer("_", ":", "-", ":", ".", ":").Replace(name), ":")
	switch first {
	case "dev", "develop", "development", "serve", "server", "watch", "web", "runserver", "docs":
		if strings.Contains(rest, "build") || first == "docs" && !strings.Contains(rest, "dev") {
			return "other"
		}
		return "dev"
	case "start", "run", "up", "worker", "preview":
		if strings.Contains(rest, "dev") || strings.Contains(rest, "watch") {
			return "dev"
		}
		if first == "preview" {
			return "other"
		}
		return "start"
	case "build", "compile", "bundle", "package", "dist", "all", "release", "make":
		return "build"
	case "test", "tests", "e2e", "unit", "spec", "check", "coverage", "cover":
		if first == "check" {
			return "lint"
		}
		return "test"
	case "lint", "format", "fmt", "typecheck", "types", "style", "vet", "eslint", "tsc", "type":
		return "lint"
	}
	return "other"
}

// classify finds out what a command of the project does.
func (b *builder) classify(c *Command) finding {
	f := b.classifyArgv(c.Argv)
	if !c.written {
		f.confidence = min(f.confidence, Medium)
	}
	c.Class, c.Confidence, c.port = f.class, f.confidence.String(), f.port
	switch {
	case c.Line == "": // the command is usual, or starts the programs of its own file
	case len(f.runs) == 0:
		c.runs = []string{c.Line}
	default:
		c.runs = f.runs
	}
	return f
}

// classifyArgv classifies a program with its arguments in the project's folder.
func (b *builder) classifyArgv(argv []string) finding {
	words := make([]line.Word, len(argv))
	for i, arg := range argv {
		words[i].Text = arg
	}
	b.d.classifier.count = 0
	return b.d.classifier.argv(words, 0, location{dir: b.project.Root, text: strings.Join(argv, " ")})
}

// isSideServer reports whether the name of a server says that it is not the project itself.
func isSideServer(name string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return strings.ContainsRune(":-_.", r) }), func(word string) bool {
		return slices.Contains([]string{"preview", "docs", "doc", "storybook", "example", "examples", "demo", "db", "website", "debug", "inspect", "test", "e2e"}, word)
	})
}
