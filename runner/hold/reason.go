package hold

import (
	"devtools/runner/blocked"
	"devtools/runner/wire"
)

// inputState returns what the result says about input. It is empty if there was no look.
func (s probeResult) inputState() wire.InputState {
	switch v := s.verdict; {
	case s.at.IsZero():
		return wire.InputState{}
	case !s.waits():
		return wire.InputState{AcceptsInput: v.State == blocked.AcceptsInput || v.State == blocked.Waiting, Reason: reasonOf(v)}
	default:
		return wire.InputState{Waiting: s.waiting, AcceptsInput: true, Reason: v.Reason.String()}
	}
}

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
	case v.Reason.Also(blocked.Connects), v.Reason.Also(blocked.Idle):
		return "relay_remote"
	}
	return v.Reason.String()
}
