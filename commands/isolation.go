package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/ledger/regular"
	"devtools/runner/guard"
	"devtools/runner/guard/isolation"
	"devtools/runner/proc"
	"devtools/runner/wire"
)

// isolationVariable sets the level of calls without --isolation.
const isolationVariable = "DEVTOOLS_ISOLATION"

// isolationFlags returns the flags about what a session can reach.
func isolationFlags() []cli.Flag {
	return []cli.Flag{
		oneOf(&cli.StringFlag{Name: "isolation", Usage: "`LEVEL` of isolation: none, basic, medium or high", DefaultText: isolation.Medium}, isolation.Levels...),
		&cli.StringFlag{Name: "workspace", Usage: "the workspace is `DIR`, not the folder with .devtools"},
		&cli.StringSliceFlag{Name: "allow-write", Usage: "at the level high, let the command write to `PATH`, too"},
		oneOf(&cli.StringFlag{Name: "net", Usage: "`ACCESS` to the network at the level high: none, connect, all", DefaultText: isolation.NetAll}, isolation.Nets...),
	}
}

// isolationLevel returns the level that the command line asks for, or the environment, or pins.
func isolationLevel(cmd *cli.Command, pins guard.Pins) (string, error) {
	if cmd.IsSet("isolation") {
		return choice(cmd, "isolation")
	}
	usual := map[bool]string{true: isolation.Medium, false: isolation.High}[pins.Check(nil) == nil]
	level := cmp.Or(os.Getenv(isolationVariable), usual)
	if !slices.Contains(isolation.Levels, level) {
		return "", usagef("%s: invalid value %q: use none, basic, medium or high", isolationVariable, level)
	}
	return level, nil
}

// pinsOf returns the pins that hold for a call, which may be that of an agent.
func pinsOf(agent bool) (guard.Pins, error) {
	pins, err := guard.LoadPins(agent)
	if err != nil {
		err = badPolicy(err)
	}
	return pins, err
}

// checkPinned returns an error if pins let no session of the folder in which this call was made do what devtools would do for its caller,
// as guard.Pins.CheckUse.
func checkPinned(write bool, what, path string) error {
	pins, err := pinsOf(wire.ByAgent.Load())
	if err != nil || len(pins) == 0 {
		return err
	}
	cwd, _ := os.Getwd() // "" if that folder is gone: nothing is inside of it
	return pins.CheckUse(write, what, path, filepath.Dir(ledger.Find(cmp.Or(calledIn, cwd))))
}

// keepToPins is the Before of each command: pins hold for the files that its flags name. No variable denies to them that this is the
// call of an agent.
func keepToPins(ctx context.Context, cmd *cli.Command) (context.Context, error) {
	profile, _ := givenProfile(cmd) // the command says what is wrong
	wire.ByAgent.Store(profile == profileAgent || isAgent(cmd, ""))
	for _, flag := range []string{"C", "dir", "workspace", "output", "export", "answer-file"} {
		path := cmd.String(flag)
		if flag == "C" && path != "" {
			path = "." // this call has gone there
		}
		if path != "" && path != "-" {
			if err := checkPinned(flag != "answer-file", dash(flag), path); err != nil {
				return ctx, err
			}
		}
	}
	return ctx, nil
}

// readIsolation sets the isolation of s, whose working directory and level are known.
func readIsolation(cmd *cli.Command, s *wire.Spec, level string, pins guard.Pins) error {
	if flag := firstGiven(cmd, []string{"allow-write", "net"}); flag != "" && level != isolation.High {
		return usagef("%s: %s needs --isolation high: the level is %s", cmd.Name, dash(flag), level)
	}
	if cmd.IsSet("workspace") && level == isolation.None {
		return usagef("%s: --workspace cannot be used with --isolation none: nothing is checked", cmd.Name)
	}
	given := cmd.String("cwd")
	relative := level != isolation.None && given != "" && !filepath.IsAbs(given)
	if level != isolation.High && !relative && !cmd.IsSet("workspace") {
		s.Isolation = rulesOf(level)
		return nil
	}
	workspace, err := workspaceOf(cmd)
	if err != nil {
		return err
	}
	if relative {
		if err := checkWithin("--cwd", given, s.Cwd, workspace); err != nil {
			return err
		}
	}
	if s.Isolation = rulesOf(level); level != isolation.High {
		return nil
	}
	if err := checkInput(cmd, s); err != nil {
		return err
	}
	return readHigh(cmd, s.Isolation, workspace, pins)
}

// checkWithin returns an error if the folder cwd, which is given as a relative path in what, is not in the workspace.
func checkWithin(what, given, cwd, workspace string) error {
	if isolation.Within(cwd, workspace) {
		return nil
	}
	return &usageError{
		fmt.Sprintf("%s: %s leaves the workspace %s", what, given, workspace),
		"give an absolute path, or name another workspace with --workspace DIR",
	}
}

// checkInput returns an error if the program at the level high would get a folder as standard input: from there it could reach all
// files.
func checkInput(cmd *cli.Command, s *wire.Spec) error {
	file, ok := cmd.Root().Reader.(*os.File)
	if !s.Stdin || !ok {
		return nil
	}
	if info, err := file.Stat(); err == nil && info.IsDir() {
		return usagef("%s: --stdin: standard input is a folder, through which --isolation high could be left: give a file or a pipe", cmd.Name)
	}
	return nil
}

