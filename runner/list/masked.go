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

// mask makes p, which is the process m, show nothing else than takeMasked has found if its session has secrets. In the holder's note they
// are masked.
func (s *Listed) mask(p *Process, m proc.Member) {
	switch {
	case len(s.Secrets) == 0:
		return
	case s.masked == nil:
		p.args = append([]string{}, m.Args...)
		return
	}
	p.CommandLine = "[" + m.Name + "]"
	if known, ok := s.masked[m.PID]; ok && known.Start == m.Start && known.CommandLine != "" {
		p.Name, p.CommandLine = known.Name, known.CommandLine
	}
	p.args = []string{p.CommandLine}
}
