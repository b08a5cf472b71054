package proc

import "strings"

// MaxCommandLine bounds the command line of a [Member], in bytes.
const MaxCommandLine = 64 << 10

// A Member is a living process of a tree, as a list shows it.
type Member struct {
	Info

	Args []string // from [CommandLine], at most MaxCommandLine bytes

	// Hidden says that the system does not show us the process (the option hidepid of proc(5)). We know only that it
	// lives, its pid and its parent.
	Hidden bool
}

// CommandLine returns the arguments with spaces between them, at most MaxCommandLine bytes.
func (m Member) CommandLine() string {
	line := strings.Join(m.Args, " ")
	return line[:min(len(line), MaxCommandLine)]
}

// Members returns the living descendants of the process root, without root itself. Parents come before their children.
// If cut accepts a process, Members leaves out that process and all its descendants. A nil cut accepts none.
//
// Members is for display. It looks at each process once, and all data of one member belongs to the same process. The
// identities have no Inode. A process that moves to another parent during the call may be missing; [Tree], unlike
// Members, looks again.
func Members(root int, cut func(Member) bool) []Member {
	if root <= 0 {
		return nil
	}
	return members(root, cut)
}

// A Table has the processes of the system at about one moment, for the trees of many processes. A nil Table looks at each
// tree by itself.
type Table struct {
	byParent table
	byPID    map[int]Info
}

// TableFor returns a table for the trees of that many processes, or nil where it is quicker to look at each tree. A process
// that begins or moves to another parent while the table is made may be missing.
func TableFor(trees int) *Table { return tableFor(trees) }

// Members does what [Members] does.
func (t *Table) Members(root int, cut func(Member) bool) []Member {
	if t == nil || root <= 0 {
		return Members(root, cut)
	}
	return t.members(root, cut)
}

// Alive does what the method of [ID] does. It does not compare the Inode.
func (t *Table) Alive(id ID) bool {
	if t == nil {
		return id.Alive()
	}
	info, ok := t.byPID[id.PID]
	return ok && id.Same(info.ID) && !info.Ended()
}

// StateWord returns the word for a State of [Info]. Blocked means an uninterruptible sleep, such as a read from a disk;
// stopped means stopped by a signal; traced means stopped by a debugger. It returns "" for an unknown state.
func StateWord(state byte) string {
	switch state {
	case 'R':
		return "running"
	case 'S':
		return "sleeping"
	case 'D':
		return "blocked"
	case 'T':
		return "stopped"
	case 't':
		return "traced"
	case 'Z':
		return "zombie"
	case 'I':
		return "idle"
	}
	return ""
}
