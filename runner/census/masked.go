package census

import (
	"devtools/ledger"
	"devtools/runner/proc"
	"devtools/runner/track"
)

// describer returns a function that returns a process of s in the form of the ledger. If s has secrets, only its holder knew them. Its
// processes then have the names and command lines that it has written down, and the others have their name for a command line, as in
// ps(1).
func describer(dir ledger.Dir, s ledger.Session) func(proc.Info) ledger.Process {
	if len(s.Secrets) == 0 {
		return func(info proc.Info) ledger.Process { return track.Describe(info, proc.CommandLine(info.PID)) }
	}
	written := Written(dir, s)
	return func(info proc.Info) ledger.Process {
		p := track.Describe(info, nil)
		p.CommandLine = "[" + info.Name + "]"
		if known, ok := written[info.ID.PID]; ok && track.Identity(known).Start == info.Start {
			p.Name, p.CommandLine = known.Name, known.CommandLine
		}
		return p
	}
}

// Written returns the processes of s that its holder has written down, with their secrets masked, by pid.
func Written(dir ledger.Dir, s ledger.Session) map[int]ledger.Process {
	written := map[int]ledger.Process{}
	journal, _ := dir.Journal(s.ID) // without it only the others are known
	main := s.Main
	main.CommandLine = proc.Line(s.Command)
	for _, list := range [][]ledger.Process{s.Leftovers, journal, {main}} {
		for _, p := range list {
			written[p.PID] = p
		}
	}
	return written
}
