package stack

import (
	_ "embed"
	"path"
	"slices"
	"strings"

	"devtools/stack/line"
)

// programTable is what programs do, in the form that its first lines describe. Nothing of it is read before it is asked for.
//
//go:embed programs.txt
var programTable string

// A program is what the table says of one program.
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
	class []string // the class, or the verb, and what follows it
}

// String is the rule as it stands in the table.
func (r rule) String() string { return strings.Join(r.terms, " ") }

// lookup finds a program in the table, nil if it is not there. The text is searched as it is: a command line has few
// programs, and an index of all would cost more than it saves.
func lookup(name string) *program {
	if name == "" || name == "front" || strings.ContainsAny(name, " =\\\n#") {
		return nil
	}
	for _, form := range [...]string{"\n" + name + " ", " " + name + " ", "\n" + name + "\n", " " + name + "\n"} {
		for from := 0; ; {
			at := strings.Index(programTable[from:], form)
			if at < 0 {
				break
			}
			at += from
			from = at + len(form) - 1
			start := strings.LastIndexByte(programTable[:at+1], '\n') + 1
			for start > 1 && strings.HasSuffix(programTable[:start], "\\\n") { // the names go on from the line before
				start = strings.LastIndexByte(programTable[:start-1], '\n') + 1
			}
			if programTable[start] != ' ' && programTable[start] != '#' {
				return block(name, programTable[start:])
			}
		}
	}
	return nil
}

// block reads the lines of one program, which begin at a line with names.
func block(name, text string) *program {
	p := &program{name: name}
	head := true
	for l := range strings.Lines(text) {
		l = strings.TrimSuffix(l, "\n")
		switch {
		case head:
			for _, word := range strings.Fields(l) {
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

// An invocation is the arguments that a program is called with, as the program sees them.
type invocation struct {
	*program
	args     []line.Word // without the program
	operands []int       // which of them are no flags and no values of flags
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
	words int   // how many operands its terms took
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

func (in *invocation) term(term string, m *match, not bool) bool {
	switch {
	case term == "none":
		return len(in.operands) <= m.words
	case term == "fed":
		return in.fed
	case term[0] == '-':
		found := false
		for i, arg := range in.args[:in.flags] {
			if fitsFlag(term, arg.Text) {
				found = true
				if !not {
					m.flags = append(m.flags, i)
				}
			}
		}
		return found
	case term[0] == '~':
		return slices.ContainsFunc(in.operands[min(m.words, len(in.operands)):], func(i int) bool { return fitsWord(term[1:], in.args[i].Text) })
	case len(in.operands) <= m.words:
		return false
	case not:
		return fitsWord(term, in.args[in.operands[m.words]].Text)
	}
	m.words++
	return term == "_" || fitsWord(term, in.args[in.operands[m.words-1]].Text)
}

func fitsFlag(term, arg string) bool {
	if len(arg) < 2 || arg[0] != '-' {
		return false
	}
	for flag := range strings.SplitSeq(term, "|") {
		if arg == flag || len(arg) > len(flag) && arg[len(flag)] == '=' && arg[:len(flag)] == flag && arg[len(flag):] != "=false" {
			return true
		}
		if len(flag) == 2 && arg[1] != '-' && len(arg) <= 4 && strings.IndexByte(arg[1:], flag[1]) >= 0 && !strings.Contains(arg, "=") {
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
