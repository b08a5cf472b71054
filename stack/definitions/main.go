// The program definitions makes ../definitions.txt from the TOML files of its folder. To read
// these at run time would take longer than all else that stacks does at its start.
package main

import (
	"fmt"
	"log"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"devtools/stack"
)

func main() {
	log.SetFlags(0)
	table, err := tableOf("definitions")
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile("definitions.txt", []byte(table), 0o644); err != nil {
		log.Fatal(err)
	}
}

// tableOf returns the table for the definitions in a folder, in the order of the file names. A line is a
// key of a definition with its values, and a blank line ends a definition.
func tableOf(folder string) (string, error) {
	names, err := filepath.Glob(filepath.Join(folder, "*.toml"))
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		all, err := stack.ParseDefinitions(data)
		if err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		for _, d := range all {
			writeKeys(&b, reflect.ValueOf(d))
			b.WriteString("\n")
		}
	}
	return b.String(), nil
}

// writeKeys writes the fields of a structure that are not zero. Each structure in a list has a line.
func writeKeys(b *strings.Builder, v reflect.Value) {
	for i := range v.NumField() {
		field, key := v.Field(i), v.Type().Field(i).Tag.Get("toml")
		switch {
		case field.IsZero():
		case field.Kind() == reflect.Map:
			keys := field.MapKeys()
			slices.SortFunc(keys, func(x, y reflect.Value) int { return strings.Compare(x.String(), y.String()) })
			for _, registry := range keys {
				writeLine(b, key+"."+registry.String(), values(field.MapIndex(registry)))
			}
		case field.Kind() == reflect.Slice && field.Type().Elem().Kind() == reflect.Struct:
			for i := range field.Len() {
				writeLine(b, key, values(field.Index(i)))
			}
		default:
			writeLine(b, key, values(field))
		}
	}
}

// values returns the values of a list, of the fields of a structure, or one value.
func values(v reflect.Value) (all []string) {
	switch v.Kind() {
	case reflect.Slice:
		for i := range v.Len() {
			all = append(all, fmt.Sprint(v.Index(i)))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			all = append(all, fmt.Sprint(v.Field(i)))
		}
	default:
		all = []string{fmt.Sprint(v)}
	}
	return all
}

func writeLine(b *strings.Builder, key string, values []string) {
	b.WriteString(key)
	for _, value := range values {
		if strings.ContainsAny(value, "\t\n") {
			log.Fatalf("%s: a value with a tab or the end of a line: %q", key, value)
		}
		b.WriteString("\t" + value)
	}
	b.WriteString("\n")
}
