package files

// A class is a set of bytes, as "[a-z]" gives it.
type class [4]uint64

func (s *class) has(c byte) bool { return s[c>>6]>>(c&63)&1 != 0 }

func (s *class) add(c byte) { s[c>>6] |= 1 << (c & 63) }

func (s *class) addRange(from, to byte) {
	for c := int(from); c <= int(to); c++ {
		s.add(byte(c))
	}
}

// parseClass reads a class from behind its "[". It returns the place of its "]", or -1 where it is none and
// so matches nothing: it is not closed, or has a named class that there is not. With fold the bytes that it
// is asked about are in lower case, and as in git a range or [:upper:] takes the capital's place too, but a capital
// alone does not.
func parseClass(text string, fold bool) (set class, end int) {
	at := func(i int) byte { // 0 is behind the end: patterns hold none
		if i < len(text) {
			return text[i]
		}
		return 0
	}
	i := 0
	negated := at(0) == '!' || at(0) == '^'
	if negated {
		i++
	}
	previous := byte(0) // what a range may begin with
	for first := true; first || at(i) != ']'; i++ {
		first = false
		c := at(i)
		switch {
		case c == 0:
			return set, -1
		case c == '\\':
			if i++; at(i) == 0 {
				return set, -1
			}
			c = at(i)
			set.add(c)
		case c == '-' && previous != 0 && at(i+1) != 0 && at(i+1) != ']':
			i++
			if at(i) == '\\' {
				if i++; at(i) == 0 {
					return set, -1
				}
			}
			set.addRange(previous, at(i))
			if fold {
				for small := byte('a'); small <= 'z'; small++ {
					if big := small - 'a' + 'A'; previous <= big && big <= at(i) {
						set.add(small)
					}
				}
			}
			c = 0
		case c == '[' && at(i+1) == ':':
			close := i + 2
			for at(close) != 0 && at(close) != ']' {
				close++
			}
			if at(close) == 0 {
				return set, -1
			}
			if close-1 < i+2 || text[close-1] != ':' {
				set.add('[') // it only looked like the name of a class
				break
			}
			if !set.addNamed(text[i+2:close-1], fold) {
				return set, -1
			}
			i, c = close, 0
		default:
			set.add(c)
		}
		previous = c
	}
	if negated {
		for k := range set {
			set[k] = ^set[k]
		}
	}
	return set, i
}

// addNamed adds what [:name:] stands for, by git's own table of letters, in which "\v" and "\f" are no space.
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
