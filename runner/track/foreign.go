package track

import (
	"os"
	"slices"

	"devtools/runner/proc"
)

// IsHolder reports whether the process holds a session: one that was started from within another session descends
// from that one's holder, and is a session of its own all the same.
func IsHolder(info proc.Info) bool {
	return IsHolderName(info) && info.PID != os.Getpid() && Holds(info.PID, proc.CommandLine(info.PID))
}

// Holds reports whether the process with these arguments was executed to hold a session.
func Holds(pid int, args []string) bool {
	return len(args) == 2 && args[1] == "hold" && executesUs(pid)
}

// IsHolderName reports whether the process has the name of a holder and leads a session of the kernel, as holders do:
// all that is left to see of one that has ended.
func IsHolderName(info proc.Info) bool {
	return info.Session == info.PID && (holderName == "" || info.Name == holderName)
}

// Own returns the processes, which come parents first, without the holders of other sessions and what they hold.
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

// OnlyNested reports whether all children of this process, and there are some, are holders of other sessions: what
// descends from them is theirs.
func OnlyNested() bool {
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
