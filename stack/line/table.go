package line

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:generate go run ./programs

// programTable says how programs start others and what they write. It is made from programs.toml, which describes the keys. A line is
// read when its program is met.
//
//go:embed programs.txt
var programTable string

// A Program is the row of a program in the table.
type Program struct {
	keys map[string]string // by key: the values with a comma between, or the number
}

// programs are the rows that were read, by the name.
var programs sync.Map

// Known returns the row of a program by its base name, or that of a subcommand by PROGRAM/SUBCOMMAND. ok is false, and the row empty,
// if the table does not have it.
func Known(name string) (p *Program, ok bool) {
	if p, ok := programs.Load(name); ok {
		return p.(*Program), true
	}
	row, ok := tableRow(name)
	if !ok { // as python3.12
		row, ok = tableRow(strings.TrimRight(name, "-.0123456789"))
	}
	p = &Program{map[string]string{}}
	for word := range strings.FieldsSeq(row) {
		key, value, _ := strings.Cut(word, "=")
		p.keys[key] = value
	}
	if ok {
		programs.Store(name, p)
	}
	return p, ok
}

// tableRow returns what stands behind the colon in the row of a program.
func tableRow(name string) (row string, ok bool) {
	_, row, ok = strings.Cut(programTable, "\n"+name+":")
	row, _, _ = strings.Cut(row, "\n")
	return row, ok
}

// With returns the row of a program together with that of its subcommand.
func (p *Program) With(sub *Program) *Program {
	both := &Program{map[string]string{}}
	for _, one := range []*Program{p, sub} {
		for key, value := range one.keys {
			if old := both.keys[key]; old != "" && value != "" {
				value = old + "," + value
			}
			both.keys[key] = value
		}
	}
	return both
}

// Has reports whether the row has a key.
func (p *Program) Has(key string) bool {
	_, ok := p.keys[key]
	return ok
}

// Value returns the value of a key, "" without it. That of a subcommand goes before that of its program.
func (p *Program) Value(key string) string {
	value := p.keys[key]
	return value[strings.LastIndexByte(value, ',')+1:]
}

// Number returns the number of a key, 0 without it.
func (p *Program) Number(key string) int {
	n, _ := strconv.Atoi(p.Value(key))
	return n
}

// List returns the values of a key. A + in one stands for a blank.
func (p *Program) List(key string) []string {
	if p.keys[key] == "" {
		return nil
	}
	return strings.Split(p.keys[key], ",")
}

// Names reports whether a key has an option among its values, or a long one of which it is the beginning.
func (p *Program) Names(key, option string) bool {
	return slices.ContainsFunc(p.List(key), func(one string) bool {
		return one == option || len(option) > 3 && strings.HasPrefix(option, "--") && strings.HasPrefix(one, option)
	})
}

// An Option is an option of a command.
type Option struct {
	Name  string // -r of -rf; --force of --force=x
	Value string
	Valid bool // it has a value
	Place int  // of its word, or of its value
}

// Split takes the words behind a program apart: into options, and the places of the operands. See "Utility Syntax Guidelines" in
// POSIX, and getopt_long(3).
func (p *Program) Split(words []string) (options []Option, operands []int) {
	front, dashes, plus := p.Has("front"), p.Has("dashes"), p.Has("plus")
	for i := 1; i < len(words); i++ {
		word := words[i]
		switch {
		case word == "--":
			for i++; i < len(words); i++ {
				operands = append(operands, i)
			}
		case i == 1 && p.Has("bundled") && word != "" && word[0] != '-':
			options, i = p.short("-"+word, words, i, options)
		case len(word) < 2 || word[0] != '-' && !(plus && word[0] == '+'):
			for operands = append(operands, i); front && i+1 < len(words); i++ {
				operands = append(operands, i+1)
			}
		case strings.HasPrefix(word, "--") || dashes || len(word) > 2 && p.Names("values", word):
			o := Option{Name: word, Place: i}
			name, value, cut := strings.Cut(word, "=")
			switch {
			case cut:
				o.Name, o.Value, o.Valid = name, value, true
			case p.Names("values", word) && i+1 < len(words):
				i++
				o.Value, o.Valid, o.Place = words[i], true, i
			case p.Names("pairs", word):
				i += 2
			}
			options = append(options, o)
		default:
			options, i = p.short(word, words, i, options)
		}
	}
	return options, operands
}

// short takes a word of options of one letter apart. It returns the place of the last word that it has taken.
func (p *Program) short(word string, words []string, i int, options []Option) ([]Option, int) {
	for k := 1; k < len(word); k++ {
		o := Option{Name: word[:1] + word[k:k+1], Place: i}
		switch {
		case slices.Contains(p.List("joined"), o.Name):
			o.Value, o.Valid, k = word[k+1:], k+1 < len(word), len(word)
		case slices.Contains(p.List("values"), o.Name):
			if o.Value, o.Valid, k = word[k+1:], true, len(word); o.Value == "" && i+1 < len(words) {
				i++
				o.Value, o.Place = words[i], i
			}
		}
		options = append(options, o)
	}
	return options, i
}
