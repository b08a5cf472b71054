package census

import (
	"cmp"
	"os"
	"slices"

	"devtools/ledger"
	"devtools/runner/proc"
	"devtools/runner/track"
)

// Lost reports whether s, which is in the active set, has no holder here. Either its holder is gone for good, or the set
// is a copy of another folder's. A holder that is just ending is not yet gone for good.
func Lost(dir ledger.Dir, s ledger.Session) bool {
	return !dir.Held(s.ID) && (dir.Copied(s) || !Foreign(s))
}

// Survivors returns the living processes that each of the sessions has started, parents first. The sessions' holders are
// gone. Survivors begins with evidence that no other session can have: the process's identity in the session's journal,
// the mark in its environment and the session's cgroup. From these processes on it follows parents and the kernel session
// (setsid(2)), which a process enters only by the fork of a member.
func Survivors(dir ledger.Dir, sessions []ledger.Session) [][]ledger.Process {
	found := make([][]ledger.Process, len(sessions))
	index := map[string]int{}
	for i, s := range sessions {
		if !dir.Copied(s) && !elsewhere(s) && sameBoot(s.Holder) {
			index[s.ID] = i
		}
	}
	if len(index) == 0 {
		return found // no process of an earlier boot is alive
	}
	c := newCensus()
	for _, i := range index {
		found[i] = c.members(dir, sessions[i], index)
	}
	return found
}

// A census has all processes at one moment, as far as the system shows them.
type census struct {
	all      []proc.Info
	byPID    map[int]proc.Info
	marks    map[int]string   // ids of sessions in environments, by pid
	marked   map[string][]int // pids of the processes with these marks
	children map[int][]int
	sessions map[int][]int // by the kernel's session id
	held     map[int]bool  // holders of sessions and their descendants
	// alive says whether the sessions of marks have holders, as far as that was looked up.
	alive map[string]bool
}

func newCensus() *census {
	c := &census{
		byPID: map[int]proc.Info{}, marks: map[int]string{}, marked: map[string][]int{},
		children: map[int][]int{}, sessions: map[int][]int{}, held: map[int]bool{}, alive: map[string]bool{},
	}
	for _, info := range proc.All() {
		if info.Ended() || info.PID == os.Getpid() {
			continue
		}
		c.all = append(c.all, info)
		c.byPID[info.PID] = info
		c.children[info.Parent] = append(c.children[info.Parent], info.PID)
		c.sessions[info.Session] = append(c.sessions[info.Session], info.PID)
		if mark, ok := proc.Variable(info.PID, track.Variable); ok && info.ID.Alive() { // the pid still has the same process
			c.marks[info.PID] = mark
			c.marked[mark] = append(c.marked[mark], info.PID)
		}
	}
	for _, info := range c.all {
		if track.IsHolder(info) {
			c.hold(info.PID)
		}
	}
	return c
}

// hold notes that a process and its descendants belong to a session with a holder.
func (c *census) hold(pid int) {
	if c.held[pid] {
		return
	}
	c.held[pid] = true
	for _, child := range c.children[pid] {
		c.hold(child)
	}
}

// known returns the processes that the record and the journal of s name. descended are descendants of the holder, which
// knew them. marked were found by their mark or are in the session's cgroup.
func (c *census) known(dir ledger.Dir, s ledger.Session) (descended, marked []int) {
	named := append([]ledger.Process{s.Main}, s.Leftovers...)
	if journal, err := dir.Journal(s.ID); err == nil {
		named = append(named, journal...)
	}
	for _, p := range named {
		id := track.Identity(p)
		if !id.Alive() {
			continue
		}
		if _, seen := c.byPID[id.PID]; !seen { // it is hidden from this user, or was missed
			c.byPID[id.PID] = proc.Info{ID: id, Name: p.Name, Parent: p.ParentPID}
		}
		if p.Marked {
			marked = append(marked, id.PID)
		} else {
			descended = append(descended, id.PID)
		}
	}
	return descended, slices.Concat(marked, c.marked[s.ID], proc.CgroupOf(s.ID, s.Cgroup).Pids())
}

// members returns the processes of s in the order of their start. These are the descendants of its holder and everything
// in one kernel session with them. They are also the processes with the mark of s or in its cgroup, with their descendants.
// The kernel session of these proves nothing: a foreign process to which the environment was passed on may have started
// them, and processes can be moved into a cgroup. A process with the mark of another session is not a member, if that
// session is in others or has a holder. A server that was started here may work for that session, too.
func (c *census) members(dir ledger.Dir, s ledger.Session, others map[string]int) []ledger.Process {
	var found []proc.Info
	byMark := map[int]bool{} // true: not known to descend from the holder
	gather := func(queue []int, onlyMarked bool) {
		for ; len(queue) > 0; queue = queue[1:] {
			info, ok := c.byPID[queue[0]]
			mark := c.marks[info.PID]
			if _, seen := byMark[info.PID]; !ok || seen || c.held[info.PID] || info.PID <= 1 || mark != s.ID && c.another(dir, mark, others) {
				continue
			}
			byMark[info.PID] = onlyMarked
			found = append(found, info)
			if !info.ID.Alive() { // another process may have its pid, and its children, by now
				continue
			}
			queue = append(queue, c.children[info.PID]...)
			if !onlyMarked && info.Session > 1 {
				queue = append(queue, c.sessions[info.Session]...)
			}
		}
	}
	descended, marked := c.known(dir, s)
	gather(descended, false)
	gather(marked, true)
	slices.SortFunc(found, func(a, b proc.Info) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.PID, b.PID))
	})
	describe := describer(dir, s)
	list := make([]ledger.Process, len(found))
	for i, info := range found {
		list[i] = describe(info)
		list[i].Marked = byMark[info.PID]
	}
	return list
}

// another reports whether a mark belongs to a session in others, or to a session of this folder with a holder.
func (c *census) another(dir ledger.Dir, mark string, others map[string]int) bool {
	if _, other := others[mark]; other || mark == "" {
		return other
	}
	alive, known := c.alive[mark]
	if !known {
		_, err := dir.LoadSession(mark)
		alive = err == nil && dir.Held(mark)
		c.alive[mark] = alive
	}
	return alive
}

// sameBoot reports whether the process belongs to the current boot of the machine.
func sameBoot(p ledger.Process) bool { return p.Boot == proc.Boot() }

// elsewhere reports whether the pids of s belong to another pid namespace, as in another container. They mean nothing here.
func elsewhere(s ledger.Session) bool {
	return s.Namespace != 0 && s.Namespace != proc.Namespace()
}

// Orphans returns the living processes that s names.
func Orphans(s ledger.Session) []proc.Info {
	var infos []proc.Info
	seen := map[int]bool{}
	for _, p := range append([]ledger.Process{s.Main}, s.Leftovers...) {
		id := track.Identity(p)
		if id.PID == 0 || seen[id.PID] {
			continue
		}
		if info, err := proc.Read(id.PID); err == nil && id.Alive() { // it is still the same process
			seen[id.PID] = true
			infos = append(infos, info)
		}
	}
	return infos
}
