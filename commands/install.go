package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"devtools/man"
	"devtools/runner/guard"
	"devtools/runner/guard/isolation"
	"devtools/runner/hosts"
	"devtools/runner/track"
)

func installCommand() *cli.Command {
	return &cli.Command{
		ArgsUsage: "[agents|claude|codex|hook|mcp…]",
		Description: `Writes the skill, a page from which an agent learns devtools, to where its host
looks for it. With words it writes only these:
  agents   the skill, for hosts that read ~/.agents/skills
  claude   the skill for Claude Code; calls that only read need no permission
  codex    the same for Codex
  hook     for both: it names devtools before a command that asks or serves
  mcp      for both: the MCP server devtools mcp
What is in a file stays. A file that is no plain JSON or TOML is left alone.

EXAMPLES:
  devtools install claude hook --show
  devtools install --remove

EXIT CODE: 0; 1 a file was left alone`,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "project", Usage: "write into the current folder, not the home folder"},
			&cli.BoolFlag{Name: "show", Usage: "print what would be done, and do nothing"},
			&cli.BoolFlag{Name: "remove", Usage: "take out what was written; without a WORD, all of it"},
			&cli.BoolFlag{Name: "sandbox", Usage: "claude: pin the isolation, and leave its sandbox"},
			&cli.BoolFlag{Name: "yes", Usage: "do not ask, with --sandbox"},
		},
		ArgValidator: func(context.Context, *cli.Command) error { return nil }, // install checks them
		Action:       install,
	}
}

// An installResult is the output of install --json.
type installResult struct {
	Shown   bool          `json:"shown"`   // with --show: nothing was done
	Entries []installedAt `json:"entries"` // what was asked for, in the order in which it is written
}

// An installedAt is an entry in a file of a host.
type installedAt struct {
	Entry  string `json:"entry"`           // name of the entry
	File   string `json:"file"`            // path of the file; of the folder of the host if that is missing
	State  string `json:"state"`           // what became of it: added, there, removed, absent, left alone or no host
	Reason string `json:"reason,omitzero"` // why it was left alone
	Text   string `json:"text"`            // what the entry adds to an empty file
	What   string `json:"what"`            // what it is, for people
	Note   string `json:"note,omitzero"`   // what people should know about it
}

// chosenEntries returns the entries that the words of a call mean.
func chosenEntries(cmd *cli.Command, all []hosts.Entry) (chosen []hosts.Entry, err error) {
	words, known, remove := cmd.Args().Slice(), []string{}, cmd.Bool("remove")
	for _, e := range all {
		known = append(known, e.Words...)
		asked := slices.ContainsFunc(e.Words, func(w string) bool { return slices.Contains(words, w) || w == "" && len(words) == 0 })
		if (asked || remove && len(words) == 0) && (!e.Sandbox || cmd.Bool("sandbox")) && (e.Project != "" || !cmd.Bool("project")) {
			chosen = append(chosen, e)
		}
	}
	slices.Sort(known)
	known = slices.Compact(known)[1:] // "" is none
	for _, word := range words {
		if !slices.Contains(known, word) {
			return nil, notOneOf("install: invalid word", word, known)
		}
	}
	if cmd.Bool("sandbox") && !slices.ContainsFunc(chosen, func(e hosts.Entry) bool { return e.Sandbox }) {
		return nil, &usageError{"install: --sandbox has nothing to do here", "devtools install claude --sandbox"}
	}
	if remove {
		slices.Reverse(chosen) // what needs something else goes first
	}
	return chosen, nil
}

func install(_ context.Context, cmd *cli.Command) error {
	if err := checkFields(cmd, installResult{}); err != nil {
		return err
	}
	skill, err := man.Page(agentsPage)
	all, bad := hosts.Entries(skill)
	chosen, wrong := chosenEntries(cmd, all)
	pins, unread := pinsOf(true)
	place, homeless := installPlace(cmd)
	if err = cmp.Or(err, bad, wrong, unread, homeless); err != nil {
		return err
	}
	result, left := installResult{Shown: cmd.Bool("show"), Entries: []installedAt{}}, 0
	for _, e := range chosen {
		c := place.Plan(e, cmd.Bool("remove"))
		switch c.State {
		case hosts.Left:
			if left++; e.Format == "toml" && e.Sandbox && slices.ContainsFunc(pins, bindsAll) {
				c.State, c.Reason, left = hosts.There, "there is a pin", left-1
			}
		case hosts.Added, hosts.Removed:
			if !result.Shown {
				err = mayInstall(cmd, &c, len(pins) > 0, left)
			}
			if !result.Shown && err == nil {
				err = c.Write()
			}
		}
		if err != nil {
			return err
		}
		result.Entries = append(result.Entries, installedAt{e.Name, c.File, c.State, c.Reason, c.Text, e.What, e.Note})
	}
	if _, err := exec.LookPath("devtools"); err != nil && !cmd.Bool("remove") {
		note(cmd, "devtools is not in PATH, where the hosts look for it")
	}
	if err := show(cmd, result, installText); err != nil || left == 0 {
		return err
	}
	return &hintedError{fmt.Errorf("install: left alone: %d", left), "write it there yourself, or repair the file and repeat the call"}
}

