package guard

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"devtools/ledger/regular"
	"devtools/runner/guard/isolation"
)

// MachineFile is the policy of the machine, whose rules nobody lifts.
const MachineFile = "/etc/devtools/" + FileName

// A Pin is the table [isolation] of the machine's policy, or of the user's own: no call has less isolation, whatever is on its command line
// and in its environment.
type Pin struct {
	Minimum    string   `toml:"minimum" json:"minimum"`        // weakest level of isolation: medium or high
	Net        string   `toml:"net" json:"net"`                // most that a session may do in the network: none, connect or all
	AllowWrite []string `toml:"allow_write" json:"allowWrite"` // what may be written to besides the workspace; absolute, without links
	DenyRead   []string `toml:"deny_read" json:"denyRead"`     // what sessions see empty; absolute, without links
	Profile    string   `toml:"profile" json:"only,omitzero"`  // agent: it holds only for the calls of agents
	File       string   `toml:"-" json:"file"`                 // its policy file
	Line       int      `toml:"-" json:"line"`                 // its line in the file
}

// Pins are the pins that hold for a call.
type Pins []Pin

// refuse returns the error of a call that would go below the pin.
func (p *Pin) refuse(format string, args ...any) error {
	return &FileError{p.File, p.Line, fmt.Errorf("%w: %s", isolation.ErrPinned, fmt.Sprintf(format, args...))}
}

// OwnHome returns the home folder of this user in passwd(5), which no variable changes, or one that does not exist.
func OwnHome() string {
	if u, err := user.LookupId(strconv.Itoa(os.Getuid())); err == nil && filepath.IsAbs(u.HomeDir) {
		return u.HomeDir
	}
	return "/nonexistent"
}

// pinFiles returns the files that may have a pin.
func pinFiles() []string {
	return []string{MachineFile, filepath.Join(OwnHome(), ".config", "devtools", FileName)}
}

// LoadPins returns the pins that hold for a call, which may be that of an agent. Each error must stop the call.
func LoadPins(agent bool) (Pins, error) {
	pins := Pins{}
	for _, path := range pinFiles() {
		data, _, err := readUser(path) // whoever has it: a pin only forbids, and in a user namespace that of root is nobody's
		set, wrong := parsePolicy(path, data)
		if err = cmp.Or(err, wrong); err != nil {
			return nil, err
		}
		if set.pin != nil && (set.pin.Profile == "" || agent) {
			pins = append(pins, *set.pin)
		}
	}
	return pins, nil
}

// check completes a pin that was read from the text of a file.
func (p *Pin) check(path string, text []byte) error {
	p.File, p.Line = path, 1+slices.IndexFunc(bytes.Split(text, []byte("\n")), func(l []byte) bool { return bytes.HasPrefix(bytes.Trim(l, " \t["), []byte("isolation")) })
	files := pinFiles()
	switch {
	case !slices.ContainsFunc(files, func(file string) bool { return isolation.Resolve(file) == isolation.Resolve(path) }):
		return fmt.Errorf("[isolation] counts only in %s", strings.Join(files, " and "))
	case p.Minimum != isolation.Medium && p.Minimum != isolation.High:
		return errors.New(`[isolation] needs minimum = "medium" or "high"`)
	case p.Minimum != isolation.High && (p.Net != "" || len(p.DenyRead) > 0):
		return errors.New(`[isolation] has net or deny_read, which need minimum = "high"`)
	case p.Net != "" && !slices.Contains(isolation.Nets, p.Net):
		return fmt.Errorf("[isolation] has an unknown net %q: use %s", p.Net, strings.Join(isolation.Nets, ", "))
	case p.Profile != "" && p.Profile != "agent":
		return fmt.Errorf("[isolation] has an unknown profile %q: use agent", p.Profile)
	}
	p.Net = cmp.Or(p.Net, isolation.NetAll)
	p.AllowWrite, p.DenyRead = append([]string{}, p.AllowWrite...), append([]string{}, p.DenyRead...) // JSON has no null
	for _, list := range [][]string{p.AllowWrite, p.DenyRead} {
		for i, path := range list {
			if rest, ok := strings.CutPrefix(path, "~/"); ok {
				path = filepath.Join(OwnHome(), rest)
			}
			if list[i] = isolation.Resolve(path); !filepath.IsAbs(path) || list[i] == "/" {
				return fmt.Errorf("[isolation] has the path %q: use an absolute one, or ~/…, below /", path)
			}
		}
	}
	return nil
}

