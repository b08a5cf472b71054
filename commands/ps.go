package commands

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/runner"
)

func psCommand() *cli.Command {
	return &cli.Command{
		Name:      "ps",
		Usage:     "list sessions and their processes",
		ArgsUsage: "[NAME]",
		Description: "Lists the living sessions with the trees of their processes, and what has outlived its holder.\n\n" +
			"Example: devtools ps --all",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "all", Aliases: []string{"a"}, Usage: "list finished sessions too"},
			targetFlag(),
			labelFlag("list only each session"),
			&cli.BoolFlag{Name: "orphans", Usage: "list only what has outlived its holder"},
		},
		ArgValidator:  arguments(0, 1, "the name of a session"),
		ShellComplete: completeSessions,
		Action:        ps,
	}
}

func ps(ctx context.Context, cmd *cli.Command) error {
	path, err := stateFolder(cmd)
	if err != nil {
		return err
	}
	name := target(cmd)
	wanted, err := labels(cmd)
	if err != nil {
		return err
	}
	dir, err := openFolder(cmd, path)
	listing := runner.NewListing()
	if err == nil {
		listing, err = runner.List(ctx, dir, cmd.Bool("all") || name != "", true)
	}
	if err != nil && !isMissing(err) { // nothing was ever started here
		return err
	}
	if name != "" || cmd.Bool("orphans") || len(wanted) > 0 {
		listing = listing.Only(func(s ledger.Session) bool {
			return (name == "" || s.Name == name || s.ID == name) && (!cmd.Bool("orphans") || s.Status == ledger.StatusOrphaned) && labelled(s, wanted)
		})
	}
	if name != "" && len(listing.Sessions) == 0 {
		return fmt.Errorf("session %q: %w", name, ledger.ErrNoSession)
	}
	return show(cmd, listing, func(w io.Writer, l runner.Listing) error { return psTable(w, l, colours(cmd)) })
}

// psTable writes a row for each session and, below it, one for each further process of it.
func psTable(w io.Writer, l runner.Listing, coloured bool) error {
	if len(l.Sessions) == 0 {
		return nil
	}
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "NAME\tSTATUS\tPID\tAGE\tCPU\tMEMORY\tCOMMAND")
	for _, s := range l.Sessions {
		cpu, memory := "", ""
		if len(s.Processes) > 0 {
			percent, bytes := total(s.Processes)
			cpu, memory = fmt.Sprintf("%.0f%%", percent), fmt.Sprintf("%.1fM", float64(bytes)/(1<<20))
		}
		fmt.Fprintf(table, "%s\t%s\t%d\t%s\t%s\t%s\t%s\n", s.Name, psStatus(s), s.PID, age(s), cpu, memory, oneLine(strings.Join(s.Command, " ")))
		psTree(table, s.Processes, s.PID, "  ")
		if w := s.Waiting; w != nil && (w.Kind != "repl" || w.PID != s.PID) { // a shell at its prompt is no news
			fmt.Fprintf(table, "  waits\t%s\t%d\t\t\t\t%s\n", w.Kind, w.PID, oneLine(lastLine(w.Prompt)))
		}
		for _, a := range s.Asks {
			fmt.Fprintf(table, "  asked\t\t\t%s\t\t\t%s\n", short(time.Since(a.Since.Time)), oneLine(a.Message))
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	column := strings.Index(text.String(), "STATUS")
	for line := range strings.Lines(text.String()) {
		if coloured {
			line = paintStatus(line, column)
		}
		if _, err := io.WriteString(w, line); err != nil {
			return err
		}
	}
	return nil
}

// paintStatus colours the word of a status at the column of a row.
func paintStatus(row string, column int) string {
	if len(row) <= column {
		return row
	}
	end := column + strings.IndexByte(row[column:], ' ')
	colour, ok := map[string]string{
		ledger.StatusRunning: green, ledger.StatusStarting: green, ledger.StatusCompleted: faint,
		ledger.StatusKilled: red, ledger.StatusOrphaned: red,
	}[row[column:end]]
	if !ok {
		return row
	}
	return row[:column] + colour + row[column:end] + plainText + row[end:]
}

// psTree lists the processes of a session but its main one, which stands in the session's own row.
func psTree(w io.Writer, processes []runner.Process, main int, indent string) {
	for _, p := range processes {
		if p.PID == main {
			psTree(w, p.Children, main, indent)
			continue
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%.0f%%\t%.1fM\t%s\n", indent+oneLine(p.Name), p.Status, p.PID, short(time.Since(p.StartedAt.Time)), p.CPUPercent, float64(p.MemoryBytes)/(1<<20), oneLine(p.CommandLine))
		psTree(w, p.Children, main, indent+"  ")
	}
}

func total(processes []runner.Process) (cpu float64, memory uint64) {
	for _, p := range processes {
		c, m := total(p.Children)
		cpu, memory = cpu+p.CPUPercent+c, memory+p.MemoryBytes+m
	}
	return cpu, memory
}

func psStatus(s runner.Listed) string {
	switch {
	case s.Signal != "":
		return s.Status + " " + s.Signal
	case s.ExitCode != nil:
		return fmt.Sprintf("%s %d", s.Status, *s.ExitCode)
	}
	return s.Status
}

// age returns how long a session has run, or ran.
func age(s runner.Listed) string {
	if s.Ended() {
		return short(s.EndedAt.Sub(s.StartedAt.Time))
	}
	return short(time.Since(s.StartedAt.Time))
}

// short writes a duration for a table: 0.3s, 12s, 4m10s, 3h20m, 5d4h.
func short(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm%ds", int(d.Minutes()), int(d.Seconds())%60)
	case d < 24*time.Hour:
		return fmt.Sprintf("%dh%dm", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%dd%dh", int(d.Hours())/24, int(d.Hours())%24)
}

// oneLine makes text of others safe to show on a terminal, in one line: without control characters, those of C1
// included, and without what changes the direction of writing or begins another line.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsControl(r), r == '\u2028', r == '\u2029', '\u202a' <= r && r <= '\u202e', '\u2066' <= r && r <= '\u2069':
			return ' '
		}
		return r
	}, text)
}
