package replay

import (
	"fmt"
	"image/gif"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"devtools/ledger"
	"devtools/ledger/transcript"
	"devtools/screen"
)

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
