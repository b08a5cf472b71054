package hold

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"devtools/ledger"
	"devtools/ledger/transcript"
	"devtools/runner/pty"
	"devtools/runner/wire"
)

// patience is how long a test waits for something that must happen.
const patience = time.Minute

// newCore returns what the parts of a holder share, with a state folder and a transcript of its own. The program has no
// terminal.
func newCore(t *testing.T) *core {
	t.Helper()
	dir, err := ledger.Create(filepath.Join(t.TempDir(), ledger.FolderName))
	if err != nil {
		t.Fatal(err)
	}
	id, err := dir.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	log, err := transcript.Create(transcript.Folder(dir.SessionFolder(id)), transcript.DefaultMax)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := log.Close(); err != nil {
			t.Error(err)
		}
	})
	return &core{
		dir: dir, log: log, program: &pty.Program{}, started: time.Now(), done: make(chan func(), 16),
		session: ledger.Session{ID: id, Name: "web", Size: ledger.Size{Cols: 20, Rows: 4}},
		spec:    wire.Spec{MaxLog: transcript.DefaultMax},
	}
}

// newClient returns a link whose answers the test takes itself.
func newClient() *link { return &link{send: make(chan *wire.Response, linkBacklog)} }

// answered returns the responses that the client has got since the last call.
func (l *link) answered() (list []wire.Response) {
	for len(l.send) > 0 {
		list = append(list, *<-l.send)
	}
	return list
}

// ids returns the ids of the requests that the responses answer.
func ids(list []wire.Response) (ids []int) {
	for _, resp := range list {
		ids = append(ids, resp.ID)
	}
	return ids
}

// until runs what other goroutines hand to the loop until there reports true.
func (c *core) until(t *testing.T, what string, there func() bool) {
	t.Helper()
	late := time.After(patience)
	for !there() {
		select {
		case finished := <-c.done:
			finished()
		case <-late:
			t.Fatalf("%s: not seen", what)
		}
	}
}

func sameIDs(t *testing.T, what string, got []wire.Response, want ...int) {
	t.Helper()
	if !slices.Equal(ids(got), want) {
		t.Errorf("%s: answers to %v, want %v", what, ids(got), want)
	}
}
