package transcript

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// printed is a moment at which a session printed so many bytes.
type printed struct {
	at    time.Duration
	bytes int
}

func TestLatest(t *testing.T) {
	steady := func(from, to time.Duration) (all []printed) {
		for at := from; at < to; at += 20 * time.Millisecond {
			all = append(all, printed{at, 20})
		}
		return all
	}
	for _, tt := range []struct {
		name   string
		output []printed
		now    time.Duration
		late   bool // the last output has no time yet
		want   float64
	}{
		{"nothing", nil, 10 * time.Second, false, 0},
		{"steady", steady(0, 20*time.Second), 20 * time.Second, false, 1000},
		{"steady and young", steady(0, 2*time.Second), 2 * time.Second, false, 1000},
		{"at once", []printed{{0, 500}}, 10 * time.Millisecond, false, 500},
		{"one line long ago", []printed{{0, 500}}, 20 * time.Second, false, 0},
		{"one line lately", []printed{{0, 500}, {18 * time.Second, 100}}, 20 * time.Second, false, 20},
		{"without a time", []printed{{0, 500}, {18 * time.Second, 100}}, 20 * time.Second, true, 20},
		{"over segments", []printed{{time.Second, 1 << 20}, {16 * time.Second, 1 << 20}, {17 * time.Second, 1 << 20}}, 20 * time.Second, false, 2 << 20 / 5.0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, dir := create(t, 4<<20)
			var total int64
			for i, p := range tt.output {
				w.Append(pattern(total, p.bytes), Output, p.at)
				total += int64(p.bytes)
				if !tt.late || i < len(tt.output)-1 {
					w.Note(Entry{At: p.at, Kind: Mark, Text: "m"})
				}
			}
			started := time.Now().Add(-tt.now)
			wrote := time.Time{}
			if n := len(tt.output); n > 0 {
				wrote = started.Add(tt.output[n-1].at)
				if err := os.Chtimes(w.Path(), wrote, wrote); err != nil {
					t.Fatal(err)
				}
			}
			r, err := Latest(Folder(dir), started, started.Add(tt.now), 5*time.Second)
			if err != nil || r.Next != total || r.Path != w.Path() || r.At.Sub(wrote).Abs() > time.Millisecond {
				t.Errorf("%+v, %v, want %d bytes at %v in %s", r, err, total, wrote, w.Path())
			}
			if r.PerSecond < 0.95*tt.want || r.PerSecond > 1.05*tt.want {
				t.Errorf("%v bytes a second, want %v", r.PerSecond, tt.want)
			}
		})
	}
}

func TestLatestWithoutATranscript(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "none")
	r, err := Latest(Folder(dir), time.Now(), time.Now(), time.Second)
	if err != nil || r != (Recent{Path: filepath.Join(dir, "output.0")}) {
		t.Errorf("%+v, %v", r, err)
	}
}
