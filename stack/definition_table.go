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
	if text := d.text(key); text != nil {
		*text = value
		return
	}
	if list := d.list(key); list != nil {
		*list = listOf(value)
		return
	}
	switch key {
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
	case "portMoves":
		d.PortMoves = true
	case "content":
		d.Content = append(d.Content, contentOf(value))
	case "ports":
		d.Ports = numbers(value)
	case "devServerRules":
		d.DevServerRules = append(d.DevServerRules, ruleOf(value))
	default:
		d.setPackages(key, value)
	}
}

// setPackages sets the packages of a registry, whose key is deps.REGISTRY.
func (d *Definition) setPackages(key, value string) {
	registry, ok := strings.CutPrefix(key, "deps.")
	if !ok {
		panic(fmt.Sprintf("definitions.txt: unknown key %q: go generate ./stack", key))
	}
	if d.Deps == nil {
		d.Deps = map[string][]string{}
	}
	d.Deps[registry] = listOf(value)
}

// text returns the field of a key that has a text, or nil.
func (d *Definition) text(key string) *string {
	switch key {
	case "id":
		return &d.ID
	case "name":
		return &d.Name
	case "dev":
		return &d.Dev
	case "start":
		return &d.Start
	case "build":
		return &d.Build
	case "test":
		return &d.Test
	case "lint":
		return &d.Lint
	}
	return nil
}

// list returns the field of a key that has a list of texts, or nil.
func (d *Definition) list(key string) *[]string {
	switch key {
	case "files":
		return &d.Files
	case "weak":
		return &d.Weak
	case "without":
		return &d.Without
	case "supersedes":
		return &d.Supersedes
	case "portFlags":
		return &d.PortFlags
	case "portEnv":
		return &d.PortEnv
	case "processes":
		return &d.Processes
	case "processesDarwin":
		return &d.ProcessesDarwin
	case "processesWindows":
		return &d.ProcessesWindows
	case "devServerPatterns":
		return &d.DevServerPatterns
	case "ready":
		return &d.Ready
	}
	return nil
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
