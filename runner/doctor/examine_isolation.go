package doctor

import (
	"fmt"
	"strings"

	"devtools/runner/guard/isolation"
)

// reason returns what an error says of the kernel.
func reason(err error) string {
	return strings.TrimPrefix(err.Error(), isolation.ErrUnavailable.Error()+": ")
}

// isolationChecks reports whether sessions can be isolated, and what is there of what that needs.
func isolationChecks(s isolation.Support) []Check {
	whole := Check{Name: "isolation", Level: LevelOK, Message: "The level high works, as do the others."}
	if s.High != nil {
		whole.Level, whole.Message, whole.Fix = LevelNote, fmt.Sprintf("The level high does not work: %s.", reason(s.High)), "nothing, if you do not need it: the levels none, basic and medium work"
	}
	if s.Needed == 0 {
		return []Check{whole}
	}
	landlock := Check{Name: "landlock", Level: LevelOK, Message: fmt.Sprintf("Landlock has version %d.", s.Landlock)}
	switch {
	case s.Landlock == 0:
		landlock.Level, landlock.Message, landlock.Fix = LevelNote, "The kernel has no Landlock.", "add landlock to the parameter lsm= of the kernel, or use one that has it"
	case s.Landlock < s.Needed:
		landlock.Level, landlock.Fix = LevelNote, fmt.Sprintf("use Linux 6.12 or newer, which has version %d", s.Needed)
	}
	namespaces := Check{Name: "user namespaces", Level: LevelOK, Message: "You can make namespaces of mounts and of the network."}
	if s.Namespaces != nil {
		namespaces.Level, namespaces.Message = LevelNote, fmt.Sprintf("You cannot make namespaces of mounts and of the network: %s.", reason(s.Namespaces))
	}
	seccomp := Check{Name: "seccomp", Level: LevelOK, Message: "System calls can be filtered."}
	if s.Seccomp != nil {
		seccomp.Level, seccomp.Message = LevelNote, fmt.Sprintf("System calls cannot be filtered: %s.", reason(s.Seccomp))
	}
	return []Check{landlock, namespaces, seccomp, whole}
}
