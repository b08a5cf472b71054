package condition

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"devtools/runner/proc"
)

// portSteady is how long a socket must have listened on a port. A server may listen for a moment only to check whether the
// port is free, and may start to listen for good a while later.
const portSteady = 20 * time.Millisecond

// A onePort follows the listeners on a port.
type onePort struct {
	port    int
	anybody bool                 // accept listeners that are not ours, too
	since   map[uint64]time.Time // first time that each accepted socket was seen, by inode
}

// look reports whether one of our processes listens on the port; ours returns their pids. With anybody any process counts.
// If only others listen, note says which.
func (p *onePort) look(_ context.Context, ours func() []int) (note string, there bool) {
	all, err := proc.Listeners(p.port)
	if err != nil {
		return fmt.Sprintf("the listeners on port %d are not known: %v", p.port, err), false
	}
	if len(all) == 0 {
		p.since = nil
		return "", false
	}
	owned := all
	if !p.anybody {
		owned = proc.Owned(all, ours())
	}
	now, before := time.Now(), p.since
	p.since = make(map[uint64]time.Time, len(owned))
	for _, l := range owned {
		first, seen := before[l.Inode]
		if !seen {
			first = now
		}
		p.since[l.Inode] = first
		there = there || now.Sub(first) >= portSteady
	}
	if len(owned) > 0 {
		return "", there
	}
	var owners []string
	for _, l := range all {
		owner := "a process that this user may not inspect"
		if info, ok := proc.OwnerOf(l.Inode); ok {
			owner = fmt.Sprintf("%s (pid %d)", info.Name, info.ID.PID)
		}
		owners = append(owners, owner)
	}
	return fmt.Sprintf("port %d is taken by %s, which this session did not start", p.port, strings.Join(owners, ", ")), false
}

// openPorts follows whether each of several ports has a listener.
type openPorts []*onePort

func newOpenPorts(ports []int) openPorts {
	var all openPorts
	for _, port := range ports {
		all = append(all, &onePort{port: port, anybody: true})
	}
	return all
}

// look reports whether each port has a listener. If there are several ports, note names one without a listener.
func (all openPorts) look(ctx context.Context, ours func() []int) (note string, there bool) {
	there = true
	for _, p := range all {
		why, open := p.look(ctx, ours)
		if there = there && open; !open && len(all) > 1 && p.since == nil {
			why = cmp.Or(why, fmt.Sprintf("nobody listens on port %d", p.port))
		}
		note = cmp.Or(note, why)
	}
	return note, there
}

// portQuiet is how long a listening session must not have opened another port. A server may open the ports of its helpers
// before its main port.
const portQuiet = 500 * time.Millisecond

// debuggers lists the default ports that node, the JVM and Python open for debuggers.
var debuggers = []int{9229, 5005, 5678}

// An anyPort follows the ports on which a session listens.
type anyPort struct {
	ports []int
	since time.Time // time since which the ports are these
}

// look reports whether our processes listen on a port that somebody chose. Ports that the system gives and ports for
// debuggers do not count. The chosen ports must have stayed the same for portQuiet. If our processes listen only on other
// ports, note names one.
func (a *anyPort) look(_ context.Context, ours func() []int) (note string, there bool) {
	all, err := proc.Listeners(0)
	if err != nil {
		return fmt.Sprintf("the listeners are not known: %v", err), false
	}
	low, high := proc.EphemeralPorts()
	var ports []int
	for _, l := range proc.Owned(all, ours()) {
		switch {
		case low <= l.Port && l.Port <= high:
			note = fmt.Sprintf("it listens on %d, an ephemeral port: wait for it with port:%d", l.Port, l.Port)
		case slices.Contains(debuggers, l.Port):
			note = cmp.Or(note, fmt.Sprintf("it listens on %d, a debugger port: wait for it with port:%d", l.Port, l.Port))
		default:
			ports = append(ports, l.Port)
		}
	}
	if len(ports) > 0 {
		note = ""
	}
	slices.Sort(ports)
	if ports = slices.Compact(ports); !slices.Equal(ports, a.ports) {
		a.ports, a.since = ports, time.Now()
	}
	return note, len(ports) > 0 && time.Since(a.since) >= portQuiet
}
