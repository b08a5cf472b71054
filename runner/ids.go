package runner

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"devtools/runner/proc"
)

// ParseSignal returns the signal called name: "TERM", "SIGTERM" or its number.
func ParseSignal(name string) (syscall.Signal, error) { return signalNumber(name) }

func failed(o proc.Outcome, pid int) bool {
	return slices.ContainsFunc(o.Failed, func(f proc.Failure) bool { return f.PID == pid })
}

// merged returns what became of processes in two attempts, of which the second one knows better.
func merged(a, b proc.Outcome) proc.Outcome {
	for _, pid := range a.Killed {
		if !slices.Contains(b.Killed, pid) {
			b.Killed = append(b.Killed, pid)
		}
	}
	for _, f := range a.Failed {
		if !failed(b, f.PID) && !slices.Contains(b.Killed, f.PID) {
			b.Failed = append(b.Failed, f)
		}
	}
	maps.Copy(b.Signals, a.Signals)
	return b
}

func ids(infos []proc.Info) []proc.ID {
	list := make([]proc.ID, len(infos))
	for i, info := range infos {
		list[i] = info.ID
	}
	return list
}

// subtree lists the living process root of our tree, and its own tree, for killing.
func subtree(root proc.ID) func() []proc.ID {
	return func() []proc.ID {
		list := ids(proc.Tree(root.PID))
		if !root.Alive() { // whose tree that is, nobody knows; what was named before is followed to its end
			return nil
		}
		return append([]proc.ID{root}, list...)
	}
}

// isShell reports whether a program is a shell, by its name.
func isShell(name string) bool {
	switch strings.TrimPrefix(filepath.Base(name), "-") {
	case "bash", "zsh", "fish", "sh", "dash", "ash", "ksh", "mksh", "tcsh", "csh", "nu", "xonsh", "pwsh", "elvish":
		return true
	}
	return false
}
