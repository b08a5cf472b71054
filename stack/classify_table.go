package stack

import (
	_ "embed"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"devtools/stack/line"
)

// programTable says what programs do. Its first lines describe the format. A part of it is read at
// its first use.
//
//go:embed programs.txt
var programTable string

// A program is the entry of a program in the table.
type program struct {
	name   string
	values []string // flags whose next argument is their value
	ports  []string // flags whose value is a port
	front  bool     // flags count only before the first operand
	rules  []rule
}

// A rule says what a program does if all terms fit.
type rule struct {
	terms []string
	class []string // the class or the verb, and its arguments
}

// String returns the terms as they are in the table.
func (r rule) String() string { return strings.Join(r.terms, " ") }

// The programs that were looked up, and the number of searches.
var (
	known   sync.Map // *program by its name
	lookups atomic.Int32
)

// fewLookups is the number of searches that cost as much as an index. A single command line needs
// fewer, and hundreds of scripts need more.
const fewLookups = 8

// lookup finds a program in the table, nil if the table does not have it.
func lookup(name string) *program {
	if p, ok := known.Load(name); ok {
		return p.(*program)
	}
	if name == "" || name == "front" || strings.ContainsAny(name, " =\\\n#") {
		return nil
	}
	at := -1
	if lookups.Add(1) <= fewLookups {
		at = findBySearch(name)
	} else {
		at = findByIndex(name)
	}
	if at < 0 {
		return nil
	}
	start := strings.LastIndexByte(programTable[:at], '\n') + 1
	for start > 1 && programTable[start-2] == '\\' { // the names began on the line before
		start = strings.LastIndexByte(programTable[:start-1], '\n') + 1
	}
	p, _ := known.LoadOrStore(name, parseProgram(name, programTable[start:]))
	return p.(*program)
}

// findBySearch finds the name of a program in the table by a search, -1 if it is not there.
func findBySearch(name string) int {
	for from := 0; ; {
		at := strings.Index(programTable[from:], name)
		if at < 0 {
			return -1
		}
		at += from
		from = at + len(name)
		before, after := programTable[at-1], programTable[from]
		if (before == ' ' || before == '\n') && (after == ' ' || after == '\n') && onNameLine(at) {
			return at
		}
	}
}

// onNameLine reports whether a place in the table is on a line with names.
func onNameLine(at int) bool {
	start := strings.LastIndexByte(programTable[:at], '\n') + 1
	return programTable[start] != ' ' && programTable[start] != '#'
}

// mostNames is the size of the index: a power of two, and twice as large as the number of names.
const mostNames = 1 << 13

// nameIndex holds the places of the names in the table. Each is in the first free entry from that of
// its hash on.
var nameIndex = sync.OnceValue(func() *[mostNames]uint32 {
	index := new([mostNames]uint32)
	for at := 0; at < len(programTable); {
		end := at + strings.IndexByte(programTable[at:], '\n')
		if first := programTable[at]; first == ' ' || first == '#' {
			at = end + 1
			continue
		}
		for at < end {
			start, hash := at, uint32(hashStart)
			for ; at < end && programTable[at] != ' '; at++ {
				hash = (hash ^ uint32(programTable[at])) * hashPrime
			}
			if at > start {
				place := hash % mostNames
				for index[place] != 0 {
					place = (place + 1) % mostNames
				}
				index[place] = uint32(start)
			}
			at++
		}
		at = end + 1
	}
	return index
})

// The constants of FNV-1a with 32 bits.
const hashStart, hashPrime = 2166136261, 16777619

// findByIndex finds the name of a program in the table by the index, -1 if it is not there.
func findByIndex(name string) int {
	hash := uint32(hashStart)
	for i := range len(name) {
		hash = (hash ^ uint32(name[i])) * hashPrime
	}
	index := nameIndex()
	for place := hash % mostNames; index[place] != 0; place = (place + 1) % mostNames {
		at := int(index[place])
		if rest := programTable[at:]; len(rest) > len(name) && rest[:len(name)] == name && (rest[len(name)] == ' ' || rest[len(name)] == '\n') {
			return at
		}
	}
	return -1
}

