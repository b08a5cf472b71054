package proc

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// ParseSignal returns the signal called name: "TERM", "SIGTERM" or its number.
func ParseSignal(name string) (syscall.Signal, error) { return SignalNumber(name) }

func Failed(o Outcome, pid int) bool {
	return slices.ContainsFunc(o.Failed, func(f Failure) bool { return f.PID == pid })
}

// Merged returns what became of processes in two attempts, of which the second one knows better.
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

// Subtree lists the living process root of our tree, and its own tree, for killing.
func Subtree(root ID) func() []ID {
	return func() []ID {
		list := Ids(Tree(root.PID))
		if !root.Alive() { // whose tree that is, nobody knows; what was named before is followed to its end
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
