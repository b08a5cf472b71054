package ledger

import (
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"
)

// decode parses a line of the log, without its newline. ok is false for a line that is not an event. The strings of e
// share the memory of line.
func (e *Event) decode(line string) (ok bool) {
	if e.quick(line) {
		return e.Event != ""
	}
	*e = Event{}
	return json.Unmarshal([]byte(line), e) == nil && e.Event != ""
}

// quick parses a line as devtools writes it: with the members in the order of Event, and only with the forms that
// devtools uses. The result is that of encoding/json, but quick is many times faster. quick refuses any other form
// that JSON allows. Then the content of e has no meaning.
func (e *Event) quick(line string) bool {
	*e = Event{}
	m := members{rest: line}
	if !m.has(`{"v":`) {
		return false
	}
	e.Version = int(m.number(intDigits))
	if m.has(`,"event":`) {
		e.Event = m.text()
	}
	if m.has(`,"pid":`) {
		e.PID = int(m.number(intDigits))
	}
	if m.has(`,"parentPid":`) {
		e.ParentPID = int(m.number(intDigits))
	}
	if m.has(`,"name":`) {
		e.Name = m.text()
	}
	if m.has(`,"cmd":`) {
		e.Cmd = m.text()
	}
	if m.has(`,"terminal":`) {
		e.Terminal = m.text()
	}
	if m.has(`,"ts":`) {
		e.TS.Time = m.time()
	}
	if m.has(`,"sessionId":`) {
		e.SessionID = m.text()
	}
	e.quickRest(&m)
	return m.rest == "}" && !m.refused
}

// quickRest parses the members after the id of the session.
func (e *Event) quickRest(m *members) {
	if m.has(`,"start":`) {
		e.Start = m.number(longDigits)
	}
	if m.has(`,"inode":`) {
		e.Inode = m.number(longDigits)
	}
	if m.has(`,"boot":`) {
		e.Boot = m.text()
	}
	if m.has(`,"cwd":`) {
		e.Cwd = m.text()
	}
	if m.has(`,"exitCode":`) {
		code := int(m.number(intDigits))
		e.ExitCode = &code
	}
	if m.has(`,"signal":`) {
		e.Signal = m.text()
	}
	if m.has(`,"reason":`) {
		e.Reason = m.text()
	}
	if m.has(`,"previousName":`) {
		e.PreviousName = m.text()
	}
	if m.has(`,"by":`) {
		e.By = m.text()
	}
	if m.has(`,"durationMs":`) {
		ms := int64(m.number(longDigits))
		e.DurationMs = &ms
	}
}

// members holds the part of a line that is not parsed yet.
type members struct {
	rest    string
	refused bool // something did not have the form that devtools writes
}

// has removes the member's name from the beginning of rest, if it is there.
func (m *members) has(name string) (ok bool) {
	m.rest, ok = strings.CutPrefix(m.rest, name)
	return ok
}

// Numbers of digits that always fit into an int, and into 64 bits.
const (
	intDigits  = 9
	longDigits = 19
)

// number reads an unsigned number from the beginning of rest.
func (m *members) number(digits int) (n uint64) {
	i := 0
	for i < len(m.rest) && '0' <= m.rest[i] && m.rest[i] <= '9' {
		n = n*10 + uint64(m.rest[i]-'0')
		i++
	}
	m.refused = m.refused || i == 0 || i > digits || i > 1 && m.rest[0] == '0'
	m.rest = m.rest[i:]
	return n
}

// text reads a string from the beginning of rest.
func (m *members) text() string {
	if m.rest == "" || m.rest[0] != '"' {
		m.refused = true
		return ""
	}
	seen := byte(0)
	for i := 1; i < len(m.rest); i++ {
		switch c := m.rest[i]; {
		case c == '"':
			text := m.rest[1:i]
			m.rest = m.rest[i+1:]
			m.refused = m.refused || seen >= utf8.RuneSelf && !utf8.ValidString(text)
			return text
		case c == '\\':
			return m.escaped(i)
		case c < ' ':
			m.refused = true
			return ""
		default:
			seen |= c
		}
	}
	m.refused = true
	return ""
}

// escapes maps the letter after a backslash to its character.
var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escaped reads a string whose first backslash is at index i.
func (m *members) escaped(i int) string {
	text := []byte(m.rest[1:i])
	for i+1 < len(m.rest) {
		c := m.rest[i]
		switch {
		case c == '"':
			m.rest = m.rest[i+1:]
			m.refused = m.refused || !utf8.Valid(text)
			return string(text)
		case c < ' ':
			m.refused = true
			return ""
		case c != '\\':
			text = append(text, c)
			i++
		case escapes[m.rest[i+1]] != 0:
			text = append(text, escapes[m.rest[i+1]])
			i += 2
		default:
			r, ok := hexRune(m.rest[i:])
			if !ok {
				m.refused = true
				return ""
			}
			text = utf8.AppendRune(text, r)
			i += 6
		}
	}
	m.refused = true
	return ""
}

// hexRune returns the character at the beginning of text in the form \u0041. It refuses half of a surrogate pair.
func hexRune(text string) (r rune, ok bool) {
	if len(text) < 6 || text[1] != 'u' {
		return 0, false
	}
	for _, c := range []byte(text[2:6]) {
		switch {
		case '0' <= c && c <= '9':
			r = r<<4 | rune(c-'0')
		case 'a' <= c && c <= 'f':
			r = r<<4 | rune(c-'a'+10)
		case 'A' <= c && c <= 'F':
			r = r<<4 | rune(c-'A'+10)
		default:
			return 0, false
		}
	}
	return r, utf8.ValidRune(r)
}

// timeForm is the format of times, with the quotes.
const timeForm = `"2006-01-02T15:04:05.000Z"`

// time reads a time in the format timeForm.
func (m *members) time() time.Time {
	if len(m.rest) < len(timeForm) {
		m.refused = true
		return time.Time{}
	}
	text := m.rest[:len(timeForm)]
	m.rest = m.rest[len(timeForm):]
	n := [len(timeForm)]int{}
	for i := range len(timeForm) {
		c := text[i]
		if form := timeForm[i]; '0' <= form && form <= '9' {
			n[i] = int(c - '0')
			m.refused = m.refused || c < '0' || c > '9'
		} else {
			m.refused = m.refused || c != form
		}
	}
	two := func(i int) int { return n[i]*10 + n[i+1] }
	year, month, day := two(1)*100+two(3), two(6), two(9)
	hour, minute, second := two(12), two(15), two(18)
	t := time.Date(year, time.Month(month), day, hour, minute, second, (n[21]*100+two(22))*1e6, time.UTC)
	m.refused = m.refused || month < 1 || month > 12 || day < 1 || t.Day() != day || hour > 23 || minute > 59 || second > 59
	return t
}
