// Package commands is the command line of devtools. It has one file for each subcommand. A subcommand reads its
// flags, calls one function of a domain package and prints once. No other package prints, exits or knows a flag.
package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"

	"devtools/completions"
	"devtools/ledger"
	"devtools/runner"
	"devtools/runner/census"
	"devtools/runner/hold"
	"devtools/runner/list"
)

// Main runs the command line args and returns the exit code. The first element of args is the name of the program.
func Main(args []string, stdin, stdout, stderr *os.File) int {
	if len(args) == 2 && args[1] == "hold" { // every run starts it, and it has no flags to parse
		return report(stderr, "", hold.Hold(), nil)
	}
	if len(args) == 2 && args[1] == "hook" { // hosts of agents run it before each command
		return hook(stdin, stdout)
	}
	if shell := os.Getenv(completions.Variable); shell != "" {
		complete(shell, args, stdout)
		return 0
	}
	var failed error // error from printing help or the version, which cli cannot return
	cli.HelpPrinter = func(w io.Writer, _ string, data any) {
		if cmd, ok := data.(*cli.Command); ok && cmd.Hidden {
			failed = printHelp(w, cmd.Root()) // hold is not for users
		} else if ok {
			failed = printHelp(w, cmd)
		}
	}
	cli.VersionPrinter = func(cmd *cli.Command) {
		failed = printVersion(cmd)
	}
	root := newRoot(stdin, stdout, stderr, named(args))
	ctx := context.Background()
	words, starts, err := protect(root, args)
	if err == nil {
		err = roomFor(named(args), starts)
	}
	if starts && err == nil {
		starter := runner.Prepare(stdin)
		defer starter.Close()
		ctx = context.WithValue(ctx, starterKey{}, starter)
	}
	if err == nil {
		command := root.Command(named(args))
		err = meantSession(command, meantFlag(command, root.Run(ctx, words)))
	}
	if err = errors.Join(err, failed); err != nil && !isA[exitCode](err) {
		learnSecrets(args)
	}
	if !root.Bool("json") && !asksJSON(root, words) {
		return report(stderr, named(args), err, nil)
	}
	return report(stderr, named(args), err, func() list.Reminder { return failureReminder(root, words, err) })
}

// asksJSON reports whether the flag --json or --fields is in the command line, also behind a mistake. cli sets no flag that
// is behind one. args are as protect returns them.
func asksJSON(root *cli.Command, args []string) bool {
	cmd := root
	for i := 1; i < len(args) && (cmd == root || args[i] != "--"); i++ {
		if !isFlag(args[i]) {
			if named := root.Command(args[i]); cmd == root && named != nil {
				cmd = named
			}
			continue
		}
		name, value, attached := strings.Cut(strings.TrimLeft(args[i], "-"), "=")
		isTrue, _ := strconv.ParseBool(value)
		switch flag := flagNamed(root, cmd, name); {
		case name == "fields", name == "json" && (isTrue || !attached):
			return true
		case takesValue(flag) && !attached:
			i++
		}
	}
	return false
}

// starterKey is the key of the context's *runner.Starter.
type starterKey struct{}

// A subcommand is made when it is needed. For the list in the help its name and usage are enough.
type subcommand struct {
	name  string
	usage string // "": it is not listed
	make  func() *cli.Command
	daily bool // the short help has its usage, not its name alone
}

// subcommands lists the commands in the order of the help.
var subcommands = []subcommand{
	{"run", "run a command and wait until it is truly finished", runCommand, true},
	{"launch", "start a session; return at once, or when it is ready", launchCommand, true},
	{"send-keys", "type into a session", sendKeysCommand, true},
	{"screen", "print what the terminal of a session shows", screenCommand, true},
	{"log", "print the output of a session", logCommand, true},
	{"wait", "wait for the end of sessions, or for another condition", waitCommand, true},
	{"attach", "connect this terminal to a session", attachCommand, true},
	{"ask", "hand a session to a person and wait until they are done", askCommand, false},
	{"rename", "give a running session another name", renameCommand, false},
	{"label", "set, remove or print the labels of a session", labelCommand, false},
	{"resize", "change the size of a session's terminal, or its scrollback", resizeCommand, false},
	{"capture", "write the new output of a session to a file", captureCommand, false},
	{"replay", "play a session or a recording, or export it to a file", replayCommand, false},
	{"ps", "list sessions and their processes", psCommand, true},
	{"kill", "end sessions with all that they started, or send a signal", killCommand, true},
	{"restart", "end a session, and start its command again", restartCommand, false},
	{"kill-orphans", "end processes that outlived the holder of their session", killOrphansCommand, false},
	{"history", "list what was started here, and how it ended", historyCommand, false},
	{"prune", "remove ended sessions and their output", pruneCommand, false},
	{"stacks", "detect the project type, its commands and what is running", stacksCommand, false},
	{"watch", "rebuild and restart a program when its sources change", watchCommand, true},
	{"doctor", "find problems of this machine, or why a session does not end", doctorCommand, false},
	{"schema", "print the JSON Schema of what the commands print", schemaCommand, false},
	{"completion", "print the completion script for bash, zsh, fish or pwsh", completionCommand, false},
	{"install", "set up coding agents for devtools: skill, hook, MCP server", installCommand, false},
	{"mcp", "serve these commands to a language model as tools", mcpCommand, false},
	{"policy", "write, explain and trust rules about what may be run", policyCommand, false},
	{"hold", "", holdCommand, false},
}

