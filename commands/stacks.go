package commands

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/screen"
	"devtools/stack"
)

func stacksCommand() *cli.Command {
	return &cli.Command{
		ArgsUsage: "[DIR] | --classify [--] COMMAND…",
		Description: `Reads the manifests in DIR, or in the working directory, and prints languages,
frameworks, package managers, commands and the ports on which they listen. It
runs nothing. .devtools/stacks.toml adds definitions. --classify says whether
COMMAND serves, watches, builds or ends by itself.

EXAMPLES:
  devtools stacks --why
  devtools stacks --classify 'npm run dev'`,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "why", Usage: "show all commands, and the file and line behind each fact"},
			&cli.BoolFlag{Name: "all", Aliases: []string{"a"}, Usage: "list also the parts of a listed stack"},
			&cli.BoolFlag{Name: "expected", Usage: "compare expected processes with running ones"},
			&cli.BoolFlag{Name: "classify", Usage: "classify the command line COMMAND"},
		},
		ArgValidator: func(ctx context.Context, cmd *cli.Command) error {
			if cmd.Bool("classify") {
				return nil
			}
			return arguments(0, 1, "a folder")(ctx, cmd)
		},
		Action: stacks,
	}
}

// stacksRules are the rules about the flags of stacks.
var stacksRules = []flagRule{
	{flags: []string{"classify"}, without: []string{"expected"}},
	{flags: []string{"classify"}, without: []string{"all", "why"}, reason: "write -- before a COMMAND that has flags"},
}

func stacks(ctx context.Context, cmd *cli.Command) error {
	if err := checkFlags(cmd, stacksRules); err != nil {
		return err
	}
	if cmd.Bool("classify") {
		return classify(ctx, cmd)
	}
	dir, err := filepath.Abs(cmd.Args().First())
	if err != nil {
		return noWorkingDirectory(err)
	}
	if info, err := os.Stat(dir); err != nil {
		return fileError("stacks", dir, err)
	} else if !info.IsDir() {
		return usagef("stacks: %s is not a directory", dir)
	}
	if cmd.Bool("expected") {
		return stacksExpected(ctx, cmd, dir)
	}
	report, err := detect(ctx, cmd, dir)
	if err != nil {
		return err
	}
	v := stacksView{why: cmd.Bool("why"), all: cmd.Bool("all"), coloured: colours(cmd)}
	for i := range report.Projects {
		completeLists(&report.Projects[i], v.all)
	}
	return show(cmd, report, v.write)
}

// completeLists makes empty lists of those that are nil. With all, the project also lists the parts of its stacks.
func completeLists(p *stack.Project, all bool) {
	p.Members, p.Services, p.Ready = append([]stack.Pattern{}, p.Members...), append([]stack.Service{}, p.Services...), append([]string{}, p.Ready...)
	if p.Superseded = append([]stack.Found{}, p.Superseded...); !all {
		p.Superseded = nil
	}
	for i := range p.PackageManagers {
		completeManager(&p.PackageManagers[i])
	}
	if p.PackageManager != nil {
		completeManager(p.PackageManager)
	}
}

func completeManager(m *stack.Manager) {
	m.Evidence, m.Others = append([]stack.Evidence{}, m.Evidence...), append([]string{}, m.Others...)
}

// detect finds out what the workspace of a folder consists of, on this machine.
func detect(ctx context.Context, cmd *cli.Command, dir string) (*stack.Report, error) {
	return detectWith(ctx, dir, ownStacks(cmd, dir))
}

// detectWith is detect with the definitions that the workspace has itself.
func detectWith(ctx context.Context, dir string, own stack.Own) (*stack.Report, error) {
	home, _ := os.UserHomeDir() // without a home folder the search does not stop at one
	return stack.Detect(ctx, stack.Options{
		Dir: dir, Home: home, System: runtime.GOOS, Own: own,
		Look: func(program string) (string, bool) {
			path, err := exec.LookPath(program)
			return path, err == nil
		},
	})
}

// ownStacks returns the stack definitions that the workspace of a folder has itself.
func ownStacks(cmd *cli.Command, dir string) (own stack.Own) {
	path := cmd.String("dir")
	if path == "" {
		path = ledger.Find(dir)
	}
	state, err := openFolder(cmd, path)
	if err != nil { // without a state folder there are none
		return own
	}
	own.Data, own.File, own.Err = state.Stacks()
	return own
}

