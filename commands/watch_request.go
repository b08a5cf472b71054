package commands

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"devtools/runner/proc"
	"devtools/runner/watch"
	"devtools/runner/wire"
	"devtools/stack"
	"devtools/stack/files"
)

// readWatchProgram reads what to build and what to run, and what to do about a change while the program runs.
func readWatchProgram(ctx context.Context, cmd *cli.Command, c *watch.Config) error {
	s := &c.Program
	s.Size = sizeOf(cmd.Root().Writer)
	s.Leftovers, s.Grace = wire.LeftoversReport, 0
	var err error
	if s.Tether, err = readTether(cmd); err != nil {
		return err
	}
	args := cmd.Args().Slice()
	if cmd.IsSet("stack") {
		found, err := findStackCommand(ctx, cmd, s)
		if err != nil {
			return err
		}
		args = found.Argv
		if len(c.Ready) == 0 {
			c.Ready = found.anyOf()
		}
	}
	if err := readSpec(cmd, s); err != nil {
		return err
	}
	if line := cmd.String("build"); cmd.IsSet("build") {
		if strings.TrimSpace(line) == "" {
			return usagef("--build: the line is empty: leave out --build if there is nothing to build")
		}
		build := *s
		build.Name, build.Base, build.Title, build.Tether, build.Foreground = "", "", "", 0, true
		if err := readCommand(cmd, &build, cmd.String("shell"), []string{line}); err != nil {
			return fmt.Errorf("--build: %w", err)
		}
		c.Build = &build
	}
	verdict := classifyCommand(args, s.Cwd)
	if err := readProgram(cmd, c, args); err != nil {
		return err
	}
	if c.Build != nil {
		c.Build.Base = wire.NameOf(*s) + "-build"
	}
	c.Server = verdict.Class.Long() || verdict.Class == stack.Unknown || len(c.Ready) > 0
	if !c.Server && verdict.Confidence == stack.Low && !cmd.IsSet("on-busy") {
		c.Hint = fmt.Sprintf("the command probably ends by itself (%s), so changes wait for its end: --on-busy restart or --ready changes that",
			strings.TrimSuffix(verdict.Reason, "."))
	}
	if verdict.Class == stack.Watcher {
		c.Hint = "the command itself watches files: " + strings.TrimSuffix(verdict.Reason, ".")
	}
	if c.Hint != "" {
		note(cmd, "%s", c.Hint) // with --json it is in the first event
	}
	return readOnBusy(cmd, c)
}

// readProgram finds the program. If the build has yet to make the program, it need not exist, but its path must be
// known.
func readProgram(cmd *cli.Command, c *watch.Config, args []string) error {
	err := readCommand(cmd, &c.Program, cmd.String("shell"), args)
	first := ""
	if len(c.Program.Command) > 0 {
		first = c.Program.Command[0]
	}
	if err == nil || c.Build == nil || !strings.ContainsRune(first, os.PathSeparator) {
		return err
	}
	if c.Program.Path = first; !filepath.IsAbs(first) {
		c.Program.Path = filepath.Join(c.Program.Cwd, first)
	}
	return nil
}

func readOnBusy(cmd *cli.Command, c *watch.Config) error {
	c.OnBusy = watch.BusyQueue
	if c.Server {
		c.OnBusy = watch.BusyRestart
	}
	if !cmd.IsSet("on-busy") {
		return nil
	}
	kind, name, named := strings.Cut(cmd.String("on-busy"), ":")
	switch kind {
	case watch.BusyRestart, watch.BusyQueue, watch.BusyIgnore:
		if named {
			return badValue("on-busy", cmd.String("on-busy"), kind)
		}
	case watch.BusySignal:
		c.BusySignal = strings.TrimPrefix(strings.ToUpper(name), "SIG")
		if _, err := proc.ParseSignal(c.BusySignal); err != nil {
			return badSignal(fmt.Sprintf("--on-busy: invalid value %q", cmd.String("on-busy")), c.BusySignal, err)
		}
	default:
		_, err := choice(cmd, "on-busy")
		return err
	}
	c.OnBusy = kind
	return nil
}

// readSources reads what is watched.
func readSources(cmd *cli.Command) (s watch.Sources, err error) {
	if s.Base, err = workingDirectory(""); err != nil {
		return s, &startError{err}
	}
	if real, err := filepath.EvalSymlinks(s.Base); err == nil {
		s.Base = real
	}
	home, _ := os.UserHomeDir() // without a home folder there are no git settings to apply
	s.Rules = files.RuleOptions{
		NoGit: cmd.Bool("no-gitignore"), BuiltIns: files.BuiltInPatterns(), Home: home,
		Ignore: cmd.StringSlice("ignore"), Include: cmd.StringSlice("include"),
	}
	if cmd.Bool("no-builtins") {
		s.Rules.BuiltIns = nil
	}
	for _, path := range cmd.StringSlice("path") {
		if !filepath.IsAbs(path) {
			path = filepath.Join(s.Base, path)
		}
		if _, err := os.Stat(path); err != nil {
			return s, fmt.Errorf("--path: %w", err)
		}
		if path = filepath.Clean(path); !slices.Contains(s.Paths, path) {
			s.Paths = append(s.Paths, path)
		}
	}
	for _, ext := range cmd.StringSlice("ext") {
		for one := range strings.SplitSeq(ext, ",") {
			one = strings.TrimPrefix(strings.TrimSpace(one), ".")
			if one == "" {
				return s, badValue("ext", ext, "extensions such as go or go,mod")
			}
			s.Ext = append(s.Ext, "."+one)
		}
	}
	s.Follow, s.Poll = cmd.Bool("follow"), cmd.Bool("poll")
	for _, w := range []io.Writer{cmd.Root().Writer, cmd.Root().ErrWriter} {
		if file, ok := w.(*os.File); ok {
			if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
				s.Own = append(s.Own, info)
			}
		}
	}
	return s, nil
}

// identify gives the watch an id. The id is the same for the same command in the same folder. The field Setup
// identifies everything else that was asked for.
func identify(cmd *cli.Command, c *watch.Config) {
	sum := func(parts ...any) string {
		h := fnv.New64a()
		_ = json.NewEncoder(h).Encode(parts) // strings and numbers never fail to encode
		return fmt.Sprintf("%016x", h.Sum64())
	}
	secrets := matcher(c.Program.Secrets) // no file has a sum of them
	unnamed := c.Program
	unnamed.Command = secrets.List(unnamed.Command)
	unnamed.Name = "" // a watch with another name can have the same program
	c.ID = wire.NameOf(unnamed) + "-" + sum(c.Program.Cwd, unnamed.Command, c.Sources.Base)[:10]
	build := []string{}
	if c.Build != nil {
		build = secrets.List(c.Build.Command)
	}
	o := c.Sources.Rules
	profile, _ := givenProfile(cmd) // its value was checked before
	c.Setup = sum(
		build, c.Program.Name, secrets.String(c.Program.Title), append(secrets.List(cmd.StringSlice("env")), cmd.StringSlice("secret")...), cmd.StringSlice("ready"), profile, cmd.String("inherit-env"), cmd.String("cgroup"), c.Program.NoRecord, c.Program.Isolation,
		c.Sources.Paths, c.Sources.Ext, c.Sources.Follow, o.Ignore, o.Include, o.NoGit, o.BuiltIns,
	)
}
