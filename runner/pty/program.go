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
	Input    *InputPipe    // nil unless the options want one
	Changes  chan []Change // changes of its processes, in batches; closed when the tree is gone
	InCgroup bool          // it was started in the cgroup of the session
	Outputs  []*os.File    // its output; Kinds has the kind of each
	Kinds    []transcript.Kind
}

// openPipes connects the outputs, and the input if the options want a pipe. It returns the standard files of the command. stdin
// may be nil.
func (p *Program) openPipes(opts Options, stdin *os.File) (_ []*os.File, err error) {
	switch {
	case stdin != nil:
	case opts.InputPipe:
		stdin, p.Input, err = openInput()
	default:
		stdin, err = os.Open(os.DevNull)
	}
	if err != nil {
		return nil, err
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
