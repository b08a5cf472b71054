package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// shown returns the lines of the events that q selects.
func shown(t *testing.T, d Dir, q Query) []string {
	t.Helper()
	var text strings.Builder
	err := d.History(q, func(dst []byte, line string, _ *Event) []byte { return append(append(dst, line...), '\n') },
		func(text2 []byte) error { text.Write(text2); return nil })
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(text.String(), "\n"), "\n")
}

// A query selects the same events as a plain reading of the log, however the log is divided into files and pieces. The
// order is that of the log, even after the clock was set back.
func TestHistoryChooses(t *testing.T) {
	lower(t, &segmentBytes, 30000)
	d := newDir(t)
	first := time.Date(2026, 1, 15, 10, 0, 0, 0, time.UTC)
	var events []Event
	for i := range 3000 {
		at := first.Add(time.Duration(i) * time.Second)
		if i%1000 > 900 {
			at = at.Add(-time.Hour)
		}
		e := Event{
			Event: EventKinds[i%len(EventKinds)], PID: i + 1, Name: fmt.Sprintf("program%d", i%7), Cmd: fmt.Sprintf("program%d --number %d \"x\"", i%7, i),
			Terminal: fmt.Sprintf("s%d", i%11), SessionID: fmt.Sprintf("id%d", i%13), TS: Time{at},
		}
		if e.Event == EventCompleted {
			code := i % 3
			e.ExitCode = &code
		}
		events = append(events, e)
	}
	for batch := range slices.Chunk(events, 40) {
		if err := d.Append(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := d.segments(); err != nil || len(n) < 10 {
		t.Fatalf("%d full files, %v", len(n), err)
	}
	since, until := first.Add(20*time.Minute), first.Add(30*time.Minute)
	for name, test := range map[string]struct {
		query Query
		want  func(e Event) bool
	}{
		"all":     {Query{}, func(Event) bool { return true }},
		"since":   {Query{Since: since}, func(e Event) bool { return !e.TS.Before(since) }},
		"until":   {Query{Until: until}, func(e Event) bool { return !e.TS.After(until) }},
		"between": {Query{Since: since, Until: until}, func(e Event) bool { return !e.TS.Before(since) && !e.TS.After(until) }},
		"name":    {Query{Session: "s1"}, func(e Event) bool { return e.Terminal == "s1" }},
		"id":      {Query{Session: "id1"}, func(e Event) bool { return e.SessionID == "id1" }},
		"kinds":   {Query{Kinds: []string{EventKilled, EventSpawned}}, func(e Event) bool { return e.Event == EventKilled || e.Event == EventSpawned }},
		"failed": {Query{Failed: true}, func(e Event) bool {
			return e.Event == EventKilled || e.Event == EventFailed || e.ExitCode != nil && *e.ExitCode > 0
		}},
		"literal":   {Query{Pattern: regexp.MustCompile(`program3 -`)}, func(e Event) bool { return e.Name == "program3" }},
		"prefix":    {Query{Pattern: regexp.MustCompile(`number 1\d* "x`)}, func(e Event) bool { return strings.Contains(e.Cmd, "number 1") }},
		"pattern":   {Query{Pattern: regexp.MustCompile(`^program[12]$`)}, func(e Event) bool { return e.Name == "program1" || e.Name == "program2" }},
		"nobody":    {Query{Session: "s1", Kinds: []string{"no such"}}, func(Event) bool { return false }},
		"of both":   {Query{Session: "s1", Failed: true, Since: since}, func(e Event) bool { return e.Terminal == "s1" && e.Failed() && !e.TS.Before(since) }},
		"last":      {Query{Tail: 100}, func(e Event) bool { return e.PID > 2900 }},
		"last of s": {Query{Tail: 3, Session: "s1"}, func(e Event) bool { return e.Terminal == "s1" && e.PID > 3000-33 }},
	} {
		var want, got []int
		for _, e := range events {
			if test.want(e) {
				want = append(want, e.PID)
			}
		}
		for _, line := range shown(t, d, test.query) {
			if line == "" {
				continue
			}
			var e Event
			if err := json.Unmarshal([]byte(line), &e); err != nil {
				t.Fatalf("%s: %q: %v", name, line, err)
			}
			got = append(got, e.PID)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	failed := errors.New("failed")
	err := d.History(Query{}, func(dst []byte, line string, _ *Event) []byte { return append(dst, line...) }, func([]byte) error { return failed })
	if err != failed {
		t.Errorf("a failed writer: %v", err)
	}
	err = d.History(Query{Session: "nobody"}, func(dst []byte, _ string, _ *Event) []byte { return dst }, func([]byte) error { return nil })
	if !errors.Is(err, ErrNoSession) {
		t.Errorf("no such session: %v", err)
	}
}

// Lines pass unchanged, also those of a newer version. Only malformed UTF-8 is written anew.
func TestHistoryShowsLines(t *testing.T) {
	d := newDir(t)
	newer := `{"event":"paused", "v":7,"pid":1,"more":[1,{"a":null}],"ts":"2026-01-15T10:30:00+01:00"}`
	log := newer + "\n{}\n" + `{"v":1,"event":"started","pid":2,"cmd":"` + "\xff" + `","terminal":"","ts":"2026-01-15T10:30:00.000Z","sessionId":""}` + "\n" +
		strings.Repeat("x", 3*maxLine) + "\n" + newer + "\n" + `{"event":"started","pid":9`
	if err := os.WriteFile(d.file(eventFile), []byte(log), 0o600); err != nil {
		t.Fatal(err)
	}
	want := []string{newer, `{"v":1,"event":"started","pid":2,"cmd":"` + "\ufffd" + `","terminal":"","ts":"2026-01-15T10:30:00.000Z","sessionId":""}`, newer}
	if diff := cmp.Diff(want, shown(t, d, Query{})); diff != "" {
		t.Error(diff)
	}
}

func BenchmarkHistory(b *testing.B) {
	d, err := Create(filepath.Join(b.TempDir(), FolderName))
	if err != nil {
		b.Fatal(err)
	}
	fill(b, d, 1e6)
	for _, bench := range []struct {
		name  string
		query Query
	}{
		{"all", Query{}},
		{"session", Query{Session: "session77"}},
		{"failed", Query{Failed: true}},
		{"since", Query{Since: time.Date(2026, 1, 20, 0, 0, 0, 0, time.UTC)}},
		{"grep", Query{Pattern: regexp.MustCompile(`jo[bB]\d+7$`)}},
		{"tail", Query{Tail: 10}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var size int64
				err := d.History(bench.query, func(dst []byte, line string, _ *Event) []byte { return append(dst, line...) },
					func(text []byte) error { size += int64(len(text)); return nil })
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("of one session", func(b *testing.B) {
		for b.Loop() {
			n := 0
			for _, err := range d.SessionEvents("kk00000077", time.Time{}) {
				if err != nil {
					b.Fatal(err)
				}
				n++
			}
			if n == 0 {
				b.Fatal("there are none")
			}
		}
	})
}

// fill logs n events of a thousand sessions.
func fill(tb testing.TB, d Dir, n int) {
	tb.Helper()
	first := time.Date(2026, 1, 15, 10, 0, 0, 0, time.UTC)
	var batch []Event
	for i := range n {
		e := Event{
			Event: EventStarted, PID: 1000 + i%30000, ParentPID: 999, Name: "node", Cmd: fmt.Sprintf("node /usr/lib/node_modules/npm/bin/npm-cli.js run job%d", i),
			Terminal: fmt.Sprintf("session%d", i/2%1000), SessionID: fmt.Sprintf("kk%08d", i/2%1000), TS: Time{first.Add(time.Duration(i) * time.Second)},
			Start: uint64(8812345 + i), Boot: "8d6a1f0c-3b1c-4b8a-9a51-0f4c2f1d7e55", Cwd: "/home/me/projects/shop/frontend",
		}
		if i%2 == 1 {
			code := i % 5
			e.Event, e.ExitCode = EventCompleted, &code
		}
		if batch = append(batch, e); len(batch) == 1000 || i == n-1 {
			if err := d.Append(context.Background(), batch); err != nil {
				tb.Fatal(err)
			}
			batch = batch[:0]
		}
	}
}
