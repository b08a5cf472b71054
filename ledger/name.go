package ledger

import (
	"errors"
	"path/filepath"
	"strconv"
	"strings"
)

// ErrBadName reports what cannot be a session's name.
var ErrBadName = errors.New("not a session name")

// nameLength is the most characters of a session's name.
const nameLength = 64

// CheckName returns ErrBadName unless name can be a session's: letters, digits, '.', '_' and '-',
// beginning with a letter or digit, not digits alone (which would be a pid), at most 64 characters.
func CheckName(name string) error {
	if CleanName(name) != name || name == "" {
		return SessionError(name, ErrBadName)
	}
	return nil
}

func SessionError(name string, err error) error { return &sessionError{name, err} }

// A sessionError says which session an error is about.
type sessionError struct {
	name string
	err  error
}

func (e *sessionError) Error() string {
	return "session " + strconv.Quote(e.name) + ": " + e.err.Error()
}

func (e *sessionError) Unwrap() error { return e.err }

// CleanName makes a name of text by leaving out what a name cannot have. It may be "".
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

// NameFor returns the name that a session of the command gets when it has none: that of the program.
func NameFor(command []string) string {
	program := command[0]
	if len(command) == 3 && command[1] == "-c" && strings.HasSuffix(filepath.Base(program), "sh") { // a shell line: its first word
		words := strings.FieldsFunc(command[2], func(r rune) bool { return strings.ContainsRune(" \t\n;&|()<>", r) })
		for _, word := range words {
			if !strings.Contains(word, "=") { // a variable for it
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

// FreeName returns base, or base-2, base-3 and so on: the first that no active session has.
func FreeName(a *Active, base string) string {
	name := base
	for n := 2; a.Named(name) != nil; n++ {
		suffix := "-" + strconv.Itoa(n)
		name = base[:min(len(base), nameLength-len(suffix))] + suffix
	}
	return name
}
