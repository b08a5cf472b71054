package commands

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"

	"devtools/runner/list"
	"devtools/stack"
)

// An expectedResult is the output of stacks --expected --json.
type expectedResult struct {
	ProjectRoot string              `json:"projectRoot"` // top of the workspace
	Folder      string              `json:"folder"`      // folder that was examined, in the workspace
	Expected    []expectedItem      `json:"expected"`    // what is expected and runs
	Missing     []stack.Expectation `json:"missing"`     // what is expected and does not run
	Unexpected  []unexpectedItem    `json:"unexpected"`  // servers and watchers that are not expected
}

// An expectedItem has the running processes of something that is expected.
type expectedItem struct {
	stack.Expectation
	Processes []list.Seen `json:"processes"` // its living processes
}

// An unexpectedItem is a process that serves or watches, but belongs to nothing expected.
type unexpectedItem struct {
	list.Seen
	Reason string `json:"reason"` // why it is not expected: a sentence
}

// A compared holds what is expected in a workspace and what was seen there.
type compared struct {
	stack.Comparison
	report *stack.Report
	seen   []list.Seen
}

// compare compares the running processes with what is expected in the folder dir.
func compare(ctx context.Context, cmd *cli.Command, dir string, listing list.Listing) (c compared, err error) {
	if c.report, err = detect(ctx, cmd, dir); err != nil {
		return c, err
	}
	var listening []int
	c.seen, listening = listing.Seen(c.report.ProjectRoot)
	var running []stack.Running
	for _, p := range c.seen {
		running = append(running, stack.Running{
			PID: p.PID, Parent: p.ParentPID, Name: p.Name, Argv: p.Command, Cwd: p.Cwd, Ports: p.Ports, Watches: p.Watches,
		})
	}
	c.Comparison = c.report.Compare(running, listening)
	return c, nil
}

// stacksExpected prints what of the workspace is running, what is missing, and what else is running.
func stacksExpected(ctx context.Context, cmd *cli.Command, dir string) error {
	listing, err := psRequest{order: list.Orders[0]}.list(ctx, cmd)
	if err != nil {
		return err
	}
	c, err := compare(ctx, cmd, dir, listing.Listing)
	if err != nil {
		return err
	}
	r := expectedResult{
		ProjectRoot: c.report.ProjectRoot, Folder: c.report.Folder,
		Expected: []expectedItem{}, Missing: append([]stack.Expectation{}, c.Missing...), Unexpected: []unexpectedItem{},
	}
	for _, e := range c.Running {
		item := expectedItem{Expectation: e, Processes: []list.Seen{}}
		for _, p := range c.seen {
			if slices.Contains(e.PIDs, p.PID) {
				item.Processes = append(item.Processes, p)
			}
		}
		r.Expected = append(r.Expected, item)
	}
	for _, p := range c.seen {
		if c.Marks[p.PID] == stack.Unexpected && c.Marks[p.ParentPID] != stack.Unexpected { // only the highest in each tree
			r.Unexpected = append(r.Unexpected, unexpectedItem{p, c.Reasons[p.PID]})
		}
	}
	return show(cmd, r, stacksView{coloured: colours(cmd)}.writeExpected)
}

// writeExpected writes a table with one row for each expected item and each unexpected process.
func (v stacksView) writeExpected(w io.Writer, r expectedResult) error {
	rows := [][]string{{"PROJECT", "STATE", "SESSION", "PID", "PORTS", "COMMAND"}}
	for _, e := range r.Expected {
		row := []string{e.Project, "running", "", "", portList(e.Ports), strings.Join(e.Command, " ")}
		if len(e.Processes) > 0 {
			var ports []int
			for _, p := range e.Processes {
				ports = append(ports, p.Ports...)
			}
			row[2], row[3], row[4] = e.Processes[0].TerminalName, strconv.Itoa(e.Processes[0].PID), portList(ports)
		}
		rows = append(rows, row)
	}
	for _, e := range r.Missing {
		rows = append(rows, []string{e.Project, "missing", "", "", portList(e.Ports), strings.Join(e.Command, " ")})
	}
	for _, p := range r.Unexpected {
		place := p.Cwd
		if rest, err := filepath.Rel(r.ProjectRoot, p.Cwd); err == nil && filepath.IsLocal(rest) {
			place = filepath.ToSlash(rest)
		}
		rows = append(rows, []string{place, "unexpected", p.TerminalName, strconv.Itoa(p.PID), portList(p.Ports), strings.Join(p.Command, " ")})
	}
	if len(rows) == 1 {
		_, err := fmt.Fprintf(w, "%s: nothing is expected to run here, and nothing runs\n", oneLine(r.Folder))
		return err
	}
	v.table(w, rows, func(_ int, cell string) string {
		return v.paint(map[string]string{"running": green, "missing": faint, "unexpected": red}[cell], cell)
	}, nil)
	return nil
}

// portList formats ports, each of them once.
func portList(ports []int) string {
	var all []string
	for _, p := range slices.Compact(slices.Sorted(slices.Values(ports))) {
		all = append(all, strconv.Itoa(p))
	}
	return strings.Join(all, ",")
}

// mark notes for each process of a listing what it is to the workspace. It adds the expected items that are missing.
func (l *psListing) mark(ctx context.Context, cmd *cli.Command) error {
	dir, err := workingDirectory("")
	if err != nil {
		return err
	}
	c, err := compare(ctx, cmd, dir, l.Listing)
	if err != nil {
		return err
	}
	for i := range l.Sessions {
		setMarks(l.Sessions[i].Processes, c.Marks)
	}
	setMarks(l.Active, c.Marks)
	setMarks(l.Orphaned, c.Marks)
	l.Missing = append([]stack.Expectation{}, c.Missing...)
	return nil
}

func setMarks(processes []list.Process, marks map[int]stack.Mark) {
	for i := range processes {
		p := &processes[i]
		p.Mark = string(marks[p.PID])
		setMarks(p.Children, marks)
	}
}
