package commands

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/runner/guard"
	"devtools/runner/guard/isolation"
	"devtools/runner/proc"
	"devtools/runner/track"
	"devtools/stack"
)

// The profile of agents, and the variable that sets it for all calls. With profileNone in it, no agent is recognised.
const (
	profileAgent    = "agent"
	profileNone     = "none"
	profileVariable = "DEVTOOLS_PROFILE"
)

// rootVariable has the folder of the workspace in the sessions that an agent starts: what its commands call of devtools is judged with
// it, wherever they go.
const rootVariable = "DEVTOOLS_ROOT"

// calledIn is the folder in which the call was made, if -C has changed the working directory.
var calledIn string

// profileOf returns profileAgent for the call of an agent, and otherwise "". An agent has the profile, or is recognised.
func profileOf(cmd *cli.Command) (string, error) {
	name, err := givenProfile(cmd)
	if err != nil || !isAgent(cmd, name) {
		return "", err
	}
	return profileAgent, nil
}

// givenProfile returns the profile that a call has been given: "", profileNone or profileAgent. The flag --profile counts more than the
// variable.
func givenProfile(cmd *cli.Command) (string, error) {
	if cmd.IsSet("profile") {
		return choice(cmd, "profile")
	}
	name, all := os.Getenv(profileVariable), []string{profileAgent, profileNone}
	if name != "" && !slices.Contains(all, name) {
		return "", notOneOf(profileVariable+": invalid value", name, all)
	}
	return name, nil
}

// isAgent reports whether an agent makes a call with the profile. Without one, an agent is recognised by its variables, unless a person
// is at the terminal of standard input. Anybody may type into that of a session.
func isAgent(cmd *cli.Command, profile string) bool {
	if profile != "" {
		return profile == profileAgent
	}
	in, _ := cmd.Root().Reader.(*os.File)
	return isolation.Agent(os.Environ()) != "" && (os.Getenv(track.Variable) != "" || !isTerminal(in))
}

// yesFlag returns the flag that confirms a call for which the policy wants a confirmation.
func yesFlag() cli.Flag {
	return &cli.BoolFlag{Name: "yes", Usage: "confirm what the policy wants confirmed"}
}

// judge asks the policy of the user, and that in the state folder at path, about a call. It has a person confirm what is to be
// confirmed. Each command calls it before it starts, types or ends anything. calls returns what the command is about to do; it is
// called only if there is a policy. The error is a *policyError if the call may not be done.
func judge(cmd *cli.Command, path string, calls func() []guard.Call) error {
	_, err := judgeAsked(cmd, path, calls)
	return err
}

// judgeAsked works as judge, and reports whether a person was asked.
func judgeAsked(cmd *cli.Command, path string, calls func() []guard.Call) (asked bool, err error) {
	profile, err := profileOf(cmd)
	if err != nil {
		return false, err
	}
	c, err := question(cmd, path, profile, calls)
	if err != nil {
		return false, err
	}
	if c.warning != "" && len(c.about) > 0 {
		note(cmd, "%s", c.warning)
	}
	if asked, err = c.ask(cmd); !asked || err != nil {
		return asked, err
	}
	now, err := question(cmd, path, profile, calls) // files and sessions may have changed while the person read
	if err != nil {
		return true, err
	}
	return true, c.covers(cmd, now)
}

// question asks the policies about calls, and returns what a person is to confirm. The error is a *policyError if one of the calls
// is forbidden.
func question(cmd *cli.Command, path, profile string, calls func() []guard.Call) (c confirmation, err error) {
	policy, err := loadPolicy(path, profile)
	if policy == nil || err != nil {
		return c, err
	}
	c = confirmation{state: path, agent: profile == profileAgent, warning: policy.Warning()}
	workspace, shared := judgedWorkspace(path)
	list := calls()
	mask := knownMatcher().String // made once for all of them
	for _, call := range list {
		call.Workspace, call.Shared, call.Mask = workspace, shared, mask
		verdict, commands := policy.Explain(call)
		verdict.Command = mask(verdict.Command)
		if verdict.Action == guard.Deny {
			message := cmd.Name + ": forbidden by the policy: " + verdictText(briefly(verdict))
			return c, &policyError{kind: forbidden, verdict: verdict, message: message, hint: c.checkHint(call.Kind) + "; to allow it, change " + placeOf(verdict)}
		}
		if verdict.Action == guard.Confirm {
			c.add(call, verdict, commands)
		}
	}
	return c, nil
}

