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
	"devtools/runner/wire"
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

EXIT CODE: 0; 1 a file was left alone; 126 a pin or nobody's confirmation`,
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
	Shown   bool           `json:"shown"`   // with --show: nothing was done
	Entries []hosts.Change `json:"entries"` // what was asked for, in the order in which it is written
}

// chosenEntries returns the entries that the words of a call mean.
func chosenEntries(cmd *cli.Command, all []hosts.Entry) (chosen []hosts.Entry, err error) {
	words, known, remove := cmd.Args().Slice(), []string{}, cmd.Bool("remove")
	whole := remove && len(words) == 0
	if len(words) == 0 {
		words = []string{""} // the word of a call without one
	}
	for _, e := range all {
		known = append(known, e.Words...)
		asked := slices.ContainsFunc(words, func(word string) bool { return slices.Contains(e.Words, word) }) && (!e.Sandbox || cmd.Bool("sandbox"))
		if (asked || whole) && (e.Project != "" || !cmd.Bool("project")) {
			chosen = append(chosen, e)
		}
	}
	slices.Sort(known)
	for _, word := range words {
		if !slices.Contains(known, word) {
			return nil, notOneOf("install: invalid word", word, slices.Compact(known)[1:])
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
	result, remove := installResult{Shown: cmd.Bool("show"), Entries: []hosts.Change{}}, cmd.Bool("remove")
	var left []string // files
	var stopped error
	for _, e := range chosen {
		c := place.Plan(e, remove)
		if isPin(e) && !remove && slices.ContainsFunc(pins, bindsAll) {
			c.State, c.Reason = hosts.There, "there is a pin"
		}
		if c.State == hosts.Left {
			left = append(left, c.File)
		}
		if (c.State == hosts.Added || c.State == hosts.Removed) && !result.Shown {
			if stopped = mayInstall(cmd, &c, len(pins) > 0, len(left)); stopped == nil {
				stopped = c.Write()
			}
			if stopped != nil {
				break
			}
		}
		result.Entries = append(result.Entries, c)
	}
	if _, err := exec.LookPath("devtools"); err != nil && !remove {
		note(cmd, "devtools is not in PATH, where agents, hooks and hosts look for it: add its folder")
	}
	if err := show(cmd, result, installText); err != nil || stopped != nil || len(left) == 0 {
		return cmp.Or(stopped, err)
	}
	next := "write it there yourself, or repair the file and repeat the call"
	if remove {
		next = "take it out yourself"
	}
	return &hintedError{fmt.Errorf("install: left alone: %s", strings.Join(left, ", ")), next}
}

// installPlace returns where a call writes.
func installPlace(cmd *cli.Command) (p hosts.Place, err error) {
	home, err := os.UserHomeDir()
	if err != nil || !filepath.IsAbs(home) {
		return p, &hintedError{errors.New("install: there is no home folder"), "set HOME to an absolute path"}
	}
	p.Record = filepath.Join(filepath.Dir(guard.UserFile()), "installed.json")
	p.Expand = func(path string) string {
		path = os.Expand(path, func(name string) string {
			if name == "PIN" {
				return filepath.Join(guard.OwnHome(), ".config", "devtools", guard.FileName)
			}
			name, value, _ := strings.Cut(name, ":-")
			return cmp.Or(os.Getenv(name), value)
		})
		if rest, ok := strings.CutPrefix(path, "~"); ok {
			return home + rest
		}
		return path
	}
	if cmd.Bool("project") {
		p.Project, err = os.Getwd()
	}
	return p, err
}

// isPin reports whether an entry is the pin. The other one for the sandbox is what the pin is for.
func isPin(e hosts.Entry) bool { return e.Name == "pin" }

// bindsAll reports whether a pin makes all calls start everything with isolation high.
func bindsAll(p guard.Pin) bool { return p.Minimum == isolation.High && p.Profile == "" }

// mayInstall returns an error if a change must not be made: one that a pin from before this call forbids to others than a person, and one
// about a sandbox that nobody has confirmed, or without the pin that it needs. left counts what was left alone before.
func mayInstall(cmd *cli.Command, c *hosts.Change, pinned bool, left int) error {
	in, here := personAsked(cmd)
	agent := wire.ByAgent.Load() || isolation.Agent(os.Environ()) != ""
	here = here && !agent && !track.Within(os.Getpid()) // into a session, anybody may type
	if pinned && !here {
		if err := checkPinned(true, "install", c.File); err != nil {
			return err
		}
	}
	removing := c.State == hosts.Removed
	if !c.Sandbox || removing && !isPin(c.Entry) {
		return nil
	}
	pins, err := pinsOf(true)
	confirmed := cmd.Bool("yes") && !agent && !removing
	switch {
	case err != nil:
		return err
	case removing && left > 0:
		return &hintedError{errors.New("install: the pin stays, because devtools is still started outside of a sandbox"), "take that out first"}
	case !isPin(c.Entry) && !slices.ContainsFunc(pins, bindsAll):
		return &hintedError{errors.New("install: there is no pin for all calls, so the sandbox stays as it is"), "devtools help policy, THE PIN"}
	case !confirmed && here:
		confirmed, err = readYes(in, cmd.Root().ErrWriter, c.File+": "+c.What+"\n"+c.Note+"\n"+strings.TrimSpace(c.Text))
	}
	if err == nil && !confirmed {
		err = &policyError{kind: unconfirmed, message: "install: not confirmed: " + c.What, hint: "a person types it at a terminal, not in a session or for an agent"}
	}
	return err
}

// installText prints what became of each entry, and the lines that a person asked for, or may have to write.
func installText(w io.Writer, r installResult) error {
	text := ""
	for _, e := range r.Entries {
		about, done := []string{e.What}, e.State
		if e.Reason != "" {
			about = append(about, e.Reason)
		}
		if e.Note != "" && done == hosts.Added {
			about = append(about, e.Note)
		}
		planned := r.Shown && (done == hosts.Added || done == hosts.Removed)
		if planned {
			done = "would be " + done
		}
		text += oneLine(done+": "+e.File+": "+strings.Join(about, "; ")) + "\n"
		if planned || done == hosts.Left {
			text += strings.Trim(e.Text, "\n") + "\n"
		}
	}
	_, err := io.WriteString(w, text)
	return err
}
