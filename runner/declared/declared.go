// Package declared reads sessions.toml, in which people write down the sessions of a workspace: what each of them runs, when it is
// ready, and after which others it starts. It starts nothing.
package declared

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"devtools/ledger"
	"devtools/runner/condition"
)

// A Session is a session that the workspace declares.
type Session struct {
	Name     string
	Line     string   // command as run takes it in one argument; "" if it is in Argv
	Argv     []string // program and arguments
	Folder   string   // working directory; absolute
	Relative bool     // the file gives a relative path for Folder, or none
	Env      []string // variables to set, as NAME=VALUE
	Ready    []condition.Condition
	After    []string // sessions that must be ready before
	Restart  bool     // after a failure it starts again
}

// Command returns the command as it is written.
func (s Session) Command() []string {
	if s.Line != "" {
		return []string{s.Line}
	}
	return s.Argv
}

// Restarts of a session: never, or after a failure.
const (
	restartNo        = "no"
	restartOnFailure = "on-failure"
)

// Read returns the sessions that the file at path declares, so that each comes behind those after which it starts, and
// otherwise by name. data and err come from reading the file. Relative folders are relative to root.
func Read(data []byte, path, root string, err error) ([]Session, error) {
	var list []Session
	if err == nil {
		list, err = parse(data, root)
	}
	if err == nil {
		list, err = inOrder(list)
	}
	if err != nil && !strings.HasPrefix(err.Error(), path) { // errors of reading it name the file
		err = fmt.Errorf("%s: %w", path, err)
	}
	return list, err
}

func parse(data []byte, root string) (list []Session, err error) {
	var file map[string]any
	if err := toml.Unmarshal(bytes.TrimPrefix(data, byteOrderMark), &file); err != nil {
		if wrong, ok := errors.AsType[*toml.DecodeError](err); ok {
			line, _ := wrong.Position()
			err = fmt.Errorf("line %d: %s", line, strings.TrimPrefix(err.Error(), "toml: "))
		}
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(file)) {
		table, ok := file[name].(map[string]any)
		if !ok {
			return nil, fmt.Errorf("%s stands outside a session: begin one with [NAME]", name)
		}
		s, err := newSession(name, table, root)
		if err != nil {
			return nil, fmt.Errorf("[%s]: %w", name, err)
		}
		list = append(list, s)
	}
	return list, nil
}

// byteOrderMark is what some editors write before the first line.
var byteOrderMark = []byte("\xef\xbb\xbf")

// newSession returns what a table of the file says.
func newSession(name string, table map[string]any, root string) (s Session, err error) {
	s.Name = name
	if ledger.CheckName(name) != nil {
		return s, errors.New("invalid name: use up to 64 letters, digits, '.', '_' and '-', but not digits alone")
	}
	for _, key := range slices.Sorted(maps.Keys(table)) {
		if err := s.set(key, table[key]); err != nil {
			return s, fmt.Errorf("%s: %w", key, err)
		}
	}
	if words := s.Command(); len(words) == 0 || words[0] == "" {
		return s, errors.New("command is missing: a line for the shell, or a list of program and arguments")
	}
	if s.Relative = !filepath.IsAbs(s.Folder); s.Relative {
		s.Folder = filepath.Join(root, s.Folder)
	}
	conditions, err := texts(table["ready"])
	if err != nil {
		return s, fmt.Errorf("ready: %w", err)
	}
	for _, text := range conditions {
		c, err := condition.ParseCondition(text, s.Folder)
		if err != nil {
			return s, fmt.Errorf("ready: %w", err)
		}
		s.Ready = append(s.Ready, c)
	}
	return s, nil
}

// set sets what a key says, except for ready, which depends on the folder.
func (s *Session) set(key string, value any) (err error) {
	switch key {
	case "command":
		if line, ok := value.(string); ok && line != "" {
			s.Line, err = text(line)
			return err
		}
		s.Argv, err = texts(value)
	case "folder":
		s.Folder, err = text(value)
	case "env":
		s.Env, err = variables(value)
	case "ready":
	case "after":
		s.After, err = texts(value)
	case "restart":
		var when string
		if when, err = text(value); err == nil && when != restartNo && when != restartOnFailure {
			err = fmt.Errorf("invalid value %q: use %q or %q", when, restartNo, restartOnFailure)
		}
		s.Restart = when == restartOnFailure
	default:
		err = errors.New("unknown key: use command, folder, env, ready, after or restart")
	}
	return err
}

// text returns a value that is a string.
func text(value any) (string, error) {
	s, ok := value.(string)
	if !ok || strings.Contains(s, "\x00") {
		return "", fmt.Errorf("invalid value %v: use a string", value)
	}
	return s, nil
}

// texts returns a value that is a string, or a list of them. Without a value there are none.
func texts(value any) (list []string, err error) {
	values, isList := value.([]any)
	if !isList && value != nil {
		values = []any{value}
	}
	for _, one := range values {
		s, err := text(one)
		if err != nil {
			return nil, fmt.Errorf("%w, or a list of strings", err)
		}
		list = append(list, s)
	}
	return list, nil
}

// variables returns a table of variables as NAME=VALUE.
func variables(value any) (env []string, err error) {
	table, ok := value.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("invalid value %v: use { NAME = \"VALUE\" }", value)
	}
	for _, name := range slices.Sorted(maps.Keys(table)) {
		value, err := text(table[name])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if name == "" || strings.ContainsAny(name, "=\x00") {
			return nil, fmt.Errorf("%q is not the name of a variable", name)
		}
		env = append(env, name+"="+value)
	}
	return env, nil
}

// inOrder sorts the sessions so that each comes behind those that it starts after.
func inOrder(list []Session) (ordered []Session, err error) {
	byName := map[string]Session{}
	for _, s := range list {
		byName[s.Name] = s
	}
	placed := map[string]bool{} // by name; false: it is being placed
	var place func(s Session, path []string) error
	place = func(s Session, path []string) error {
		path = append(path, s.Name)
		if done, met := placed[s.Name]; done {
			return nil
		} else if met {
			return fmt.Errorf("[%s]: after: it would start after itself: %s", s.Name, strings.Join(path[slices.Index(path, s.Name):], ", after "))
		}
		placed[s.Name] = false
		for _, name := range s.After {
			before, ok := byName[name]
			if !ok {
				return fmt.Errorf("[%s]: after: no session %q is declared", s.Name, name)
			}
			if err := place(before, path); err != nil {
				return err
			}
		}
		placed[s.Name] = true
		ordered = append(ordered, s)
		return nil
	}
	for _, s := range list {
		if err := place(s, nil); err != nil {
			return nil, err
		}
	}
	return ordered, nil
}
