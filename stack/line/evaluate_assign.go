package line

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// assignments sets variables of the shell.
func (s *shell) assignments(all []*syntax.Assign) {
	for _, a := range all {
		if a.Name == nil {
			continue
		}
		name := a.Name.Value
		switch {
		case a.Array != nil:
			s.array(a)
		case a.Index != nil:
			value := ""
			if a.Value != nil {
				value = s.only(a.Value, modeAssign)
			}
			s.entry(name, a.Index, value)
			if a.Append {
				value = Unknown
			}
			s.put(name, s.with(s.vars[s.referred(name)], a.Index, value))
		case a.Value != nil:
			values, integer := s.values(a.Value), s.vars[s.referred(name)].integer
			switch {
			case integer && (a.Append || strings.Trim(strings.Join(values, ""), "0123456789") != ""):
				for _, value := range values {
					s.hooked(name, value)
				}
				values = []string{Names}
			case a.Append:
				values = appended(s.scalar(name), values)
			}
			s.put(name, variable{values: values, integer: integer})
		case !a.Naked:
			s.put(name, variable{values: []string{""}})
		}
	}
}

// values returns what the value of an assignment may be.
func (s *shell) values(word *syntax.Word) (values []string) {
	for _, fields := range s.alternatives(word, modeAssign) {
		values = append(values, limited(strings.Join(fields, " ")))
	}
	return values
}

// limited returns a text that is not too long to be kept.
func limited(text string) string {
	if len(text) > mostText {
		return Unknown
	}
	return text
}

func appended(before, after []string) (values []string) {
	for _, a := range before {
		for _, b := range after {
			values = append(values, limited(a+b))
		}
	}
	return union(nil, values)
}

func (s *shell) array(a *syntax.Assign) {
	old := s.vars[s.referred(a.Name.Value)]
	v := variable{list: true, named: old.named}
	if a.Append {
		if old.list {
			v.array, v.keys = old.array[:len(old.array):len(old.array)], old.keys
		} else {
			v.array = s.scalar(a.Name.Value)
		}
	}
	for _, elem := range a.Array.Elems {
		if elem.Index != nil {
			value := s.only(elem.Value, modeAssign)
			s.entry(a.Name.Value, elem.Index, value)
			v = s.with(v, elem.Index, value)
		} else if v.named { // a key or a value, by its place
			s.only(elem.Value, modeAssign)
			v.array = []string{Unknown}
		} else if elem.Value != nil {
			v.array = append(v.array, s.fields(elem.Value)...)
		}
	}
	if len(v.array) > mostFields {
		v.array = []string{Unknown}
	}
	s.put(a.Name.Value, v)
}

// declare applies export, declare and local.
func (s *shell) declare(x *syntax.DeclClause) {
	refers, named, integer, global, fixed := false, false, false, false, x.Variant.Value == "readonly"
	for _, a := range x.Args {
		switch {
		case a.Name == nil && a.Value != nil:
			text := s.only(a.Value, modeAssign)
			option := func(letter string) bool { return strings.HasPrefix(text, "-") && strings.Contains(text, letter) }
			integer, global, fixed = integer || option("i"), global || option("g"), fixed || option("r")
			named, refers = named || option("A"), refers || option("n") && x.Variant.Value != "export"
			s.subscripts(text)
			s.assign(text)
		case a.Name == nil:
		case a.Value != nil && refers:
			v := variable{refers: s.only(a.Value, modeAssign)}
			if !isName(v.refers) {
				v = variable{values: []string{Unknown}}
			}
			s.vars[a.Name.Value] = v
		default:
			name := a.Name.Value
			if !global && x.Variant.Value != "export" && x.Variant.Value != "readonly" {
				s.save(name)
			}
			if v := s.vars[name]; named && !v.named {
				s.vars[name] = variable{list: true, named: true}
			} else if integer && !v.list {
				s.vars[name] = variable{values: s.scalar(name), integer: true}
			}
			s.assignments([]*syntax.Assign{a})
			if v, set := s.vars[name]; set && fixed {
				v.fixed = true
				s.vars[name] = v
			}
		}
	}
}

// save keeps a variable that the function that runs makes its own.
func (s *shell) save(name string) {
	if s.saved == nil {
		return
	}
	if _, done := s.saved[name]; !done {
		v, set := s.vars[name]
		s.saved[name] = variableOrNone{v, set}
	}
}

// restore gives variables back that a function has made its own.
func (s *shell) restore(saved map[string]variableOrNone) {
	for name, old := range s.saved {
		if delete(s.vars, name); old.set {
			s.vars[name] = old.variable
		}
	}
	s.saved = saved
}

// A variableOrNone is a variable, or none if it is not set.
type variableOrNone struct {
	variable
	set bool
}
