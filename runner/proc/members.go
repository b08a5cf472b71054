package proc

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

// CommandLine returns the arguments as [Line] does, at most MaxCommandLine bytes.
func (m Member) CommandLine() string {
	line := Line(m.Args)
	return line[:min(len(line), MaxCommandLine)]
}

// MembersOf returns the living descendants of a process that holds a session: it has started main and other holders, and gets the
// descendants whose parent has ended (PR_SET_CHILD_SUBREAPER). main is 0 if it has ended. It does not read the lists of children of
// all the holder's threads. Parents come before their children. If cut accepts a process, it and all its descendants are left out. A
// nil cut accepts none. With bare the members have no Args.
//
// It is for display: it looks at each process once, and all data of one member belongs to the same process. The identities have no
// Inode. A process that moves to another parent during the call may be missing; [Tree] looks again.
func MembersOf(holder, main int, bare bool, cut func(Member) bool) []Member {
	if holder <= 0 {
		return nil
	}
	return membersOf(holder, main, bare, cut)
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
