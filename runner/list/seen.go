package list

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"devtools/ledger"
	"devtools/runner/proc"
)

// A Seen is a process with the facts that tell what it is. It belongs to a session, or it listens and works in the workspace.
type Seen struct {
	PID          int      `json:"pid"`                   // its pid
	ParentPID    int      `json:"parentPid"`             // its parent
	Name         string   `json:"name"`                  // name of its program
	Command      []string `json:"command"`               // its arguments
	Cwd          string   `json:"cwd,omitzero"`          // working directory; absent where the system does not tell
	TerminalName string   `json:"terminalName,omitzero"` // name of its session, if it has one
	SessionID    string   `json:"sessionId,omitzero"`    // id of that session
	Ports        []int    `json:"portNumbers"`           // ports on which it listens
	Watches      bool     `json:"watches"`               // it watches files
}

// Seen returns the processes of the listed sessions. It also returns other processes that listen and whose working
// directory is the folder or below it. listening has all ports on which any process listens.
func (l Listing) Seen(folder string) (all []Seen, listening []int) {
	ours := map[int]bool{os.Getpid(): true}
	ports := map[int][]int{}
	for _, s := range l.Sessions {
		for _, p := range s.Ports {
			ports[p.PID] = append(ports[p.PID], p.Port)
		}
	}
	for _, p := range slices.Concat(l.Active, l.Orphaned) {
		if !ours[p.PID] {
			ours[p.PID] = true
			seen := newSeen(p.PID, p.ParentPID, p.Name, ledger.Session{Name: p.TerminalName, ID: p.SessionID}, ports[p.PID])
			if p.args != nil {
				seen.Command = p.args
			}
			all = append(all, seen)
		}
	}
	listeners, err := proc.Listeners(0)
	if err != nil { // then only the sessions' processes are known
		return all, nil
	}
	others := map[int]proc.Info{}
	var pids []int
	for _, info := range proc.All() {
		if !ours[info.PID] {
			others[info.PID] = info
			pids = append(pids, info.PID)
		}
	}
	clear(ports)
	for _, l := range proc.Owned(listeners, pids) {
		ports[l.PID] = append(ports[l.PID], l.Port)
	}
	for _, pid := range pids {
		if len(ports[pid]) > 0 && within(proc.WorkingDirectory(pid), folder) {
			all = append(all, newSeen(pid, others[pid].Parent, others[pid].Name, ledger.Session{}, ports[pid]))
		}
	}
	for _, l := range listeners {
		listening = append(listening, l.Port)
	}
	slices.Sort(listening)
	return all, slices.Compact(listening)
}

func newSeen(pid, parent int, name string, s ledger.Session, ports []int) Seen {
	slices.Sort(ports)
	args := append([]string{}, proc.CommandLine(pid)...)
	for len(args) > 1 && args[len(args)-1] == "" { // empty arguments behind a title that the program gave itself
		args = args[:len(args)-1]
	}
	return Seen{
		PID: pid, ParentPID: parent, Name: name, Command: args,
		Cwd: proc.WorkingDirectory(pid), TerminalName: s.Name, SessionID: s.ID,
		Ports: append([]int{}, slices.Compact(ports)...), Watches: proc.WatchesFiles(pid),
	}
}

// within reports whether a path is the folder or lies below it.
func within(path, folder string) bool {
	rest, err := filepath.Rel(folder, path)
	return path != "" && err == nil && rest != ".." && !strings.HasPrefix(rest, ".."+string(filepath.Separator))
}
