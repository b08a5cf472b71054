package guard

import (
	"bytes"
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"syscall"

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
	unseen  map[string]Action  // what it says of what devtools does not see, by the key of [unseen]
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
	Word       string     `toml:"action"`
	Reason     string     `toml:"reason"`
	Calls      []string   `toml:"calls"`
	Program    []string   `toml:"program"` // base names or paths, with * for any letters
	Subcommand []string   `toml:"subcommand"`
	Except     []string   `toml:"except"`
	Flags      []string   `toml:"flags"` // options, or patterns for words such as +*
	AllFlags   [][]string `toml:"all_flags"`
	Paths      []string   `toml:"paths"`  // outside, root, or patterns
	Writes     []string   `toml:"writes"` // these, or device
	ReadsPipe  bool       `toml:"reads_pipe"`
	Literal    bool       `toml:"literal"`   // not where the command is computed
	Match      []string   `toml:"match"`     // lines that it matches
	NotMatch   []string   `toml:"not_match"` // lines that it does not match

	action Action
	line   int
}

// A ptyRule is a key of [pty].
type ptyRule struct {
	action Action
	line   int
}

// A policyFile is a policy file as TOML has it.
type policyFile struct {
	Pty       map[string]string `toml:"pty"`
	Isolation *Pin              `toml:"isolation"`
	Unseen    map[string]string `toml:"unseen"`
	Rules     []rule            `toml:"rule"`
}

// actions returns the words of a policy file for what to do.
func actions() map[string]Action {
	return map[string]Action{"allow": Allow, "confirm": Confirm, "deny": Deny}
}

// mostFile is the most bytes of a policy file.
const mostFile = 1 << 20

// Load reads the policy of the machine, and the policy files user and workspace, given by path. A file that does not exist says
// nothing; an empty path stands for no such file. With agent the built-in rules apply too. Load
// returns nil if there is no rule at all. An error of a file's content is a *FileError. Each error
// must stop the call.
func Load(user, workspace string, agent bool) (*Policy, error) {
	p := &Policy{}
	err := p.addUser(MachineFile, ofMachine)
	if err == nil {
		err = p.addUser(user, ofUser)
	}
	if err == nil {
		err = p.addWorkspace(workspace, user)
	}
	if err == nil && agent {
		_, err = p.add(BuiltIn, []byte(template), ofProgram, true)
	}
	if err != nil || len(p.sets) == 0 {
		return nil, err
	}
	return p, nil
}

// addUser adds the policy of the user, or of the machine, if there is one.
func (p *Policy) addUser(path string, of role) error {
	data, foreign, err := readUser(path)
	if err != nil || data == nil {
		return err
	}
	set, err := p.add(path, data, of, foreign == nil)
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
	if err == nil && string(data) != template { // the tests look after those of the program
		_, err = set.testExamples()
	}
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
func readPolicy(path string) (data []byte, info fs.FileInfo, err error) {
	if path != "" {
		data, info, err = readWhole(path, mostFile)
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) { // as with the home folder /dev/null
		err = nil
	}
	return data, info, err
}

// parsePolicy reads the content of a policy file.
func parsePolicy(path string, data []byte) (set ruleSet, err error) {
	var file policyFile
	text := bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")) // what some editors write before the first line
	if err := decode(text, &file); err != nil {
		return set, fileError(path, text, err)
	}
	set = ruleSet{file: path, rules: file.Rules, pty: map[string]ptyRule{}, unseen: map[string]Action{"computed": Confirm, "code": Allow, "unreadable": Confirm}}
	for key, word := range file.Unseen {
		set.unseen[key] = actions()[word]
	}
	if set.pin = file.Isolation; set.pin != nil {
		if err := set.pin.check(path, text); err != nil {
			return set, &FileError{File: path, Line: set.pin.Line, Err: err}
		}
	}
	lines := linesOf(text)
	headers := lines["[[rule]]"]
	if len(headers) != len(set.rules) {
		return set, &FileError{File: path, Err: errors.New("begin each rule with a line [[rule]]")}
	}
	for i := range set.rules {
		r := &set.rules[i]
		r.line, r.action = headers[i], actions()[r.Word]
		if err := r.check(); err != nil {
			return set, &FileError{File: path, Line: r.line, Err: err}
		}
	}
	for key, word := range file.Pty {
		set.pty[key] = ptyRule{actions()[word], append(lines["[pty]"+key], 0)[0]}
	}
	return set, nil
}

// decode reads a policy file. It reports what means nothing in it, but not what is missing.
func decode(text []byte, file *policyFile) error {
	var values map[string]any
	if err := toml.Unmarshal(text, &values); err != nil {
		return err
	}
	if err := checkValues(values); err != nil {
		return err
	}
	if err := toml.Unmarshal(text, file); err != nil {
		return err
	}
	for i := range file.Rules {
		if err := file.Rules[i].checkWords(); err != nil {
			return err
		}
	}
	return nil
}

// fileError gives an error of TOML its file and line. Of one without a place, the text up to its line has the same error.
func fileError(path string, text []byte, err error) error {
	line, lines := 0, bytes.SplitAfter(text, []byte("\n"))
	if wrong, ok := errors.AsType[*toml.DecodeError](err); ok {
		line, _ = wrong.Position()
	} else {
		n := sort.Search(len(lines), func(i int) bool {
			first := decode(bytes.Join(lines[:i+1], nil), &policyFile{})
			return first != nil && first.Error() == err.Error()
		})
		line = (n + 1) % (len(lines) + 1)
	}
	return &FileError{File: path, Line: line, Err: errors.New(strings.TrimPrefix(err.Error(), "toml: "))}
}

// check reports what is missing in a rule.
func (r *rule) check() error {
	switch {
	case r.Name == "":
		return errors.New("the rule has no name")
	case r.action == Free:
		return fmt.Errorf("rule %q has no action: use allow, confirm or deny", r.Name)
	case slices.ContainsFunc(append(slices.Clone(r.AllFlags), r.Calls, r.Program, r.Subcommand, r.Except, r.Flags, r.Paths, r.Writes), func(list []string) bool {
		return list != nil && len(list) == 0
	}):
		return fmt.Errorf("rule %q has an empty list: no command would match", r.Name)
	case r.Subcommand != nil && r.Program == nil:
		return fmt.Errorf("rule %q has subcommand without program", r.Name)
	}
	return nil
}

// linesOf returns the lines, counted from 1, at which the tables of a policy file begin, by their headers, and those of the keys of
// [pty], by [pty]KEY.
func linesOf(text []byte) map[string][]int {
	lines, table, n := map[string][]int{}, "", 0
	for l := range bytes.Lines(text) {
		n++
		l, _, _ = bytes.Cut(l, []byte("#"))
		word, _, _ := strings.Cut(strings.Join(strings.Fields(string(l)), ""), "=")
		if strings.HasPrefix(word, "[") {
			table, word = word, ""
		} else if table != "[pty]" {
			continue
		}
		key := table + strings.Trim(word, `"'`)
		lines[key] = append(lines[key], n)
	}
	return lines
}

// ptyKeys are the keys of [pty] for kinds of calls; launch is for others.
var ptyKeys = map[string]string{
	KindRunIn: "send_keys", KindSendKeys: "send_keys", KindAnswer: "send_keys",
	KindKill: "kill", KindKillOrphans: "kill", KindAsk: "request_user_input",
}

// ptyKey returns the key of [pty] for a kind of calls.
func ptyKey(kind string) string { return cmp.Or(ptyKeys[kind], "launch") }
