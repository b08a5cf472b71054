package commands

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v3"

	"devtools/man"
)

// manualCommand returns the command help, in place of the one that cli has. It prints the pages of the manual.
func manualCommand() *cli.Command {
	return &cli.Command{
		Name:      "help",
		Aliases:   []string{"h"},
		Usage:     helpUsage,
		ArgsUsage: "[COMMAND]",
		Description: `Lists the commands. With COMMAND it prints the page of the manual about it, also
on a machine without man. devtools, files, security and agents are pages too:
the overview, the files of the state folder, what is defended against whom, and
a page to paste into AGENTS.md.

EXAMPLES:
  devtools help run | less
  devtools help --all run`,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "all", Aliases: []string{"a"}, Usage: "list all commands, or all options of COMMAND"},
		},
		ArgValidator: arguments(0, 1, "a command"),
		Action:       showHelp,
	}
}

// topics returns the names of the pages that are about no command. The page devtools-json is not among them: it is as long
// as half of the others together, and devtools schema prints what is in it.
func topics() []string { return []string{"devtools", "files", "security", "agents"} }

// agentsPage is the skill for agents. It is no page of the manual: without its front matter it is text to paste into AGENTS.md.
const agentsPage = "SKILL.md"

func showHelp(_ context.Context, cmd *cli.Command) error {
	name := cmd.Args().First()
	switch about := cmd.Root().Command(name); {
	case name == "" && cmd.Bool("all"):
		return printAllHelp(cmd.Root().Writer, cmd.Root())
	case name == "":
		return cli.ShowRootCommandHelp(cmd)
	case cmd.Bool("all") && about != nil && !about.Hidden:
		return printAllHelp(cmd.Root().Writer, about)
	}
	text, err := man.Page(pageFile(cmd.Root(), name))
	if err != nil {
		return err
	}
	if _, body, isSkill := strings.Cut(text, "\n---\n\n"); isSkill && strings.HasPrefix(text, "---\n") {
		text = body
	}
	switch {
	case text != "":
		_, err = io.WriteString(cmd.Root().Writer, text)
		return err
	case strings.TrimPrefix(name, "devtools-") == "json":
		return &usageError{"help: the page devtools-json is not in the program", "devtools schema prints the members of all results"}
	}
	return unknownHelp(cmd, name)
}

// unknownHelp returns the error for help about a command that there is not.
func unknownHelp(cmd *cli.Command, name string) error {
	return &usageError{fmt.Sprintf("help: there is no command %q", name), suggestion(cmd.Root(), name, topics()...)}
}

// pageFile returns the name of the file of the page about a command or a topic. There need be no such page.
func pageFile(root *cli.Command, name string) string {
	if c := root.Command(name); c != nil {
		name = c.Name // name may be an alias
	}
	switch name {
	case "devtools", "help":
		return "devtools.1"
	case "files":
		return "devtools-files.5"
	case "security":
		return "devtools-security.7"
	case "agents":
		return agentsPage
	}
	return "devtools-" + strings.TrimPrefix(name, "devtools-") + ".1"
}
