package line

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// element returns what ${a[i]} may be.
func (s *shell) element(x *syntax.ParamExp) []string {
	v, set := s.vars[s.referred(x.Param.Value)]
	i, ok := s.place(v, x.Index)
	switch {
	case !set || !ok && v.list:
		return []string{Unknown}
	case !v.list:
		return v.values
	case contains(v.array, Unknown):
		return []string{Unknown}
	}
	if i < 0 || i >= len(v.array) {
		return []string{""}
	}
	return v.array[i : i+1]
}

// number returns an arithmetic expression whose value is known. None at all is 0.
func (s *shell) number(x syntax.ArithmExpr) (int, bool) {
	switch u := x.(type) {
	case nil:
		return 0, true
	case *syntax.UnaryArithm:
		n, ok := s.number(u.X)
		return -n, ok && u.Op == syntax.Minus
	case *syntax.ParenArithm:
		return s.number(u.X)
	case *syntax.BinaryArithm:
		a, known := s.number(u.X)
		b, ok := s.number(u.Y)
		switch ok = ok && known && max(a, b) < mostText && min(a, b) > -mostText; u.Op {
		case syntax.Add:
			return a + b, ok
		case syntax.Sub:
			return a - b, ok
		case syntax.Mul:
			return a * b, ok
		}
	case *syntax.Word:
		if !plain(u.Parts) {
			return 0, false
		}
		text := strings.TrimSpace(s.only(u, modeQuoted))
		for range mostReferences {
			if !isName(text) {
				break
			}
			text = strings.TrimSpace(s.one(text))
		}
		n, err := strconv.Atoi(text)
		return n, err == nil && (text == "0" || text[0] != '0') && max(n, -n) < mostEvaluated
	}
	return 0, false
}

// plain reports whether nothing happens when a word is expanded: it has no commands.
func plain(parts []syntax.WordPart) bool {
	for _, part := range parts {
		switch x := part.(type) {
		case *syntax.Lit, *syntax.SglQuoted:
		case *syntax.DblQuoted:
			if !plain(x.Parts) {
				return false
			}
		case *syntax.ParamExp:
			if x.Index != nil || x.Exp != nil || x.Repl != nil || x.Slice != nil {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// with returns an array with an element set. If it is not known which, nothing is known of the array.
func (s *shell) with(v variable, index syntax.ArithmExpr, value string) variable {
	unknown := variable{list: true, array: []string{Unknown}, named: v.named}
	if contains(v.array, Unknown) || len(v.array) > mostElements || len(v.values) > 0 {
		return unknown
	}
	v.list = true
	i, ok := s.place(v, index)
	switch {
	case !ok || i > len(v.array) || i < 0:
		return unknown
	case i == len(v.array):
		v.array = append(v.array[:i:i], value)
		if v.named {
			v.keys = append(v.keys[:i:i], s.key(index))
		}
	default:
		v.array = slices.Clone(v.array)
		v.array[i] = value
	}
	return v
}

// mostElements is the most elements of an array that is changed one by one.
const mostElements = 100

// place returns the place of an element in an array: the end, if an associative array does not have it.
func (s *shell) place(v variable, index syntax.ArithmExpr) (i int, ok bool) {
	if !v.named {
		i, ok = s.number(index)
		if i < 0 {
			i += len(v.array)
		}
		return i, ok
	}
	key := s.key(index)
	if strings.ContainsAny(key, Signs) || strings.ContainsAny(strings.Join(v.keys, ""), Signs) {
		return 0, false
	}
	if i = slices.Index(v.keys, key); i < 0 {
		i = len(v.array)
	}
	return i, true
}

// key returns the key of an element of an associative array.
func (s *shell) key(index syntax.ArithmExpr) string {
	if word, ok := index.(*syntax.Word); ok && plain(word.Parts) {
		return s.only(word, modeQuoted)
	}
	return Unknown
}
