package guard

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

// programTable says how programs start others. Its first lines describe the format. A line is read
// when its program is met.
//
//go:embed programs.txt
var programTable string

// A program is the line of a program in the table.
type program struct {
	values map[string]bool     // options with a value
	words  map[string]string   // the other words, by what stands before =, or is the whole word
	lists  map[string][]string // options of words such as line=, by the word
	code   string              // language of code=
	pairs  map[string]bool     // options with two values
	joined map[string]bool     // options whose value is in the same word
}

// programs are the lines that were read, by the name.
var programs sync.Map

// known returns the line of a program in the table, an empty one if the table does not have it.
func known(name string) (p *program, ok bool) {
	if p, ok := programs.Load(name); ok {
		return p.(*program), len(p.(*program).words)+len(p.(*program).values) > 0
	}
	read := &program{}
	rest, found := tableLine(name)
	if bare := strings.TrimRight(name, "-.0123456789"); !found && bare != name { // as python3.12
		rest, found = tableLine(bare)
	}
	if found {
		read = parseProgram(rest)
	}
	if len(name) < 64 {
		programs.Store(name, read)
	}
	return read, len(read.words)+len(read.values) > 0
}

// tableLine returns what stands behind the colon in the line of a program.
func tableLine(name string) (rest string, ok bool) {
	if name == "" || strings.ContainsAny(name, "\n#=") {
		return "", false
	}
	for from := 0; ; {
		at := strings.Index(programTable[from:], name)
		if at < 0 {
			return "", false
		}
		at += from
		from = at + len(name)
		start := strings.LastIndexByte(programTable[:at], '\n') + 1
		end := from + strings.IndexByte(programTable[from:], '\n')
		l := programTable[start:end]
		names, rest, _ := strings.Cut(l, ": ")
		if l[0] == '#' || start+len(names) < from {
			continue
		}
		if (at == start || programTable[at-1] == ' ') && (programTable[from] == ' ' || programTable[from] == ':') {
			return rest, true
		}
	}
}

// parseProgram reads what stands behind the colon.
func parseProgram(text string) *program {
	p := &program{values: map[string]bool{}, words: map[string]string{}, lists: map[string][]string{}}
	for word := range strings.FieldsSeq(text) {
		key, value, _ := strings.Cut(word, "=")
		if key == "v" {
			for option := range strings.SplitSeq(value, ",") {
				p.values[option] = true
			}
			continue
		}
		if key == "vv" {
			p.pairs = set(value)
		}
		if key == "o" {
			p.joined = set(value)
		}
		if key == "code" {
			p.code, value, _ = strings.Cut(value, ":")
		}
		p.words[key] = value
		switch key {
		case "line", "code", "begins", "ends", "options", "runs", "reads", "also":
			p.lists[key] = strings.Split(value, ",")
			continue
		}
		if strings.HasPrefix(value, "-") {
			p.lists[key] = strings.Split(value, ",")
		}
	}
	return p
}

// set returns the words of a list.
func set(list string) map[string]bool {
	words := map[string]bool{}
	for word := range strings.SplitSeq(list, ",") {
		words[word] = true
	}
	return words
}

func (p *program) has(word string) bool {
	_, ok := p.words[word]
	return ok
}

// names reports whether a word of the table, such as line=-c,--command, names an option.
func (p *program) names(word, option string) bool {
	for _, one := range p.lists[word] {
		if one == option {
			return true
		}
	}
	return false
}

// shortened reports whether an option is the beginning of one that a word of the table names.
func (p *program) shortened(word, option string) bool {
	return len(option) > 3 && strings.HasPrefix(option, "--") &&
		slices.ContainsFunc(p.lists[word], func(one string) bool { return strings.HasPrefix(one, option) })
}

// An option is an option of a command.
type option struct {
	name  string // -r of -rf; --force of --force=x
	value string
	valid bool // it has a value
	place int  // of its word, or of its value
}

// split takes the words behind a program apart.
func (p *program) split(words []string) (options []option, operands []int) {
	front, dashes, plus := p.has("front"), p.has("dashes"), p.has("sh")
	for i := 1; i < len(words); i++ {
		word := words[i]
		switch {
		case word == "--":
			for i++; i < len(words); i++ {
				operands = append(operands, i)
			}
		case len(word) < 2 || word[0] != '-' && !(plus && word[0] == '+'):
			if operands = append(operands, i); front {
				for i++; i < len(words); i++ {
					operands = append(operands, i)
				}
			}
		case strings.HasPrefix(word, "--") || dashes || len(word) > 2 && p.values[word]:
			o := option{name: word, place: i}
			if name, value, ok := strings.Cut(word, "="); ok {
				o.name, o.value, o.valid = name, value, true
			} else if (p.values[word] || i+1 < len(words) && !strings.HasPrefix(words[i+1], "-") && p.shortened("line", word)) && i+1 < len(words) {
				i++
				o.value, o.valid, o.place = words[i], true, i
			} else if p.pairs[word] {
				i += 2
			}
			options = append(options, o)
		default:
			for k := 1; k < len(word); k++ {
				o := option{name: word[:1] + word[k:k+1], place: i}
				if p.joined[o.name] {
					o.value, o.valid, k = word[k+1:], k+1 < len(word), len(word)
				} else if p.values[o.name] {
					if o.value, o.valid = word[k+1:], true; o.value == "" && i+1 < len(words) {
						i++
						o.value, o.place = words[i], i
					}
					k = len(word)
				}
				options = append(options, o)
			}
		}
	}
	return options, operands
}
