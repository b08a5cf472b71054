package commands

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"devtools/ledger"
	"devtools/runner/doctor"
	"devtools/runner/list"
	"devtools/runner/wire"
	"devtools/screen"
)

// A psView says how the table of ps looks.
type psView struct {
	tree     bool // draw trees, and show everything known about each session
	folders  bool // show the id and the state folder of each session
	coloured bool
	width    int // maximum width of rows, in columns; 0: no limit
}

// psColumns are the column headings of the table.
var psColumns = []string{"NAME", "STATUS", "PID", "AGE", "CPU", "MEMORY", "OUTPUT", "PORTS", "COMMAND"}

// A psRow has the cells of psColumns. Missing cells at the end are empty.
type psRow []string

// write writes a row for each session, followed by one for each further process of the session.
func (v psView) write(w io.Writer, l psListing) error {
	for _, line := range v.lines(l) {
		if _, err := io.WriteString(w, line+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// lines returns the lines of the table. There are none if nothing is listed.
func (v psView) lines(l psListing) []string {
	if len(l.Sessions)+len(l.Declared)+len(l.Missing) == 0 {
		return nil
	}
	rows := []psRow{psColumns}
	for _, s := range l.Sessions {
		rows = append(rows, sessionRow(s))
		if v.tree {
			rows = append(rows, branches(s.Processes, "")...)
		} else {
			rows = append(rows, furtherRows(s.Processes, s.PID, "  ")...)
		}
		rows = append(rows, v.notes(s)...)
	}
	for _, e := range l.Declared {
		rows = append(rows, psRow{oneLine(e.Name), "missing", "", "", "", "", "", portList(e.Ports), oneLine(strings.Join(e.Command, " "))})
	}
	for _, e := range l.Missing {
		rows = append(rows, psRow{oneLine(e.Project), "missing", "", "", "", "", "", portList(e.Ports), oneLine(strings.Join(e.Command, " "))})
	}
	return v.align(rows)
}

func sessionRow(s list.Listed) psRow {
	cpu, memory := "", ""
	if len(s.Processes) > 0 {
		cpu, memory = fmt.Sprintf("%.0f%%", s.CPUPercent), mebibytes(s.MemoryBytes)
	}
	rate := ""
	if s.OutputBytesPerSecond >= 1 {
		rate = cellBytes(s.OutputBytesPerSecond) + "/s"
	}
	pid := ""
	if s.PID != 0 { // otherwise the program has not started yet
		pid = strconv.Itoa(s.PID)
	}
	return psRow{
		oneLine(s.Name), psStatus(s), pid, age(s), cpu, memory, rate, portsText(s.Ports), oneLine(s.CommandLine),
	}
}

// notes returns the rows about a session that do not stand for a process.
func (v psView) notes(s list.Listed) (rows []psRow) {
	if s.Title != "" {
		rows = append(rows, psRow{"  title", "", "", "", "", "", "", "", oneLine(s.Title)})
	}
	if w := s.Waiting; w != nil && (w.Kind != "repl" || w.PID != s.PID) { // a shell at its prompt is the normal case
		rows = append(rows, psRow{"  waits", w.Kind, strconv.Itoa(w.PID), "", "", "", "", "", oneLine(asking(*w))})
	}
	for _, a := range s.Asks {
		rows = append(rows, psRow{askedRow, "", "", shortDuration(time.Since(a.Since.Time)), "", "", "", "", oneLine(a.Message)})
	}
	if v.folders {
		status := ""
		if s.Removed {
			status = "removed"
		}
		rows = append(rows, psRow{"  folder", status, "", "", "", "", "", "", s.ID + "  " + oneLine(s.StatePath)})
	}
	if !v.tree {
		return rows
	}
	for _, p := range s.Ports {
		where := p.URL
		if where == "" {
			where = p.Address + " port " + strconv.Itoa(p.Port)
		}
		rows = append(rows, psRow{"  listens", "", strconv.Itoa(p.PID), "", "", "", "", strconv.Itoa(p.Port), where})
	}
	if t := s.Tether; t.PID != 0 && !s.Closed {
		rows = append(rows, psRow{"  tether", "", strconv.Itoa(t.PID), "", "", "", "", "", oneLine(t.Name)})
	}
	log := oneLine(s.Log)
	if s.NoRecord {
		log = "not recorded"
	}
	return append(rows, psRow{"  log", "", "", shortDuration(time.Duration(s.IdleMs) * time.Millisecond), "", "", cellBytes(float64(s.OutputBytes)), "", log})
}

// furtherRows returns rows for the processes of a session, except the main process. The session's own row shows that
// one.
func furtherRows(processes []list.Process, main int, indent string) (rows []psRow) {
	for _, p := range processes {
		if p.PID == main {
			rows = append(rows, furtherRows(p.Children, main, indent)...)
			continue
		}
		rows = append(append(rows, processRow(p, indent)), furtherRows(p.Children, main, indent+"  ")...)
	}
	return rows
}

// branches returns the processes of a session as a tree.
func branches(processes []list.Process, trunk string) (rows []psRow) {
	for i, p := range processes {
		fork, below := "├─ ", "│  "
		if i == len(processes)-1 {
			fork, below = "└─ ", "   "
		}
		rows = append(append(rows, processRow(p, trunk+fork)), branches(p.Children, trunk+below)...)
	}
	return rows
}

func processRow(p list.Process, indent string) psRow {
	name, command := oneLine(p.Name), oneLine(p.CommandLine)
	if name == "" {
		name = strconv.Itoa(p.PID) // the system hides its name
	}
	if command == "" { // the process has ended, or its command line is hidden
		command = "[" + name + "]"
	}
	age, cpu, memory := shortDuration(time.Since(p.StartedAt.Time)), fmt.Sprintf("%.0f%%", p.CPUPercent), mebibytes(p.MemoryBytes)
	if p.State == "hidden" {
		age, cpu, memory = "", "", ""
	}
	return psRow{indent + name, processStatus(p), strconv.Itoa(p.PID), age, cpu, memory, "", "", command}
}

// processStatus returns the status of a process and its mark. A state that keeps the process from running replaces
// the status.
func processStatus(p list.Process) string {
	status := p.Status
	switch p.State {
	case "stopped", "traced", "blocked", "hidden":
		status = p.State
	}
	if p.Mark != "" {
		status += " " + p.Mark
	}
	return status
}

func psStatus(s list.Listed) string {
	why := ""
	if s.EndReason != "" {
		why = " (" + strings.TrimSuffix(s.EndReason, "_limit") + ")"
	}
	switch {
	case s.Signal != "":
		return s.Status + " " + s.Signal + why
	case s.ExitCode != nil:
		return fmt.Sprintf("%s %d%s", s.Status, *s.ExitCode, why)
	case s.Status == ledger.StatusKilled && wire.SandboxEnded(s.Session):
		return s.Status + " (sandbox)"
	}
	if i := slices.IndexFunc(s.Processes, func(p list.Process) bool { return p.PID == s.PID }); i >= 0 && s.Status == ledger.StatusRunning {
		return processStatus(s.Processes[i])
	}
	return s.Status
}

// portsText formats the numbers of ports, each of them once.
func portsText(ports []list.Port) string {
	var numbers []string
	for _, p := range ports {
		if n := strconv.Itoa(p.Port); !slices.Contains(numbers, n) {
			numbers = append(numbers, n)
		}
	}
	const most = 4
	if len(numbers) > most {
		numbers = append(numbers[:most-1], "…")
	}
	return strings.Join(numbers, ",")
}

// align writes the rows with aligned columns, cut to the width of the table.
func (v psView) align(rows []psRow) []string {
	widths := make([]int, len(psColumns)-1) // the last column has no fixed width
	for _, row := range rows {
		for i := range widths {
			widths[i] = max(widths[i], screen.Width(row[i]))
		}
	}
	rows = v.wrapAsked(rows, widths)
	const status = 1
	lines := make([]string, len(rows))
	for n, row := range rows {
		var line strings.Builder
		left := v.width
		for i, cell := range row {
			if v.width > 0 {
				cell = clip(cell, left)
			}
			shown, columns := cell, screen.Width(cell)
			if v.coloured && i == status {
				shown = paintStatus(cell)
			}
			line.WriteString(shown)
			if i < len(widths) && columns == screen.Width(row[i]) {
				pad := widths[i] - columns + 2
				line.WriteString(strings.Repeat(" ", pad))
				columns += pad
			}
			if left -= columns; v.width > 0 && left <= 0 {
				break
			}
		}
		lines[n] = strings.TrimRight(line.String(), " ")
	}
	return lines
}

// askedRow begins the row of a request to a person.
const askedRow = "  asked"

// wrapAsked gives what a person is asked as many rows as it needs, because it is to be read whole.
func (v psView) wrapAsked(rows []psRow, widths []int) (wrapped []psRow) {
	left := v.width
	for _, width := range widths {
		left -= width + 2
	}
	for _, row := range rows {
		if row[0] != askedRow || v.width == 0 {
			wrapped = append(wrapped, row)
			continue
		}
		last := len(row) - 1
		for i, line := range screen.Wrap(row[last], left) {
			next := make(psRow, len(row))
			if i == 0 {
				copy(next, row)
			}
			next[last] = line
			wrapped = append(wrapped, next)
		}
	}
	return wrapped
}

// clip cuts text that is wider than the given number of columns, and marks the cut with an ellipsis.
func clip(text string, columns int) string {
	if len(text) <= columns || screen.Width(text) <= columns {
		return text
	}
	left := columns - 1 // one column is for the ellipsis
	for i, r := range text {
		if left -= screen.Width(string(r)); left < 0 {
			return text[:i] + "…"
		}
	}
	return text
}

// paintStatus colours the first word of a status.
func paintStatus(status string) string {
	word, rest, more := strings.Cut(status, " ")
	colour, ok := map[string]string{
		ledger.StatusRunning: green, ledger.StatusStarting: green, ledger.StatusCompleted: faint,
		ledger.StatusKilled: red, ledger.StatusRestarting: red, ledger.StatusOrphaned: red, "missing": faint,
	}[word]
	if !ok {
		return status
	}
	if more {
		rest = " " + rest
	}
	return colour + word + plainText + rest
}

// age formats how long a session has been running, or ran.
func age(s list.Listed) string { return shortDuration(time.Duration(s.AgeMs) * time.Millisecond) }

// shortDuration formats a duration for a table: 0.3s, 12s, 4m10s, 3h20m, 5d4h.
func shortDuration(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%.1fs", d.Seconds())
	}
	return doctor.Span(d)
}

func mebibytes(bytes uint64) string { return fmt.Sprintf("%.1fM", float64(bytes)/(1<<20)) }

// cellBytes formats a number of bytes for a table: 512B, 1.5K, 30.0M.
func cellBytes(bytes float64) string {
	for _, unit := range []string{"B", "K", "M"} {
		if bytes < 1000 {
			if unit == "B" {
				return fmt.Sprintf("%.0fB", bytes)
			}
			return fmt.Sprintf("%.1f%s", bytes, unit)
		}
		bytes /= 1 << 10
	}
	return fmt.Sprintf("%.1fG", bytes)
}

// oneLine makes text from other programs safe for a terminal, in one line ([screen.Escaped]).
func oneLine(text string) string { return screen.Escaped(text) }
