package mask

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// The limits of a secret, in bytes. A shorter one, or one of fewer different bytes, occurs in text that has nothing to do with it. A
// longer one is no password or key, and its forms take much memory: up to 5 KiB for each byte of it.
const (
	Least     = 8
	Most      = 8 << 10
	Different = 4
)

// The kinds of a [Source].
const (
	Environment = "env"
	File        = "file"
	Descriptor  = "fd"
)

// A Source says where the value of a secret is.
type Source struct {
	Name  string // variable that the program gets
	Kind  string // Environment, File or Descriptor
	Place string // name of a variable, or path
	FD    int    // descriptor
}

// Parse parses NAME=env:VAR, NAME=file:PATH and NAME=fd:N. Its errors do not repeat what stands after the =, which may be a value
// that somebody has given by mistake.
func Parse(text string) (s Source, err error) {
	name, from, ok := strings.Cut(text, "=")
	switch {
	case !ok:
		return s, errors.New("= is missing") // the text may be the value itself, so it is not repeated
	case !isName(name):
		return s, errors.New("the name before = is not a valid variable name")
	case strings.HasPrefix(name, "DEVTOOLS_"):
		return s, fmt.Errorf("%s is a variable of devtools", name)
	case name == "ENV", name == "ZDOTDIR": // the start-up file of an integrated shell has their values
		return s, fmt.Errorf("%s tells shells where their files are", name)
	}
	s.Name = name
	s.Kind, s.Place, _ = strings.Cut(from, ":")
	switch {
	case s.Kind == Environment && isName(s.Place), s.Kind == File && s.Place != "":
		return s, nil
	case s.Kind == Descriptor:
		if s.FD, err = strconv.Atoi(s.Place); err == nil && s.FD > 2 && s.FD < 1<<20 {
			return s, nil
		}
		return s, fmt.Errorf("%s: the descriptor is a number from 3 on", name)
	}
	return s, fmt.Errorf("%s: the value must not be in the command line", name)
}

func isName(text string) bool {
	for i := range len(text) {
		if !isNameChar(text[i]) {
			return false
		}
	}
	return text != "" && (text[0] < '0' || text[0] > '9')
}

func isNameChar(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// Read reads the value of a secret from a file or a descriptor. A line feed at its end does not belong to it.
func Read(r io.Reader) (string, error) {
	data, err := io.ReadAll(io.LimitReader(r, Most+2))
	if err != nil {
		return "", err
	}
	value := strings.TrimSuffix(strings.TrimSuffix(string(data), "\n"), "\r")
	return value, Check(value)
}

// Check returns an error for a value that cannot be a secret, which says why and not what it is.
func Check(value string) error {
	switch {
	case len(value) < Least:
		return fmt.Errorf("the value has %d bytes, and must have at least %d: shorter values occur in other text by chance", len(value), Least)
	case len(value) > Most:
		return fmt.Errorf("the value has more than %d bytes", Most)
	case strings.ContainsRune(value, 0):
		return errors.New("the value has a NUL byte, which no variable can have")
	case !varied(value):
		return fmt.Errorf("the value has fewer than %d different bytes: it would mask lines and blanks of other text", Different)
	}
	return nil
}

// varied reports whether a value has enough different bytes.
func varied(value string) bool {
	var seen [256]bool
	n := 0
	for _, c := range []byte(value) {
		if !seen[c] {
			seen[c] = true
			n++
		}
	}
	return n >= Different
}
