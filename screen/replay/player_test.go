package replay

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"devtools/ledger"
	"devtools/screen"
)

// patience is how long a test waits for what must happen.
const patience = 30 * time.Second

// An outer terminal is what a Player writes to.
type outer struct {
	mu       sync.Mutex
	terminal *screen.Terminal
	replies  []byte
	changed  chan struct{}
}

func newOuter(cols, rows int) *outer {
	o := &outer{terminal: screen.New(cols, rows, 100), changed: make(chan struct{}, 1)}
	o.terminal.OnReply(func(answer []byte) { o.replies = append(o.replies, answer...) })
	_, _ = o.Write([]byte("before\r\n"))
	return o
}

func (o *outer) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	_, _ = o.terminal.Write(p)
	select {
	case o.changed <- struct{}{}:
	default:
	}
	return len(p), nil
}

func (o *outer) snapshot() *screen.Snapshot {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.terminal.Snapshot(screen.Visible())
}

// text returns the rows that there is something in, one a line.
func text(s *screen.Snapshot) string {
	var rows []string
	for i := range s.Lines {
		rows = append(rows, s.Text(i, false))
	}
	return strings.TrimRight(strings.Join(rows, "\n"), "\n")
}

// shows waits until the terminal shows what is wanted in its first rows.
func (o *outer) shows(t *testing.T, want string) {
	t.Helper()
	deadline := time.After(patience)
	for {
		got := text(o.snapshot())
		if strings.HasPrefix(got, want) {
			return
		}
		select {
		case <-o.changed:
		case <-deadline:
			t.Fatalf("it shows\n%s\nand never\n%s", got, want)
		}
	}
}

// play runs a Player until the test has what it wants.
func play(t *testing.T, p *Player) (keys chan []byte, ended chan error) {
	t.Helper()
	keys, ended = make(chan []byte), make(chan error, 1)
	p.Keys = keys
	if p.Speed == 0 {
		p.Speed = 1
	}
	go func() { ended <- p.Run(t.Context()) }()
	return keys, ended
}

func TestPlayerKeys(t *testing.T) {
	o := newOuter(40, 8)
	keys, ended := play(t, &Player{Tape: openTape(t, ticks(100), Cut{}), Out: o, Window: ledger.Size{Cols: 40, Rows: 8}})
	o.shows(t, "\n") // the alternate screen
	shows := func(typed string, last int) {
		t.Helper()
		for _, key := range []byte(typed) { // sequences come in pieces
			keys <- []byte{key}
		}
		var rows []string
		for i := last - 3; i <= last; i++ {
			rows = append(rows, fmt.Sprint("tick ", i))
		}
		o.shows(t, strings.Join(rows, "\n")+"\n\n")
	}
	keys <- []byte(" 0") // however long it took to come here
	for range 2 {
		keys <- []byte("\x1b[C")
	}
	shows(".", 10) // from 10 s on to 10.5 s
	shows(".", 11)
	shows("\x1bOC", 16)
	shows("\x1b[D", 11)
	shows("5", 49)
	shows("9", 89)
	shows("\x1b[15~2", 19)
	shows("\x1b[D\x1b[D", 9)
	o.shows(t, "tick 6\ntick 7\ntick 8\ntick 9\n\n\n\npaused 0:09/1:39 1x")
	keys <- []byte("++-")
	o.shows(t, "tick 6\ntick 7\ntick 8\ntick 9\n\n\n\npaused 0:09/1:39 2x")
	keys <- []byte("++++++ ") // to the end, which stays
	if err := <-ended; err != nil {
		t.Error(err)
	}
	s := o.snapshot()
	if s.Modes.Alternate || !s.Cursor.Visible || !s.Modes.AutoWrap || s.Cursor.Shape != screen.Block {
		t.Errorf("it is left with %+v, %+v", s.Modes, s.Cursor)
	}
	if got := text(s); got != "before\ntick 96\ntick 97\ntick 98\ntick 99" {
		t.Errorf("it is left with\n%s", got)
	}
}

// Whatever ends it, the terminal is as it was.
func TestPlayerLeaves(t *testing.T) {
	const wild = `{"version":2,"width":20,"height":5}
[0,"o","\u001b[?1049h\u001b[?25l\u001b[?1000h\u001b[?2004h\u001b]0;title\u0007\u001b[6n\u001b[c\u001b[?7l\u001b[4h\u001b[3;4r\u001b[31mred"]
[1000,"o","end"]
`
	for name, end := range map[string]func(keys chan []byte, cancel func()){
		"q":       func(keys chan []byte, _ func()) { keys <- []byte("q") },
		"^C":      func(keys chan []byte, _ func()) { keys <- []byte("\x03") },
		"context": func(_ chan []byte, cancel func()) { cancel() },
	} {
		o := newOuter(40, 8)
		ctx, cancel := context.WithCancel(t.Context())
		keys, ended := make(chan []byte), make(chan error, 1)
		p := &Player{Tape: openTape(t, wild, Cut{}), Out: o, Window: ledger.Size{Cols: 40, Rows: 8}, Speed: 1, Keys: keys}
		go func() { ended <- p.Run(ctx) }()
		o.shows(t, "red")
		end(keys, cancel)
		err := <-ended
		cancel()
		if want := map[string]error{"^C": ErrInterrupted, "context": context.Canceled}[name]; !errors.Is(err, want) {
			t.Errorf("%s: %v", name, err)
		}
		s, fresh := o.snapshot(), newOuter(40, 8).snapshot()
		if s.Modes != fresh.Modes || s.Cursor != fresh.Cursor || s.Title != "" || len(o.replies) > 0 || text(s) != "before" {
			t.Errorf("%s: it is left with %+v, %+v, title %q, answers %q, and\n%s", name, s.Modes, s.Cursor, s.Title, o.replies, text(s))
		}
	}
}

// In a smaller window the picture is cut, in wide characters too, and follows the cursor.
func TestPlayerSmallWindow(t *testing.T) {
	const recording = `{"version":2,"width":20,"height":6}
[0,"o","first 日本語 row\r\n2\r\n3\r\n4 is a long row"]
[1000,"o","end"]
`
	resized := make(chan ledger.Size)
	o := newOuter(9, 3)
	p := &Player{Tape: openTape(t, recording, Cut{}), Out: o, Window: ledger.Size{Cols: 9, Rows: 3}, Resized: resized}
	keys, ended := play(t, p)
	o.shows(t, "2\n3\n4 is a lo")
	o.mu.Lock()
	o.terminal.Resize(9, 5)
	o.mu.Unlock()
	resized <- ledger.Size{Cols: 9, Rows: 5}
	o.shows(t, "first 日\n2\n3\n4 is a lo")
	keys <- []byte("q")
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func FuzzKeys(f *testing.F) {
	f.Add([]byte("\x1b[C\x1bOD q"), 3)
	f.Add([]byte("\x1b[1;5C\x1b\x1b["), 1)
	f.Fuzz(func(t *testing.T, typed []byte, n int) {
		var k keyReader
		n = min(max(n, 0), len(typed))
		keys := append(k.read(typed[:n]), k.read(typed[n:])...)
		for _, key := range keys {
			if key == "" || key[0] == 0x1b {
				t.Errorf("%q in %q", key, keys)
			}
		}
		if len(k.rest) > 16 {
			t.Errorf("%d bytes are kept", len(k.rest))
		}
	})
}
