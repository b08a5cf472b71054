package proc

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// ParseSignal returns the signal with a name such as "TERM" or "SIGTERM", or with a number.
func ParseSignal(name string) (syscall.Signal, error) { return SignalNumber(name) }

func Failed(o Outcome, pid int) bool {
	return slices.ContainsFunc(o.Failed, func(f Failure) bool { return f.PID == pid })
}

// Merged combines the outcomes of two attempts. Where they contradict each other, the second one counts.
func Merged(a, b Outcome) Outcome {
	for _, pid := range a.Killed {
		if !slices.Contains(b.Killed, pid) {
			b.Killed = append(b.Killed, pid)
		}
	}
	for _, f := range a.Failed {
		if !Failed(b, f.PID) && !slices.Contains(b.Killed, f.PID) {
			b.Failed = append(b.Failed, f)
		}
	}
	maps.Copy(b.Signals, a.Signals)
	return b
}

func Ids(infos []Info) []ID {
	list := make([]ID, len(infos))
	for i, info := range infos {
		list[i] = info.ID
	}
	return list
}

// Subtree returns a list function for [Kill]: the process root of our tree, while it lives, and the tree below it.
func Subtree(root ID) func() []ID {
	return func() []ID {
		list := Ids(Tree(root.PID))
		// The pid may belong to another process by now. Kill follows the processes that were listed before to their
		// end.
		if !root.Alive() {
			return nil
		}
		return append([]ID{root}, list...)
	}
}

// IsShell reports whether a program is a shell, by its name.
func IsShell(name string) bool {
	switch strings.TrimPrefix(filepath.Base(name), "-") {
	case "bash", "zsh", "fish", "sh", "dash", "ash", "ksh", "mksh", "tcsh", "csh", "nu", "xonsh", "pwsh", "elvish":
		return true
	}
	return false
}
