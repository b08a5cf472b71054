package transcript

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// reread returns the output in a recording, its sizes, and the time of its end.
func reread(t testing.TB, recording []byte) (data []byte, sizes string, end time.Duration) {
	t.Helper()
	r, err := ReadRecording(bytes.NewReader(recording))
	if err != nil {
		t.Fatal(err)
	}
	sizes = fmt.Sprintf("%dx%d", r.Cols, r.Rows)
	for {
		e, p, err := r.Next()
		if err == io.EOF {
			return data, sizes, end
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, recording)
		}
		if e.At < end {
			t.Fatalf("%v after %v", e.At, end)
		}
		data, end = append(data, p...), e.At
		if e.Kind == Resize {
			sizes += "," + e.Text
		}
	}
}

// A recording has all bytes, in whatever pieces they come, and each character is in one line.
func TestRecorder(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		var want []byte
		for range r.IntN(40) {
			want = append(want, []string{"text", "é", "世", "😀", "\xff", "\x00", "\xe4\xb8", "\r\n", "\x1b[1m", "\"\\<>&", "\u2028", strings.Repeat("x", 9000), strings.Repeat("世", 3000)}[r.IntN(13)]...)
		}
		var pieces [][]byte
		for rest := want; len(rest) > 0; {
			n := min(1+r.IntN(1+r.IntN(len(rest))), len(rest))
			pieces = append(pieces, rest[:n])
			rest = rest[n:]
		}
		for _, format := range []Format{JSONL, Asciicast, AsciicastV3, Raw} {
			var b bytes.Buffer
			started := time.Date(2026, 1, 15, 10, 30, 0, 123e6, time.UTC)
			w := NewRecorder(&b, format, RecordingHeader{Cols: 100, Rows: 30, Started: started, Title: "a \"title\""})
			at := time.Duration(0)
			for i, p := range pieces {
				at += time.Duration(r.IntN(100)) * time.Millisecond
				if err := w.Output(at, Output, p); err != nil {
					t.Fatal(err)
				}
				if i == len(pieces)/2 {
					if err := w.Resize(at, 40, 10); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			got, sizes, end := reread(t, b.Bytes())
			exact := want
			if format == Asciicast || format == AsciicastV3 {
				exact = []byte(strings.ToValidUTF8(string(want), "\ufffd"))
				if strings.Count(string(got), "\ufffd") < strings.Count(string(exact), "\ufffd") { // as many as there are pieces
					t.Errorf("%s: %q of %q", format, got, want)
				}
				got = bytes.ReplaceAll(got, []byte("\ufffd"), nil)
				exact = bytes.ReplaceAll(exact, []byte("\ufffd"), nil)
			}
			if !bytes.Equal(got, exact) {
				t.Fatalf("%s: %q\nwant %q\nin %s", format, got, exact, &b)
			}
			if format == Raw || len(pieces) == 0 {
				continue
			}
			if sizes != "100x30,40x10" && (format != JSONL || !strings.HasSuffix(sizes, "0x0,40x10") && sizes != "40x10,40x10") { // before any output
				t.Errorf("%s: sizes %s in\n%s", format, sizes, &b)
			}
			if format != JSONL && (at-end).Abs() > 10*time.Microsecond && utf8.Valid(want) {
				t.Errorf("%s: it ends at %v, want %v", format, end, at)
			}
		}
	}
}

func TestRecorderLines(t *testing.T) {
	started := time.Date(2026, 1, 15, 10, 30, 0, 123e6, time.UTC)
	for _, test := range []struct {
		format Format
		header RecordingHeader
		want   string
	}{
		{JSONL, RecordingHeader{Cols: 8, Rows: 3, Started: started}, `{"timestamp":"2026-01-15T10:30:00.123Z","data":"a<\n","size":{"cols":8,"rows":3}}
{"timestamp":"2026-01-15T10:30:01.623Z","data":"/w==","encoding":"base64","stream":"stderr"}
{"timestamp":"2026-01-15T10:30:01.623Z","data":"","gap":9}
{"timestamp":"2026-01-15T10:30:03.123Z","data":"","size":{"cols":9,"rows":4}}
`},
		{Asciicast, RecordingHeader{Cols: 8, Rows: 3, Started: started, Title: "t"}, `{"version":2,"width":8,"height":3,"timestamp":1768473000,"title":"t"}
[0.000000, "o", "a<\n"]
[1.500000, "o", "` + "\ufffd" + `"]
[3.000000, "r", "9x4"]
`},
		{AsciicastV3, RecordingHeader{Command: "c"}, `{"version":3,"term":{"cols":80,"rows":24},"command":"c"}
[0.000000, "o", "a<\r\n"]
[1.500000, "o", "` + "\ufffd" + `"]
[1.500000, "r", "9x4"]
`},
		{Raw, RecordingHeader{}, "a<\n\xff"},
	} {
		var b bytes.Buffer
		w := NewRecorder(&b, test.format, test.header)
		for _, err := range []error{
			w.Output(0, Output, []byte("a<\n")), w.Output(1500*time.Millisecond, Stderr, []byte("\xff")),
			w.Gap(0, 9), w.Resize(3*time.Second, 9, 4), w.Close(),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if b.String() != test.want {
			t.Errorf("%s:\n%s\nwant\n%s", test.format, &b, test.want)
		}
	}
}

func FuzzRecorder(f *testing.F) {
	f.Add([]byte("a\xe4\xb8"), []byte("\x96\xffb"))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		var out bytes.Buffer
		w := NewRecorder(&out, JSONL, RecordingHeader{})
		if w.Output(0, Output, a) != nil || w.Output(time.Second, Output, b) != nil || w.Close() != nil {
			t.Fatal("a buffer takes everything")
		}
		if got, _, _ := reread(t, out.Bytes()); !bytes.Equal(got, append(a, b...)) {
			t.Errorf("%q and %q are %q", a, b, got)
		}
	})
}

func BenchmarkRecorder(b *testing.B) {
	data := []byte(strings.Repeat("\x1b[32mok\x1b[m   a line of text with some length é\r\n", 80))
	for _, format := range []Format{JSONL, Asciicast, Raw} {
		b.Run(string(format), func(b *testing.B) {
			w := NewRecorder(io.Discard, format, RecordingHeader{Cols: 80, Rows: 24})
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if err := w.Output(0, Output, data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
