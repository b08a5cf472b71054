package track

import (
	"os"
	"slices"

	"devtools/runner/proc"
)

// IsHolder reports whether the process holds a session. The holder of a session that was started within another session
// descends from that session's holder, but the two sessions are separate.
//
// A holder also copies itself for a moment, to look at a terminal from another kernel session. Such a child counts as one too.
func IsHolder(info proc.Info) bool {
	copied := info.Parent == os.Getpid() && info.Name == holderName
	return (copied || IsHolderName(info)) && info.PID != os.Getpid() && Holds(info.PID, proc.CommandLine(info.PID))
}

// Holds reports whether the process with these arguments was executed to hold a session.
func Holds(pid int, args []string) bool {
	return len(args) == 2 && args[1] == "hold" && executesUs(pid)
}

// IsHolderName reports whether the process has the name of a holder and leads a kernel session, as holders do. Nothing
// else can be seen of a holder that has ended.
func IsHolderName(info proc.Info) bool {
	return info.Session == info.PID && (holderName == "" || info.Name == holderName)
}

// mostAncestors is how many ancestors of a process are looked at.
const mostAncestors = 256

// Within reports whether a process, or one of its ancestors, belongs to a session: it has the variable of one, which only Linux
// tells, or is a holder.
func Within(pid int) bool {
	for range mostAncestors {
		if id, _ := proc.Variable(pid, Variable); id != "" {
			return true
		}
		info, err := proc.Read(pid)
		if err != nil {
			return false
		}
		if IsHolder(info) { // the variable was taken away
			return true
		}
		pid = info.Parent
	}
	return false
}

// Own returns the processes without the holders of other sessions and their descendants. infos has parents first.
func Own(infos []proc.Info) []proc.Info {
	if !slices.ContainsFunc(infos, IsHolder) {
		return infos
	}
	others := map[int]bool{}
	return slices.DeleteFunc(slices.Clone(infos), func(info proc.Info) bool {
		others[info.PID] = others[info.Parent] || IsHolder(info)
		return others[info.PID]
	})
}

// OnlyNested reports whether this process has children and all of them are holders of other sessions. Their descendants
// belong to those sessions.
func OnlyNested() bool {
	if proc.Childless() {
		return false
	}
	for range 2 { // a list of children can miss one while another one ends
		pids, err := proc.Children(os.Getpid())
		if err != nil || len(pids) == 0 {
			return false
		}
		for _, pid := range pids {
			if info, err := proc.Read(pid); err != nil || !IsHolder(info) {
				return false
			}
		}
	}
	return true
}
