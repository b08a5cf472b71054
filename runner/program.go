package runner

import (
	"os"

	"devtools/ledger/transcript"
	"devtools/runner/proc"
)

// A program is a started command with its tree.
type program struct {
	pid      int
	id       proc.ID
	tty      *terminal     // nil without a terminal
	changes  chan []change // what becomes of its processes, in batches; closed when the tree is gone
	inCgroup bool          // it was started in the cgroup of the session
	outputs  []*os.File    // what it prints, with kinds
	kinds    []transcript.Kind
}

// openPipes connects the outputs, and returns what the command gets as its standard files.
func (p *program) openPipes(stdin *os.File) ([]*os.File, error) {
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
		p.outputs, p.kinds = append(p.outputs, r), append(p.kinds, kind)
	}
	return inherited, nil
}
