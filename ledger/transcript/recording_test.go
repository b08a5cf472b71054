package transcript

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// play returns the content of a recording: its output, the sizes in brackets and the time of the last entry.
func play(r io.Reader) (text string, last time.Duration, rec *Recording, err error) {
	rec, err = ReadRecording(r)
	if err != nil {
		return "", 0, rec, err
	}
	var b strings.Builder
	for {
		entry, data, err := rec.Next()
		if err == io.EOF {
			return b.String(), last, rec, nil
		}
		if err != nil {
			return b.String(), last, rec, err
		}
		last = entry.At
		if entry.Kind == Resize {
			b.WriteString("[" + entry.Text + "]")
		}
		b.Write(data)
	}
}

func TestRecording(t *testing.T) {
	const done = "\nScript done on 2026-01-15 10:30:01+00:00 [COMMAND_EXIT_CODE=\"0\"]\n"
	for _, test := range []struct {
		name, file, want string
		cols, rows       int
		last             time.Duration
	}{
		{name: "nothing"},
		{name: "bytes", file: "a\x1b[1mb\r\n", want: "a\x1b[1mb\r\n"},
		{name: "JSON that is no header", file: "{\"a\": 1}\n", want: "{\"a\": 1}\n"},
		{name: "a brace", file: "{", want: "{"},
		{
			name: "version 2", cols: 80, rows: 24, last: 2500 * time.Millisecond, want: "one[100x30]two",
			file: "{\"version\": 2, \"width\": 80, \"height\": 24}\n[1, \"o\", \"one\"]\n[1.5, \"i\", \"x\"]\n\n[2, \"r\", \"100x30\"]\n[2.5, \"o\", \"two\"]",
		},
		{
			name: "version 3", cols: 90, rows: 20, last: 3 * time.Second, want: "onetwo",
			file: "{\"version\":3,\"term\":{\"cols\":90,\"rows\":20}}\n# hello\n[1, \"o\", \"one\"]\n[0.5, \"m\", \"\"]\n[1.5, \"o\", \"two\"]\n[9, \"x\", \"0\"]\n",
		},
		{
			name: "typescript", cols: 132, rows: 43, want: "hi\r\nScript done on nothing\r\nho\r\n",
			file: "Script started on 2026-01-15 10:30:00+00:00 [TERM=\"xterm\" COLUMNS=\"132\" LINES=\"43\"]\nhi\r\nScript done on nothing\r\nho\r\n" + done,
		},
		{
			name: "a last line that was cut short", cols: 80, rows: 24, last: time.Second, want: "one",
			file: "{\"version\": 2, \"width\": 80, \"height\": 24, \"timestamp\": 1768473000}\n[1, \"o\", \"one\"]\n[2, \"o\", \"tw",
		},
		{name: "typescript of old", want: "hi", file: "Script started on Thu 15 Jan 2026\nhi" + done},
		{name: "typescript without its end", want: "hi", file: "Script started on Thu 15 Jan 2026\nhi"},
	} {
		for _, r := range []io.Reader{strings.NewReader(test.file), iotest.OneByteReader(strings.NewReader(test.file))} {
			got, last, rec, err := play(r)
			if err != nil || got != test.want || last != test.last || rec.Cols != test.cols || rec.Rows != test.rows {
				t.Errorf("%s: %q of %dx%d until %v, %v", test.name, got, rec.Cols, rec.Rows, last, err)
			}
		}
	}
}

func TestRecordingFaults(t *testing.T) {
	const head = "{\"version\": 2, \"width\": 80, \"height\": 24}\n"
	for file, want := range map[string]string{
		"{\"version\": 1}\n":                  "unknown version 1",
		head + "[1, \"o\"]\n":                 "line 2 is not an event: use [SECONDS, KIND, TEXT]",
		head + "[1, \"o\", \"x\"]\n[1\n":      "line 3 is not an event",
		head + "[1, \"o\", 5]\n":              "line 2 is not an event",
		head + "[\"1\", \"o\", \"x\"]\n":      "line 2 is not an event",
		"Script started on " + head[:0] + "x": "its first line has no end",
	} {
		if _, _, _, err := play(strings.NewReader(file)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", file, err, want)
		}
	}
}

// Any file can be read in any pieces, and its output is not longer than the file.
func FuzzRecording(f *testing.F) {
	f.Add([]byte("{\"version\": 2, \"width\": 80, \"height\": 24}\n[1, \"o\", \"one\"]\n[2, \"r\", \"100x30\"]\n"))
	f.Add([]byte("{\"version\":3,\"term\":{\"cols\":90,\"rows\":20}}\n# hello\n[1, \"o\", \"one\"]\n"))
	f.Add([]byte("Script started on x COLUMNS=\"132\"\nhi\nScript done on y\n"))
	f.Add([]byte("bytes"))
	f.Fuzz(func(t *testing.T, file []byte) {
		got, _, _, err := play(bytes.NewReader(file))
		again, _, _, errAgain := play(iotest.OneByteReader(bytes.NewReader(file)))
		if got != again || (err == nil) != (errAgain == nil) {
			t.Errorf("%q: %q, %v; in single bytes %q, %v", file, got, err, again, errAgain)
		}
		if len(got) > 3*len(file) { // malformed UTF-8 becomes U+FFFD
			t.Errorf("%q: %d bytes of output", file, len(got))
		}
	})
}
