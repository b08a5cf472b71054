package stack

import (
	"path"
	"slices"
	"strings"
)

// placeholders are the names in braces that the commands of definitions may have.
var placeholders = []string{"exec", "run", "mvn", "gradle", "entry", "app", "if", "code", "module", "imports"}

// expand returns the first command in text for which every placeholder has a value, nil if there is
// none. " | " separates the commands. mean returns the words for a placeholder.
func expand(text string, mean func(name, argument string) (words []string, ok bool)) []string {
	for alternative := range strings.SplitSeq(text, " | ") {
		if argv, ok := expandOne(alternative, mean); ok && len(argv) > 0 {
			return argv
		}
	}
	return nil
}

func expandOne(text string, mean func(name, argument string) ([]string, bool)) (argv []string, ok bool) {
	for word := range strings.FieldsSeq(text) {
		before, name, argument, after := placeholder(word)
		if name == "" {
			argv = append(argv, word)
			continue
		}
		words, ok := mean(name, argument)
		if !ok {
			return nil, false
		}
		if before+after != "" {
			words = []string{before + strings.Join(words, " ") + after}
		}
		argv = append(argv, words...)
	}
	return argv, true
}

// placeholder splits a word with a placeholder, {name:argument}, and the text before and after it.
// The name is empty if there is none.
func placeholder(word string) (before, name, argument, after string) {
	before, rest, ok := strings.Cut(word, "{")
	inner, after, closed := strings.Cut(rest, "}")
	if !ok || !closed {
		return "", "", "", ""
	}
	name, argument, _ = strings.Cut(inner, ":")
	if !slices.Contains(placeholders, name) {
		return "", "", "", ""
	}
	return before, name, argument, after
}

// placeholderWords returns the words for a placeholder in the project.
func (b *builder) placeholderWords(name, argument string) (words []string, ok bool) {
	switch name {
	case "exec":
		return b.execWords(), true
	case "run":
		return b.runWords(), true
	case "mvn":
		return b.wrapper("pom.xml", "mvnw", "mvn")
	case "gradle":
		for _, file := range []string{"build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"} {
			if words, ok := b.wrapper(file, "gradlew", "gradle"); ok {
				return words, true
			}
		}
		return nil, false
	case "entry", "app", "if":
		for pattern := range strings.SplitSeq(argument, ",") {
			file := b.first(pattern)
			switch {
			case file == "":
			case name == "if":
				return nil, true
			case name == "app":
				return []string{asModule(file)}, true
			default:
				return []string{file}, true
			}
		}
	case "code", "module", "imports":
		file := b.sourceWith(name, argument)
		if name == "module" {
			file = asModule(file)
		}
		return []string{file}, file != ""
	}
	return nil, false
}

// asModule returns the module name of a Python file.
func asModule(file string) string {
	return strings.TrimSuffix(strings.ReplaceAll(strings.TrimSuffix(file, path.Ext(file)), "/", "."), ".__init__")
}

// wrapper returns the workspace's script that runs a build tool, otherwise the tool, for a project
// that has its manifest.
func (b *builder) wrapper(manifest, script, program string) ([]string, bool) {
	if !b.has(manifest) {
		return nil, false
	}
	for dir, up := b.path, ""; ; dir, up = path.Dir(dir), up+"../" {
		if b.d.has(path.Join(dir, script)) {
			if up == "" {
				up = "./"
			}
			return []string{up + script}, true
		}
		if dir == "." {
			return []string{program}, true
		}
	}
}

// execWords returns the words before an installed program of a package.
func (b *builder) execWords() []string {
	switch b.nodeManager() {
	case "pnpm":
		return []string{"pnpm", "exec"}
	case "yarn":
		return []string{"yarn"}
	case "bun":
		return []string{"bunx"}
	case "deno":
		return []string{"deno", "run", "-A"}
	}
	return []string{"npx"}
}

// runWords returns the words before a program in the environment of a Python project.
func (b *builder) runWords() []string {
	if m := b.managers["pypi"]; m != nil {
		switch m.Name {
		case "uv", "poetry", "pipenv", "pdm", "hatch", "pixi":
			return []string{m.Name, "run"}
		}
	}
	return nil
}
