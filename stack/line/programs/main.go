// The program programs makes ../programs.txt from ../programs.toml. To read TOML at run time would take longer than to
// judge a line.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"log"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

func main() {
	log.SetFlags(0)
	data, err := os.ReadFile("programs.toml")
	table, err2 := tableOf(data)
	if err = errors.Join(err, err2); err == nil {
		err = os.WriteFile("programs.txt", []byte(table), 0o644)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// The keys of a row besides names, by the kind of their values.
var (
	lists = strings.Fields(`values pairs joined asks line exec dir env as code variables files options codes hooks unverified makefile
		sets tasks out into mounts when given made made_when`)
	flags = strings.Fields(`front dashes bundled plus subcommands items shell script itself later moves apart interpreter text loads
		reads silent history returns positional shifts elsewhere pattern`)
	numbers = strings.Fields("command argv lines typed task")
	words   = map[string][]string{
		"writes": {"all", "ends", "last", "rest", "of", "folder"},
		"prints": {"names", "temp", "folder", "parent", "operand", "words", "input", "paths"},
	}
)

// tableOf returns the table for the content of programs.toml. A line is a row: a name, a colon, and its keys. In a subcommand
// and in a value, / and + stand for a blank.
func tableOf(data []byte) (string, error) {
	var file struct {
		Program []map[string]any `toml:"program"`
	}
	if err := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields().Decode(&file); err != nil {
		return "", err
	}
	table := "# Generated from programs.toml: go generate ./stack/line\n"
	parents := map[string]bool{} // by name, whether it has subcommands
	for _, row := range file.Program {
		names, err := listed(row["names"], "/")
		for _, name := range names {
			parent, _, sub := strings.Cut(name, "/")
			if _, twice := parents[name]; twice || sub && !parents[parent] {
				err = errors.Join(err, fmt.Errorf("%s has a row already, or no row with subcommands before it", name))
			}
			parents[name] = row["subcommands"] == true
		}
		delete(row, "names")
		keys, err2 := keysOf(row)
		if err := errors.Join(err, err2); err != nil {
			return "", fmt.Errorf("%q: %w", names, err)
		}
		for _, name := range names {
			table += name + ":" + keys + "\n"
		}
	}
	return table, nil
}

// keysOf returns the keys of a row with their values, a blank before each.
func keysOf(row map[string]any) (text string, err error) {
	for _, key := range slices.Sorted(maps.Keys(row)) {
		value := row[key]
		switch word, _ := value.(string); {
		case slices.Contains(lists, key):
			values, wrong := listed(value, "+")
			text += " " + key + "=" + strings.Join(values, ",")
			err = errors.Join(err, wrong)
		case slices.Contains(flags, key) && value == true:
			text += " " + key
		case slices.Contains(numbers, key) && fmt.Sprintf("%T", value) == "int64", slices.Contains(words[key], word):
			text += fmt.Sprintf(" %s=%v", key, value)
		default:
			err = errors.Join(err, fmt.Errorf("unknown key or value: %s = %v", key, value))
		}
	}
	return text, err
}

// listed returns a list of texts with a sign in place of blanks.
func listed(value any, sign string) (texts []string, err error) {
	list, _ := value.([]any)
	for _, one := range list {
		text, _ := one.(string)
		if text == "" || strings.ContainsAny(text, ",#\t\n"+sign) {
			err = errors.Join(err, fmt.Errorf("not a value of the table: %q", text))
		}
		texts = append(texts, strings.ReplaceAll(text, " ", sign))
	}
	if len(list) == 0 {
		err = fmt.Errorf("not a list of texts: %v", value)
	}
	return texts, err
}