// rulesOf returns the rules of a level, which are nil for the usual one.
func rulesOf(level string) *isolation.Rules {
	if level == isolation.Medium {
		return nil
	}
	return &isolation.Rules{Level: level}
}

// workspaceOf returns the folder that --workspace names, or that has the state folder which is found from the working directory.
func workspaceOf(cmd *cli.Command) (string, error) {
	cwd, err := workingDirectory("")
	if err != nil {
		return "", &startError{err}
	}
	workspace := cmd.String("workspace")
	if workspace == "" {
		return filepath.Dir(ledger.Find(cwd)), nil
	}
	if !filepath.IsAbs(workspace) {
		workspace = filepath.Join(cwd, workspace)
	}
	if err := proc.CheckFolder(workspace); err != nil {
		return "", usagef("--workspace: %v", err)
	}
	return filepath.Clean(workspace), nil
}

// readHigh sets the rules that only the level high has.
func readHigh(cmd *cli.Command, r *isolation.Rules, workspace string, pins guard.Pins) (err error) {
	r.Workspace, r.Net = isolation.Resolve(workspace), isolation.NetAll
	pins.Complete(r)
	if cmd.IsSet("net") {
		if r.Net, err = choice(cmd, "net"); err != nil {
			return err
		}
	}
	if err := checkWorkspace(cmd, workspace); err != nil {
		return err
	}
	for _, path := range cmd.StringSlice("allow-write") {
		absolute, err := filepath.Abs(path)
		if err != nil {
			return &startError{noWorkingDirectory(err)}
		}
		if _, err := os.Stat(absolute); err != nil {
			return usagef("%v", fileError("--allow-write", path, err))
		}
		if isolation.Resolve(absolute) == "/" {
			return &usageError{"--allow-write: this is the whole file system", "--isolation medium limits no writing"}
		}
		if err := checkLink("--allow-write", path, absolute, workspace); err != nil {
			return err
		}
		r.AllowWrite = append(r.AllowWrite, isolation.Resolve(absolute))
	}
	r.KeptVariables = variableNames(cmd.StringSlice("env"))
	if cwd, err := os.Getwd(); err != nil || r.Workspace != isolation.Resolve(cwd) { // it is not what everybody expects
		note(cmd, "the command can write to: %s; to TMPDIR and caches of its own", strings.Join(writable(r), ", "))
	}
	return nil
}

// writable returns the files and folders that the rules allow to write to.
func writable(r *isolation.Rules) (list []string) {
	for _, path := range append([]string{r.Workspace}, r.AllowWrite...) {
		list = append(list, proc.Quote(path))
	}
	return list
}

// checkWorkspace returns an error if a session at the level high should not write to the workspace.
func checkWorkspace(cmd *cli.Command, workspace string) error {
	if isolation.Resolve(workspace) == "/" {
		return &usageError{"--isolation high: the workspace is the whole file system", "name a folder with --workspace DIR"}
	}
	if given := cmd.String("workspace"); given != "" {
		cwd, err := workingDirectory("")
		if err != nil {
			return &startError{err}
		}
		return checkLink("--workspace", given, workspace, filepath.Dir(ledger.Find(cwd)))
	}
	what := sharedFolder(workspace)
	if home, err := os.UserHomeDir(); err == nil && isolation.Within(home, workspace) {
		what = "with your home folder: a command could change your start-up files there"
	}
	if what != "" {
		return &usageError{fmt.Sprintf("--isolation high: the workspace is %s, %s", workspace, what), "name the folder of the project with --workspace DIR"}
	}
	return nil
}

// sharedFolder works as regular.Shared, and also sees through links.
func sharedFolder(dir string) string {
	home, _ := os.UserHomeDir() // without a home folder no folder is one
	return cmp.Or(regular.Shared(dir, home), regular.Shared(isolation.Resolve(dir), isolation.Resolve(home)))
}

// checkLink returns an error if the path that a flag gives leads out of the workspace by a link in it: an isolated command may have made
// that link.
func checkLink(flag, given, absolute, workspace string) error {
	target := isolation.Resolve(absolute)
	if relative, err := filepath.Rel(workspace, absolute); err != nil || !filepath.IsLocal(relative) || isolation.Within(target, workspace) {
		return nil
	}
	return &usageError{
		fmt.Sprintf("%s %s: a link in the workspace leads to %s", flag, given, target),
		fmt.Sprintf("give its target, if you mean that: %s %s", flag, proc.Quote(target)),
	}
}

// withhold takes what seems to be secret out of the variables that the program of an agent inherits, and notes in s which those are.
func withhold(s *wire.Spec, level string, inherited, given []string) (rest []string) {
	if level != isolation.Medium && level != isolation.High {
		return inherited
	}
	rest, s.Withheld = isolation.WithoutSecrets(inherited, variableNames(given))
	return rest
}

// variableNames returns the names of variables.
func variableNames(pairs []string) (list []string) {
	for _, pair := range pairs {
		name, _, _ := strings.Cut(pair, "=")
		list = append(list, name)
	}
	return list
}

// isIsolated reports whether a call has failed because it runs in a session of the level high.
func isIsolated(err error) bool {
	return (errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.EROFS)) && isolation.Inside()
}
