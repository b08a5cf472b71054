package census

import (
	"devtools/ledger"
	"devtools/runner/proc"
)

// present reports whether s probably has its holder: something with the holder's pid lives. That is one system call;
// a test of the claim takes three, on a file. It is for reminders, which look at all sessions and rely on none. If the
// holder was killed and its number is used again, those who test the claim find out: ps, kill, and whatever is about s. In a sandbox
// with pids of its own, each call uses the same numbers: there, the claim is tested.
func present(dir ledger.Dir, s ledger.Session) bool {
	return s.EndsWith == "" && sameBoot(s.Holder) && !elsewhere(s) && !dir.Copied(s) && proc.Lives(s.Holder.PID) || dir.Held(s.ID)
}
