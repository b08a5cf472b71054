package proc

import (
	"os"
	"strconv"
	"sync"
)

// Namespace returns the number of our pid namespace, pid_namespaces(7). A pid has the same meaning only within one
// namespace. The number is 0 where the system has no pid namespaces.
func Namespace() uint64 { return ownNamespace() }

var ownNamespace = sync.OnceValue(namespace)

// InitialNamespace reports whether our pid namespace is the one of the system, or there is no other.
func InitialNamespace() bool { return initialNamespace() }

// Foreign reports whether /proc shows the processes of another pid namespace, as in "unshare --pid --fork", or none. In that of an
// ancestor of our namespace, ours have other numbers.
func Foreign() bool { return foreign() }

// Folder returns the folder of the process in /proc. It is one that does not exist if /proc does not show the process.
func Folder(pid int) string { return "/proc/" + strconv.Itoa(InProc(pid)) }

// InProc returns the number that /proc has for the process that has pid now, or 0 if it shows no such process.
func InProc(pid int) int {
	if !foreign() {
		return pid
	}
	return inProc(pid)
}

// FromProc returns the pid of the process that has a number in /proc now, or 0 if it is not in our pid namespace.
func FromProc(number int) int {
	if !foreign() || number <= 0 {
		return number
	}
	return fromProc(number)
}

// NoNewPrivs reports whether the process can gain no rights by what it executes, PR_SET_NO_NEW_PRIVS(2const). The answer is true for
// another process that /proc hides, unless it shows us none at all.
func NoNewPrivs(pid int) bool { return noNewPrivs(pid) }

// SharesOutput reports whether two processes have the same pipe, socket or file as standard output or error. A terminal does not
// count.
func SharesOutput(a, b int) bool {
	for _, one := range []string{"/fd/1", "/fd/2"} {
		for _, other := range []string{"/fd/1", "/fd/2"} {
			of, err := os.Stat(Folder(a) + one)
			if same, otherErr := os.Stat(Folder(b) + other); err == nil && otherErr == nil && of.Mode()&os.ModeCharDevice == 0 && os.SameFile(of, same) {
				return true
			}
		}
	}
	return false
}