// A stacksView says how the table of stacks looks.
type stacksView struct {
	why, all, coloured bool
}

// write writes a row for each project. With why, the reasons follow below the row.
func (v stacksView) write(w io.Writer, r *stack.Report) error {
	fmt.Fprintf(w, "%s: %s\n", oneLine(r.ProjectRoot), v.summary(r))
	rows := [][]string{{"PROJECT", "STACKS", "PACKAGES", "DEVELOP", "PORT"}}
	for _, p := range r.Projects {
		rows = append(rows, []string{p.Path, v.stackNames(p), manager(p), v.develop(p), portsOf(p)})
	}
	if len(rows) > 1 {
		v.table(w, rows, func(column int, cell string) string {
			if column != 1 {
				return cell
			}
			first := len(cell)
			for _, mark := range []string{", ", " +"} {
				if at := strings.Index(cell, mark); at >= 0 {
					first = min(first, at)
				}
			}
			return v.paint(green, cell[:first]) + cell[first:]
		}, func(row int) {
			if v.why {
				v.reasons(w, r.Projects[row])
			}
		})
	}
	for _, p := range r.Problems {
		fmt.Fprintf(w, "%s %s: %s\n", v.paint(red, "unread"), oneLine(p.File), oneLine(p.Reason))
	}
	if r.Truncated {
		fmt.Fprintf(w, "%s after %d files: deeper folders were not examined\n", v.paint(red, "cut"), r.Files)
	}
	return nil
}

func (v stacksView) summary(r *stack.Report) string {
	switch len(r.Projects) {
	case 0:
		return "no project found"
	case 1:
		return "1 project"
	}
	text := strconv.Itoa(len(r.Projects)) + " projects"
	for _, p := range r.Projects {
		for _, s := range p.Stacks {
			if s.ID == r.MainStack {
				if r.MainConfidence != "high" {
					return text + ", probably mainly " + s.Name
				}
				return text + ", mainly " + s.Name
			}
		}
	}
	return text
}

// maxCell is the maximum width of a cell that is not the last of its row, in columns.
const maxCell = 60

// table writes rows with aligned columns. The first row is the heading. paint colours the other cells. After each of
// these rows, below writes further lines, if it is not nil.
func (v stacksView) table(w io.Writer, rows [][]string, paint func(column int, cell string) string, below func(row int)) {
	var widths []int
	for _, row := range rows {
		for i := range row {
			if row[i] = oneLine(row[i]); i < len(row)-1 {
				row[i] = clip(row[i], maxCell)
			}
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], screen.Width(row[i]))
		}
	}
	for n, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-screen.Width(cell)+2)
			if n == 0 {
				cell = v.paint(faint, cell)
			} else {
				cell = paint(i, cell)
			}
			line.WriteString(cell + pad)
		}
		fmt.Fprintln(w, strings.TrimRight(line.String(), " "))
		if n > 0 && below != nil {
			below(n - 1)
		}
	}
}

// maxReason is the maximum width of the middle column of reasons, in columns.
const maxReason = 48

