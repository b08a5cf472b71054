package replay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/gif"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"devtools/ledger"
	"devtools/ledger/transcript"
	"devtools/screen"
)

// patience is how long a test waits for what must happen.
const patience = 30 * time.Second

// openTape opens a recording that is text.
func openTape(t testing.TB, recording string, cut Cut) *Tape {
	t.Helper()
	tape, err := Open(strings.NewReader(recording), ledger.Size{}, cut)
	if err == nil {
		err = tape.Measure(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	return tape
}

// ticks is a recording that prints another line each second, and in between changes its size.
func ticks(n int) string {
	var b strings.Builder
	b.WriteString(`{"version":2,"width":20,"height":5,"timestamp":1700000000}` + "\n")
	for i := range n {
		fmt.Fprintf(&b, `[%d.5,"o","tick %d\r\n"]`+"\n", i, i)
		fmt.Fprintf(&b, `[%d.5,"i","typed"]`+"\n", i)
	}
	return b.String()
}

func TestTapeTimes(t *testing.T) {
	const recording = `{"version":3,"term":{"cols":20,"rows":5},"timestamp":1700000000}
[0.5,"o","a"]
[10,"o","b"]
[0.25,"r","30x4"]
[0.25,"o","c"]
[4,"i","x"]
[5,"o","d"]
`
	after := func(d time.Duration) Moment { return Moment{After: d, Given: true} }
	for _, test := range []struct {
		name string
		cut  Cut
		want string
	}{
		{"all", Cut{}, "a@0.5 b@10.5 30x4@10.75 c@11 d@20"},
		{"idle limit", Cut{IdleLimit: time.Second}, "a@0.5 b@1.5 30x4@1.75 c@2 d@3"},
		{"from", Cut{From: after(10600 * time.Millisecond)}, "a@0 b@0 30x4@0.15 c@0.4 d@9.4"},
		{"from and idle limit", Cut{From: after(2 * time.Second), IdleLimit: time.Second}, "a@0 b@1 30x4@1.25 c@1.5 d@2.5"},
		{"to", Cut{To: after(11 * time.Second)}, "a@0.5 b@10.5 30x4@10.75 c@11"},
		{"to a moment", Cut{To: Moment{Then: time.Unix(1700000001, 0), Given: true}}, "a@0.5"},
		{"nothing", Cut{To: after(0)}, ""},
	} {
		var got []string
		tape := openTape(t, recording, test.cut)
		for range 2 { // it can be played again
			got = nil
			if err := tape.Play(t.Context(), func(at time.Duration, e transcript.Event) error {
				got = append(got, fmt.Sprintf("%s%s@%g", e.Data, e.Text, at.Round(time.Microsecond).Seconds()))
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
	if tape := openTape(t, recording, Cut{}); tape.Largest != (ledger.Size{Cols: 30, Rows: 5}) || tape.Duration.Round(time.Millisecond) != 20*time.Second {
		t.Errorf("%v, %v", tape.Largest, tape.Duration)
	}
	for _, cut := range []Cut{{From: after(2), To: after(1)}, {To: Moment{Then: time.Now(), Given: true}}} {
		if _, err := Open(strings.NewReader(strings.Replace(recording, `,"timestamp":1700000000`, "", 1)), ledger.Size{}, cut); err == nil {
			t.Errorf("no error for %+v", cut)
		}
	}
}

// What is streamed comes at its time.
func TestStream(t *testing.T) {
	begin := time.Now()
	var b bytes.Buffer
	if err := openTape(t, ticks(5), Cut{}).Stream(t.Context(), &b, 10); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begin); took < 440*time.Millisecond || took > 5*time.Second {
		t.Errorf("4.5 s took %v at a speed of 10", took)
	}
	if b.String() != "tick 0\r\ntick 1\r\ntick 2\r\ntick 3\r\ntick 4\r\n" {
		t.Errorf("%q", &b)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, cancel)
	if err := openTape(t, ticks(5), Cut{}).Stream(ctx, io.Discard, 0.01); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

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

// A cast is what it was made of, in bytes and times.
func TestExportCast(t *testing.T) {
	for _, format := range []string{"cast", "cast3"} {
		file := temporary(t)
		if err := openTape(t, ticks(50), Cut{IdleLimit: 100 * time.Millisecond}).Export(t.Context(), file, format, 2); err != nil {
			t.Fatal(err)
		}
		tape, err := Open(file, ledger.Size{}, Cut{})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		if err := tape.Play(t.Context(), func(at time.Duration, e transcript.Event) error {
			if want := time.Duration(n+1) * 50 * time.Millisecond; at.Round(10*time.Microsecond) != want || string(e.Data) != fmt.Sprintf("tick %d\r\n", n) {
				t.Errorf("%s: %q at %v, want it at %v", format, e.Data, at, want)
			}
			n++
			return nil
		}); err != nil || n != 50 || tape.Size != (ledger.Size{Cols: 20, Rows: 5}) || tape.Started.Unix() != 1700000000 {
			t.Errorf("%s: %v, %d events, %v, %v", format, err, n, tape.Size, tape.Started)
		}
	}
}

func temporary(t testing.TB) *os.File {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "export"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	return file
}

// A film has the pictures of the tape, at its times and no more often than 30 times a second.
func TestExportFilm(t *testing.T) {
	var recording strings.Builder
	recording.WriteString(`{"version":2,"width":20,"height":5}` + "\n")
	for i := range 1000 {
		fmt.Fprintf(&recording, `[%f,"o","\r%d"]`+"\n", float64(i)/500, i)
	}
	file := temporary(t)
	if err := openTape(t, recording.String(), Cut{}).Export(t.Context(), file, "gif", 1); err != nil {
		t.Fatal(err)
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	film, err := gif.DecodeAll(file)
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for i, d := range film.Delay {
		total += d
		if d < 3 || i < len(film.Delay)-1 && d > 7 {
			t.Errorf("frame %d is shown for %d hundredths", i, d)
		}
	}
	if len(film.Image) < 55 || len(film.Image) > 61 || math.Abs(float64(total-396)) > 6 {
		t.Errorf("%d frames in %d hundredths", len(film.Image), total)
	}
}

func TestExportTextAndPage(t *testing.T) {
	const recording = `{"version":2,"width":10,"height":3}
[0,"o","0123456789abc\r\n50%\r100%\r\n\u001b[1mbold\u001b[m <b>\r\n"]
[1,"r","40x5"]
[2,"o","0123456789abc\r\n"]
`
	for format, want := range map[string]string{
		"txt": "0123456789abc\n100%\nbold <b>\n0123456789abc\n", "html": "&lt;b&gt;",
	} {
		file := temporary(t)
		if err := openTape(t, recording, Cut{}).Export(t.Context(), file, format, 1); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(file.Name())
		if err != nil || !strings.Contains(string(got), want) || format == "txt" && string(got) != want {
			t.Errorf("%s: %v\n%s", format, err, got)
		}
	}
	if err := openTape(t, recording, Cut{}).Export(t.Context(), temporary(t), "mp4", 1); err == nil {
		t.Error("no error for mp4")
	}
}

// A frame that a program never finishes is shown after a second.
func TestUnfinishedFrame(t *testing.T) {
	const recording = `{"version":2,"width":10,"height":3}
[0,"o","a\u001b[?2026hb"]
[0.5,"o","c"]
[2,"o","d"]
[4,"o","e"]
`
	var shown []string
	pictures := filmFunc(func(s *screen.Snapshot, at time.Duration) error {
		shown = append(shown, fmt.Sprintf("%s@%g", text(s), at.Seconds()))
		return nil
	})
	if err := openTape(t, recording, Cut{}).exportFilm(t.Context(), pictures, 1); err != nil || strings.Join(shown, " ") != "a@0 abcd@2 abcde@4" {
		t.Errorf("%v, %v", shown, err)
	}
}

// A filmFunc is called with each picture of a film.
type filmFunc func(s *screen.Snapshot, at time.Duration) error

func (f filmFunc) Frame(s *screen.Snapshot, at time.Duration) error { return f(s, at) }
func (f filmFunc) Close(time.Duration) error                        { return nil }

func TestFormatOf(t *testing.T) {
	for name, want := range map[string]string{
		"a.cast": "cast", "a/b.c.GIF": "gif", "x.apng": "apng", "x.png": "png", "x": "", "x.": "", "gif": "", "x.cast3": "", "-": "",
	} {
		if got := FormatOf(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
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

// A tape of anything can be opened and played.
func FuzzTape(f *testing.F) {
	f.Add(ticks(3))
	f.Add(`{"timestamp":"2026-01-15T10:30:00.123Z","data":"a","size":{"cols":3,"rows":2}}` + "\n" + `{"timestamp":"2026-01-15T10:30:01Z","data":"/w==","encoding":"base64"}`)
	f.Add("Script started on x\nhello\nScript done on y\n")
	f.Add(`{"timestamp":"x`)
	f.Fuzz(func(t *testing.T, recording string) {
		tape, err := Open(strings.NewReader(recording), ledger.Size{}, Cut{IdleLimit: time.Second})
		if err != nil || tape.Measure(t.Context()) != nil {
			return
		}
		last := time.Duration(0)
		terminal := tape.terminal(0)
		if err := tape.Play(t.Context(), func(at time.Duration, e transcript.Event) error {
			if at < last || e.Kind != transcript.Output && e.Kind != transcript.Stderr && e.Kind != transcript.Resize {
				t.Errorf("%v at %v after %v", e, at, last)
			}
			last = at
			apply(terminal, e)
			return nil
		}); err != nil || last != tape.Duration {
			t.Errorf("%v, %v of %v", err, last, tape.Duration)
		}
	})
}
