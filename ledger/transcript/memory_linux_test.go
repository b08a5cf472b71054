package transcript

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"testing"
	"time"

	"devtools/ledger/regular"
)

var errGone = errors.New("the writer is gone")

// createInMemory begins a transcript in the memory of this process. Its writer is gone once *gone is set.
func createInMemory(t *testing.T, limit int64) (w *Writer, gone *bool) {
	t.Helper()
	gone = new(bool)
	place := Memory("/proc/self", "s0", func() bool { return !*gone }, errGone)
	w, err := Create(place, limit)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, file := range place.(memory).kept {
			_ = file.Close()
		}
	})
	return w, gone
}

// In memory, the oldest segments are dropped as on disk, and what is dropped is given back to the system.
func TestMemory(t *testing.T) {
	w, _ := createInMemory(t, MinMax)
	for w.Next() < 10<<20 {
		w.Append(pattern(w.Next(), 64<<10), Output, time.Duration(w.Next()))
	}
	w.Note(Entry{Kind: Input, Text: "typed", At: time.Hour})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	another := Memory("/proc/self", "s0", func() bool { return true }, errGone) // as another process reads it
	data, gaps := readAll(t, another, 0)
	if int64(len(data))+gaps != w.Next() || len(data) > MinMax || len(data) < MinMax/2 {
		t.Errorf("%d bytes and gaps of %d of %d", len(data), gaps, w.Next())
	}
	list, err := segments(another)
	if err != nil || len(list) < 2 || len(list) > 5 {
		t.Fatalf("%d segments, %v", len(list), err)
	}
	var total int64
	for _, s := range list {
		total += s.total
	}
	if total != w.stored() || total > MinMax {
		t.Errorf("the files have %d bytes, and the writer counts %d", total, w.stored())
	}
	if names, err := another.names(); err != nil || len(names) != 2*len(list) {
		t.Errorf("%d segments have the files %q, %v", len(list), names, err)
	}
	entries, err := OpenEntries(another, list[0].start)
	if err != nil {
		t.Fatal(err)
	}
	defer entries.Close()
	var last Entry
	for {
		e, err := entries.Next()
		if err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		last = e
	}
	if last.Text != "typed" {
		t.Errorf("the last entry is %+v", last)
	}
	if r, err := Latest(another, time.Now(), time.Now(), time.Hour); err != nil || r.Next != w.Next() || r.Path != "" {
		t.Errorf("%+v, %v", r, err)
	}
}

// Another session's files, and those of another name, are not found.
func TestMemoryOfAnother(t *testing.T) {
	createInMemory(t, MinMax)
	for _, id := range []string{"s", "s00"} {
		list, err := segments(Memory("/proc/self", id, func() bool { return true }, errGone))
		if err != nil || len(list) > 0 {
			t.Errorf("session %s: %v, %v", id, list, err)
		}
	}
	if _, err := Memory("/proc/self", "s0", func() bool { return true }, errGone).open("output.1"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a segment that is not there: %v", err)
	}
}

// A reader follows a file that it has open to its end, also after the writer has dropped it or is gone. Anything else is refused
// then.
func TestMemoryGone(t *testing.T) {
	w, gone := createInMemory(t, MinMax)
	w.Append(pattern(0, 1000), Output, 0)
	r := Open(w.Place())
	defer r.Close()
	buffer := make([]byte, 600)
	if n, _, err := r.ReadAt(buffer, 0); n != 600 || err != nil {
		t.Fatalf("%d bytes, %v", n, err)
	}
	*gone = true
	if n, _, err := r.ReadAt(buffer, 600); n != 400 || err != nil || !bytes.Equal(buffer[:n], pattern(600, 400)) {
		t.Errorf("the rest of the file: %d bytes, %v", n, err)
	}
	if _, _, err := r.ReadAt(buffer, 1000); err != errGone {
		t.Errorf("after its end: %v", err)
	}
	if _, _, err := Open(w.Place()).Bounds(); err != errGone {
		t.Errorf("the bounds: %v", err)
	}
	if _, err := NewTimeline(w.Place(), 0); err != errGone {
		t.Errorf("the times: %v", err)
	}
	if _, err := Latest(w.Place(), time.Now(), time.Now(), time.Second); err != errGone {
		t.Errorf("the newest output: %v", err)
	}
	*gone = false
	if err := w.Place().remove(outputFile(0)); err != nil {
		t.Fatal(err)
	}
	if n, _, err := r.ReadAt(buffer, 0); n != 600 || err != nil {
		t.Errorf("a file that the writer has dropped: %d bytes, %v", n, err)
	}
	if _, err := w.Place().stat(outputFile(0)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is still found: %v", err)
	}
}

// A descriptor may get another file between the list and the opening. That file is not taken for the one of the transcript.
func TestMemoryReused(t *testing.T) {
	w, _ := createInMemory(t, MinMax)
	w.Append([]byte("secret"), Output, 0)
	place := w.Place().(memory)
	paths, err := place.list()
	if err != nil || paths["output.0"] == "" {
		t.Fatalf("%q, %v", paths, err)
	}
	if err := place.remove("output.0"); err != nil {
		t.Fatal(err)
	}
	other, err := os.Open(os.DevNull) // it gets the lowest number that is free
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if _, err := regular.OpenInMemory(paths["output.0"], place.whole("output.0")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}