// installPlace returns where a call writes.
func installPlace(cmd *cli.Command) (p hosts.Place, err error) {
	home, err := os.UserHomeDir()
	if err != nil || guard.UserFile() == "" {
		return p, &hintedError{errors.New("install: there is no home folder"), "set HOME to an absolute path"}
	}
	own := map[string]string{"PIN": filepath.Join(guard.OwnHome(), ".config", "devtools", guard.FileName)}
	p.Record = filepath.Join(filepath.Dir(guard.UserFile()), "installed.json")
	p.Expand = func(path string) string {
		path = os.Expand(path, func(name string) string {
			name, value, _ := strings.Cut(name, ":-")
			return cmp.Or(own[name], os.Getenv(name), value)
		})
		if rest, ok := strings.CutPrefix(path, "~"); ok {
			path = home + rest
		}
		return path
	}
	if cmd.Bool("project") {
		p.Project, err = os.Getwd()
	}
	return p, err
}

// bindsAll reports whether a pin makes all calls start everything with isolation high.
func bindsAll(p guard.Pin) bool { return p.Minimum == isolation.High && p.Profile == "" }

// mayInstall returns an error if a change must not be made: one that a pin from before this call forbids to others than a person, and one
// about a sandbox that nobody has confirmed, or without the pin that it needs. left counts what was left alone before.
func mayInstall(cmd *cli.Command, c *hosts.Change, pinned bool, left int) error {
	in, here := personAsked(cmd)
	profile, err := profileOf(cmd)
	agent := profile == profileAgent || isolation.Agent(os.Environ()) != ""
	here = here && !agent && !track.Within(os.Getpid()) // into a session, anybody may type
	if err == nil && pinned && !here {
		err = checkPinned(true, "install", c.File)
	}
	removing := c.State == hosts.Removed
	if err != nil || !c.Entry.Sandbox || removing && c.Entry.Format == "json" {
		return err
	}
	pins, err := pinsOf(true)
	switch {
	case err != nil:
		return err
	case removing && left > 0:
		return &hintedError{errors.New("install: the pin stays, because devtools is still started outside of a sandbox"), "take that out first"}
	case c.Entry.Format == "json" && !slices.ContainsFunc(pins, bindsAll):
		return &hintedError{errors.New("install: there is no pin for all calls, so the sandbox stays as it is"), "devtools help policy, THE PIN"}
	case cmd.Bool("yes") && !agent && !removing:
		return nil
	}
	confirmed := false
	if here {
		confirmed, err = readYes(in, cmd.Root().ErrWriter, c.File+": "+c.Entry.What+"\n"+c.Entry.Note+"\n"+strings.TrimSpace(c.Text))
	}
	if err == nil && !confirmed {
		err = &policyError{kind: unconfirmed, message: "install: not confirmed: " + c.Entry.What, hint: "a person types it at a terminal, not in a session or for an agent"}
	}
	return err
}

// installText prints what became of each entry, and the lines that a person asked for, or may have to write.
func installText(w io.Writer, r installResult) error {
	text := ""
	for _, e := range r.Entries {
		about := slices.DeleteFunc([]string{e.What, e.Reason, e.Note}, func(s string) bool { return s == "" || s == e.Note && e.State != hosts.Added })
		text += oneLine(e.State+": "+e.File+": "+strings.Join(about, "; ")) + "\n"
		if r.Shown || e.State == hosts.Left {
			text += strings.Trim(e.Text, "\n") + "\n"
		}
	}
	_, err := io.WriteString(w, text)
	return err
}
