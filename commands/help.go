package commands

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v3"
)

// helpUsage describes the command help.
const helpUsage = "list the commands, or print the page of the manual about one"

// The help of a command fits a terminal of 80x24. Only help --all is longer.
const (
	helpColumns = 80
	helpRows    = 24
	widestLeft  = 26 // columns of an option and its value; the text of a wider one begins on the next line
)

// printHelp writes the short help of cmd. It replaces cli's function, which parses a template each time. That takes a
// third of the program's start time. cli's function also ignores write errors.
//
// Description has the text, and then paragraphs that begin with EXAMPLES: and EXIT CODE:, which follow the options.
// CustomHelpTemplate has the groups of the options: see optionGroups.
func printHelp(out io.Writer, cmd *cli.Command) error { return writeHelp(out, cmd, false) }

// printAllHelp writes the help of cmd with all its options, or with all commands.
func printAllHelp(out io.Writer, cmd *cli.Command) error { return writeHelp(out, cmd, true) }

func writeHelp(out io.Writer, cmd *cli.Command, all bool) error {
	sections := commandHelp(cmd, all)
	if cmd == cmd.Root() {
		sections = rootHelp(cmd, all)
	}
	rows := len(sections) - 1
	for _, lines := range sections {
		rows += len(lines)
	}
	w := bufio.NewWriter(out)
	for i, lines := range sections {
		if i == 1 || i > 1 && (all || rows <= helpRows) {
			fmt.Fprintln(w)
		}
		for _, line := range lines {
			fmt.Fprintln(w, line)
		}
	}
	return w.Flush()
}

// commandHelp returns the sections of the help of a command.
func commandHelp(cmd *cli.Command, all bool) [][]string {
	text, codes, _ := strings.Cut(cmd.Description, "\n\nEXIT CODE:")
	text, examples, _ := strings.Cut(text, "\n\nEXAMPLES:\n")
	usage := strings.TrimSpace("USAGE: " + cmd.FullName() + " [OPTIONS] " + cmd.ArgsUsage)
	if len(cmd.Aliases) > 0 {
		usage += "   (also: " + strings.Join(cmd.Aliases, ", ") + ")"
	}
	sections := [][]string{{cmd.FullName() + " - " + cmd.Usage, usage}, strings.Split(text, "\n")}
	groups := optionGroups(cmd, all)
	if all {
		groups = append(groups, optionGroup{"GLOBAL OPTIONS", cmd.VisiblePersistentFlags()})
	}
	sections = append(sections, groupSections(groups, all)...)
	if examples != "" {
		sections = append(sections, append([]string{"EXAMPLES:"}, strings.Split(examples, "\n")...))
	}
	if codes != "" {
		sections = append(sections, strings.Split("EXIT CODE:"+codes, "\n"))
	}
	last := []string{"Manual: devtools help " + cmd.Name}
	if !all {
		last = append([]string{"All options: devtools help --all " + cmd.Name}, last...)
	}
	if line := strings.Join(last, "   "); len(line) <= helpColumns {
		last = []string{line}
	}
	return append(sections, last)
}

// rootHelp returns the sections of the help of devtools itself.
func rootHelp(root *cli.Command, all bool) [][]string {
	sections := [][]string{{root.Name + " - " + root.Usage, "USAGE: devtools [GLOBAL OPTIONS] COMMAND [OPTIONS] [ARGUMENTS]"}}
	var rows [][2]string
	var others []string
	for _, c := range subcommands {
		switch {
		case c.usage == "":
		case all:
			rows = append(rows, [2]string{strings.Join(append([]string{c.name}, aliases(c.name)...), ", "), c.usage})
		case c.daily:
			rows = append(rows, [2]string{c.name, c.usage})
		default:
			others = append(others, c.name)
		}
	}
	if all {
		rows = append(rows, [2]string{"help", helpUsage})
	}
	sections = append(sections, append([]string{"COMMANDS:"}, rowLines(rows, leftWidth(rows))...))
	if !all {
		sections = append(sections, wrap("ALSO: "+strings.Join(others, ", "), "  "))
	}
	sections = append(sections, groupSections(optionGroups(root, all), all)...)
	more := [][2]string{
		{"devtools help --all", "all commands and global options"},
		{"devtools COMMAND --help", "a command in short; devtools help COMMAND: its manual"},
		{"devtools help agents", "for agents: the calls, and what to do next"},
	}
	return append(sections, append([]string{"MORE:"}, rowLines(more, leftWidth(more))...))
}

// An optionGroup is options of a command that belong together.
type optionGroup struct {
	heading string
	flags   []cli.Flag
}

