// Package sandbox tells what is around this process: which sandbox, and whether processes outlive the call that started them.
// It asks the system only when it is asked itself, and once.
package sandbox

import (
	_ "embed"
	"os"
	"slices"
	"strings"
	"sync"

	"devtools/runner/proc"
)

//go:embed sandboxes.txt
var table string

// A Sandbox is what is around this process.
type Sandbox struct {
	Name        string // of a known sandbox, as sandboxes.txt names it; "": unknown, or there is none
	Ends        string // what ends our PID namespace together with the call, such as "bwrap (pid 1 here)"; "": processes outlive the call
	Allow       string // what to allow in a known sandbox so that all works, for hints
	Confined    bool   // this process has NoNewPrivs, prctl(2)
	ForeignProc bool   // /proc shows the processes of another PID namespace
}

// Around returns what is around this process.
func Around() Sandbox { return around() }

var around = sync.OnceValue(func() Sandbox {
	s := Sandbox{Confined: proc.NoNewPrivs(os.Getpid()), ForeignProc: proc.Foreign()}
	for fields := range lines("sandbox") {
		if slices.ContainsFunc(strings.Fields(fields[1]), func(variable string) bool { return os.Getenv(variable) != "" }) {
			s.Name, s.Allow = fields[0], fields[2]
			break
		}
	}
	if proc.InitialNamespace() {
		return s
	}
	if first, below := chain(); first.PID == 1 {
		if name := endsWithCall(first, below, s); name != "" {
			s.Ends = name + " (pid 1 here)"
		}
	}
	return s
})

// chain returns the first process of our PID namespace and its child from which we descend. first is the zero Info if it is
// not our ancestor: then another process, which goes on outside, has put us here.
func chain() (first proc.Info, below int) {
	for pid := os.Getpid(); pid > 0; pid = first.Parent {
		var err error
		if first, err = proc.Glimpse(pid); err != nil || pid == 1 {
			break
		}
		below = pid
	}
	return first, below
}

// endsWithCall returns the name of the first process of our PID namespace if it ends with the call that devtools is part of. below
// is its child from which we descend.
func endsWithCall(first proc.Info, below int, s Sandbox) (name string) {
	for fields := range lines("init") {
		if slices.Contains(strings.Fields(fields[0]), first.Name) {
			return ""
		}
	}
	for fields := range lines("first") {
		if fields[0][:min(len(fields[0]), maxName)] != first.Name {
			continue
		}
		args := proc.CommandLine(first.PID)
		if len(fields) == 1 || args == nil || slices.ContainsFunc(strings.Fields(fields[1]), func(word string) bool { return slices.Contains(args, word) }) {
			return fields[0]
		}
		return ""
	}
	switch confined := proc.NoNewPrivs(first.PID); {
	case s.Name != "" && s.Confined != confined: // what confines us began below the first process
	case s.Name != "":
		return first.Name
	case confined && proc.SharesOutput(first.PID, below): // that of a container gives its children an output of their own
		return first.Name
	}
	return ""
}

// maxName is how much of the name of a program the kernel keeps, in bytes.
const maxName = 15

// lines returns the fields of the lines of a kind in the table.
func lines(kind string) func(yield func([]string) bool) {
	return func(yield func([]string) bool) {
		for line := range strings.Lines(table) {
			if fields, ok := strings.CutPrefix(strings.TrimSpace(line), kind+"\t"); ok && !yield(strings.Split(fields, "\t")) {
				return
			}
		}
	}
}
