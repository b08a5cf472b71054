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
		Description: "Lists the commands. With COMMAND it prints the page of the manual about it, also on a machine without man.\n" +
			"devtools and files are pages too: the overview, and the files of the state folder.\n\n" +
			"Example: devtools help run | less",
		ArgValidator:  arguments(0, 1, "a command"),
		ShellComplete: completePages,
		Action:        showHelp,
	}
}

// topics returns the names of the pages that are about no command. The page devtools-json is not among them: it is as long
// as half of the others together, and devtools schema prints what is in it.
func topics() []string { return []string{"devtools", "files"} }

func showHelp(_ context.Context, cmd *cli.Command) error {
	name := cmd.Args().First()
	if name == "" {
		return cli.ShowRootCommandHelp(cmd)
	}
	text, err := man.Page(pageFile(cmd.Root(), name))
	if err != nil {
		return err
	}
	switch {
	case text != "":
		_, err = io.WriteString(cmd.Root().Writer, text)
		return err
	case name == "json":
		return &usageError{"help: the page devtools-json is not in the program", "devtools schema prints the members of all results"}
	}
	return &usageError{fmt.Sprintf("help: there is no command %q", name), suggestion(cmd.Root(), name)}
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
	}
	return "devtools-" + strings.TrimPrefix(name, "devtools-") + ".1"
}

// completePages completes the argument of help.
func completePages(_ context.Context, cmd *cli.Command) {
	for _, c := range cmd.Root().VisibleCommands() {
		fmt.Fprintln(cmd.Root().Writer, c.Name)
	}
	fmt.Fprintln(cmd.Root().Writer, strings.Join(topics(), "\n"))
}
