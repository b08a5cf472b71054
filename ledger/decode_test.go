package ledger

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

// sampleEvents are events as sessions log them.
func sampleEvents() []Event {
	at := Time{time.Date(2026, 1, 15, 10, 30, 0, 123e6, time.UTC)}
	zero, failed := 0, 137
	start := Event{
		Version: version, Event: EventStarted, PID: 1234, Name: "node", Cmd: "npm run dev", Terminal: "web", TS: at, SessionID: "k3f9x2",
		Start: 8812345, Inode: 1 << 60, Boot: "8d6a1f0c-3b1c-4b8a-9a51-0f4c2f1d7e55", Cwd: "/home/me/projects/shop",
	}
	spawned, ended, killed, renamed, odd, ran, took := start, start, start, start, start, start, int64(1500)
	spawned.Event, spawned.PID, spawned.ParentPID = EventSpawned, 1235, 1234
	ended.Event, ended.ExitCode = EventCompleted, &zero
	killed.Event, killed.ExitCode, killed.Signal, killed.Reason = EventKilled, &failed, "SIGKILL", "its holder was killed"
	renamed.Event, renamed.PreviousName = EventRenamed, "shop"
	ran.Event, ran.By, ran.DurationMs, ran.ExitCode = EventRan, ByRunIn, &took, &zero
	odd.Cmd = "bash -c 'echo \"a\\b\"\n\t<&>' \x01 ü € 😀 \u2028 \xff"
	return []Event{start, spawned, ended, killed, renamed, odd, ran, {Event: EventOrphaned, TS: at}}
}

// The quick decoder takes every line that we write, and returns what was written.
func TestQuickDecodesWhatIsWritten(t *testing.T) {
	events := sampleEvents()
	lines, err := encodeEvents(events)
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(strings.TrimSuffix(string(lines), "\n"), "\n") {
		var e Event
		if !e.quick(line) {
			t.Errorf("not quick: %s", line)
		}
		want := events[i]
		want.Version, want.Cmd = version, strings.ToValidUTF8(want.Cmd, "\ufffd")
		if !reflect.DeepEqual(e, want) {
			t.Errorf("%s\nis %+v", line, e)
		}
	}
}

func TestLongTextsAreCut(t *testing.T) {
	long := strings.Repeat("\x01", 3<<20)
	lines, err := encodeEvents([]Event{{Event: EventStarted, Cmd: long, Name: long, Terminal: long, SessionID: long, Boot: long, Cwd: long, Signal: long, Reason: long, PreviousName: long}})
	if err != nil || len(lines) >= maxLine {
		t.Errorf("a line of %d bytes, %v", len(lines), err)
	}
	if got := clip("aü", 2); got != "a" {
		t.Errorf("cut to %q", got)
	}
}

// Where the quick decoder accepts a line, it agrees with encoding/json. Every decoded event can be written and read
// again.
func FuzzDecode(f *testing.F) {
	lines, err := encodeEvents(sampleEvents())
	if err != nil {
		f.Fatal(err)
	}
	for line := range strings.Lines(string(lines)) {
		f.Add(strings.TrimSuffix(line, "\n"))
	}
	for _, line := range []string{
		"", "{}", "null", `{"event":"started","pid":1}`, `{"v":1,"event":"started","pid":01,"terminal":"a","ts":"2026-02-30T10:30:00.123Z","sessionId":"b"}`,
		`{"v":1,"event":"started","pid":1,"terminal":"\ud83d\ude00\u0041\/","ts":"0001-01-01T00:00:00.000Z","sessionId":"\q"}`,
		`{"v":2,"event":"paused","pid":1,"terminal":"web","ts":"2028-02-29T23:59:59.999Z","sessionId":"b","new":{"a":[1]}}`,
		`{"v":1,"event":"a","pid":-1,"terminal":"` + "\x00" + `","ts":"2026-01-01T00:00:60.000Z","sessionId":""}`,
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		var quick, slow Event
		if quick.quick(line) {
			if err := json.Unmarshal([]byte(line), &slow); err != nil || !reflect.DeepEqual(quick, slow) {
				t.Errorf("%q is %+v, by encoding/json %+v, %v", line, quick, slow, err)
			}
		}
		var e Event
		if !e.decode(line) {
			return
		}
		again, err := json.Marshal(e)
		if err != nil {
			return // a time outside of RFC 3339
		}
		var e2 Event
		if !e2.decode(string(again)) || e2.Event != e.Event || e2.PID != e.PID || e2.Cmd != e.Cmd {
			t.Errorf("%q became %q", line, again)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	for i, e := range sampleEvents()[:5] {
		lines, err := encodeEvents([]Event{e})
		if err != nil {
			b.Fatal(err)
		}
		line := strings.TrimSuffix(string(lines), "\n")
		b.Run(fmt.Sprintf("%d-%s", i, e.Event), func(b *testing.B) {
			b.SetBytes(int64(len(line)))
			for b.Loop() {
				if !e.decode(line) {
					b.Fatal(line)
				}
			}
		})
	}
}
