package stack

import (
	"slices"
	"strings"
)

// mostCalls is how deep scripts that call scripts are followed.
const mostCalls = 4

// calls returns the commands that a line of a script runs, each by itself: those of the scripts that it calls by their names
// instead of the calls.
func (b *builder) calls(line string) []string { return b.callsBelow(line, mostCalls) }

func (b *builder) callsBelow(line string, depth int) (all []string) {
	for _, part := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune("\"'`;&|()\n", r) }) {
		part = strings.TrimSpace(part)
		called := b.called(part)
		if len(called) == 0 || depth == 0 {
			if part != "" {
				all = append(all, part)
			}
			continue
		}
		for _, s := range called {
			all = append(all, b.callsBelow(s.line, depth-1)...)
		}
	}
	return all
}

// callers are the words after which the name of a script stands, runners those after which there are only such names.
var (
	callers = []string{"run", "run-script", "npm", "yarn", "pnpm", "bun", "task", "--run"}
	runners = []string{"run-p", "run-s", "npm-run-all", "npm-run-all2"}
)

// called returns the scripts of the project that a command runs by their names: npm run NAME, npm:NAME, run-p NAME NAME.
func (b *builder) called(command string) (all []script) {
	words := strings.Fields(command)
	if slices.ContainsFunc(words, elsewhere) {
		return nil
	}
	for i, word := range words {
		name, short := word, false
		for _, m := range []string{"npm:", "yarn:", "pnpm:", "bun:", "node:"} {
			if rest, ok := strings.CutPrefix(word, m); ok {
				name, short = rest, true
			}
		}
		if !short && (i == 0 || !slices.Contains(callers, words[i-1]) && !slices.Contains(runners, words[0])) {
			continue
		}
		prefix, many := strings.CutSuffix(name, "*")
		for _, s := range b.scripts {
			if (s.from == "npm" || s.from == "deno") && s.line != "" && (s.name == name || many && strings.HasPrefix(s.name, prefix)) {
				all = append(all, s)
			}
		}
	}
	return all
}

// elsewhere reports whether a word says that a script of another project is called.
func elsewhere(word string) bool {
	for _, flag := range []string{"--prefix", "--cwd", "--filter", "--workspace", "-C", "-w", "-F", "workspace"} {
		if word == flag || strings.HasPrefix(word, flag+"=") {
			return true
		}
	}
	return false
}

// developing returns what the script of package.json runs with which people develop, nothing where there is none.
func (b *builder) developing() []string {
	best, line := 0, ""
	for _, s := range b.scripts {
		if score := devNames[strings.ToLower(s.name)]; (s.from == "npm" || s.from == "deno") && score > best {
			best, line = score, s.line
		}
	}
	return b.calls(line)
}

// matchesOne reports whether one of some commands matches one of some expressions, which were checked before.
func (d *detection) matchesOne(patterns, commands []string) bool {
	return slices.ContainsFunc(commands, func(c string) bool { return d.matchesAny(patterns, c) })
}

// speaking are the words with which a script speaks of a package manager.
var speaking = map[string]string{"npm": "npm", "npx": "npm", "yarn": "yarn", "pnpm": "pnpm", "pnpx": "pnpm", "bunx": "bun"}

// spokenOf returns the package manager of Node that the scripts speak of, if that is but one.
func (b *builder) spokenOf() (found *Manager) {
	for _, s := range b.scripts {
		if s.from != "npm" {
			continue
		}
		for _, word := range strings.FieldsFunc(s.line, func(r rune) bool { return strings.ContainsRune(" \t\"'`;&|():", r) }) {
			switch name := speaking[word]; {
			case name == "":
			case found == nil:
				source := s.source
				source.Rank = Shared
				found = &Manager{Name: name, Ecosystem: "npm", Evidence: []Evidence{source}}
			case found.Name != name:
				return nil
			}
		}
	}
	return found
}