// reasons writes what is known about a project, with the files and lines from which it is known.
func (v stacksView) reasons(w io.Writer, p stack.Project) {
	var rows [][3]string
	say := func(what, text string, e stack.Evidence) {
		rows = append(rows, [3]string{what, oneLine(text), oneLine(place(e))})
	}
	for _, s := range p.Stacks {
		if s.Kind != "package-manager" { // listed below
			say("stack", strings.TrimSpace(s.Name+" "+s.Version), s.Evidence[0])
		}
	}
	for _, s := range p.Superseded {
		say("part", s.Name, s.Evidence[0])
	}
	for _, m := range p.PackageManagers {
		what := strings.TrimSpace(m.Name + " " + m.Version)
		if m.Conflict {
			what += " (there are files of " + strings.Join(m.Others, " and ") + " too)"
		}
		say("packages", what, m.Evidence[0])
	}
	for _, t := range p.Toolchain {
		is := "not on PATH"
		switch {
		case t.Installed != "":
			is = "here " + t.Installed
		case t.Path != "":
			is = "on PATH"
		}
		say("wants", fmt.Sprintf("%s %s, %s", t.Tool, t.Wanted, is), t.Evidence)
	}
	for _, c := range p.Commands {
		say(c.Kind, strings.Join(c.Argv, " "), c.Source)
	}
	for _, port := range p.Ports {
		text := strconv.Itoa(port.Port) + " by " + port.Source
		if port.Source == "declared" {
			text = strconv.Itoa(port.Port) + " declared"
		}
		if port.Service != "" {
			text += " for " + port.Service
		}
		say("port", text, port.Evidence)
	}
	width := 0
	for _, row := range rows {
		if n := screen.Width(row[1]); n <= maxReason {
			width = max(width, n)
		}
	}
	for _, row := range rows {
		pad := strings.Repeat(" ", max(width-screen.Width(row[1]), 0))
		fmt.Fprintf(w, "  %s %s%s  %s\n", v.paint(faint, fmt.Sprintf("%-8s", row[0])), row[1], pad, v.paint(faint, row[2]))
	}
}

// place returns a source as text: file:line key.
func place(e stack.Evidence) string {
	text := e.File
	if e.Line > 0 {
		text += ":" + strconv.Itoa(e.Line)
	}
	return strings.TrimSpace(text + " " + e.Key)
}

// maxStackNames is the maximum number of stacks that are named in the row of a project.
const maxStackNames = 4

// minorKinds are the kinds of stacks that are only counted in the row of a project. They are named only if there is
// nothing else.
var minorKinds = []stack.Kind{"linter", "test-runner", "ci", "environment", "style", "tool", "toolchain"}

func (v stacksView) stackNames(p stack.Project) string {
	var names []string
	more := 0
	for i, s := range p.Stacks {
		switch {
		case i == 0 && s.Version != "":
			names = append(names, s.Name+" "+strings.TrimLeft(s.Version, "^~=v> "))
		case i == 0, v.all:
			names = append(names, s.Name)
		case s.Kind == "package-manager", s.Kind == "language" && implied(p.Stacks, s):
		case len(names) == maxStackNames, slices.Contains(minorKinds, s.Kind):
			more++
		default:
			names = append(names, s.Name)
		}
	}
	if v.all {
		for _, s := range p.Superseded {
			names = append(names, s.Name)
		}
	}
	text := strings.Join(names, ", ")
	if more > 0 {
		text += " +" + strconv.Itoa(more)
	}
	return text
}

// implied reports whether another stack already implies a language, which then need not be named. TypeScript implies
// Node.js, and Rails implies Ruby.
func implied(all []stack.Found, language stack.Found) bool {
	return slices.ContainsFunc(all, func(s stack.Found) bool { return s.Of(language) })
}

func manager(p stack.Project) string {
	if p.PackageManager == nil {
		return ""
	}
	name := strings.TrimSpace(p.PackageManager.Name + " " + p.PackageManager.Version)
	if p.PackageManager.Conflict {
		name += " (or " + strings.Join(p.PackageManager.Others, ", ") + ")"
	}
	return name
}

func (v stacksView) develop(p stack.Project) string {
	if p.DevCommand == nil {
		return ""
	}
	return strings.Join(p.DevCommand.Argv, " ")
}

func portsOf(p stack.Project) string {
	var all []string
	seen := map[int]bool{}
	needed := func(service string) bool { // needed by a program that is built here
		return service != "" && p.DevCommand != nil && p.DevCommand.Argv[0] != "docker" &&
			!slices.ContainsFunc(p.Services, func(s stack.Service) bool { return s.Name == service && s.Build })
	}
	for _, port := range p.Ports {
		if seen[port.Port] || needed(port.Service) {
			continue
		}
		seen[port.Port] = true
		text := strconv.Itoa(port.Port)
		if port.Moves {
			text += "+"
		}
		all = append(all, text)
	}
	return strings.Join(all[:min(len(all), 4)], " ")
}

func (v stacksView) paint(colour, text string) string {
	if !v.coloured || text == "" || colour == "" {
		return text
	}
	return colour + text + plainText
}
