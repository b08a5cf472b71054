package runner

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"devtools/runner/proc"
)

// listening reports whether one of ours, by their pids, listens on the port, and who does if none does.
func (c Condition) listening(ours []int) (note string, there bool) {
	all, err := proc.Listeners(c.port)
	if err != nil {
		return fmt.Sprintf("who listens on port %d cannot be told: %v", c.port, err), false
	}
	if len(all) == 0 {
		return "", false
	}
	if len(proc.Owned(all, ours)) > 0 {
		return "", true
	}
	var owners []string
	for _, l := range all {
		owner := "a process that is not ours to look at"
		if info, ok := proc.OwnerOf(l.Inode); ok {
			owner = fmt.Sprintf("%s (pid %d)", info.Name, info.ID.PID)
		}
		owners = append(owners, owner)
	}
	return fmt.Sprintf("port %d is taken by %s, which this session did not start", c.port, strings.Join(owners, ", ")), false
}

// treePIDs lists the living tree.
func treePIDs() []int {
	var pids []int
	for _, info := range tree() {
		pids = append(pids, info.ID.PID)
	}
	return pids
}

// portQuiet is how long a session that listens must have opened no other port: a server may open those of its helpers
// before the one that it is for.
const portQuiet = 500 * time.Millisecond

// debuggers are ports that a program opens to be looked into, by default: node, the JVM and Python.
var debuggers = []int{9229, 5005, 5678}

// An anyPort follows on which ports a session listens.
type anyPort struct {
	ports []int
	since time.Time // they are these
}

// look reports whether one of ours listens on a port that somebody chose, and on no other than a moment ago.
func (a *anyPort) look(_ context.Context, ours func() []int) (note string, there bool) {
	all, err := proc.Listeners(0)
	if err != nil {
		return fmt.Sprintf("who listens cannot be told: %v", err), false
	}
	low, high := proc.EphemeralPorts()
	all = slices.DeleteFunc(all, func(l proc.Listener) bool {
		return low <= l.Port && l.Port <= high || slices.Contains(debuggers, l.Port)
	})
	var ports []int
	for _, l := range proc.Owned(all, ours()) {
		ports = append(ports, l.Port)
	}
	slices.Sort(ports)
	if ports = slices.Compact(ports); !slices.Equal(ports, a.ports) {
		a.ports, a.since = ports, time.Now()
	}
	return "", len(ports) > 0 && time.Since(a.since) >= portQuiet
}
