package ledger

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// A follower is a reader of the log. Each of its looks is that of another process, which goes on from the text of a place.
type follower struct {
	t    *testing.T
	dir  Dir
	at   LogPlace // that it has reached
	last LogPlace // behind the last event that it was told
	lost int
}

func (f *follower) next(want ...string) {
	f.t.Helper()
	from, err := ParseLogPlace(f.at.String())
	if err != nil {
		f.t.Fatal(err)
	}
	var got []string
	f.lost = 0
	show := func(text []byte, _ string, e *Event) []byte { return append(text, e.Terminal...) }
	f.at, err = f.dir.EventsAfter(from, &Query{}, show, func(text []byte, behind LogPlace) error {
		got, f.last = append(got, string(text)), behind
		return nil
	}, func() { f.lost++ })
	if err != nil || !slices.Equal(got, want) {
		f.t.Fatalf("%q, want %q: %v", got, want, err)
	}
}

// again goes on behind the last event, as a reader that was told nothing else.
func (f *follower) again() { f.at = f.last }

func TestEventsAfter(t *testing.T) {
	lower(t, &segmentBytes, 4<<10)
	dir := newDir(t)
	log := func(names ...string) {
		for _, name := range names {
			if err := dir.Append(t.Context(), []Event{{Event: EventRan, Terminal: name, Cmd: strings.Repeat("x", 3000)}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	write := func(text []byte) {
		log, err := os.OpenFile(dir.file(eventFile), os.O_WRONLY|os.O_APPEND, 0)
		if err == nil {
			_, err = log.Write(text)
		}
		if err = errors.Join(err, log.Close()); err != nil {
			t.Fatal(err)
		}
	}
	log("before")
	end, err := dir.LogEnd()
	if err != nil {
		t.Fatal(err)
	}
	f, slow := &follower{t: t, dir: dir, at: end}, &follower{t: t, dir: dir, at: end}
	f.next()
	log("a", "b")
	f.next("a", "b")
	f.again()
	f.next()
	log("c", "d", "e", "f") // the file has become full in between, more than once
	f.next("c", "d", "e", "f")
	f.again()
	log("g", "h", "i")
	f.next("g", "h", "i")
	slow.next("a", "b", "c", "d", "e", "f", "g", "h", "i")
	if f.lost+slow.lost > 0 {
		t.Error("it says that events are lost")
	}
	// half a line is read when it is whole, one that is too long never
	line, err := encodeEvents([]Event{{Event: EventRan, Terminal: "whole"}})
	if err != nil {
		t.Fatal(err)
	}
	write(append([]byte(strings.Repeat("y", 3*maxLine)+"\n"), line[:9]...))
	f.next()
	write(line[9:])
	f.next("whole")
	f.again()
	f.next()
}

func TestEventsAfterRemoval(t *testing.T) {
	dir := newDir(t)
	log := func(name string) {
		if err := dir.Append(t.Context(), []Event{{Event: EventRan, Terminal: name}}); err != nil {
			t.Fatal(err)
		}
	}
	f := &follower{t: t, dir: dir}
	f.next() // there is no log yet
	log("a")
	f.next("a")
	before := f.last
	if err := os.Remove(dir.file(eventFile)); err != nil {
		t.Fatal(err)
	}
	if f.next(); f.lost != 1 {
		t.Errorf("it says %d times that the log is another one", f.lost)
	}
	if f.next(); f.lost != 0 {
		t.Error("it says so again")
	}
	log("b") // as long as the line that was there, and at the same place
	if f.next("b"); f.lost != 0 {
		t.Error("it says so again")
	}
	f.at = before
	if f.next("b"); f.lost != 1 {
		t.Error("a place in the log before is taken for one in this log")
	}
	f.again()
	if f.next(); f.lost != 0 {
		t.Error("its own place is not found")
	}
}

func TestLogPlace(t *testing.T) {
	for _, text := range []string{"0:0:00000000", "12:345:00c0ffee"} {
		if p, err := ParseLogPlace(text); err != nil || p.String() != text {
			t.Errorf("%q is read as %q: %v", text, p, err)
		}
	}
	for _, text := range []string{"", "1", "1:2", "1:-2:00000000", "1:2:0", "1:2:00000000 ", "01:2:00000000", "2026-01-15 10:30", fmt.Sprint(1<<62, ":1")} {
		if p, err := ParseLogPlace(text); err == nil || p != (LogPlace{}) {
			t.Errorf("%q is read as %q", text, p)
		}
	}
}
