package keys

import (
	_ "embed"
	"strings"
)

// spellings lists the spellings of keys besides their names.
//
//go:embed spellings.txt
var spellings string

// A place is where a key is written. A spelling that counts in one place counts in those after it, too.
type place int

const (
	argument place = iota // a whole argument
	capitals              // a whole argument in capital letters
	bracket               // between [ and ], and after a modifier
	angle                 // between < and >
)

// spelled returns the key of a spelling in small letters that counts in this place.
func spelled(spelling string, in place) (key, mods, bool) {
	for line := range strings.Lines(spellings) {
		if line[0] == '#' {
			continue
		}
		where, line, _ := strings.Cut(line, " ")
		name, list, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if in < placeOf(where) || !listed(list, spelling) {
			continue
		}
		if k, m, ok := named(name); ok {
			return k, m, true
		}
		k, ok := single(name)
		return k, 0, ok
	}
	return 0, 0, false
}

// placeOf returns the place of a line of spellings.
func placeOf(where string) place {
	switch where {
	case "capitals":
		return capitals
	case "bracket":
		return bracket
	case "angle":
		return angle
	}
	return argument
}

// listed reports whether a list with blanks between its words has a word.
func listed(list, word string) bool {
	for list != "" {
		var one string
		if one, list, _ = strings.Cut(list, " "); one == word {
			return true
		}
	}
	return false
}

// loose returns the key of a name in any case, and with blanks, hyphens or underscores between its words.
func loose(name string, in place) (key, mods, bool) {
	folded := fold(name)
	if k, m, ok := spelled(folded, in); ok {
		return k, m, true
	}
	if in == angle {
		if folded == "nul" {
			return ' ', ctrl, true
		}
		if k, ok := numbered(folded, "k", kp0, 0, 9); ok {
			return k, 0, true
		}
	}
	if k, ok := numbered(folded, "f", f1, 1, 24); ok {
		return k, 0, true
	}
	if k, ok := numbered(folded, "kp", kp0, 0, 9); ok {
		return k, 0, true
	}
	for _, n := range names {
		for list := n.list; list != ""; {
			var one string
			if one, list, _ = strings.Cut(list, " "); strings.EqualFold(one, folded) {
				return n.key, 0, true
			}
		}
	}
	return 0, 0, false
}

// fold returns a name in small letters without the separators of its words. KP- keeps its hyphen.
func fold(name string) string {
	b := make([]byte, 0, len(name))
	for i := range len(name) {
		switch c := name[i]; {
		case (c == ' ' || c == '_' || c == '-') && i > 0 && i < len(name)-1:
		case c >= 'A' && c <= 'Z':
			b = append(b, c+'a'-'A')
		default:
			b = append(b, c)
		}
	}
	return string(b)
}
