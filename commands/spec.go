package commands

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/ledger/regular"
	"devtools/ledger/transcript"
	"devtools/runner/proc"
	"devtools/runner/wire"
	"devtools/screen"
	"devtools/stack/line"
)

// specFlags returns the flags of all commands that start a session.
func specFlags() []cli.Flag {
	return append([]cli.Flag{
		&cli.StringFlag{Name: "name", Usage: "name the session `NAME`", DefaultText: "as the program"},
		&cli.StringFlag{Name: "title", Usage: "title the session `TEXT`, one line for people"},
		&cli.StringFlag{Name: "cwd", Usage: "run the command in `DIR`"},
		&cli.StringSliceFlag{Name: "env", Aliases: []string{"e"}, Usage: "set `NAME=VALUE` in the environment; NAME: pass it on"},
		secretFlag(),
		oneOf(&cli.StringFlag{Name: "inherit-env", Usage: "inherit `WHICH` variables: all, none", Value: inheritAll}, inheritAll, inheritNone),
		oneOf(&cli.StringFlag{Name: "profile", Usage: "use settings `NAME`; agent: no pagers, editors or prompts"}, profileAgent),
		&cli.StringFlag{Name: "shell", Usage: "run the single argument as a line of `SHELL`"},
		&cli.StringFlag{Name: "max-log", Usage: "keep at most `BYTES` of output", Value: "256MiB", DefaultText: "256MiB, with --no-record 16MiB"},
		&cli.BoolFlag{Name: "no-record", Usage: "keep the output in memory alone, while the session lives"},
		oneOf(&cli.StringFlag{Name: "cgroup", Usage: "use a control group: `WHEN` is auto (if allowed) or never", Value: "auto"}, "auto", "never"),
	}, isolationFlags()...)
}

// readSpec sets the fields of s from specFlags, except for the command. The caller has set the fields about the
// terminal, and the working directory if it is not that of --cwd. The variables in preset replace inherited ones, and give
// way to those of --env.
func readSpec(cmd *cli.Command, s *wire.Spec, preset ...string) (err error) {
	if s.Dir, err = stateFolder(cmd); err != nil {
		return &startError{err}
	}
	if s.Name = cmd.String("name"); cmd.IsSet("name") {
		if err := ledger.CheckName(s.Name); err != nil {
			return err
		}
	}
	s.Title = cmd.String("title")
	if err := ledger.CheckTitle(s.Title); err != nil {
		return usagef("--title: %v: use one line of at most 200 characters", err)
	}
	if err := readRecording(cmd, s); err != nil {
		return err
	}
	group, err := choice(cmd, "cgroup")
	if err != nil {
		return err
	}
	s.NoCgroup = group == "never"
	if s.Retention, err = retention(); err != nil {
		return err
	}
	if s.Cwd == "" {
		if s.Cwd, err = workingDirectory(cmd.String("cwd")); err != nil {
			return &startError{err}
		}
	}
	s.Agent = wire.ByAgent.Load()
	pins, err := pinsOf(s.Agent)
	if err != nil {
		return err
	}
	level, err := isolationLevel(cmd, pins)
	if err != nil {
		return err
	}
	if err := readIsolation(cmd, s, level, pins); err != nil {
		return err
	}
	if err := pins.Check(s.Isolation); err != nil { // the holder does that again, and cannot tell the file and the line apart from the message
		return err
	}
	if s.Env, err = environment(cmd, s, level, preset, cmd.StringSlice("env")); err != nil {
		return err
	}
	if len(s.Withheld) > 0 { // JSON has them as withheldEnv
		note(cmd, "not passed to the command: %s (--env %s passes it)", strings.Join(s.Withheld, ", "), s.Withheld[0])
	}
	return readSecrets(cmd, s)
}

// maxUnrecorded is how much output --no-record keeps in memory by default. The 15 sessions that a workspace may have by default
// then take 240 MiB at most.
const maxUnrecorded = 16 << 20

