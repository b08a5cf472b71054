package runner

import (
	"devtools/ledger"
	"devtools/runner/proc"
)

// orphans returns the living processes that the record of s names, with their trees.
func orphans(s ledger.Session) []proc.Info {
	var infos []proc.Info
	for _, p := range append([]ledger.Process{s.Main}, s.Leftovers...) {
		id := identity(p)
		if id.PID == 0 || !id.Alive() {
			continue
		}
		info, err := proc.Read(id.PID)
		if tree := proc.Tree(id.PID); err == nil && id.Alive() { // still the same: so the tree is its own
			infos = append(append(infos, info), tree...)
		}
	}
	return infos
}
