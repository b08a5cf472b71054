package proc

import "strings"

// MaxCommandLine is how much of a command line a [Member] has, in bytes.
const MaxCommandLine = 64 << 10

// A Member is a living process of a tree, as a list shows it.
type Member struct {
	Info

	Args []string // as [CommandLine] has them, up to MaxCommandLine

	// Hidden says that the system does not show the process to us (the option hidepid of proc(5)): all that is
	// known is that it lives, its pid and its parent.
	Hidden bool
}

// CommandLine returns the arguments with blanks between them, up to MaxCommandLine.
func (m Member) CommandLine() string {
	line := strings.Join(m.Args, " ")
	return line[:min(len(line), MaxCommandLine)]
}

// Family returns the living descendants of the process root, not itself, parents before their children. A process
// that cut accepts is left out with all that descend from it; a nil cut accepts none.
//
// It is for display: one look at each process, all parts of which are of the same process. Identities are without
// Inode, and what moves to another parent under the look may be missing, while [Tree] looks again.
func Family(root int, cut func(Member) bool) []Member {
	if root <= 0 {
		return nil
	}
	return family(root, cut)
}

// Look describes the process that has pid now, alone. Its errors are those of [Identify]; a process that has ended is
// gone.
func Look(pid int) (Member, error) {
	info, err := Read(pid)
	if err != nil {
		return Member{}, err
	}
	if info.Ended() {
		return Member{}, ErrGone
	}
	return Member{Info: info, Args: CommandLine(pid)}, nil
}

// StateWord is the word for a State of [Info]: running, sleeping, blocked (in an uninterruptible sleep, such as that
// of a read from a disk), stopped (by a signal), traced (stopped by a debugger), zombie or idle. It is "" for one that
// is not known.
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
