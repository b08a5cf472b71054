package guard

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"devtools/ledger/regular"
)

// template is the file that holds the built-in rules.
//
//go:embed builtin.toml
var template string

// A ruleSet is the policy of one file, or the built-in one.
type ruleSet struct {
	file    string
	role    role
	trusted bool
	rules   []rule
	pty     map[string]ptyRule // by the key of [pty]
}

// A role says whose policy it is.
type role uint8

const (
	ofUser role = iota
	ofWorkspace
	ofProgram
)

// A rule is a [[rule]] of a policy file.
type rule struct {
	Name       string     `toml:"name"`
	Action     actionWord `toml:"action"`
	Reason     string     `toml:"reason"`
	Calls      []kind     `toml:"calls"`
	Program    []glob     `toml:"program"`
	Subcommand []string   `toml:"subcommand"`
	Flags      []flag     `toml:"flags"`
	AllFlags   [][]flag   `toml:"all_flags"`
	Paths      []place    `toml:"paths"`
	Writes     []target   `toml:"writes"`
	ReadsPipe  bool       `toml:"reads_pipe"`

	line int
}

// A ptyRule is a key of [pty].
type ptyRule struct {
	action Action
	line   int
}

// A policyFile is a policy file as TOML has it.
type policyFile struct {
	Pty struct {
		Launch  actionWord `toml:"launch"`
		Send    actionWord `toml:"send_keys"`
		Kill    actionWord `toml:"kill"`
		Request actionWord `toml:"request_user_input"`
	} `toml:"pty"`
	Rules []rule `toml:"rule"`
}

// An actionWord is an action in a policy file. It and the types of the other words are structs, because the
// decoder takes strings and numbers for other types without asking them.
type actionWord struct{ Action }

// UnmarshalText reads the word of a policy file.
func (a *actionWord) UnmarshalText(text []byte) error {
	for _, action := range []Action{Allow, Confirm, Deny} {
		if string(text) == action.String() {
			a.Action = action
			return nil
		}
	}
	return fmt.Errorf("unknown action %q: use allow, confirm or deny", text)
}

// A kind is a kind of calls in a policy file.
type kind struct{ name string }

// UnmarshalText reads the word of a policy file.
func (k *kind) UnmarshalText(text []byte) error {
	k.name = string(text)
	if !slices.Contains(Kinds(), string(text)) {
		return fmt.Errorf("unknown call %q: use %s", text, strings.Join(Kinds(), ", "))
	}
	return nil
}

// mostFile is the most bytes of a policy file.
const mostFile = 1 << 20

// Load reads the policy files user and workspace, given by path. A file that does not exist says
// nothing; an empty path stands for no such file. With agent the built-in rules apply too. Load
// returns nil if there is no rule at all. An error of a file's content is a *FileError. Each error
// must stop the call.
func Load(user, workspace string, agent bool) (*Policy, error) {
	p := &Policy{}
	for _, one := range []struct {
		path string
		role role
	}{{user, ofUser}, {workspace, ofWorkspace}} {
		data, err := readRole(one.path, one.role)
		if err != nil {
			return nil, err
		}
		if data == nil {
			continue
		}
		set, err := parsePolicy(one.path, data)
		if err != nil {
			return nil, err
		}
		if set.role = one.role; one.role == ofWorkspace && len(set.allowances()) > 0 {
			if set.trusted, err = isTrusted(user, workspace, data); err != nil {
				p.warning = "no policy of a workspace is trusted: " + err.Error()
			}
		}
		p.sets = append(p.sets, set)
	}
	if agent {
		set, err := parsePolicy(BuiltIn, []byte(template))
		if err != nil {
			return nil, err
		}
		set.role = ofProgram
		p.sets = append(p.sets, set)
	}
	if len(p.sets) == 0 {
		return nil, nil
	}
	return p, nil
}

// Warning says why no workspace's policy is trusted although the user may have trusted this one, "" if all is well.
func (p *Policy) Warning() string {
	if p == nil {
		return ""
	}
	return p.warning
}

// readRole reads a policy file. That of the user may be a link into a collection of settings, and nobody else may be able
// to change it.
func readRole(path string, of role) ([]byte, error) {
	data, err := readPolicy(path, of)
	if of != ofUser || data == nil && !errors.Is(err, regular.ErrOther) {
		return data, err
	}
	if errors.Is(err, regular.ErrOther) {
		target, err := filepath.EvalSymlinks(path)
		if err != nil {
			return nil, err
		}
		if data, err = readPolicy(target, of); err == nil {
			err = checkFolder(target)
		}
		if err != nil {
			return nil, err
		}
	}
	return data, checkFolder(path)
}

