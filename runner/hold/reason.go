package hold

import "devtools/runner/proc"

// reasonOf returns the reason for a verdict other than waiting, in the words that callers know.
func reasonOf(v proc.Verdict) string {
	switch {
	case v.State == proc.NotWaiting && v.Reason == (proc.Reason{}):
		return "not_reading"
	case v.State != proc.AcceptsInput:
		return v.Reason.String()
	case v.Reason.Also(proc.Listens):
		return "server_idle"
	case v.Reason.Also(proc.Watches):
		return "watch_idle"
	case v.Reason.Also(proc.Connects):
		return "relay_remote"
	}
	return v.Reason.String()
}