// aliases returns the other names of a command, which people type out of habit.
func aliases(command string) []string {
	switch command {
	case "launch":
		return []string{"start"}
	case "ps":
		return []string{"ls", "status"}
	case "kill":
		return []string{"stop"}
	}
	return nil
}

// commandOf returns the name of the command that is called by a name or an alias, or "".
func commandOf(name string) string {
	for _, c := range subcommands {
		if c.name == name || slices.Contains(aliases(c.name), name) {
			return c.name
		}
	}
	return ""
}

// named returns the subcommand in the command line, also behind help, or "" if there is none. With a name, the other
// commands need not be made. cli takes longer to prepare all commands than most commands take to run.
func named(args []string) string {
	for i := 1; i < len(args); i++ {
		switch arg := args[i]; {
		case slices.Contains([]string{"C", "dir", "color", "fields"}, strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-")) && arg[0] == '-':
			i++ // skip the flag's value
		case strings.HasPrefix(arg, "-") && strings.TrimLeft(arg, "-qhv") == "C":
			i++ // the value of joined flags, as in -qC DIR
		case strings.HasPrefix(arg, "-"), arg == "help", arg == "h":
		default:
			return commandOf(arg)
		}
	}
	return ""
}

// allCommands stands for the names of all commands.
const allCommands = "*"

// newRoot returns the command line of devtools. It has the command called whole and no other, or all of them. If whole is
// "", no command is called: the commands are there to be listed, without their flags.
func newRoot(stdin, stdout, stderr *os.File, whole string) *cli.Command {
	root := &cli.Command{
		Name:               "devtools",
		Usage:              "run commands in real terminals; return when they are truly finished",
		Version:            "(devel)", // VersionPrinter looks it up
		CustomHelpTemplate: "GLOBAL OPTIONS: json fields C | quiet dir color",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "print one JSON object; errors are one object on stderr"},
			&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "print only errors on stderr"},
			&cli.StringFlag{Name: "dir", Usage: "keep state in `DIR` (default: the nearest .devtools)", Sources: cli.EnvVars("DEVTOOLS_DIR")},
			oneOf(&cli.StringFlag{Name: "color", Usage: "colour tables: `WHEN` is auto, always or never", Value: "auto"}, "auto", "always", "never"),
			&cli.StringFlag{Name: "C", Usage: "run as if started in `DIR`", Local: true},
		},
		Reader:         stdin,
		Writer:         stdout,
		ErrWriter:      stderr,
		ExitErrHandler: func(context.Context, *cli.Command, error) {}, // cli must not exit the process
		Before:         before,
		Action:         noCommand,
	}
	root.Flags = slices.Insert(root.Flags, 1, fieldsFlag(root)) // beside --json
	for _, c := range subcommands {
		var cmd *cli.Command
		switch whole {
		case c.name, allCommands:
			cmd = c.make()
		case "":
			cmd = &cli.Command{HideHelp: true}
		default:
			continue
		}
		cmd.Name, cmd.Aliases, cmd.Usage, cmd.Hidden = c.name, aliases(c.name), c.usage, c.usage == ""
		root.Commands = append(root.Commands, cmd)
	}
	root.Commands = append(root.Commands, manualCommand())
	root.OnUsageError = usageFault
	for _, cmd := range root.Commands { // cli does not inherit these as devtools needs them
		cmd.OnUsageError = usageFault
		cmd.Before = keepToPins
		cmd.HideHelpCommand = true           // a session or a program may be named help
		cmd.DisableSliceFlagSeparator = true // --env LIST=a,b is one variable
		if cmd.ArgValidator == nil {
			cmd.ArgValidator = noArguments
		}
		refuseOdd(cmd)
	}
	return root
}

// version returns the version of the module in this build.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// printVersion prints the version of devtools.
func printVersion(cmd *cli.Command) error {
	return show(cmd, versionResult{version()}, func(w io.Writer, r versionResult) error {
		_, err := fmt.Fprintf(w, "%s version %s\n", cmd.Name, r.Version)
		return err
	})
}

