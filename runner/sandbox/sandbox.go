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
	Name  string // of a known sandbox, as sandboxes.txt names it; "": unknown, or there is none
	Ends  string // what ends our PID namespace together with the call, such as "bwrap (pid 1 here)"; "": processes outlive the call
	Allow string // what to allow in a known sandbox so that all works, for hints
}

// Around returns what is around this process.
func Around() Sandbox { return around() }

var around = sync.OnceValue(func() (s Sandbox) {
	for fields := range lines("sandbox") {
		if slices.ContainsFunc(strings.Fields(fields[1]), func(variable string) bool { return os.Getenv(variable) != "" }) {
			s.Name, s.Allow = fields[0], fields[2]
			break
		}
	}
	if first := first(); first.PID == 1 && !proc.InitialNamespace() {
		if name := endsWithCall(first); name != "" {
			s.Ends = name + " (pid 1 here)"
		}
	}
	return s
})

// first returns the first process of our PID namespace. It is another one if that is not our ancestor: then a process that goes on
// outside has put us here.
func first() (info proc.Info) {
	for pid := os.Getpid(); pid > 0; pid = info.Parent {
		info, _ = proc.Glimpse(pid)
	}
	return info
}

// endsWithCall returns the name of the first process of our PID namespace if it ends with the call that devtools is part of. If it is
// not known, it does when it is confined and has the output of this process: that of a container gives its calls an output of their own.
func endsWithCall(first proc.Info) (name string) {
	for fields := range lines("init") {
		if slices.Contains(strings.Fields(fields[0]), first.Name) {
			return ""
		}
	}
	for fields := range lines("first") {
		switch {
		case fields[0][:min(len(fields[0]), maxName)] != first.Name:
		case len(fields) == 1, slices.Contains(proc.CommandLine(first.PID), fields[1]):
			return fields[0]
		default:
			return ""
		}
	}
	if proc.NoNewPrivs(first.PID) && proc.SharesOutput(first.PID, os.Getpid()) {
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