// loadPolicy reads the policies for calls about the state folder at path. The policy is nil if there is none.
func loadPolicy(path, profile string) (*guard.Policy, error) {
	policy, err := guard.Load(guard.UserFile(), ledger.PolicyFile(path), profile == profileAgent)
	if err == nil {
		return policy, nil
	}
	if _, unsafe := ledger.Open(path); errors.Is(unsafe, ledger.ErrUnsafe) { // the policy is not what is wrong
		return nil, unsafe
	}
	return nil, badPolicy(err)
}

// judgedWorkspace returns the folder of the workspace to which the state folder at path belongs. A state folder of another name may be
// anywhere: then it is the workspace of the working directory. That of rootVariable counts more, and with -C that of the folder in which
// the call was made, if it is a project. shared says that the folder is no project: nothing is inside of it.
func judgedWorkspace(path string) (dir string, shared bool) {
	if root := os.Getenv(rootVariable); filepath.IsAbs(root) && proc.CheckFolder(root) == nil {
		return root, !isProject(root)
	}
	if dir = filepath.Dir(ledger.Find(calledIn)); calledIn != "" && isProject(dir) {
		return dir, false
	}
	if filepath.Base(path) != ledger.FolderName {
		cwd, err := os.Getwd()
		if err != nil {
			return "", false
		}
		path = ledger.Find(cwd)
	}
	dir = filepath.Dir(path)
	return dir, !isProject(dir)
}

// isProject reports whether a folder belongs to a project: it has a state folder, or version control or a manifest at it or above it.
func isProject(dir string) bool {
	home, _ := os.UserHomeDir() // without a home folder no folder is one
	_, err := os.Lstat(ledger.Find(dir))
	return sharedFolder(dir) == "" && (err == nil || stack.InProject(dir, home))
}

// badPolicy returns the error for a policy that cannot be read.
func badPolicy(err error) error {
	p := &policyError{kind: brokenRules, message: "the policy cannot be read: " + err.Error(), hint: "correct or remove that file: until then nothing is done here"}
	if errors.Is(err, fs.ErrPermission) { // as with the home folder of another user
		p.hint = "make that file your own, or set XDG_CONFIG_HOME to a folder of your own"
	}
	if wrong, ok := errors.AsType[*guard.FileError](err); ok {
		p.message = "the policy has a mistake: " + err.Error()
		p.verdict.File, p.verdict.Line = wrong.File, wrong.Line
	}
	return p
}

// The kinds of a policyError.
const (
	forbidden   = "forbidden"   // a rule denies the call
	unconfirmed = "unconfirmed" // a rule wants a confirmation, and there was none
	brokenRules = "bad_policy"  // a policy file cannot be read
)

// A policyError says that a policy does not let a call be done.
type policyError struct {
	kind    string
	verdict guard.Verdict
	message string
	hint    string
	id      string // of the question that was kept, "" for none
}

func (e *policyError) Error() string { return e.message }

// isPolicyError returns what reports whether an error is a policyError of a kind.
func isPolicyError(kind string) func(error) bool {
	return func(err error) bool {
		p, ok := errors.AsType[*policyError](err)
		return ok && p.kind == kind
	}
}

// verdictText says what a verdict is about: the command, the rule, its place and its reason.
func verdictText(v guard.Verdict) string {
	var parts []string
	if v.Command != "" {
		parts = append(parts, strings.TrimSpace(v.Command))
	}
	if v.Rule != "" {
		parts = append(parts, fmt.Sprintf("rule %q (%s)", v.Rule, placeOf(v)))
	}
	if v.Reason != "" {
		parts = append(parts, v.Reason)
	}
	return strings.Join(parts, ": ")
}

// briefly returns the verdict with as much of its command as a message shows. Secrets are masked in it already.
func briefly(v guard.Verdict) guard.Verdict {
	v.Command = shortCommand(v.Command)
	return v
}

// lineOf returns the line of the rule of a verdict in its file. The built-in rules have no file that anybody could open.
func lineOf(v guard.Verdict) int {
	if v.File == guard.BuiltIn {
		return 0
	}
	return v.Line
}

// placeOf returns where the rule of a verdict stands: FILE:LINE.
func placeOf(v guard.Verdict) string {
	if lineOf(v) == 0 {
		return v.File
	}
	return fmt.Sprintf("%s:%d", v.File, v.Line)
}

// mostShown is how many characters of a command are shown in a message.
const mostShown = 300

// shortCommand returns the beginning and the end of a text that is too long for a message. Secrets must be masked in it before: of one
// that is cut, nobody would find the rest.
func shortCommand(text string) string {
	r := []rune(strings.TrimSpace(text))
	if len(r) <= mostShown {
		return string(r)
	}
	return string(r[:mostShown/2]) + " … " + string(r[len(r)-mostShown/2:])
}