func before(ctx context.Context, cmd *cli.Command) (context.Context, error) {
	if err := globalFlags(cmd); err != nil {
		return ctx, err
	}
	return ctx, chdir(cmd.String("C"))
}

// chdir changes the working directory to dir, unless dir is "".
func chdir(dir string) error {
	if dir == "" {
		return nil
	}
	calledIn, _ = os.Getwd() // "" if that folder is gone
	if err := os.Chdir(dir); err != nil {
		return &usageError{fileError("-C", dir, err).Error(), "-C names the folder to run in: it must exist"}
	}
	return nil
}

// globalFlags checks the values of the flags of all commands.
func globalFlags(cmd *cli.Command) error {
	if _, err := choice(cmd, "color"); err != nil {
		return err
	}
	return checkCommandFields(cmd, cmp.Or(commandOf(cmd.Args().First()), cmd.Args().First()))
}

func noCommand(_ context.Context, cmd *cli.Command) error {
	if name := cmd.Args().First(); name != "" {
		return &usageError{fmt.Sprintf("unknown command %q", name), suggestion(cmd, name)}
	}
	if cmd.Args().Present() {
		return usagef("the name of the command is empty")
	}
	return cli.ShowRootCommandHelp(cmd)
}

// suggestion returns a hint with the command, or one of the other words, that name may stand for.
func suggestion(cmd *cli.Command, name string, others ...string) string {
	const where = "devtools help lists the commands"
	if other := commandElsewhere(name); other != "" {
		return meant(other, where)
	}
	if slices.Contains(topics(), name) {
		return "devtools help " + name + " prints that page"
	}
	for _, c := range cmd.Commands {
		if !c.Hidden {
			others = append(others, c.Names()...)
		}
	}
	return cmp.Or(didYouMean(name, others, where), where)
}

// stateFolder returns the path of the state folder. The folder need not exist.
func stateFolder(cmd *cli.Command) (string, error) { return stateFolderAt(cmd.String("dir")) }

// stateFolderAt returns the path of the state folder that --dir names, if it is not "". Otherwise it is that of the working directory.
func stateFolderAt(dir string) (string, error) {
	if dir != "" {
		return filepath.Abs(dir)
	}
	cwd, err := os.Getwd()
	if err != nil {
		return "", noWorkingDirectory(err)
	}
	return ledger.Locate(cwd), nil
}

// noWorkingDirectory reports that the working directory was removed.
func noWorkingDirectory(err error) error { return fmt.Errorf("the working directory is gone: %w", err) }

// openState opens the state folder for a command about the session name.
func openState(cmd *cli.Command, name string) (ledger.Dir, error) {
	path, err := stateFolder(cmd)
	if err != nil {
		return ledger.Dir{}, err
	}
	dir, err := openFolder(cmd, path)
	if isMissing(err) {
		return dir, fmt.Errorf("session %q: %w: there is no %s", name, errNoState, path)
	}
	return dir, err
}

// openFolder opens the state folder at path. It reports on stderr repairs there, and the sessions that it adopts.
func openFolder(cmd *cli.Command, path string) (ledger.Dir, error) {
	dir, err := census.Open(context.Background(), path, func(a census.Adoption) { tellAdopted(cmd, path, a) })
	if isMissing(err) && cmd.Root().IsSet("dir") && os.Getenv("DEVTOOLS_DIR") != cmd.Root().String("dir") {
		note(cmd, "--dir: there is no %s yet", path)
	}
	return dir.Notify(func(notice string) { note(cmd, "%s", notice) }), err
}

func tellAdopted(cmd *cli.Command, path string, a census.Adoption) {
	for _, s := range a.Sessions {
		note(cmd, "session %q goes on in %s: its files there were removed", s.Name, filepath.Base(path))
	}
	if a.Failed != nil {
		note(cmd, "a session whose files were removed cannot be adopted: %v", a.Failed)
	}
}

// note prints a message on stderr, unless --quiet or --json is set.
func note(cmd *cli.Command, format string, args ...any) {
	if !cmd.Bool("quiet") && !cmd.Bool("json") {
		message(cmd.Root().ErrWriter, format, args...)
	}
}

// message prints a message of devtools. The text may contain text from other programs, so control characters become
// escapes ([oneLine]). Line feeds stay: each line of the text is printed as a message line.
func message(w io.Writer, format string, args ...any) {
	for line := range strings.Lines(masked(fmt.Sprintf(format, args...))) {
		fmt.Fprintf(w, "devtools: %s\n", oneLine(strings.TrimSuffix(line, "\n")))
	}
}

// hint prints what to do next. It follows a message.
func hint(w io.Writer, text string) {
	if text != "" {
		fmt.Fprintf(w, "hint: %s\n", oneLine(masked(text)))
	}
}
