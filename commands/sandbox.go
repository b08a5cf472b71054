package commands

import (
	"errors"
	"fmt"

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

// endedInSandbox returns err in other words if it says that a session has ended, or has no holder, whose sandbox has ended.
func endedInSandbox(cmd *cli.Command, err error) error {
	name := ledger.SessionOf(err)
	if cmd == nil || name == "" || !errors.Is(err, wire.ErrEnded) && !errors.Is(err, wire.ErrHolderGone) {
		return err
	}
	path, failed := stateFolder(cmd)
	if failed != nil {
		return err
	}
	dir, failed := ledger.Inspect(path)
	if failed != nil {
		return err
	}
	s, failed := dir.Session(name)
	if failed == nil {
		s, failed = dir.LoadSession(s.ID)
	}
	if failed != nil || s.EndsWith == "" || s.Ended() { // its holder may still be dying, and is gone for err
		return err
	}
	words := fmt.Errorf(withCall, name)
	return &sessionError{err: &sandboxEnded{words, err}, name: name, hint: "devtools log " + name + " prints its output until then"}
}

// withCall is what a later call hears of a session.
const withCall = "session %q: its sandbox ended with the call that started it"

// sayLost says it of a session whose output or picture is shown.
func sayLost(cmd *cli.Command, dir ledger.Dir, s ledger.Session) {
	if s.EndsWith != "" && !s.Ended() && !dir.Held(s.ID) {
		note(cmd, withCall, s.Name)
	}
}

// A sandboxEnded is an error in other words.
type sandboxEnded struct {
	error
	of error
}

func (e *sandboxEnded) Unwrap() error { return e.of }
