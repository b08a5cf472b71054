package census

import (
	"cmp"
	"os"
	"slices"

	"devtools/ledger"
	"devtools/runner/proc"
	"devtools/runner/track"
)

// Lost reports whether s is in the active set and has no holder here: it is gone for good, which one that is just ending
// is not yet, or the set is a copy of another folder's.
func Lost(dir ledger.Dir, s ledger.Session) bool {
	return !dir.Held(s.ID) && (dir.Copied(s) || !Foreign(s))
}

// Survivors returns for each of the sessions, whose holders are gone, the living processes that it has started,
// parents first. They are found by what nobody else can have: their identity in the session's journal, the mark in their
// environment, the session's cgroup; and from these on by their parents and by their kernel session (setsid(2)), into
// which a process comes only by the fork of a member.
func Survivors(dir ledger.Dir, sessions []ledger.Session) [][]ledger.Process {
	found := make([][]ledger.Process, len(sessions))
	index := map[string]int{}
	for i, s := range sessions {
		if !dir.Copied(s) && !elsewhere(s) && sameBoot(s.Holder) {
			index[s.ID] = i
		}
	}
	if len(index) == 0 {
		return found // of another run of the machine nothing lives
	}
	c := newCensus()
	for _, i := range index {
		found[i] = c.members(dir, sessions[i], index)
	}
	return found
}

// A census is all processes at one moment, as far as that can be had.
type census struct {
	all      []proc.Info
	byPID    map[int]proc.Info
	marks    map[int]string   // the ids of sessions in environments
	marked   map[string][]int // the processes with them
	children map[int][]int
	sessions map[int][]int   // by the kernel's session ids
	held     map[int]bool    // holders of sessions and what they hold
	alive    map[string]bool // whether the sessions have holders that marks are of, as far as that was asked
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
		if mark, ok := proc.Variable(info.PID, track.Variable); ok && info.ID.Alive() { // it is still the same one's
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

// hold notes that a process and what descends from it belong to a session with a holder.
func (c *census) hold(pid int) {
	if c.held[pid] {
		return
	}
	c.held[pid] = true
	for _, child := range c.children[pid] {
		c.hold(child)
	}
}

// known returns the processes that the record and the journal of s name: descendants of its holder, which knew them;
// and those that were found by their mark or are in the session's cgroup.
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
		if _, seen := c.byPID[id.PID]; !seen { // it is hidden from us, or was missed
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

// members returns the processes of s, by their start: the descendants of its holder and theirs, with all that is in one
// kernel session with them; and those that have its mark or are in its cgroup, with their descendants. What only has the
// mark may have been started by somebody else's process, to which the environment was passed on, and into a cgroup
// processes can be moved: their kernel session proves nothing. The mark of another session, of others or with a
// holder, decides that a process is not of this one: a server that was started here works for that one, too.
func (c *census) members(dir ledger.Dir, s ledger.Session, others map[string]int) []ledger.Process {
	var found []proc.Info
	byMark := map[int]bool{} // true for what is not known to descend from the holder
	gather := func(queue []int, onlyMarked bool) {
		for ; len(queue) > 0; queue = queue[1:] {
			info, ok := c.byPID[queue[0]]
			mark := c.marks[info.PID]
			if _, seen := byMark[info.PID]; !ok || seen || c.held[info.PID] || info.PID <= 1 || mark != s.ID && c.another(dir, mark, others) {
				continue
			}
			byMark[info.PID] = onlyMarked
			found = append(found, info)
			if !info.ID.Alive() { // its pid may be a stranger's by now, and its children that one's
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
	list := make([]ledger.Process, len(found))
	for i, info := range found {
		list[i] = track.Describe(info)
		list[i].Marked = byMark[info.PID]
	}
	return list
}

// another reports whether a mark is that of one of others, or of a session of this folder that has a holder.
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

// sameBoot reports whether the process is of this run of the machine.
func sameBoot(p ledger.Process) bool { return p.Boot == proc.Boot() }

// elsewhere reports whether the pids of s are of another pid namespace, as in another container: here they mean nothing.
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
		if info, err := proc.Read(id.PID); err == nil && id.Alive() { // still the same
			seen[id.PID] = true
			infos = append(infos, info)
		}
	}
	return infos
}