// readRecording reads how much output is kept, and where.
func readRecording(cmd *cli.Command, s *wire.Spec) (err error) {
	if s.NoRecord = cmd.Bool("no-record"); s.NoRecord && !regular.HasMemory {
		return usagef("%s: --no-record: this system has no files in memory alone: only Linux has them", cmd.Name)
	}
	if s.MaxLog, err = byteCount(cmd, "max-log"); err != nil {
		return err
	}
	if s.MaxLog < transcript.MinMax {
		return badValue("max-log", cmd.String("max-log"), "1MiB or more")
	}
	if s.NoRecord && !cmd.IsSet("max-log") {
		s.MaxLog = maxUnrecorded
	}
	return nil
}

// readTether returns the pid of --tether, or 0 without the flag.
func readTether(cmd *cli.Command) (pid int, err error) {
	if pid = cmd.Int("tether"); pid < 0 || cmd.IsSet("tether") && pid == 0 {
		return 0, badValue("tether", pid, "the pid of a process")
	}
	return pid, nil
}

// scrollbackFlag returns the flag for the size of the scrollback.
func scrollbackFlag() cli.Flag {
	return &cli.IntFlag{Name: "scrollback", Usage: "keep `N` rows that have left the screen", DefaultText: strconv.Itoa(screen.DefaultScrollback)}
}

// readScrollback returns the value of scrollbackFlag, or nil without the flag.
func readScrollback(cmd *cli.Command) (*int, error) {
	if !cmd.IsSet("scrollback") {
		return nil, nil
	}
	n := cmd.Int("scrollback")
	if n < 0 || n > screen.MaxScrollback {
		return nil, badValue("scrollback", n, fmt.Sprintf("0 to %d rows", screen.MaxScrollback))
	}
	return &n, nil
}

// readCommand finds the program for the arguments args, or for a line of shell if that is not "". If the program cannot run, nothing is left behind.
func readCommand(cmd *cli.Command, s *wire.Spec, shell string, args []string) (err error) {
	if s.Command, err = line.Argv(args, shell, s.Cwd); err != nil {
		return usagef("%s: %v", cmd.Name, err)
	}
	return findProgram(s)
}

// findProgram finds the program of the command in s.
func findProgram(s *wire.Spec) (err error) {
	s.Path, err = proc.Lookup(s.Command[0], s.Cwd, s.Env)
	return programHint(s, err)
}

// workingDirectory returns the absolute path of dir. For "" it is the present working directory.
func workingDirectory(dir string) (string, error) {
	cwd, err := os.Getwd()
	if err != nil {
		return "", noWorkingDirectory(err)
	}
	if dir == "" {
		return cwd, proc.CheckFolder(cwd)
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(cwd, dir)
	}
	return dir, proc.CheckFolder(dir)
}

// noPagers makes programs print what they would show page by page. AWS's program takes no pager only from an empty variable.
var noPagers = []string{
	"PAGER=cat", "GIT_PAGER=cat", "MANPAGER=cat", "SYSTEMD_PAGER=cat", "GH_PAGER=cat", "GLAB_PAGER=cat", "BAT_PAGER=cat",
	"DELTA_PAGER=cat", "PSQL_PAGER=cat", "PERLDOC_PAGER=cat", "RI_PAGER=cat", "AWS_PAGER=",
}

// agentProfile keeps programs from waiting for a person who is not there, and makes what a program calls of devtools an agent's
// call. The profile has noPagers, too.
var agentProfile = []string{
	"GIT_TERMINAL_PROMPT=0", "GCM_INTERACTIVE=never", "GH_PROMPT_DISABLED=1",
	"GIT_EDITOR=true", "GIT_SEQUENCE_EDITOR=true",
	"DEBIAN_FRONTEND=noninteractive", "PIP_NO_INPUT=1", "COMPOSER_NO_INTERACTION=1", "npm_config_yes=true",
	profileVariable + "=" + profileAgent,
}

