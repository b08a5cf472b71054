package runner

import (
	"os"
	"slices"

	"devtools/runner/proc"
)

// isHolder reports whether the process holds a session: one that was started from within another session descends
// from that one's holder, and is a session of its own all the same.
func isHolder(info proc.Info) bool {
	return isHolderName(info) && info.PID != os.Getpid() && holds(info.PID, proc.CommandLine(info.PID))
}

// holds reports whether the process with these arguments was executed to hold a session.
func holds(pid int, args []string) bool {
	return len(args) == 2 && args[1] == "hold" && executesUs(pid)
}

// isHolderName reports whether the process has the name of a holder and leads a session of the kernel, as holders do:
// all that is left to see of one that has ended.
func isHolderName(info proc.Info) bool {
	return info.Session == info.PID && (holderName == "" || info.Name == holderName)
}

// ownOf returns the processes, which come parents first, without the holders of other sessions and what they hold.
func ownOf(infos []proc.Info) []proc.Info {
	if !slices.ContainsFunc(infos, isHolder) {
		return infos
	}
	others := map[int]bool{}
	return slices.DeleteFunc(slices.Clone(infos), func(info proc.Info) bool {
		others[info.PID] = others[info.Parent] || isHolder(info)
		return others[info.PID]
	})
}

// onlyNested reports whether all children of this process, and there are some, are holders of other sessions: what
// descends from them is theirs.
func onlyNested() bool {
	for range 2 { // a list of children can miss one while another one ends
		pids, err := proc.Children(os.Getpid())
		if err != nil || len(pids) == 0 {
			return false
		}
		for _, pid := range pids {
			if info, err := proc.Read(pid); err != nil || !isHolder(info) {
				return false
			}
		}
	}
	return true
}
