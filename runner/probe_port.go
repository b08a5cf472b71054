package runner

import (
	"fmt"
	"strings"

	"devtools/runner/proc"
)

// listening reports whether one of ours, by their pids, listens on the port, and who does if none does.
func (c Condition) listening(ours []int) (note string, there bool) {
	all, err := proc.Listeners(c.port)
	if err != nil {
		return fmt.Sprintf("who listens on port %d cannot be told: %v", c.port, err), false
	}
	if len(all) == 0 {
		return "", false
	}
	if len(proc.Owned(all, ours)) > 0 {
		return "", true
	}
	var owners []string
	for _, l := range all {
		owner := "a process that is not ours to look at"
		if info, ok := proc.OwnerOf(l.Inode); ok {
			owner = fmt.Sprintf("%s (pid %d)", info.Name, info.ID.PID)
		}
		owners = append(owners, owner)
	}
	return fmt.Sprintf("port %d is taken by %s, which this session did not start", c.port, strings.Join(owners, ", ")), false
}

// treePIDs lists the living tree.
func treePIDs() []int {
	var pids []int
	for _, info := range tree() {
		pids = append(pids, info.ID.PID)
	}
	return pids
}
