package commands

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"
)

// schemaText is the JSON Schema of all results. The tests make it from the Go types; -update rewrites it.
//
//go:embed schema.json
var schemaText string

func schemaCommand() *cli.Command {
	return &cli.Command{
		ArgsUsage: "[COMMAND]",
		Description: `Prints a JSON Schema (draft 2020-12) of what COMMAND prints with --json, or of
all results and errors. A result is valid against one of the objects at anyOf.
Where a command prints JSON Lines, each line is one.

EXAMPLES:
  devtools schema run`,
		ArgValidator: arguments(0, 1, "a command"),
		Action:       schema,
	}
}

func schema(_ context.Context, cmd *cli.Command) error {
	text := []byte(schemaText)
	if name := cmd.Args().First(); name != "" {
		whole, err := parseSchema(schemaText)
		if err != nil {
			return err
		}
		if text, err = whole.of(name); err != nil {
			return err
		}
	}
	return show(cmd, json.RawMessage(text), func(w io.Writer, text json.RawMessage) error {
		var indented bytes.Buffer
		if err := json.Indent(&indented, text, "", "  "); err != nil {
			return err
		}
		_, err := w.Write(append(bytes.TrimSpace(indented.Bytes()), '\n'))
		return err
	})
}

// A schemaDocument is a JSON Schema whose $defs has the objects and the commands. The name of an object begins with a
// capital letter, the name of a command with a small one.
type schemaDocument struct {
	Dialect     string                     `json:"$schema"`
	Title       string                     `json:"title"`
	Description string                     `json:"description"`
	AnyOf       json.RawMessage            `json:"anyOf"`
	Defs        map[string]json.RawMessage `json:"$defs"`
}

func parseSchema(text string) (d schemaDocument, err error) {
	err = json.Unmarshal([]byte(text), &d)
	return d, err
}

// commands returns the names of the commands in the schema, sorted.
func (d schemaDocument) commands() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(d.Defs)), func(name string) bool { return name[0] < 'a' })
}

// of returns the schema of one command, which may be called by an alias. It has only the objects that the command uses.
func (d schemaDocument) of(command string) ([]byte, error) {
	for _, name := range d.commands() {
		if slices.Contains(aliases(name), command) {
			command = name
		}
	}
	if !slices.Contains(d.commands(), command) {
		return nil, notOneOf("schema: no schema for", command, d.commands())
	}
	part := schemaDocument{Dialect: d.Dialect, Title: "devtools " + command}
	var head struct {
		Description string          `json:"description"`
		AnyOf       json.RawMessage `json:"anyOf"`
	}
	if err := json.Unmarshal(d.Defs[command], &head); err != nil {
		return nil, err
	}
	part.Description, part.AnyOf, part.Defs = head.Description, head.AnyOf, d.used(head.AnyOf)
	var text bytes.Buffer
	err := encode(&text, part)
	return text.Bytes(), err
}

// used returns the objects to which a part of the schema refers, and those to which these refer.
func (d schemaDocument) used(part json.RawMessage) map[string]json.RawMessage {
	used := map[string]json.RawMessage{}
	for next := referenced(part); len(next) > 0; next = next[1:] {
		if _, ok := used[next[0]]; !ok {
			used[next[0]] = d.Defs[next[0]]
			next = append(next, referenced(d.Defs[next[0]])...)
		}
	}
	return used
}

// referenced returns the names of the objects to which a part of the schema refers.
func referenced(part []byte) (names []string) {
	const reference = `"#/$defs/`
	for rest := string(part); ; {
		_, after, ok := strings.Cut(rest, reference)
		if !ok {
			return names
		}
		name, after, _ := strings.Cut(after, `"`)
		names, rest = append(names, name), after
	}
}
