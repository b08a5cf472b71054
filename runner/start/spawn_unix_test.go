//go:build unix

package start

import (
	"testing"

	"devtools/runner/wire"
)

// A holder whose command is quick may have closed the start-up channel before the starter has returned from sending the
// spec. That is no failure: its answer is there to be read.
func TestSendToQuickHolder(t *testing.T) {
	for range 3000 {
		near, far := duplexes(t)
		closed := make(chan struct{})
		go func() {
			defer close(closed)
			defer far.Close()
			if n, err := far.Read(make([]byte, 4096)); n == 0 || err != nil {
				t.Error(n, err)
			}
		}()
		s := &Starter{conn: near}
		if _, err := s.Send(wire.Spec{}); err != nil {
			t.Fatal(err)
		}
		<-closed
		near.Close()
	}
}
