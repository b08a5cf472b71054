package proc

import "os"

// maxStill is the largest number of threads that [Stillness] looks at. A look at one takes 10 us. A holder that is asked
// answers within a millisecond.
const maxStill = 64

// Stillness returns a number that changes when one of the processes runs, or when there are others. ok is false if one of
// them runs at this moment, if it cannot be seen, or if they have many threads. Two equal numbers say that no thread
// of these processes has run and slept again between the two calls: what the processes wait for is the same. A run counts
// when it ends, so one that begins at the second call is not seen.
func Stillness(processes []Info) (sum uint64, ok bool) { return stillness(processes) }

// Glimpse describes a process as [Read] does, without its Inode. It is quicker.
func Glimpse(pid int) (Info, error) { return glimpse(pid) }

// Ancestors returns the ancestors of this process, its parent first. The first process of the system is left out.
func Ancestors() (list []ID) {
	for pid := os.Getppid(); pid > 1; {
		info, err := glimpse(pid)
		if err != nil {
			break
		}
		list, pid = append(list, info.ID), info.Parent
	}
	return list
}

// OldestInSession returns this process's oldest ancestor of a session, setsid(2), up to which all between are of it. It may be the
// process itself. It is the zero Info if the process is not of that session.
func OldestInSession(session int) (oldest Info) {
	for pid := os.Getpid(); ; pid = oldest.Parent {
		info, err := glimpse(pid)
		if err != nil || info.Session != session {
			return oldest
		}
		oldest = info
	}
}

// OpensSockets reports whether the process has a socket open, or the system does not tell.
func OpensSockets(pid int) bool { return opensSockets(pid) }
