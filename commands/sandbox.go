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

// callEndOf tells that of a session, which may also be outside of our sandbox. It makes system calls, and is for what goes on after
// the call.
func callEndOf(s ledger.Session) (e callEnd) {
	if s.Namespace == proc.Namespace() {
		e.EndsWith = sandbox.Around().Ends
	}
	e.EndsWithCall = e.EndsWith != ""
	return e
}

// text says it after the words that a session goes on, or was ended.
func (e callEnd) text(before string) string {
	if !e.EndsWithCall {
		return ""
	}
	return before + " ends when " + e.EndsWith + " ends"
}

// say tells it of sessions that have started.
func (e callEnd) say(cmd *cli.Command, what string) {
	if e.EndsWithCall {
		note(cmd, "%s: no later call can use it", e.text(what))
	}
}

// hints returns what to do with a session that waits for input, or goes on if w is nil, within this call.
func (e callEnd) hints(cmd *cli.Command, name string, w *wire.Waiting) []string {
	devtools := devtoolsCommand(cmd)
	then := devtools + " log " + name
	if w == nil {
		return []string{"only this call can use it: devtools run ...; " + then}
	}
	again := "run it again with --answer " + answerArgument(*w, "TEXT")
	if w.Secret {
		again = "run it again with --answer-file FILE"
	}
	return []string{again, "or answer within this call: devtools run ...; " + devtools + " send-keys " + name + " --enter -- TEXT; " + then}
}

// sayLost says of a session whose output or picture is shown that its sandbox has ended.
func sayLost(cmd *cli.Command, dir ledger.Dir, s ledger.Session) {
	if wire.SandboxEnded(s) && !dir.Held(s.ID) {
		note(cmd, "%v", ledger.SessionError(s.Name, wire.ErrSandboxEnded))
	}
}
