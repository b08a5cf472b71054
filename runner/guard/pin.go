package guard

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"devtools/ledger/regular"
	"devtools/runner/guard/isolation"
)

// MachineFile is the policy of the machine, whose rules nobody lifts.
const MachineFile = "/etc/devtools/" + FileName

// A Pin is the table [isolation] of the machine's policy, or of the user's own: below it goes no call, whatever is on its command line
// and in its environment.
type Pin struct {
	Minimum    string   `toml:"minimum" json:"minimum"`        // weakest level of isolation: medium or high
	Net        string   `toml:"net" json:"net,omitzero"`       // most that a session may do in the network: none, connect or all
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

// OwnHome returns the home folder of this user in passwd(5), which no variable changes, or "".
func OwnHome() string {
	if u, err := user.LookupId(strconv.Itoa(os.Getuid())); err == nil && filepath.IsAbs(u.HomeDir) {
		return u.HomeDir
	}
	return ""
}

// pinFiles returns the files that may have a pin, without links.
func pinFiles() []string {
	files := []string{MachineFile}
	if home := OwnHome(); home != "" {
		files = append(files, filepath.Join(home, ".config", "devtools", FileName))
	}
	return files
}

// LoadPins returns the pins that hold for a call, which may be that of an agent. Each error must stop the call.
func LoadPins(agent bool) (Pins, error) {
	pins := Pins{}
	for _, path := range pinFiles() {
		set, err := loadPinned(path)
		if err != nil {
			return nil, err
		}
		if set != nil && set.pin != nil && (set.pin.Profile == "" || agent) {
			pins = append(pins, *set.pin)
		}
	}
	return pins, nil
}

// loadPinned reads a file that may have a pin, nil if there is none. It must be that of root, or of this user.
func loadPinned(path string) (*ruleSet, error) {
	data, foreign, err := readUser(path)
	if errors.Is(err, syscall.ENOTDIR) { // as with the home folder /dev/null
		return nil, nil
	}
	if path == MachineFile && data != nil && err == nil {
		foreign = errors.Join(checkRoot(path), checkRoot(filepath.Dir(path)))
	}
	if err != nil || foreign != nil || data == nil {
		return nil, errors.Join(err, foreign)
	}
	set, err := parsePolicy(path, data)
	return &set, err
}

// CheckPins returns the pins of now that hold for a call, and an error if a session with the rules could do more than they allow.
func CheckPins(agent bool, r *isolation.Rules) (Pins, error) {
	pins, err := LoadPins(agent)
	if err == nil {
		err = pins.Check(r)
	}
	return pins, err
}

// check completes a pin that was read from the text of a file.
func (p *Pin) check(path string, text []byte) error {
	p.File = path
	for l := range bytes.Lines(text) {
		if p.Line++; bytes.HasPrefix(bytes.Trim(l, " \t["), []byte("isolation")) {
			break
		}
	}
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

// Level returns the weakest level that the pins allow, "" without any.
func (p Pins) Level() (level string) {
	for _, pin := range p {
		level = isolation.Levels[max(rank(isolation.Levels, level), rank(isolation.Levels, pin.Minimum))]
	}
	return level
}

// Complete sets what the pins say of rules of the level high: the network, unless the caller has chosen it, and the files.
func (p Pins) Complete(r *isolation.Rules, chosen bool) {
	for _, pin := range p {
		if !chosen && pin.Net != "" && rank(isolation.Nets, pin.Net) < rank(isolation.Nets, r.Net) {
			r.Net = pin.Net
		}
		r.DenyRead = append(r.DenyRead, pin.DenyRead...)
		for _, path := range pin.AllowWrite {
			if _, err := os.Stat(path); err == nil && p.CheckWrite("", path, "") == nil {
				r.AllowWrite = append(r.AllowWrite, path)
			}
		}
	}
}

// Check returns isolation.ErrPinned if a session with the rules could do more than the pins allow.
func (p Pins) Check(r *isolation.Rules) error {
	level := isolation.LevelOf(r)
	for _, pin := range p {
		switch missing := func(path string) bool { return !slices.Contains(r.DenyRead, path) }; {
		case rank(isolation.Levels, level) < rank(isolation.Levels, pin.Minimum):
			return pin.refuse("it is %s at least, and here it is %s", pin.Minimum, level)
		case pin.Minimum != isolation.High:
		case pin.Net != "" && rank(isolation.Nets, r.Net) > rank(isolation.Nets, pin.Net):
			return pin.refuse("the network is %s at most, and here it is %s", pin.Net, r.Net)
		case slices.ContainsFunc(pin.DenyRead, missing):
			return pin.refuse("deny_read is not in force here")
		case slices.ContainsFunc(pin.DenyRead, func(path string) bool { return isolation.Within(r.Workspace, path) }):
			return pin.refuse("the workspace %s is in deny_read", r.Workspace)
		case shared(r.Workspace):
			return pin.refuse("the workspace %s is no folder of one project", r.Workspace)
		}
	}
	if level != isolation.High {
		return nil
	}
	for _, path := range r.AllowWrite {
		if err := p.CheckWrite("--allow-write", path, ""); err != nil {
			return err
		}
	}
	return nil
}

// CheckWrite returns isolation.ErrPinned if a path is neither in the workspace nor in a folder that the pins let be written. flag names it.
func (p Pins) CheckWrite(flag, path, workspace string) error {
	path, err := filepath.Abs(path)
	for _, pin := range p {
		inside := func(folder string) bool { return isolation.Within(path, folder) }
		if (workspace == "" || shared(workspace) || !inside(workspace)) && !slices.ContainsFunc(pin.AllowWrite, inside) {
			return pin.refuse("%s %s is neither in the workspace nor in allow_write", flag, path)
		}
	}
	return err
}

// CheckRead returns isolation.ErrPinned if devtools would read for its caller what the pins let no session see.
func (p Pins) CheckRead(flag, path string) error {
	path, err := filepath.Abs(path)
	for _, pin := range p {
		if slices.ContainsFunc(pin.DenyRead, func(folder string) bool { return isolation.Within(path, folder) }) {
			return pin.refuse("%s %s is in deny_read", flag, path)
		}
	}
	return err
}

// CheckConnect returns isolation.ErrPinned if the pins let no session reach the network. what would have devtools reach it.
func (p Pins) CheckConnect(what string) error {
	for _, pin := range p {
		if pin.Net == isolation.NetNone {
			return pin.refuse("%s reaches the network", what)
		}
	}
	return nil
}

// shared reports whether a folder is no workspace, whatever the environment says of where home is.
func shared(dir string) bool {
	home := OwnHome()
	return regular.Shared(dir, home) != "" || home != "" && isolation.Within(home, dir)
}

// A Source is a policy that counts for a call.
type Source struct {
	File    string `json:"file"`    // policy file; "built-in rules" for the rules of devtools
	Rules   int    `json:"rules"`   // number of its rules, and words of [pty]
	Trusted bool   `json:"trusted"` // what it allows counts
}

// Sources returns the policies in the order in which they were read.
func (p *Policy) Sources() []Source {
	list := []Source{}
	if p != nil {
		for _, set := range p.sets {
			list = append(list, Source{set.file, len(set.rules) + len(set.pty), set.trusted})
		}
	}
	return list
}

// rank returns the place of a word in a list.
func rank(list []string, word string) int { return slices.Index(list, word) }
