package list

import (
	"context"

	"devtools/ledger"
	"devtools/runner/census"
	"devtools/runner/proc"
	"devtools/runner/wire"
)

// takeMasked learns how the processes of a session with secrets may be shown. Only the holder knows the secrets: it is asked, and what it
// has written down counts for the processes that it does not name.
func (s *Listed) takeMasked(ctx context.Context, dir ledger.Dir, members []proc.Member) {
	if len(s.Secrets) == 0 || len(members) == 0 {
		return
	}
	s.masked = census.Written(dir, s.Session)
	if s.Status == ledger.StatusOrphaned {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, wire.InputStatePatience)
	defer cancel()
	resp, err := wire.Ask(ctx, dir, s.Session, wire.Request{Op: wire.OpCommands})
	if err != nil {
		return
	}
	for _, p := range resp.Processes {
		s.masked[p.PID] = p
	}
}

// mask makes p, which is the process m, show nothing else than takeMasked has found if its session has secrets.
func (s *Listed) mask(p *Process, m proc.Member) {
	if len(s.Secrets) == 0 {
		return
	}
	p.Name, p.CommandLine = s.masked.Shown(m.ID)
	p.args = []string{p.CommandLine}
}