// Complete sets what the pins say of rules of the level high: the network and the files.
func (p Pins) Complete(r *isolation.Rules) {
	for _, pin := range p {
		r.Net = isolation.Nets[min(rank(isolation.Nets, r.Net), rank(isolation.Nets, pin.Net))]
		r.DenyRead = append(r.DenyRead, pin.DenyRead...)
		for _, path := range pin.AllowWrite {
			if _, err := os.Stat(path); err == nil && p.CheckUse(true, "", path, "") == nil {
				r.AllowWrite = append(r.AllowWrite, path)
			}
		}
	}
}

// Check returns isolation.ErrPinned if a session with the rules could do more than the pins allow.
func (p Pins) Check(r *isolation.Rules) error {
	r = cmp.Or(r, &isolation.Rules{Level: isolation.Medium})
	for _, pin := range p {
		switch missing := func(path string) bool { return !slices.Contains(r.DenyRead, path) }; {
		case rank(isolation.Levels, r.Level) < rank(isolation.Levels, pin.Minimum):
			return pin.refuse("it is %s at least, and here it is %s", pin.Minimum, r.Level)
		case rank(isolation.Nets, r.Net) > rank(isolation.Nets, pin.Net):
			return pin.refuse("the network is %s at most, and here it is %s", pin.Net, r.Net)
		case slices.ContainsFunc(pin.DenyRead, missing):
			return pin.refuse("deny_read is not in force here")
		case r.Workspace != "" && shared(r.Workspace):
			return pin.refuse("the workspace %s is no folder of one project", r.Workspace)
		}
	}
	for _, path := range r.AllowWrite {
		if err := p.CheckUse(true, "--allow-write", path, ""); err != nil {
			return err
		}
	}
	return nil
}

// CheckUse returns isolation.ErrPinned if devtools would do for its caller what the pins let no session do that has the workspace: read a
// path, or write to it, or without a path reach the network. what names the use.
func (p Pins) CheckUse(write bool, what, path, workspace string) error {
	network := path == ""
	path, err := filepath.Abs(path)
	inside := func(folder string) bool { return isolation.Within(path, folder) }
	own := workspace != "" && inside(workspace) && !shared(workspace)
	for _, pin := range p {
		switch {
		case network && pin.Net == isolation.NetNone:
			return pin.refuse("%s reaches the network", what)
		case !network && slices.ContainsFunc(pin.DenyRead, inside):
			return pin.refuse("%s %s is in deny_read", what, path)
		case write && !own && !slices.ContainsFunc(pin.AllowWrite, inside):
			return pin.refuse("%s %s is neither in the workspace nor in allow_write", what, path)
		}
	}
	return err
}

// shared reports whether a folder is no workspace, whatever the environment says of where home is.
func shared(dir string) bool {
	return regular.Shared(dir, OwnHome()) != "" || isolation.Within(OwnHome(), dir)
}

// A Source is a policy that counts for a call.
type Source struct {
	File    string `json:"file"`    // policy file; "built-in rules" for the rules of devtools
	Rules   int    `json:"rules"`   // number of its rules, and words of [pty]
	Trusted bool   `json:"trusted"` // what it allows counts, or it allows nothing
}

// Sources returns the policies in the order in which they were read.
func (p *Policy) Sources() []Source {
	list := []Source{}
	for _, set := range cmp.Or(p, &Policy{}).sets {
		list = append(list, Source{set.file, len(set.rules) + len(set.pty), set.trusted || set.allowances() == nil})
	}
	return list
}

// rank returns the place of a word in a list.
func rank(list []string, word string) int { return slices.Index(list, word) }
