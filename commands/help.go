package commands

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v3"
)

// helpUsage describes the command help.
const helpUsage = "list the commands, or print the page of the manual about one"

// printHelp writes the help of cmd. It replaces cli's function, which parses a template each time. That takes a third
// of the program's start time. cli's function also ignores write errors.
func printHelp(out io.Writer, cmd *cli.Command) error {
	w := bufio.NewWriter(out)
	fmt.Fprintf(w, "%s - %s\n\nUSAGE:\n   %s\n", cmd.FullName(), cmd.Usage, usageLine(cmd))
	if len(cmd.Aliases) > 0 {
		fmt.Fprintf(w, "\nALIASES:\n   %s\n", strings.Join(cmd.Aliases, ", "))
	}
	if cmd.Description != "" {
		fmt.Fprintf(w, "\nDESCRIPTION:\n%s\n", indent(cmd.Description))
	}
	if commands := cmd.VisibleCommands(); len(commands) > 0 {
		var rows []string
		for _, c := range commands {
			rows = append(rows, strings.Join(c.Names(), ", ")+"\t"+c.Usage)
		}
		rows = append(rows, "help\t"+helpUsage) // cli does not list its own help command
		writeSection(w, "COMMANDS", rows)
	}
	options, global := "OPTIONS", cmd.VisiblePersistentFlags()
	if cmd == cmd.Root() {
		options, global = "GLOBAL OPTIONS", nil
	}
	writeSection(w, options, flagRows(cmd.VisibleFlags()))
	writeSection(w, "GLOBAL OPTIONS", flagRows(global))
	if cmd != cmd.Root() {
		fmt.Fprintf(w, "\nMANUAL:\n   %s help %s\n", cmd.Root().Name, cmd.Name)
	}
	return w.Flush()
}

func usageLine(cmd *cli.Command) string {
	if cmd == cmd.Root() {
		return cmd.Name + " [GLOBAL OPTIONS] COMMAND [OPTIONS] [ARGUMENTS]"
	}
	return strings.TrimSpace(cmd.FullName() + " [OPTIONS] " + cmd.ArgsUsage)
}

// flagRows returns a row for each flag: "-n, --tail N", a tab, and the explanation with the default and the variable.
// After the value, "…" says that the flag may be repeated.
func flagRows(flags []cli.Flag) (rows []string) {
	for _, flag := range flags {
		about, ok := flag.(cli.DocGenerationFlag)
		if !ok {
			continue
		}
		short, long := flagNames(flag)
		row := long
		switch {
		case short == "":
			row = "    " + long
		case long == "":
			row = short
		default:
			row = short + ", " + long
		}
		if _, value, ok := strings.Cut(about.GetUsage(), "`"); ok {
			value, _, _ = strings.Cut(value, "`")
			row += " " + value
		}
		if several, ok := flag.(cli.DocGenerationMultiValueFlag); ok && several.IsMultiValueFlag() {
			row += "…"
		}
		row += "\t" + flagUsage(flag) + flagDefault(about)
		for _, variable := range about.GetEnvVars() {
			row += " [$" + variable + "]"
		}
		rows = append(rows, row)
	}
	return rows
}

// flagUsage returns the explanation of a flag, without the marks of its value.
func flagUsage(flag cli.Flag) string {
	if about, ok := flag.(cli.DocGenerationFlag); ok {
		return strings.ReplaceAll(about.GetUsage(), "`", "")
	}
	return ""
}

// flagDefault returns the default value of a flag, as its help shows it.
func flagDefault(flag cli.DocGenerationFlag) string {
	switch text := flag.GetDefaultText(); {
	case !flag.IsDefaultVisible():
		return ""
	case text != "":
		return " (default: " + text + ")"
	case flag.TakesValue() && flag.GetValue() != "":
		value := flag.GetValue()
		if text, err := strconv.Unquote(value); err == nil {
			value = text
		}
		return " (default: " + value + ")"
	}
	return ""
}

// writeSection writes rows of two columns under a heading. A tab separates the columns.
func writeSection(w io.Writer, heading string, rows []string) {
	if len(rows) == 0 {
		return
	}
	width := 0
	for _, row := range rows {
		left, _, _ := strings.Cut(row, "\t")
		width = max(width, utf8.RuneCountInString(left))
	}
	fmt.Fprintf(w, "\n%s:\n", heading)
	for _, row := range rows {
		left, right, _ := strings.Cut(row, "\t")
		fmt.Fprintf(w, "   %-*s  %s\n", width, left, right)
	}
}

func indent(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if line != "" {
			lines[i] = "   " + line
		}
	}
	return strings.Join(lines, "\n")
}
