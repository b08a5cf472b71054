package list

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"devtools/ledger"
)

// Only returns the part of the listing with the sessions that keep accepts.
func (l Listing) Only(keep func(ledger.Session) bool) Listing {
	part := NewListing()
	part.At = l.At
	kept := map[string]bool{}
	for _, s := range l.Sessions {
		if keep(s.Session) {
			kept[s.ID] = true
			part.Sessions = append(part.Sessions, s)
		}
	}
	of := func(p Process) bool { return kept[p.SessionID] }
	for _, p := range l.Active {
		if of(p) {
			part.Active = append(part.Active, p)
		}
	}
	for _, p := range l.Orphaned {
		if of(p) {
			part.Orphaned = append(part.Orphaned, p)
		}
	}
	return part
}

// orders maps the names of orders to comparisons. Amounts are sorted with the largest first, and ages with the youngest
// first.
var orders = map[string]func(a, b Listed) int{
	"start":  func(a, b Listed) int { return a.StartedAt.Compare(b.StartedAt.Time) },
	"name":   func(a, b Listed) int { return strings.Compare(a.Name, b.Name) },
	"age":    func(a, b Listed) int { return cmp.Compare(a.AgeMs, b.AgeMs) },
	"cpu":    func(a, b Listed) int { return cmp.Compare(b.CPUPercent, a.CPUPercent) },
	"memory": func(a, b Listed) int { return cmp.Compare(b.MemoryBytes, a.MemoryBytes) },
	"output": func(a, b Listed) int {
		return cmp.Or(cmp.Compare(b.OutputBytesPerSecond, a.OutputBytesPerSecond), cmp.Compare(b.OutputBytes, a.OutputBytes))
	},
	"status": func(a, b Listed) int { return cmp.Compare(statusRank(a), statusRank(b)) },
}

// Orders lists the names that Sort accepts.
var Orders = []string{"start", "name", "age", "cpu", "memory", "output", "status"}

// Sort sorts the sessions by an order from Orders. Any other order is an error. Sessions that compare equal keep the order
// of their start.
func (l *Listing) Sort(order string) error {
	compare, ok := orders[order]
	if !ok {
		return fmt.Errorf("unknown order %q: use %s", order, strings.Join(Orders, ", "))
	}
	slices.SortStableFunc(l.Sessions, compare)
	return nil
}

// statusRank sorts statuses by how much they need a person: waiting sessions first, ended sessions last.
func statusRank(s Listed) int {
	if s.Waiting != nil || len(s.Asks) > 0 {
		return -1
	}
	return slices.Index([]string{ledger.StatusOrphaned, ledger.StatusRestarting, ledger.StatusStarting, ledger.StatusRunning, ledger.StatusKilled, ledger.StatusCompleted}, s.Status)
}

// Since sets the rates of l, of processor time and of output, from the difference to an earlier listing. Processes and
// sessions that are not in the earlier listing keep their rates.
func (l *Listing) Since(before Listing) {
	seconds := l.At.Sub(before.At).Seconds()
	if seconds <= 0 {
		return
	}
	type key struct {
		pid     int
		session string
	}
	used, printed := map[key]Process{}, map[string]int64{}
	for _, p := range slices.Concat(before.Active, before.Orphaned) {
		used[key{p.PID, p.SessionID}] = p
	}
	for _, s := range before.Sessions {
		printed[s.ID] = s.OutputBytes
	}
	rate := func(p *Process) {
		// The start by the wall clock is exact to about a tick only, and differs from look to look.
		was, ok := used[key{p.PID, p.SessionID}]
		if ok && p.CPUMs > 0 && p.CPUMs >= was.CPUMs && p.StartedAt.Sub(was.StartedAt.Time).Abs().Seconds() < 1 {
			p.CPUPercent = float64(p.CPUMs-was.CPUMs) / 10 / seconds
		}
	}
	for i := range l.Active {
		rate(&l.Active[i])
	}
	for i := range l.Orphaned {
		rate(&l.Orphaned[i])
	}
	for i := range l.Sessions {
		s := &l.Sessions[i]
		if was, ok := printed[s.ID]; ok && !s.Closed {
			s.OutputBytesPerSecond = float64(s.OutputBytes-was) / seconds
		}
		s.CPUPercent = each(s.Processes, rate)
	}
}

// each calls change for the processes of a tree and returns the sum of their CPU percentages.
func each(tree []Process, change func(*Process)) (cpuPercent float64) {
	for i := range tree {
		change(&tree[i])
		cpuPercent += tree[i].CPUPercent + each(tree[i].Children, change)
	}
	return cpuPercent
}
