package ledger

import (
	"bytes"
	"hash/adler32"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"devtools/ledger/codec"
)

// fuzzed returns a state folder with a session, for a fuzz target.
func fuzzed(f *testing.F) (dir Dir, id string) {
	f.Helper()
	dir, err := Create(filepath.Join(f.TempDir(), FolderName))
	if err != nil {
		f.Fatal(err)
	}
	if id, err = dir.NewSession(); err != nil {
		f.Fatal(err)
	}
	return dir, id
}

// put writes a file of a state folder.
func put(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// What is read of an active set is read again after it was written, and each of its sessions is found by its id and its name.
func FuzzActive(f *testing.F) {
	for _, sessions := range [][]Session{{}, sampleSessions()} {
		a := &Active{Sessions: sessions, index: emptyIndex, past: []byte(`[{"name":"a","sessionId":"b"}]`)}
		data, err := a.encode()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
		f.Add(data[:len(data)-sumLength])
	}
	f.Add([]byte(`{"version":1,"sessions":[{"sessionId":"6an1wwgkaa","command":["a"]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := decodeActive(data)
		if err != nil {
			return
		}
		a.Past()
		a.Counted()
		a.HolderPIDs()
		if _, err := parseIndex(a.index); err != nil {
			a.index = nil // as indexLeft does
		}
		if a.Past() == nil {
			a.past = nil
		}
		for i := range a.Sessions {
			a.Sessions[i].Name = strings.ToValidUTF8(a.Sessions[i].Name, "") // no session has another name
		}
		a.texts = nil
		written, err := a.encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := decodeActive(written)
		if err != nil || !sealed(written) || len(again.Sessions) != len(a.Sessions) {
			t.Fatalf("%q: %d of %d sessions, %v", written, len(again.Sessions), len(a.Sessions), err)
		}
		for _, s := range a.Sessions {
			one, err := decodeOne(written, s.ID)
			if err != nil || len(one.Sessions) != 1 || one.Sessions[0].ID != s.ID {
				t.Errorf("%q is not found in %q: %v", s.ID, written, err)
			}
		}
	})
}

// A name is found in the index under ids that the index lists, and a damaged index gives nothing.
func FuzzNames(f *testing.F) {
	f.Add([]byte("6an1wwf0d8 web\n6an1wwf0d9 db\n"), []byte(`["6an1wwf0da web"]`), "web", true)
	f.Add([]byte(" web\n\n x"), []byte(`["", " "]`), "x", false)
	dir, _ := fuzzed(f)
	f.Fuzz(func(t *testing.T, file, last []byte, name string, right bool) {
		x := nameIndex{Bytes: int64(len(file)), Sum: adler32.Checksum(file)}
		if extend(1, string(file)) != x.Sum {
			t.Fatalf("%q has another checksum when it is extended", file)
		}
		if !right {
			x.Sum++
		}
		_ = codec.Unmarshal(last, &x.Last) // otherwise there are none
		put(t, dir.file(indexFile), append(file, "the remains of a crash"...))
		index, err := codec.Marshal(x)
		if err != nil {
			t.Fatal(err)
		}
		n := dir.readIndexNow(index)
		if (n != nil) != right {
			t.Fatalf("%q: read %v, right %v", index, n != nil, right)
		}
		if n == nil {
			return
		}
		known := n.known()
		for _, id := range n.ids(name) {
			if !known[id] {
				t.Errorf("%q has the id %q, which the index does not list", name, id)
			}
		}
		dir.readIndexNow(last)
	})
}

// A record that is read has the id of its file and numbers that can be added, and is the same after it was saved.
func FuzzRecord(f *testing.F) {
	for _, s := range sampleSessions() {
		data, err := codec.Marshal(s)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	dir, _ := fuzzed(f)
	const id = "6an1wwf0d8" // of the first sample
	f.Fuzz(func(t *testing.T, data []byte) {
		put(t, dir.record(id), data)
		s, err := dir.readSession(id)
		if err != nil {
			return
		}
		if s.ID != id || !s.plausible() {
			t.Fatalf("%+v", s)
		}
		s.Version = version
		if err := dir.SaveSession(s); err != nil {
			return // a time that JSON cannot have
		}
		again, err := dir.readSession(id)
		if err != nil || again.OutputBytes != s.OutputBytes || again.Main != valid(s.Main) || len(again.Command) != len(s.Command) {
			t.Errorf("%+v\nis read as %+v, %v", s, again, err)
		}
	})
}

// valid returns a process as it is after it was written: in JSON all text is UTF-8.
func valid(p Process) Process {
	for _, text := range []*string{&p.Boot, &p.Name} {
		*text = strings.ToValidUTF8(*text, "\uFFFD")
	}
	return p
}

// A journal that is rewritten has the same processes. None of them has a pid that kill(2) takes for several processes.
func FuzzJournal(f *testing.F) {
	lines, err := journalLines([]Process{journalled(1), journalled(2)}, []Process{journalled(1)})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(lines)
	f.Add([]byte(`{"pid":-1}` + "\n" + `{"pid":3,"start":4` + "\n" + `{"pid":5}`))
	dir, id := fuzzed(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		put(t, dir.journal(id), data)
		list, err := dir.Journal(id)
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(list, func(p Process) bool { return p.PID <= 0 }) {
			t.Fatalf("%+v", list)
		}
		if err := dir.RewriteJournal(id, list); err != nil {
			t.Fatal(err)
		}
		again, err := dir.Journal(id)
		if err != nil || len(again) != len(list) {
			t.Fatalf("%d of %d processes, %v", len(again), len(list), err)
		}
		for i, p := range list {
			if again[i].PID != p.PID || again[i].Start != p.Start || again[i].Inode != p.Inode {
				t.Errorf("%+v is read as %+v", p, again[i])
			}
		}
	})
}

// A list of captures that is read has no negative numbers, and is as long after it was saved.
func FuzzCaptures(f *testing.F) {
	f.Add([]byte(`{"version":1,"captures":[{"id":1,"captureFile":"/x","format":"raw","startedAt":"2026-01-15T10:30:00.123Z","offset":3,"bytesCaptured":4,"reason":"stopped"}]}`))
	f.Add([]byte(`{"captures":[{"offset":-1}]}`))
	dir, id := fuzzed(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		put(t, filepath.Join(dir.SessionFolder(id), capturesFile), data)
		list, err := dir.Captures(id)
		if err != nil {
			return
		}
		for _, c := range list {
			if c.Offset < 0 || c.Bytes < 0 || c.Gap < 0 {
				t.Errorf("%+v", c)
			}
		}
		if dir.SaveCaptures(id, list) != nil {
			return // a time that JSON cannot have
		}
		if again, err := dir.Captures(id); err != nil || len(again) != len(list) {
			t.Errorf("%d of %d captures, %v", len(again), len(list), err)
		}
	})
}

// The state of a watch that is read names a process that can be signalled. A claim does so too.
func FuzzWatch(f *testing.F) {
	state, err := codec.Marshal(Watch{
		Version: version, ID: "w", SessionID: "6an1wwf0d8", Program: Process{PID: 3}, StartedAt: Time{time.Unix(1, 0)}, SavedAt: Time{time.Unix(2, 0)}, Ports: []int{80},
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(state)
	f.Add([]byte(`{"pid":4,"start":5,"boot":"b"}      ` + "\n"))
	dir, _ := fuzzed(f)
	path, err := dir.watch("w", ".json")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		put(t, path, data)
		w, ok := dir.LoadWatch("w")
		if ok && (w.ID != "w" || w.Program.PID <= 0 || !isID(w.SessionID)) {
			t.Errorf("%+v", w)
		}
		if !ok {
			if err := os.RemoveAll(filepath.Dir(path)); err != nil { // it was set aside
				t.Fatal(err)
			}
			if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		put(t, path, append(make([]byte, claimStart), data...))
		if p, ok := claimant(path); ok && p.PID <= 0 {
			t.Errorf("%q is a claim of %+v", data, p)
		}
	})
}

// A check of a folder with foreign content ends, and changes nothing.
func FuzzCheckUp(f *testing.F) {
	f.Add([]byte(`{"v":1,"event":"started","pid":1}`+"\n"), []byte("{}"))
	f.Add(bytes.Repeat([]byte("x"), maxLine+2), []byte(activeHead+"\n"))
	dir, _ := fuzzed(f)
	f.Fuzz(func(t *testing.T, log, active []byte) {
		put(t, dir.file(eventFile), log)
		put(t, dir.file(activeFile), active)
		c, err := dir.CheckUp()
		if err != nil {
			t.Fatal(err)
		}
		if c.EventBytes != int64(len(log)) || c.EventLines+c.DamagedEvents > 1+bytes.Count(log, []byte("\n")) {
			t.Errorf("%q: %+v", log, c)
		}
		for path, want := range map[string][]byte{dir.file(eventFile): log, dir.file(activeFile): active} {
			if got, err := os.ReadFile(path); err != nil || !reflect.DeepEqual(got, append([]byte{}, want...)) {
				t.Errorf("%s has changed: %v", path, err)
			}
		}
	})
}
