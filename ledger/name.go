package ledger

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ErrBadName reports a text that cannot be the name of a session.
var ErrBadName = errors.New("invalid session name")

// nameLength is the maximum length of a session's name, in characters.
const nameLength = 64

// CheckName returns ErrBadName unless name can be the name of a session. A name has at most 64 characters: letters,
// digits, '.', '_' and '-'. It begins with a letter or digit. It does not consist of digits alone, because that would
// be a pid.
func CheckName(name string) error {
	if CleanName(name) != name || name == "" {
		return SessionError(name, ErrBadName)
	}
	return nil
}

// ErrBadTitle reports a text that cannot be the title of a session.
var ErrBadTitle = errors.New("invalid title")

// titleLength is the maximum length of a title, in characters. ps shows a title in one row.
const titleLength = 200

// CheckTitle returns ErrBadTitle unless text can be the title of a session: one line of at most 200 characters, without
// control characters.
func CheckTitle(text string) error {
	other := func(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' } // both begin a line
	switch {
	case !utf8.ValidString(text):
		return fmt.Errorf("%w: it is not UTF-8", ErrBadTitle)
	case utf8.RuneCountInString(text) > titleLength:
		return fmt.Errorf("%w: it has %d characters", ErrBadTitle, utf8.RuneCountInString(text))
	case strings.ContainsFunc(text, other):
		return fmt.Errorf("%w: it has a control character", ErrBadTitle)
	}
	return nil
}

// SessionError returns err with the name of its session in front.
func SessionError(name string, err error) error { return &sessionError{name, err} }

// A sessionError is an error about one session.
type sessionError struct {
	name string
	err  error
}

func (e *sessionError) Error() string {
	name := e.name
	if len(name) > 2*nameLength { // no session has such a name
		name = strings.ToValidUTF8(name[:nameLength], "") + "…"
	}
	return "session " + strconv.Quote(name) + ": " + e.err.Error()
}

func (e *sessionError) Unwrap() error { return e.err }

// SessionOf returns the name of the session that err is about, as SessionError knows it, or "".
func SessionOf(err error) string {
	if e, ok := errors.AsType[*sessionError](err); ok {
		return e.name
	}
	return ""
}

// CleanName makes a name from text: it leaves out what a name cannot contain. The result may be "".
func CleanName(text string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '.', r == '_', r == '-':
			return r
		}
		return -1
	}, text)
	name = strings.TrimLeft(name, "._-")
	if len(name) > nameLength {
		name = name[:nameLength]
	}
	if strings.Trim(name, "0123456789") == "" {
		return ""
	}
	return name
}

// NameFor returns the default name for a session of the command: the name of the program. For a shell line (sh -c
// LINE) the program is the first word of the line that does not set a variable.
func NameFor(command []string) string {
	program := command[0]
	if len(command) == 3 && command[1] == "-c" && strings.HasSuffix(filepath.Base(program), "sh") { // a shell line
		words := strings.FieldsFunc(command[2], func(r rune) bool { return strings.ContainsRune(" \t\n;&|()<>", r) })
		for _, word := range words {
			if !strings.Contains(word, "=") { // otherwise the word sets a variable
				program = word
				break
			}
		}
	}
	if name := CleanName(strings.TrimSuffix(filepath.Base(program), ".exe")); name != "" {
		return name
	}
	return "session"
}

// FreeName returns the first of base, base-2, base-3 and so on that no active session has.
func FreeName(a *Active, base string) string {
	name := base
	if !a.Has(name) {
		return name
	}
	taken := a.names()
	taken[name] = true
	for n := 2; taken[name]; n++ {
		name = NameWith(base, "-"+strconv.Itoa(n))
	}
	return name
}

// NameWith returns the name of base and suffix. It shortens base, if the name would be too long.
func NameWith(base, suffix string) string {
	return base[:min(len(base), nameLength-len(suffix))] + suffix
}
