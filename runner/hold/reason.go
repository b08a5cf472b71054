package hold

import "devtools/runner/blocked"

// reasonOf returns the reason for a verdict other than waiting, in the words that callers know.
func reasonOf(v blocked.Verdict) string {
	switch {
	case v.State == blocked.NotWaiting && v.Reason == (blocked.Reason{}):
		return "not_reading"
	case v.State != blocked.AcceptsInput:
		return v.Reason.String()
	case v.Reason.Also(blocked.Listens):
		return "server_idle"
	case v.Reason.Also(blocked.Watches):
		return "watch_idle"
	case v.Reason.Also(blocked.Connects):
		return "relay_remote"
	}
	return v.Reason.String()
}
