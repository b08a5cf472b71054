package files

import "strings"

// A class is a set of bytes, such as "[a-z]".
type class [4]uint64

func (s *class) has(c byte) bool { return s[c>>6]>>(c&63)&1 != 0 }

func (s *class) add(c byte) { s[c>>6] |= 1 << (c & 63) }

func (s *class) addRange(from, to byte) {
	for c := int(from); c <= int(to); c++ {
		s.add(byte(c))
	}
}

// parseClass reads a class from behind its "[", and returns the place of its "]". A class that is
// not closed, or that holds an unknown named class, matches nothing: its end is -1. With fold, the
// text to match is in lower case. As in git, a range or [:upper:] then also matches the small letter
// of a capital, but a single capital does not.
func parseClass(text string, fold bool) (set class, end int) {
	s := classScanner{text: text, fold: fold}
	negated := s.at(0) == '!' || s.at(0) == '^'
	if negated {
		s.i++
	}
	for first := true; first || s.at(0) != ']'; first = false {
		if !s.item() {
			return s.set, -1
		}
	}
	if negated {
		for k := range s.set {
			s.set[k] = ^s.set[k]
		}
	}
	return s.set, s.i
}

// A classScanner reads the items of a class.
type classScanner struct {
	text     string
	fold     bool
	i        int  // the next byte
	previous byte // the start of a range, if a range follows; 0 is none
	set      class
}

// at returns the byte so many bytes ahead. At the end it returns 0, which no pattern holds.
func (s *classScanner) at(ahead int) byte {
	if i := s.i + ahead; i < len(s.text) {
		return s.text[i]
	}
	return 0
}

// item reads a byte, a range or a named class. It reports whether there was a valid one.
func (s *classScanner) item() bool {
	switch c := s.at(0); {
	case c == 0:
		return false
	case c == '-' && s.previous != 0 && s.at(1) != 0 && s.at(1) != ']':
		return s.endOfRange()
	case c == '[' && s.at(1) == ':':
		return s.named()
	}
	return s.single()
}

// single reads a byte, which may have a backslash before it.
func (s *classScanner) single() bool {
	c, ok := s.escaped()
	s.set.add(c)
	s.previous = c
	return ok
}

// escaped takes a byte, and a backslash before it. It reports whether there is a byte.
func (s *classScanner) escaped() (c byte, ok bool) {
	if s.at(0) == '\\' {
		s.i++
	}
	c = s.at(0)
	s.i++
	return c, c != 0
}

// endOfRange reads the hyphen and the end of a range.
func (s *classScanner) endOfRange() bool {
	s.i++
	last, ok := s.escaped()
	if !ok {
		return false
	}
	s.set.addRange(s.previous, last)
	if s.fold {
		for small := byte('a'); small <= 'z'; small++ {
			if big := small - 'a' + 'A'; s.previous <= big && big <= last {
				s.set.add(small)
			}
		}
	}
	s.previous = 0
	return true
}

// named reads a named class such as [:alpha:], or a bracket that only looks like the start of one.
func (s *classScanner) named() bool {
	name, _, closed := strings.Cut(s.text[s.i+2:], "]")
	if !closed {
		return false
	}
	name, ok := strings.CutSuffix(name, ":")
	if !ok {
		return s.single()
	}
	s.i += len("[:") + len(name) + len(":]")
	s.previous = 0
	return s.set.addNamed(name, s.fold)
}

// addNamed adds the bytes of [:name:]. They follow git's own table, in which "\v" and "\f" are not
// space.
func (s *class) addNamed(name string, fold bool) bool {
	switch name {
	case "alnum":
		s.addRange('0', '9')
		s.addRange('A', 'Z')
		s.addRange('a', 'z')
	case "alpha":
		s.addRange('A', 'Z')
		s.addRange('a', 'z')
	case "blank":
		s.add(' ')
		s.add('\t')
	case "cntrl":
		s.addRange(0, 0x1f)
		s.add(0x7f)
	case "digit":
		s.addRange('0', '9')
	case "graph":
		s.addRange('!', '~')
	case "lower":
		s.addRange('a', 'z')
	case "print":
		s.addRange(' ', '~')
	case "punct":
		s.addRange('!', '/')
		s.addRange(':', '@')
		s.addRange('[', '`')
		s.addRange('{', '~')
	case "space":
		s.add(' ')
		s.add('\t')
		s.add('\n')
		s.add('\r')
	case "upper":
		s.addRange('A', 'Z')
		if fold {
			s.addRange('a', 'z')
		}
	case "xdigit":
		s.addRange('0', '9')
		s.addRange('A', 'F')
		s.addRange('a', 'f')
	default:
		return false
	}
	return true
}
