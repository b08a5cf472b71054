package stack

import (
	_ "embed" // for the table
	"fmt"
	"strconv"
	"strings"
)

// definitionTable has the definitions of devtools. A line is a key with its values, between tabs; a blank
// line ends a definition. As Go code the table would take 380 KB of the program in place of 74, and as
// TOML it would be read for longer than all else that stack does at its start.
//
//go:generate go run ./definitions
//go:embed definitions.txt
var definitionTable string

// Definitions returns the definitions of devtools, in the order of the file names.
func Definitions() []Definition {
	all := make([]Definition, 0, strings.Count(definitionTable, "\n\n"))
	for text := definitionTable; text != ""; {
		var definition string
		definition, text, _ = strings.Cut(text, "\n\n")
		all = append(all, Definition{})
		for line := range strings.SplitSeq(definition, "\n") {
			key, value, _ := strings.Cut(line, "\t")
			all[len(all)-1].set(key, value)
		}
	}
	return all
}

// set sets a key of a definition to the rest of its line.
func (d *Definition) set(key, value string) {
	if registry, ok := strings.CutPrefix(key, "deps."); ok {
		if d.Deps == nil {
			d.Deps = map[string][]string{}
		}
		d.Deps[registry] = listOf(value)
		return
	}
	switch key {
	case "id":
		d.ID = value
	case "name":
		d.Name = value
	case "kind":
		d.Kind = Kind(value)
	case "weight":
		d.Weight = numbers(value)[0]
	case "root":
		d.Root = true
	case "alone":
		d.Alone = true
	case "outermost":
		d.Outermost = true
	case "files":
		d.Files = listOf(value)
	case "weak":
		d.Weak = listOf(value)
	case "without":
		d.Without = listOf(value)
	case "content":
		d.Content = append(d.Content, contentOf(value))
	case "supersedes":
		d.Supersedes = listOf(value)
	case "dev":
		d.Dev = value
	case "start":
		d.Start = value
	case "build":
		d.Build = value
	case "test":
		d.Test = value
	case "lint":
		d.Lint = value
	case "ports":
		d.Ports = numbers(value)
	case "portMoves":
		d.PortMoves = true
	case "portFlags":
		d.PortFlags = listOf(value)
	case "portEnv":
		d.PortEnv = listOf(value)
	case "processes":
		d.Processes = listOf(value)
	case "processesDarwin":
		d.ProcessesDarwin = listOf(value)
	case "processesWindows":
		d.ProcessesWindows = listOf(value)
	case "devServerPatterns":
		d.DevServerPatterns = listOf(value)
	case "devServerRules":
		d.DevServerRules = append(d.DevServerRules, ruleOf(value))
	case "ready":
		d.Ready = listOf(value)
	default:
		panic(fmt.Sprintf("definitions.txt: unknown key %q: go generate ./stack", key))
	}
}

func listOf(value string) []string {
	if value == "" {
		return []string{}
	}
	return strings.Split(value, "\t")
}

func numbers(value string) []int {
	texts := listOf(value)
	all := make([]int, len(texts))
	for i, text := range texts {
		all[i], _ = strconv.Atoi(text)
	}
	return all
}

func contentOf(value string) Content {
	file, match, _ := strings.Cut(value, "\t")
	return Content{file, match}
}

func ruleOf(value string) Rule {
	match, unless, _ := strings.Cut(value, "\t")
	return Rule{match, unless}
}
