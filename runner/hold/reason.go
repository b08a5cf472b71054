package hold

import (
	"strings"

	"devtools/runner/proc"
)

// reasonOf returns the reason for a verdict other than waiting, in the words that callers know.
func reasonOf(v proc.Verdict) string {
	switch {
	case v.State == proc.NotWaiting && v.Reason == "":
		return "not_reading"
	case v.State != proc.AcceptsInput:
		return v.Reason
	case strings.Contains(v.Reason, "_listen"):
		return "server_idle"
	case strings.Contains(v.Reason, "_watch"):
		return "watch_idle"
	case strings.Contains(v.Reason, "_socket"):
		return "relay_remote"
	}
	return v.Reason
}
