package hold

import (
	"fmt"
	"net"
	"strings"

	"devtools/runner/proc"
	"devtools/runner/track"
	"devtools/runner/wire"
)

// maxAncestors is how many ancestors of a client are looked at.
const maxAncestors = 256

// refusal returns why a request may not type into a session in which only a person may type, or nil. Who calls send-keys may do
// so with a terminal in between: what is typed into another session is not a person's either, if attach runs there.
func (ps *persons) refusal(l *link, req *wire.Request) error {
	if !ps.spec.PersonOnly {
		return nil
	}
	switch {
	case req.Op == wire.OpType, req.Op == wire.OpShell, req.Op == wire.OpShellWith, req.Op == wire.OpInput && !l.person:
		return ps.named(wire.ErrPersonOnly)
	case req.Op == wire.OpAttach && !req.ReadOnly && runsWithin(l.conn, ps.caller):
		return ps.named(fmt.Errorf("%w, and this terminal is a session itself, into which anybody may type", wire.ErrPersonOnly))
	}
	return nil
}

// runsWithin reports whether the client at the other end of conn runs in a session, other than the session of which the id is
// caller. It is false where the system does not tell: only Linux has the environment of a process.
func runsWithin(conn any, caller string) bool {
	socket, ok := conn.(net.Conn)
	if !ok {
		return false
	}
	pid, _ := wire.CheckPeer(socket)
	for range maxAncestors {
		if id, _ := proc.Variable(pid, track.Variable); id != "" {
			return id != caller
		}
		info, err := proc.Read(pid)
		if err != nil {
			return false
		}
		if track.IsHolder(info) { // the variable was taken away
			return true
		}
		pid = info.Parent
	}
	return false
}

// markOf returns the id of the session to whose processes an environment belongs, or "".
func markOf(env []string) (id string) {
	for _, pair := range env {
		if value, ok := strings.CutPrefix(pair, track.Variable+"="); ok {
			id = value
		}
	}
	return id
}