// parseProgram reads the lines of a program. The first of them is a line with names.
func parseProgram(name, text string) *program {
	p := &program{name: name}
	head := true
	for l := range strings.Lines(text) {
		l = strings.TrimSuffix(l, "\n")
		switch {
		case head:
			for word := range strings.FieldsSeq(l) { // some lines have hundreds of names
				switch key, value, _ := strings.Cut(word, "="); key {
				case "values":
					p.values = strings.Split(value, ",")
				case "port":
					p.ports = strings.Split(value, ",")
				case "front":
					p.front = true
				}
			}
			head = strings.HasSuffix(l, "\\")
		case !strings.HasPrefix(l, " "):
			return p
		default:
			terms, class, _ := strings.Cut(" "+strings.TrimSpace(l), " : ")
			p.rules = append(p.rules, rule{strings.Fields(terms), strings.Fields(class)})
		}
	}
	return p
}

// An invocation holds the arguments of a program, as the program sees them.
type invocation struct {
	*program
	args     []line.Word // without the program
	operands []int       // the indexes of arguments that are neither flags nor values of flags
	flags    int         // flags count before this argument
	fed      bool
}

func (p *program) invoke(args []line.Word, fed bool) *invocation {
	in := &invocation{program: p, args: args, fed: fed, flags: len(args)}
	for i := 0; i < len(args); i++ {
		switch text := args[i].Text; {
		case text == "--":
			for i++; i < len(args); i++ {
				in.operands = append(in.operands, i)
			}
		case len(text) > 1 && text[0] == '-':
			if slices.Contains(p.values, text) {
				i++
			}
		default:
			in.operands = append(in.operands, i)
		}
	}
	if dashes := slices.IndexFunc(args, func(w line.Word) bool { return w.Text == "--" }); dashes >= 0 {
		in.flags = dashes
	}
	if p.front && len(in.operands) > 0 {
		in.flags = min(in.flags, in.operands[0])
	}
	return in
}

// A match is how a rule fits an invocation.
type match struct {
	words int   // the operands that its terms took
	flags []int // the arguments that fitted its terms about flags
}

// fits reports whether all terms of a rule fit.
func (in *invocation) fits(r rule) (m match, ok bool) {
	for _, term := range r.terms {
		alternatives, not := strings.CutPrefix(term, "!")
		if fits := in.term(alternatives, &m, not); fits == not {
			return m, false
		}
	}
	return m, true
}

// term reports whether one of the alternatives of a term fits. With not, the caller negates the
// result, and the term takes nothing.
func (in *invocation) term(term string, m *match, not bool) bool {
	switch {
	case term == "fed":
		return in.fed
	case term[0] == '~':
		return slices.ContainsFunc(in.operands[min(m.words, len(in.operands)):], func(i int) bool { return fitsWord(term[1:], in.args[i].Text) })
	}
	found := false
	if term[0] == '-' || strings.Contains(term, "|-") {
		for i, arg := range in.args[:in.flags] {
			if fitsFlag(term, arg.Text) {
				found = true
				if !not {
					m.flags = append(m.flags, i)
				}
			}
		}
	}
	switch {
	case found:
		return true
	case len(in.operands) <= m.words:
		return slices.Contains(strings.Split(term, "|"), "none")
	case term == "none" || term != "_" && !fitsWord(term, in.args[in.operands[m.words]].Text):
		return false
	}
	if !not {
		m.words++
	}
	return true
}

func fitsFlag(term, arg string) bool {
	if len(arg) < 2 || arg[0] != '-' {
		return false
	}
	for flag := range strings.SplitSeq(term, "|") {
		if arg == flag || len(arg) > len(flag) && arg[len(flag)] == '=' && arg[:len(flag)] == flag && arg[len(flag):] != "=false" {
			return true
		}
		if len(flag) == 2 && flag[0] == '-' && arg[1] != '-' && len(arg) <= 4 && strings.IndexByte(arg[1:], flag[1]) >= 0 && !strings.Contains(arg, "=") {
			return true
		}
	}
	return false
}

func fitsWord(term, arg string) bool {
	for word := range strings.SplitSeq(term, "|") {
		if word == arg {
			return true
		}
		if strings.Contains(word, "*") {
			if ok, err := path.Match(word, strings.ReplaceAll(arg, "/", ":")); err == nil && ok {
				return true
			}
		}
	}
	return false
}
