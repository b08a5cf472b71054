package hold

import (
	"slices"
	"strings"

	"devtools/runner/condition"
	"devtools/runner/wire"
)

// mayAct reports whether a client may do more than read. One in a sandbox, in which the holder is not, may do so only in a session that
// was started for that: what it typed would leave the sandbox.
func (h *holder) mayAct(l *link) bool {
	l.acts = l.acts || h.spec.Share || !wire.Confined(l.conn)
	return l.acts
}

// reads reports whether a request changes nothing and reaches nothing: neither the program, nor the holder, nor a file or a server. A
// request that is not known here acts.
func reads(req *wire.Request) bool {
	switch req.Op {
	case wire.OpFollow, wire.OpRead, wire.OpResult, wire.OpHolderStatus, wire.OpCommands, wire.OpModes, wire.OpScreen,
		wire.OpInputState, wire.OpQuestion, wire.OpShellFollow:
		return true
	case wire.OpState:
		return !req.On // what is half typed is in no file
	case wire.OpCapture:
		return req.Capture != nil && req.Capture.Action == wire.CaptureList
	case wire.OpWait:
		return req.Wait != nil && !slices.ContainsFunc(slices.Concat(req.Wait.Until, req.Wait.Fail), isOutside)
	}
	return false
}

// isOutside reports whether the holder looks for a condition outside of its session: a sandbox may not reach that server or file.
func isOutside(text string) bool {
	kind, _, _ := strings.Cut(text, ":")
	return kind == condition.UntilHTTP || kind == condition.UntilFile
}
