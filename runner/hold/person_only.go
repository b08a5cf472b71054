package hold

import (
	"fmt"
	"net"

	"devtools/runner/proc"
	"devtools/runner/track"
	"devtools/runner/wire"
)

// maxAncestors is how many ancestors of a client are looked at.
const maxAncestors = 256

// refusal returns why a request may not type into a session in which only a person may type, or nil. An attach that runs in a
// session does not count as a person, because send-keys can type into that session.
func (ps *persons) refusal(l *link, req *wire.Request) error {
	if !ps.spec.PersonOnly {
		return nil
	}
	switch {
	case req.Op == wire.OpType, req.Op == wire.OpShell, req.Op == wire.OpShellWith, req.Op == wire.OpInput && !l.person:
		return ps.named(wire.ErrPersonOnly)
	case req.Op == wire.OpAttach && !req.ReadOnly && overFIFO(l.conn):
		return ps.named(fmt.Errorf("%w, and its door, a FIFO, does not tell whether a person attaches", wire.ErrPersonOnly))
	case req.Op == wire.OpAttach && !req.ReadOnly && runsWithin(l.conn):
		return ps.named(fmt.Errorf("%w, and this terminal is a session itself, into which anybody may type", wire.ErrPersonOnly))
	}
	return nil
}

// overFIFO reports whether a client has come by a FIFO, which does not tell who it is.
func overFIFO(conn any) bool { _, ok := conn.(wire.Duplex); return ok }

// runsWithin reports whether the client at the other end of conn runs in a session. It is false where the system does not tell:
// only Linux has the environment of a process.
func runsWithin(conn any) bool {
	socket, ok := conn.(net.Conn)
	if !ok {
		return false
	}
	pid, _ := wire.CheckPeer(socket)
	return belongs(pid)
}

// belongs reports whether a process, or one of its ancestors, belongs to a session: it has the variable of one, or is a holder.
func belongs(pid int) bool {
	for range maxAncestors {
		if id, _ := proc.Variable(pid, track.Variable); id != "" {
			return true
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