// optionGroups returns the options of daily use in the groups that cmd.CustomHelpTemplate names, or all options. Each of its
// lines has a heading, a colon and names of flags. Flags behind a | are not of daily use. Six flags or fewer are one group,
// unless all are asked for. Without a template, all flags of a command are of daily use.
func optionGroups(cmd *cli.Command, all bool) (groups []optionGroup) {
	rest := slices.Clone(cmd.VisibleFlags())
	total := 0
	for line := range strings.Lines(cmd.CustomHelpTemplate) {
		heading, names, _ := strings.Cut(line, ":")
		daily, others, _ := strings.Cut(names, "|")
		if all {
			daily += " " + others
		}
		group := optionGroup{heading: heading}
		for _, name := range strings.Fields(daily) {
			if i := slices.IndexFunc(rest, func(f cli.Flag) bool { return f.Names()[0] == name }); i >= 0 {
				group.flags, rest = append(group.flags, rest[i]), slices.Delete(rest, i, i+1)
			}
		}
		if total += len(group.flags); len(group.flags) > 0 {
			groups = append(groups, group)
		}
	}
	switch {
	case cmd.CustomHelpTemplate == "" && !all:
		return []optionGroup{{"OPTIONS", slices.DeleteFunc(rest, func(f cli.Flag) bool { return f.Names()[0] == "help" })}}
	case all && len(groups) == 0:
		return []optionGroup{{"OPTIONS", rest}}
	case all:
		return append(groups, optionGroup{"OTHER OPTIONS", rest})
	case total <= 6 && cmd != cmd.Root():
		one := optionGroup{heading: "OPTIONS"}
		for _, group := range groups {
			one.flags = append(one.flags, group.flags...)
		}
		return []optionGroup{one}
	}
	return groups
}

// groupSections returns a section for all groups, with a line for each heading, or with all a section for each group.
func groupSections(groups []optionGroup, all bool) (sections [][]string) {
	left := 0
	for _, group := range groups {
		left = max(left, leftWidth(flagRows(group.flags, all)))
	}
	for _, group := range groups {
		if len(group.flags) == 0 {
			continue
		}
		lines := append([]string{group.heading + ":"}, rowLines(flagRows(group.flags, all), left)...)
		if len(sections) > 0 && !all {
			sections[0] = append(sections[0], lines...)
			continue
		}
		sections = append(sections, lines)
	}
	return sections
}

// flagRows returns two columns for each flag: "-n, --tail N", and the explanation with the default, and with all the
// variable. After the value, "…" says that the flag may be repeated.
func flagRows(flags []cli.Flag, all bool) (rows [][2]string) {
	for _, flag := range flags {
		about, ok := flag.(cli.DocGenerationFlag)
		if !ok {
			continue
		}
		short, long := flagNames(flag)
		left := long
		switch {
		case short == "":
			left = "    " + long
		case long == "":
			left = short
		default:
			left = short + ", " + long
		}
		if value := placeholderOf(flag); value != "" {
			left += " " + value
		}
		if several, ok := flag.(cli.DocGenerationMultiValueFlag); ok && several.IsMultiValueFlag() {
			left += "…"
		}
		right := flagUsage(flag) + flagDefault(about)
		if variables := about.GetEnvVars(); all && len(variables) > 0 {
			right += " [$" + strings.Join(variables, ", $") + "]"
		}
		rows = append(rows, [2]string{left, right})
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

// leftWidth returns the width of the first column of rows.
func leftWidth(rows [][2]string) (width int) {
	for _, row := range rows {
		if n := utf8.RuneCountInString(row[0]); n <= widestLeft {
			width = max(width, n)
		}
	}
	return width
}

// rowLines returns the lines of rows of two columns. The first column has the width left. The text of the second is wrapped.
func rowLines(rows [][2]string, left int) (lines []string) {
	margin := strings.Repeat(" ", 2+left+2)
	for _, row := range rows {
		begin := fmt.Sprintf("  %-*s  ", left, row[0])
		if utf8.RuneCountInString(row[0]) > left {
			lines = append(lines, strings.TrimRight(begin, " "))
			begin = margin
		}
		lines = append(lines, wrap(begin+row[1], margin)...)
	}
	return lines
}

// wrap breaks a line at blanks so that no part is wider than a terminal. The parts after the first begin with margin.
func wrap(line, margin string) (lines []string) {
	for utf8.RuneCountInString(line) > helpColumns {
		end := 0
		for i, column := 0, 0; i < len(line) && column <= helpColumns; column++ {
			if line[i] == ' ' && i >= len(margin) {
				end = i
			}
			_, size := utf8.DecodeRuneInString(line[i:])
			i += size
		}
		if end <= len(margin) {
			break // one long word
		}
		lines, line = append(lines, line[:end]), margin+strings.TrimLeft(line[end:], " ")
	}
	return append(lines, line)
}
