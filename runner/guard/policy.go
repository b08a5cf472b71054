package guard

import (
	"bytes"
	"cmp"
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
	trusted bool // what it allows counts
	rules   []rule
	pty     map[string]ptyRule // by the key of [pty]
	pin     *Pin               // its [isolation], or nil
}

// A role says whose policy it is.
type role uint8

const (
	ofUser role = iota
	ofWorkspace
	ofMachine // an allow of others does not lift what it says
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
	Isolation *Pin   `toml:"isolation"`
	Rules     []rule `toml:"rule"`
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

// Load reads the policy of the machine, and the policy files user and workspace, given by path. A file that does not exist says
// nothing; an empty path stands for no such file. With agent the built-in rules apply too. Load
// returns nil if there is no rule at all. An error of a file's content is a *FileError. Each error
// must stop the call.
func Load(user, workspace string, agent bool) (*Policy, error) {
	p := &Policy{}
	machine, err := loadPinned(MachineFile)
	if err != nil {
		return nil, err
	}
	if machine != nil {
		machine.role, machine.trusted = ofMachine, true
		p.sets = append(p.sets, *machine)
	}
	if err := p.addUser(user); err != nil {
		return nil, err
	}
	if err := p.addWorkspace(workspace, user); err != nil {
		return nil, err
	}
	if agent {
		if _, err := p.add(BuiltIn, []byte(template), ofProgram, true); err != nil {
			return nil, err
		}
	}
	if len(p.sets) == 0 {
		return nil, nil
	}
	return p, nil
}

// addUser adds the user's policy, if there is one.
func (p *Policy) addUser(path string) error {
	data, foreign, err := readUser(path)
	if err != nil || data == nil {
		return err
	}
	set, err := p.add(path, data, ofUser, foreign == nil)
	if foreign != nil && len(set.allowances()) > 0 {
		p.warnings = append(p.warnings, foreign.Error()+": what it allows does not count")
	}
	return err
}

// addWorkspace adds the policy of a workspace, if there is one. user is the path of the user's policy.
func (p *Policy) addWorkspace(path, user string) error {
	data, _, err := readPolicy(path)
	if err != nil || data == nil {
		return err
	}
	set, err := p.add(path, data, ofWorkspace, false)
	if err != nil || len(set.allowances()) == 0 {
		return err
	}
	if set.trusted, err = isTrusted(user, path, data); err != nil {
		p.warnings = append(p.warnings, "no policy of a workspace is trusted: "+err.Error())
	}
	return nil
}

// add adds a policy with its content. What one that is not trusted allows does not count.
func (p *Policy) add(path string, data []byte, of role, trusted bool) (*ruleSet, error) {
	set, err := parsePolicy(path, data)
	set.role, set.trusted = of, trusted
	p.sets = append(p.sets, set)
	return &p.sets[len(p.sets)-1], err
}

// Warning says why something that a policy allows does not count although its user may think so, "" if all is well.
func (p *Policy) Warning() string {
	if p == nil {
		return ""
	}
	return strings.Join(p.warnings, "; ")
}

// readUser reads the user's policy, which may be a link into a collection of settings. Nobody but its owner may be able to change
// it. foreign wraps errForeign if the owner is another user, as when root has the home folder of one.
func readUser(path string) (data []byte, foreign, err error) {
	target := path
	data, info, err := readPolicy(path)
	if errors.Is(err, regular.ErrOther) {
		if target, err = filepath.EvalSymlinks(path); err == nil {
			data, info, err = readPolicy(target)
		}
	}
	if err != nil || data == nil {
		return nil, nil, err
	}
	for _, err := range []error{checkOwn(target, info), checkFolder(target), checkFolder(path)} {
		switch {
		case errors.Is(err, errForeign):
			foreign = cmp.Or(foreign, err)
		case err != nil:
			return nil, nil, err
		}
	}
	return data, foreign, nil
}

// readPolicy returns the content of a policy file, nil if there is none.
func readPolicy(path string) ([]byte, fs.FileInfo, error) {
	if path == "" {
		return nil, nil, nil
	}
	f, info, err := regular.Open(path, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	if info.Size() > mostFile {
		return nil, nil, &FileError{File: path, Err: fmt.Errorf("the policy has more than %d bytes", mostFile)}
	}
	data, err := io.ReadAll(io.LimitReader(f, mostFile+1))
	if err != nil {
		return nil, nil, err
	}
	return append([]byte{}, data...), info, nil
}

// parsePolicy reads the content of a policy file.
func parsePolicy(path string, data []byte) (set ruleSet, err error) {
	var file policyFile
	text := bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")) // what some editors write before the first line
	if err := decode(text, &file); err != nil {
		return set, fileError(path, text, err)
	}
	set = ruleSet{file: path, rules: file.Rules, pty: map[string]ptyRule{}}
	if set.pin = file.Isolation; set.pin != nil {
		if err := set.pin.check(path, text); err != nil {
			return set, &FileError{File: path, Line: set.pin.Line, Err: err}
		}
	}
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
		known := "use rule, pty and isolation"
		switch first.Key()[0] {
		case "rule":
			known = "a rule has name, action, reason, calls, program, subcommand, flags, all_flags, paths, writes and reads_pipe"
		case "isolation":
			known = "use minimum, net, allow_write, deny_read and profile"
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
