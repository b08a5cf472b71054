package list

import (
	"devtools/ledger"
	"devtools/runner/census"
	"devtools/runner/proc"
	"devtools/runner/track"
)

// members returns the living processes of the session, and their status.
func (s *Listed) members(fences fences) (members []proc.Member, status string) {
	if s.Status == ledger.StatusOrphaned {
		return leftBehind(s.Session, fences), ledger.StatusOrphaned
	}
	if id := track.Identity(s.Holder); id.Alive() {
		members = fences.members(s.Session, false)
	}
	return members, ledger.StatusRunning
}

// members returns the living processes of a session with a holder.
func (f fences) members(s ledger.Session, bare bool) []proc.Member {
	main := s.Main.PID
	if s.Ended() {
		main = 0
	}
	return proc.MembersOf(s.Holder.PID, main, bare, f.around)
}

// takeProcesses fills in the living tree of the session. Processes of a session within this session belong to the inner one.
func (s *Listed) takeProcesses(members []proc.Member, status string, usage bool) {
	flat := make([]Process, 0, len(members))
	for _, m := range members {
		p := Process{
			PID:          m.PID,
			Name:         m.Name,
			CommandLine:  m.CommandLine(),
			ParentPID:    m.Parent,
			TerminalName: s.Name,
			SessionID:    s.ID,
			StartedAt:    ledger.Time{Time: m.Started()},
			Status:       status,
			State:        proc.StateWord(m.State),
		}
		s.mask(&p, m)
		if m.State == 'Z' { // its main thread has ended, but other threads go on
			p.State = proc.StateWord('R')
		}
		if m.Hidden {
			p.State = stateHidden
		}
		if usage && !m.Hidden {
			p.CPUPercent, p.MemoryBytes = m.Usage()
			p.CPUMs = m.CPU.Milliseconds()
		}
		s.CPUPercent += p.CPUPercent
		s.MemoryBytes += p.MemoryBytes
		flat = append(flat, p)
		if m.PID == s.PID {
			s.ParentPID = m.Parent
		}
	}
	s.Processes = Nest(flat)
}

// leftBehind returns the living processes of a session without a holder, each of them once.
func leftBehind(s ledger.Session, fences fences) (members []proc.Member) {
	met, outside := map[int]bool{}, map[int]bool{}
	for _, info := range census.Orphans(s) {
		if met[info.PID] || info.Ended() {
			continue
		}
		m := proc.Member{Info: info, Args: proc.CommandLine(info.PID)}
		if met[info.PID] = true; outside[info.Parent] || fences.around(m) {
			outside[info.PID] = true
			continue
		}
		members = append(members, m)
	}
	return members
}

// fences are the holders of the sessions. The descendants of a holder belong to its session, and not to the session in
// which devtools was called.
type fences map[int]uint64 // start time by pid

func fencesOf(sessions []ledger.Session) fences {
	f := fences{}
	for _, s := range sessions {
		f[s.Holder.PID] = s.Holder.Start
	}
	return f
}

// around reports whether a process is a holder, of one of these sessions or of a session of another folder.
func (f fences) around(m proc.Member) bool {
	if start, ok := f[m.PID]; ok && start == m.Start {
		return true
	}
	return track.IsHolder(m.Info)
}

// Nest makes a tree of the processes. Siblings keep their order.
func Nest(flat []Process) []Process {
	known := map[int]bool{}
	for _, p := range flat {
		known[p.PID] = true
	}
	children := map[int][]Process{}
	for _, p := range flat {
		parent := p.ParentPID
		if !known[parent] || parent == p.PID {
			parent = 0
		}
		children[parent] = append(children[parent], p)
	}
	var grow func(parent int) []Process
	grow = func(parent int) []Process {
		list := append([]Process{}, children[parent]...)
		delete(children, parent) // no process is its own ancestor, whatever was read
		for i := range list {
			list[i].Children = grow(list[i].PID)
		}
		return list
	}
	return grow(0)
}

// Flatten appends the processes of a tree to list, parents first and without their Children.
func Flatten(list []Process, tree []Process) []Process {
	for _, p := range tree {
		children := p.Children
		p.Children = nil
		list = Flatten(append(list, p), children)
	}
	return list
}
