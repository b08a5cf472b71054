package replay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"devtools/ledger"
	"devtools/ledger/transcript"
)

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

// The tape of a session begins in the size that its terminal had then, and has nothing that came after its end.
func TestOpenSession(t *testing.T) {
	closed := 0
	log := SessionLog{
		Session: ledger.Session{
			Name: "web", Command: []string{"node", "server.js"},
			Size: ledger.Size{Cols: 100, Rows: 30}, StartSize: ledger.Size{Cols: 80, Rows: 24},
		},
		End: 6,
		Events: func(_ context.Context, yield func(transcript.Event) error) error {
			for i, text := range []string{"one", "two", "late"} {
				at := transcript.Entry{At: time.Duration(i) * time.Second, Offset: int64(3 * i), Kind: transcript.Output}
				if err := yield(transcript.Event{Entry: at, Data: []byte(text)}); err != nil {
					return err
				}
			}
			return nil
		},
		Close: func() error { closed++; return nil },
	}
	tape, err := OpenSession(log, Cut{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := tape.Stream(t.Context(), &b, 1000); err != nil || b.String() != "onetwo" {
		t.Errorf("%v, %q", err, &b)
	}
	if tape.Size != log.Session.StartSize || tape.Title != "web" || tape.Command != "node server.js" || closed != 0 {
		t.Errorf("%v, %q, %q, closed %d times", tape.Size, tape.Title, tape.Command, closed)
	}
	if err := tape.Close(); err != nil || closed != 1 {
		t.Errorf("%v, closed %d times", err, closed)
	}
	wrong := Cut{From: Moment{After: time.Second, Given: true}, To: Moment{Given: true}}
	if _, err := OpenSession(log, wrong); err == nil || closed != 2 {
		t.Errorf("%v, closed %d times", err, closed)
	}
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
