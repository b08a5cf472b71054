package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

func create(t testing.TB, limit int64) (*Writer, string) {
	t.Helper()
	dir := t.TempDir()
	w, err := Create(Folder(dir), limit)
	if err != nil {
		t.Fatal(err)
	}
	return w, dir
}

// pattern returns n bytes from which their offset can be told.
func pattern(offset int64, n int) []byte {
	p := make([]byte, n)
	for i := range p {
		at := offset + int64(i)
		p[i] = byte(at ^ at>>8 ^ at>>16)
	}
	return p
}

// readAll reads from offset to the end and returns what is kept, by offset.
func readAll(t testing.TB, place Place, offset int64) (data []byte, gaps int64) {
	t.Helper()
	r := Open(place)
	defer r.Close()
	buffer := make([]byte, 10000)
	for {
		n, gap, err := r.ReadAt(buffer, offset)
		if err == io.EOF {
			return data, gaps
		}
		if err != nil {
			t.Fatal(err)
		}
		gaps += gap
		offset += gap + int64(n)
		if !bytes.Equal(buffer[:n], pattern(offset-int64(n), n)) {
			t.Fatalf("wrong bytes before offset %d", offset)
		}
		data = append(data, buffer[:n]...)
	}
}

func TestAppendAndRead(t *testing.T) {
	w, dir := create(t, DefaultMax)
	for range 100 {
		w.Append(pattern(w.Next(), rand.IntN(5000)), Output, 0)
	}
	for _, offset := range []int64{0, 1, 4999, w.Next() - 1, w.Next()} {
		data, gaps := readAll(t, Folder(dir), offset)
		if int64(len(data)) != w.Next()-offset || gaps != 0 {
			t.Errorf("from %d: %d bytes, gaps of %d", offset, len(data), gaps)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r := Open(Folder(dir))
	defer r.Close()
	if first, next, err := r.Bounds(); first != 0 || next != w.Next() || err != nil {
		t.Errorf("bounds %d, %d, %v", first, next, err)
	}
	if _, _, err := r.ReadAt(make([]byte, 1), w.Next()+5); err != io.EOF {
		t.Errorf("behind the end: %v", err)
	}
}

// The oldest segments are dropped. Offsets stay valid, and the missing bytes are counted.
func TestLimit(t *testing.T) {
	w, dir := create(t, 1<<20)
	for w.Next() < 10<<20 {
		w.Append(pattern(w.Next(), 64<<10), Output, time.Duration(w.Next()))
	}
	data, gaps := readAll(t, Folder(dir), 0)
	if int64(len(data))+gaps != w.Next() {
		t.Errorf("%d bytes and gaps of %d are not %d", len(data), gaps, w.Next())
	}
	if len(data) > 1<<20 || len(data) < 512<<10 {
		t.Errorf("%d bytes are kept", len(data))
	}
	var onDisk int64
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil {
			t.Fatal(err)
		}
		onDisk += info.Size()
	}
	if onDisk > 1<<20 {
		t.Errorf("%d bytes on disk", onDisk)
	}
}

// Times count as well: output of single bytes does not fill the disk with times.
func TestLimitOfTiming(t *testing.T) {
	w, dir := create(t, MinMax)
	for i := range 200000 {
		w.Append(pattern(w.Next(), 1), Output, time.Duration(i)*time.Second)
	}
	if w.stored() > MinMax {
		t.Errorf("%d bytes are stored", w.stored())
	}
	if data, gaps := readAll(t, Folder(dir), 0); int64(len(data))+gaps != w.Next() || gaps == 0 {
		t.Errorf("%d bytes, gaps of %d", len(data), gaps)
	}
}

func TestFollowWhileItGrows(t *testing.T) {
	w, dir := create(t, 1<<20)
	r := Open(Folder(dir))
	defer r.Close()
	var at int64
	buffer := make([]byte, 3000)
	for w.Next() < 8<<20 {
		w.Append(pattern(w.Next(), 1+rand.IntN(20000)), Output, 0)
		for {
			n, gap, err := r.ReadAt(buffer, at)
			if err == io.EOF {
				break
			}
			if err != nil || gap != 0 {
				t.Fatalf("gap %d, %v", gap, err)
			}
			if !bytes.Equal(buffer[:n], pattern(at, n)) {
				t.Fatalf("wrong bytes at %d", at)
			}
			at += int64(n)
		}
		if at != w.Next() {
			t.Fatalf("read up to %d of %d", at, w.Next())
		}
	}
}

func TestEntries(t *testing.T) {
	w, dir := create(t, DefaultMax)
	entries, err := OpenEntries(Folder(dir), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer entries.Close()
	if _, err := entries.Next(); err != io.EOF {
		t.Errorf("at the beginning: %v", err)
	}
	at := func(ms int) time.Duration { return time.Duration(ms) * time.Millisecond }
	w.Append([]byte("ab"), Output, at(1))
	w.Append([]byte("c"), Output, at(2))   // joined: it came soon after
	w.Append([]byte("d"), Stderr, at(3))   // not: another kind
	w.Append([]byte("e"), Stderr, at(100)) // not: it came later
	w.Note(Entry{At: at(101), Kind: Resize, Text: "100x30"})
	w.Note(Entry{At: at(102), Kind: Input, Text: "\x1b[A\"ü"})
	w.Note(Entry{At: at(103), Kind: Input, Bytes: 8})
	w.Append([]byte("f"), Output, at(104))
	w.Flush()
	for _, want := range []Entry{
		{At: at(1), Kind: Output, Offset: 0, Bytes: 3},
		{At: at(3), Kind: Stderr, Offset: 3, Bytes: 1},
		{At: at(100), Kind: Stderr, Offset: 4, Bytes: 1},
		{At: at(101), Kind: Resize, Text: "100x30"},
		{At: at(102), Kind: Input, Text: "\x1b[A\"ü"},
		{At: at(103), Kind: Input, Bytes: 8},
		{At: at(104), Kind: Output, Offset: 5, Bytes: 1},
	} {
		if got, err := entries.Next(); got != want || err != nil {
			t.Errorf("got %+v, %v, want %+v", got, err, want)
		}
	}
	if _, err := entries.Next(); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
}

// The entries tell the kind of every byte in all segments, also while they are written.
func TestEntriesOverSegments(t *testing.T) {
	w, dir := create(t, 4<<20)
	entries, err := OpenEntries(Folder(dir), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer entries.Close()
	var covered int64
	take := func() {
		for {
			e, err := entries.Next()
			if err == io.EOF {
				return
			}
			if err != nil || e.Offset != covered {
				t.Fatalf("%+v, %v, covered up to %d", e, err, covered)
			}
			covered += e.Bytes
		}
	}
	kinds := []Kind{Output, Stderr}
	for i := 0; w.Next() < 3<<20; i++ {
		w.Append(pattern(w.Next(), 1+rand.IntN(30000)), kinds[i%2], 0)
		if i%7 == 0 {
			take()
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	take()
	if covered != w.Next() {
		t.Errorf("covered up to %d of %d", covered, w.Next())
	}
}

func TestTornTimingLine(t *testing.T) {
	w, dir := create(t, DefaultMax)
	w.Append([]byte("a"), Output, 0)
	w.Flush()
	f, err := os.OpenFile(filepath.Join(dir, timingFile(0)), os.O_WRONLY|os.O_APPEND, 0)
	if err == nil {
		_, err = f.WriteString("garbage\n[1]\n[0.5,\"m\",\"x\"]\n[2.5,\"o\",1")
	}
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	entries, err := OpenEntries(Folder(dir), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer entries.Close()
	var kinds []Kind
	for {
		e, err := entries.Next()
		if err != nil {
			break
		}
		kinds = append(kinds, e.Kind)
	}
	if fmt.Sprint(kinds) != "[o m]" {
		t.Errorf("kinds %v", kinds)
	}
}

// A disk of 1 MiB is full. Further output is kept for a while, then lost and counted. When there is room again, the
// rest is stored.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("cannot mount a small file system here: %s", bytes.TrimSpace(out))
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", "-l", dir).CombinedOutput(); err != nil {
			t.Errorf("umount: %s", out)
		}
	})
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 600<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := Create(Folder(dir), DefaultMax)
	if err != nil {
		t.Fatal(err)
	}
	for w.Next() < 1<<20 {
		w.Append(pattern(w.Next(), 10000), Output, 0)
	}
	data, gaps := readAll(t, Folder(dir), 0)
	stored := int64(len(data))
	if stored == 0 || stored >= w.Next() || gaps != 0 {
		t.Fatalf("%d of %d bytes are stored, gaps of %d", stored, w.Next(), gaps)
	}
	unsaved, at := w.Unsaved(0)
	if at != stored || !bytes.Equal(unsaved, pattern(at, int(w.Next()-at))) {
		t.Errorf("%d bytes are kept from %d on", len(unsaved), at)
	}
	for w.Next() < 3<<20 {
		w.Append(pattern(w.Next(), 10000), Output, 0)
	}
	lost, failure := w.Lost()
	if unsaved, at := w.Unsaved(0); len(unsaved) != MaxUnsaved || lost != at-stored || failure == nil {
		t.Errorf("%d bytes are kept, %d lost: %v", len(unsaved), lost, failure)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	for w.Next() < 4<<20 {
		w.Append(pattern(w.Next(), 10000), Output, 0)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	data, _ = readAll(t, Folder(dir), 0)
	if lost, _ := w.Lost(); int64(len(data))+lost != w.Next() || int64(len(data)) <= stored {
		t.Errorf("%d bytes stored and %d lost are not %d", len(data), lost, w.Next())
	}
}

// Any line of a timing file is refused, or is an entry that is written as it was read.
func FuzzEntry(f *testing.F) {
	for _, e := range []Entry{
		{At: time.Second, Kind: Output, Offset: 5, Bytes: 3},
		{Kind: Input, Text: "\x1b[A"},
		{Kind: Input, Bytes: 3},
		{At: 2 * time.Second, Kind: Input, Text: "ls\r", First: time.Second, Last: 2 * time.Second},
		{Kind: Resize, Text: "1x1"},
	} {
		line, err := e.MarshalJSON()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(line)
	}
	f.Add([]byte(`[0,"\b",""]`)) // a kind that no version writes
	f.Fuzz(func(t *testing.T, line []byte) {
		var e, again Entry
		if json.Unmarshal(line, &e) != nil {
			return
		}
		written, err := json.Marshal(e)
		if err != nil {
			t.Fatalf("%+v: %v", e, err)
		}
		if err := json.Unmarshal(written, &again); err != nil {
			t.Fatalf("%s: %v", written, err)
		}
		if e.At-again.At > time.Microsecond || again.At-e.At > time.Microsecond || e.Kind != again.Kind || e.Offset != again.Offset || e.Bytes != again.Bytes || e.Text != again.Text {
			t.Errorf("%s was read as %+v and then as %+v", line, e, again)
		}
	})
}

func BenchmarkAppend(b *testing.B) {
	for _, size := range []int{100, 64 << 10} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			w, err := Create(Folder(b.TempDir()), DefaultMax)
			if err != nil {
				b.Fatal(err)
			}
			p := pattern(0, size)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				w.Append(p, Output, 0)
			}
		})
	}
}

func BenchmarkSeek(b *testing.B) {
	dir := b.TempDir()
	w, err := Create(Folder(dir), DefaultMax)
	if err != nil {
		b.Fatal(err)
	}
	for w.Next() < 200<<20 {
		w.Append(pattern(w.Next(), 1<<20), Output, 0)
	}
	r := Open(Folder(dir))
	defer r.Close()
	p := make([]byte, 4096)
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := r.ReadAt(p, rand.Int64N(w.Next()-4096)); err != nil {
			b.Fatal(err)
		}
	}
}