// The values of --inherit-env. With inheritNone, the command inherits no variable, and none is preset.
const (
	inheritAll  = "all"
	inheritNone = "none"
)

// environment returns the environment of the command. Of several settings of a variable, that in given counts, then that in
// preset. If the command has a terminal that no person sees, the caller's TERM does not apply. The caller's COLUMNS and LINES
// do not apply to any terminal of a session.
func environment(cmd *cli.Command, s *wire.Spec, level string, preset, given []string) ([]string, error) {
	inherit, err := choice(cmd, "inherit-env")
	if err != nil {
		return nil, err
	}
	given, err = passedOn(cmd, given)
	if err != nil {
		return nil, err
	}
	profile, err := givenProfile(cmd)
	if err != nil {
		return nil, err
	}
	inherited, set := os.Environ(), slices.Clip(preset)
	switch {
	case inherit == inheritNone:
		inherited, set = nil, nil
	case profile == profileAgent:
		inherited = withhold(s, level, inherited, given)
	}
	switch {
	case s.NoTerminal:
	case !s.Viewed:
		set = append(set, "TERM=xterm-256color")
	case inherit == inheritNone:
		set = append(set, "TERM="+os.Getenv("TERM")) // that of the terminal that shows the session
	}
	if profile == profileAgent {
		set = append(append(set, noPagers...), agentProfile...)
	}
	if slices.ContainsFunc(given, func(pair string) bool { return strings.HasPrefix(pair, "PAGER=") }) {
		set = slices.DeleteFunc(set, func(pair string) bool { return slices.Contains(noPagers, pair) }) // it is for all programs
	}
	set = append(set, "PWD="+s.Cwd)
	set = append(set, given...)
	if isAgent(cmd, profile) {
		root, _ := judgedWorkspace(s.Dir)
		set = append(set, rootVariable+"="+cmp.Or(os.Getenv(rootVariable), root))
		s.OwnHistory = true
	}
	env := make([]string, 0, len(inherited)+len(set))
	for _, pair := range append(inherited, set...) {
		name, _, _ := strings.Cut(pair, "=")
		if !s.NoTerminal && (name == "COLUMNS" || name == "LINES") && !slices.Contains(set, pair) {
			continue
		}
		env = append(env, pair)
	}
	return lastOfEach(env), nil
}

// passedOn returns the values of --env as NAME=VALUE: NAME alone is the variable of the caller.
func passedOn(cmd *cli.Command, given []string) (pairs []string, err error) {
	for _, pair := range given {
		name, _, ok := strings.Cut(pair, "=")
		value, set := "", false
		if !ok {
			if value, set = os.LookupEnv(name); set {
				pair = name + "=" + value
			}
		}
		if name == "" || !ok && !set {
			return nil, badVariable(cmd, pair)
		}
		pairs = append(pairs, pair)
	}
	return pairs, nil
}

// badVariable returns the error for a value of --env, which may be the name of a variable that is not set. Other watchers take -e for
// file name extensions.
func badVariable(cmd *cli.Command, pair string) error {
	err := &usageError{message: fmt.Sprintf("--env: invalid value %q: use NAME=VALUE", pair)}
	if pair != "" && strings.Trim(pair, variableCharacters) == "" {
		err.message = fmt.Sprintf("--env %s: the variable is not set: use %[1]s=VALUE", pair)
	}
	if cmd.Name == "watch" {
		err.hint = "--ext chooses files by their endings: --ext " + cmp.Or(pair, "EXT")
	}
	return err
}

// lastOfEach keeps only the last setting of each variable.
func lastOfEach(env []string) []string {
	last := make(map[string]int, len(env))
	for i, pair := range env {
		name, _, _ := strings.Cut(pair, "=")
		last[name] = i
	}
	kept := env[:0]
	for i, pair := range env {
		name, _, _ := strings.Cut(pair, "=")
		if last[name] == i {
			kept = append(kept, pair)
		}
	}
	return kept
}
