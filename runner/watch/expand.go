package watch

import (
	"slices"
	"strings"

	"devtools/runner/wire"
)

// expand replaces the argument {} by the paths. In a shell line, all paths, quoted, replace each word {}.
func expand(command, paths []string) []string {
	if isLine(command) {
		words := splitLine(command[2])
		for i, word := range words {
			if word == "{}" {
				line := wire.ShellLine(command[:1], append([]string{":", ""}, paths...))
				words[i] = strings.TrimSpace(strings.TrimPrefix(line, ": ''"))
			}
		}
		return []string{command[0], command[1], strings.Join(words, "")}
	}
	var all []string
	for _, arg := range command {
		if arg == "{}" {
			all = append(all, paths...)
		} else {
			all = append(all, arg)
		}
	}
	return all
}

// isLine reports whether a command is a shell with a line.
func isLine(command []string) bool { return len(command) == 3 && command[1] == "-c" }

// splitLine cuts a shell line into blanks and words. It does not look at quotes: a word {} has blanks, or nothing,
// around it.
func splitLine(line string) (words []string) {
	for line != "" {
		end := strings.IndexAny(line, " \t\n")
		switch {
		case end < 0:
			end = len(line)
		case end == 0:
			end = 1
		}
		words, line = append(words, line[:end]), line[end:]
	}
	return words
}

// Wants reports whether a command has a place for the changed paths.
func Wants(command []string) bool {
	if isLine(command) {
		return slices.Contains(splitLine(command[2]), "{}")
	}
	return slices.Contains(command, "{}")
}
