package census

import (
	"devtools/ledger"
	"devtools/runner/proc"
	"devtools/runner/track"
)

// Known are the processes of a session with secrets, by pid, as its holder shows them: with the secrets masked in their names and command
// lines. Nobody else knows the secrets.
type Known map[int]ledger.Process

// Written returns the processes of s that its holder has written down.
func Written(dir ledger.Dir, s ledger.Session) Known {
	known := Known{}
	journal, _ := dir.Journal(s.ID) // without it only the others are known
	main := s.Main
	main.CommandLine = proc.Line(s.Command)
	for _, list := range [][]ledger.Process{s.Leftovers, journal, {main}} {
		for _, p := range list {
			known[p.PID] = p
		}
	}
	return known
}

// Shown returns what of a process may be shown. All that shows processes of a session with secrets uses it. A process that the holder
// has not named has a question mark: a secret may be in its name, too.
func (k Known) Shown(id proc.ID) (name, commandLine string) {
	p, ok := k[id.PID]
	switch {
	case !ok || track.Identity(p).Start != id.Start:
		return "?", "[?]"
	case p.CommandLine == "": // as in ps(1)
		return p.Name, "[" + p.Name + "]"
	}
	return p.Name, p.CommandLine
}

// describer returns a function that returns a process of s in the form of the ledger.
func describer(dir ledger.Dir, s ledger.Session) func(proc.Info) ledger.Process {
	if len(s.Secrets) == 0 {
		return func(info proc.Info) ledger.Process { return track.Describe(info, proc.CommandLine(info.PID)) }
	}
	known := Written(dir, s)
	return func(info proc.Info) ledger.Process {
		p := track.Describe(info, nil)
		p.Name, p.CommandLine = known.Shown(info.ID)
		return p
	}
}
