package commands

import (
	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/runner/proc"
	"devtools/runner/sandbox"
	"devtools/runner/wire"
)

// A callEnd says whether what runs now ends together with the call that devtools is part of.
type callEnd struct {
	EndsWithCall bool   `json:"endsWithCall,omitzero"` // the sandbox of this call ends with it, and the session too: no later call can use it
	EndsWith     string `json:"endsWith,omitzero"`     // what ends the sandbox, such as bwrap (pid 1 here)
}

// callEndOf returns the callEnd of a session, which may also run outside of our sandbox. The function makes system calls, so only
// sessions that go on after the call pay for them.
func callEndOf(s ledger.Session) (e callEnd) {
	if s.Namespace == proc.Namespace() {
		e.EndsWith = sandbox.Around().Ends
	}
	e.EndsWithCall = e.EndsWith != ""
	return e
}

// text returns a clause that follows the words before, which say that a session goes on or was ended. Outside of sandboxes there is none.
func (e callEnd) text(before string) string {
	if !e.EndsWithCall {
		return ""
	}
	return before + " ends when " + e.EndsWith + " ends"
}

// say prints when the sessions end that have started.
func (e callEnd) say(cmd *cli.Command, what string) {
	if e.EndsWithCall {
		note(cmd, "%s: no later call can use it", e.text(what))
	}
}

// withinCall is the hint about a session that ends with this call.
const withinCall = "use it within this call, or run it again with --answer or a larger --timeout; IN A SANDBOX in devtools help run tells more"

// sayLost prints that the sandbox of a session, whose output or picture is shown, has ended.
func sayLost(cmd *cli.Command, dir ledger.Dir, s ledger.Session) {
	if wire.SandboxEnded(s) && !dir.Held(s.ID) {
		note(cmd, "%v", ledger.SessionError(s.Name, wire.ErrSandboxEnded))
	}
}