// readPolicy returns the content of a policy file, nil if there is none.
func readPolicy(path string, of role) ([]byte, error) {
	if path == "" {
		return nil, nil
	}
	f, info, err := regular.Open(path, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if of == ofUser {
		if err := checkOwn(path, info); err != nil {
			return nil, err
		}
	}
	if info.Size() > mostFile {
		return nil, &FileError{File: path, Err: fmt.Errorf("the policy has more than %d bytes", mostFile)}
	}
	data, err := io.ReadAll(io.LimitReader(f, mostFile+1))
	if err != nil {
		return nil, err
	}
	return append([]byte{}, data...), nil
}

// parsePolicy reads the content of a policy file.
func parsePolicy(path string, data []byte) (set ruleSet, err error) {
	var file policyFile
	text := bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")) // what some editors write before the first line
	if err := decode(text, &file); err != nil {
		return set, fileError(path, text, err)
	}
	set = ruleSet{file: path, rules: file.Rules, pty: map[string]ptyRule{}}
	headers := headerLines(text)
	if len(headers) != len(set.rules) {
		return set, &FileError{File: path, Err: errors.New("begin each rule with a line [[rule]]")}
	}
	for i := range set.rules {
		r := &set.rules[i]
		r.line = headers[i]
		if err := r.check(); err != nil {
			return set, &FileError{File: path, Line: r.line, Err: err}
		}
	}
	for key, word := range map[string]actionWord{
		"launch": file.Pty.Launch, "send_keys": file.Pty.Send, "kill": file.Pty.Kill, "request_user_input": file.Pty.Request,
	} {
		if action := word.Action; action != Free {
			set.pty[key] = ptyRule{action, keyLine(text, key)}
		}
	}
	return set, nil
}

func decode(text []byte, file *policyFile) error {
	var values map[string]any
	if toml.Unmarshal(text, &values) == nil {
		if err := checkValues(values); err != nil {
			return err
		}
	}
	return toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields().Decode(file)
}

// fileError gives an error of TOML its file and line.
func fileError(path string, text []byte, err error) error {
	if unknown, ok := errors.AsType[*toml.StrictMissingError](err); ok && len(unknown.Errors) > 0 {
		first := unknown.Errors[0]
		line, _ := first.Position()
		key := strings.Join(first.Key(), ".")
		known := "use rule and pty"
		switch first.Key()[0] {
		case "rule":
			known = "a rule has name, action, reason, calls, program, subcommand, flags, all_flags, paths, writes and reads_pipe"
		case "pty":
			known = "use launch, send_keys, kill and request_user_input"
		}
		return &FileError{File: path, Line: line, Err: fmt.Errorf("unknown key %q: %s", key, known)}
	}
	if wrong, ok := errors.AsType[*toml.DecodeError](err); ok {
		line, _ := wrong.Position()
		return &FileError{File: path, Line: line, Err: errors.New(strings.TrimPrefix(wrong.Error(), "toml: "))}
	}
	return &FileError{File: path, Line: errorLine(text, err), Err: errors.New(strings.TrimPrefix(err.Error(), "toml: "))}
}

// errorLine returns the line of an error that the decoder gives no place: the text up to this line has
// the same error.
func errorLine(text []byte, err error) int {
	var ends []int
	end := 0
	for l := range bytes.Lines(text) {
		end += len(l)
		ends = append(ends, end)
	}
	n := sort.Search(len(ends), func(i int) bool {
		first := decode(text[:ends[i]], &policyFile{})
		return first != nil && first.Error() == err.Error()
	})
	if n == len(ends) {
		return 0
	}
	return n + 1
}

// check reports what is missing in a rule.
func (r *rule) check() error {
	switch {
	case r.Name == "":
		return errors.New("the rule has no name")
	case r.Action.Action == Free:
		return fmt.Errorf("rule %q has no action: use allow, confirm or deny", r.Name)
	case r.Calls != nil && len(r.Calls) == 0, r.Program != nil && len(r.Program) == 0, r.Subcommand != nil && len(r.Subcommand) == 0,
		r.Flags != nil && len(r.Flags) == 0, r.Paths != nil && len(r.Paths) == 0, r.Writes != nil && len(r.Writes) == 0,
		slices.ContainsFunc(r.AllFlags, func(group []flag) bool { return len(group) == 0 }):
		return fmt.Errorf("rule %q has an empty list: no command would match", r.Name)
	case r.Subcommand != nil && r.Program == nil:
		return fmt.Errorf("rule %q has subcommand without program", r.Name)
	}
	return nil
}

// headerLines returns the lines, counted from 1, at which rules begin.
func headerLines(text []byte) (lines []int) {
	n := 0
	for l := range bytes.Lines(text) {
		n++
		l, _, _ = bytes.Cut(l, []byte("#"))
		if string(bytes.Join(bytes.Fields(l), nil)) == "[[rule]]" {
			lines = append(lines, n)
		}
	}
	return lines
}

// keyLine returns the line, counted from 1, of a key of [pty].
func keyLine(text []byte, key string) int {
	n, inside := 0, false
	for l := range bytes.Lines(text) {
		n++
		l = bytes.TrimSpace(l)
		if bytes.HasPrefix(l, []byte("[")) {
			inside = bytes.HasPrefix(l, []byte("[pty]"))
		}
		if inside && bytes.HasPrefix(bytes.Trim(l, `"'`), []byte(key)) {
			return n
		}
	}
	return 0
}

// ptyKey returns the key of [pty] for a kind of calls.
func ptyKey(kind string) string {
	switch kind {
	case KindRunIn, KindSendKeys, KindAnswer:
		return "send_keys"
	case KindKill, KindKillOrphans:
		return "kill"
	case KindAsk:
		return "request_user_input"
	}
	return "launch"
}
