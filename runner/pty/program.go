package pty

import (
	"os"

	"devtools/ledger/transcript"
	"devtools/runner/proc"
)

// A Program is a started command with its process tree.
type Program struct {
	PID      int
	ID       proc.ID
	Tty      *Terminal     // nil without a terminal
	Changes  chan []Change // changes of its processes, in batches; closed when the tree is gone
	InCgroup bool          // it was started in the cgroup of the session
	Outputs  []*os.File    // its output; Kinds has the kind of each
	Kinds    []transcript.Kind
}

// openPipes connects the outputs. It returns the standard files of the command.
func (p *Program) openPipes(stdin *os.File) ([]*os.File, error) {
	if stdin == nil {
		null, err := os.Open(os.DevNull)
		if err != nil {
			return nil, err
		}
		stdin = null
	}
	inherited := []*os.File{stdin}
	for _, kind := range []transcript.Kind{transcript.Output, transcript.Stderr} {
		r, w, err := outputPipe()
		if err != nil {
			return nil, err
		}
		inherited = append(inherited, w)
		p.Outputs, p.Kinds = append(p.Outputs, r), append(p.Kinds, kind)
	}
	return inherited, nil
}
