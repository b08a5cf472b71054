package commands

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"
)

// A spinner shows on a terminal that work is going on. Its line appears only while nothing else is written, and
// disappears before other output.
type spinner struct {
	out *os.File // nil: show nothing

	mu    sync.Mutex
	turns chan struct{} // closed at the end of the work; nil while there is none
	shown bool
}

// newSpinner returns a spinner for w. It shows nothing if w is not a terminal, or a terminal that knows no escape
// sequences.
func newSpinner(w io.Writer) *spinner {
	file, ok := w.(*os.File)
	if !ok || !isTerminal(file) || os.Getenv("TERM") == "dumb" {
		file = nil
	}
	return &spinner{out: file}
}

// The times of a spinner: the delay before it appears, and the interval of its turns. Work that ends sooner is never
// shown.
const (
	spinAfter = 500 * time.Millisecond
	spinEvery = 250 * time.Millisecond
)

// begin shows, after a delay, that the work named what is going on.
func (s *spinner) begin(what string) {
	s.end()
	if s.out == nil {
		return
	}
	turns := make(chan struct{})
	s.mu.Lock()
	s.turns = turns
	s.mu.Unlock()
	go s.turn(what, turns)
}

func (s *spinner) turn(what string, turns chan struct{}) {
	begin := time.Now()
	next := time.NewTimer(spinAfter)
	defer next.Stop()
	for i := 0; ; i++ {
		select {
		case <-next.C:
			next.Reset(spinEvery)
		case <-turns:
			return
		}
		s.mu.Lock()
		if s.turns == turns {
			line := fmt.Sprintf("%c %s %ds", `|/-\`[i%4], what, int(time.Since(begin).Seconds()))
			if cols, _, err := term.GetSize(int(s.out.Fd())); err == nil && cols > 0 {
				line = line[:min(len(line), cols-1)] // names of sessions are ASCII
			}
			_, _ = io.WriteString(s.out, "\r\x1b[K"+line)
			s.shown = true
		}
		s.mu.Unlock()
	}
}

// end ends the work and removes the line.
func (s *spinner) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.turns != nil {
		close(s.turns)
		s.turns = nil
	}
	if s.shown {
		_, _ = io.WriteString(s.out, "\r\x1b[K")
		s.shown = false
	}
}
