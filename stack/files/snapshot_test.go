package files

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

func snap(t testing.TB, dir string, o SnapshotOptions) *Snapshot {
	t.Helper()
	if o.Limits == (Limits{}) {
		o.Limits = Usual
	}
	s, err := TakeSnapshot(t.Context(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// pass waits until the clock of the file system has ticked, so that the next change gets another
// time.
func pass(t testing.TB, dir string) {
	t.Helper()
	probe := filepath.Join(dir, "..", "probe")
	first := int64(0)
	for end := time.Now().Add(10 * time.Second); ; {
		if err := os.WriteFile(probe, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(probe)
		if err != nil {
			t.Fatal(err)
		}
		switch at := info.ModTime().UnixNano(); {
		case first == 0:
			first = at
		case at != first:
			return
		case time.Now().After(end):
			t.Fatal("the clock of the file system stands still")
		}
		if err := os.Remove(probe); err != nil {
			t.Fatal(err)
		}
	}
}

// Every change of a file shows, whichever of its times it changes.
func TestDiff(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no inodes")
	}
	long := time.Now().Add(-time.Hour)
	ago := func(names ...string) error {
		for _, name := range names {
			if err := os.Chtimes(name, long, long); err != nil {
				return err
			}
		}
		return nil
	}
	write := func(name, text string) error { return os.WriteFile(name, []byte(text), 0o666) }
	all := func(steps ...error) error {
		for _, err := range steps {
			if err != nil {
				return err
			}
		}
		return nil
	}
	for _, test := range []struct {
		name   string
		change func() error
		want   string
	}{
		{"nothing", func() error { return nil }, ""},
		{"write in place", func() error { return write("a", "new") }, "a content"},
		{"append", func() error {
			f, err := os.OpenFile("a", os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			_, err = f.WriteString("x")
			return all(err, f.Close())
		}, "a content"},
		{"truncate and write as much", func() error { return write("a", "A") }, "a content"},
		{"save by rename", func() error { return all(write("tmp", "a"), os.Rename("tmp", "a")) }, "a content"},
		{"mv an older file in", func() error { return os.Rename("../out/old", "d/old") }, "d/old added"},
		{"mv an older file over one", func() error { return os.Rename("../out/old", "a") }, "a content"},
		{"rename", func() error { return os.Rename("a", "c") }, "a deleted, c added"},
		{"delete", func() error { return os.Remove("a") }, "a deleted"},
		{"write and put the time back", func() error { return all(write("a", "A"), ago("a")) }, "a touched"},
		{"write more and put the time back", func() error { return all(write("a", "AA"), ago("a")) }, "a content"},
		{"a time before", func() error { return os.Chtimes("a", long, long.Add(-time.Hour)) }, "a content"},
		{"mv a folder in", func() error { return os.Rename("../out/e", "e") }, "e/f/g added, e/x added"},
		{"mv a folder out", func() error { return os.Rename("d", "../out/d") }, "d/b deleted, in content"},
		{"rename a folder", func() error { return os.Rename("d", "D") }, "D/b added, d/b deleted, in content"},
		{"chmod", func() error { return os.Chmod("a", 0o755) }, "a mode"},
		{"a hard link elsewhere", func() error { return os.Link("a", "../out/link") }, "a touched"},
		{"a hard link here", func() error { return os.Link("a", "b") }, "a touched, b added"},
		{"a link in its place", func() error { return all(os.Remove("a"), os.Symlink("d/b", "a")) }, "a kind"},
		{"a folder in its place", func() error { return all(os.Remove("a"), os.Mkdir("a", 0o777), write("a/b", "")) }, "a deleted, a/b added"},
		{"a folder", func() error { return os.Mkdir("new", 0o777) }, ""},
		{"the target of a link in the tree", func() error { return write("d/b", "x") }, "d/b content, in content"},
		{"an ignored target of a link", func() error { return write("made.gen", "x") }, "gen content"},
		{"an ignored file", func() error { return write("other.gen", "x") }, ""},
		{"the target of a link out of the tree", func() error { return write("../out/old", "x") }, ""},
		{"another target", func() error { return all(os.Remove("in"), os.Symlink("a", "in")) }, "in content"},
		{"a target that comes", func() error { return write("later.gen", "") }, "none content"},
		{"a target that goes", func() error { return os.Remove("made.gen") }, "gen content"},
	} {
		t.Run(test.name, func(t *testing.T) {
			base := t.TempDir()
			lay(t, base, map[string]string{"tree/.gitignore": "*.gen\n", "tree/a": "a", "tree/d/b": "b", "tree/made.gen": "", "out/old": "o", "out/e/x": "", "out/e/f/g": ""})
			dir := filepath.Join(base, "tree")
			t.Chdir(dir)
			if err := all(
				os.Symlink("d/b", "in"), os.Symlink("../out/old", "out"), os.Symlink("made.gen", "gen"), os.Symlink("later.gen", "none"), os.Symlink("../out/e", "folder"),
				ago("a", "d/b", "made.gen", "../out/old", "../out/e/x", "../out/e/f/g"),
			); err != nil {
				t.Fatal(err)
			}
			o := SnapshotOptions{Rules: NewRules(dir, alone(RuleOptions{}))}
			before := snap(t, dir, o)
			pass(t, dir)
			if err := test.change(); err != nil {
				t.Fatal(err)
			}
			after := snap(t, dir, o)
			said := func(changes []Change) string {
				var text []string
				for _, c := range changes {
					text = append(text, c.Path+" "+string(c.Reason))
				}
				return strings.Join(text, ", ")
			}
			if got := said(Diff(before, after)); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			back := strings.NewReplacer("added", "deleted", "deleted", "added").Replace(test.want)
			if got := said(Diff(after, before)); got != back {
				t.Errorf("backwards got %q, want %q", got, back)
			}
			// A written snapshot is the same when it is read.
			var token bytes.Buffer
			if _, err := before.WriteTo(&token); err != nil {
				t.Fatal(err)
			}
			read, err := ReadSnapshot(&token)
			if err != nil {
				t.Fatal(err)
			}
			if got := said(Diff(read, after)); got != test.want {
				t.Errorf("after reading got %q, want %q", got, test.want)
			}
		})
	}
}

// A snapshot with an earlier one equals a snapshot without one, whatever happened in between.
func TestSnapshotBefore(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the time of a folder does not tell there")
	}
	base := t.TempDir()
	dir := filepath.Join(base, "tree")
	rnd := rand.New(rand.NewPCG(5, 0))
	for _, name := range []string{"a/b/.x", "a/.gitignore", "c/.x", "d/e/f/.x"} {
		lay(t, dir, map[string]string{name: "*.o\n"})
	}
	folders := []string{"", "a/", "a/b/", "c/", "d/e/", "d/e/f/", "a/new/", "c/new/"}
	at := func() string {
		return filepath.Join(dir, folders[rnd.IntN(len(folders))]+[]string{"f", "g", "h.o", "link", "new"}[rnd.IntN(5)])
	}
	o := SnapshotOptions{Rules: NewRules(dir, alone(RuleOptions{})), Follow: true}
	before := snap(t, dir, o)
	reused, changed := 0, 0
	for round := range 150 {
		if round%3 == 0 { // otherwise the change falls into the same tick
			pass(t, dir)
		}
		for range rnd.IntN(4) {
			switch one := at(); rnd.IntN(6) { // an impossible change does nothing
			case 0:
				_ = os.WriteFile(one, []byte("x"), 0o666)
			case 1:
				_ = os.Remove(one)
			case 2:
				_ = os.Rename(one, at())
			case 3:
				_ = os.Mkdir(one, 0o777)
			case 4:
				_ = os.Symlink([]string{"f", "../c", base, "new", "link"}[rnd.IntN(5)], one)
			case 5:
				_ = os.RemoveAll(one)
			}
		}
		o.Before = before
		with := snap(t, dir, o)
		o.Before = nil
		without := snap(t, dir, o)
		if changes := Diff(with, without); len(changes) > 0 || !slices.Equal(filesOf(with), filesOf(without)) || len(with.Problems) > 0 {
			t.Fatalf("round %d: %v, %v", round, changes, with.Problems)
		}
		for i := range with.folders {
			if before.unchanged(with.folders[i].path, with.folders[i].self) != nil {
				reused++
			} else {
				changed++
			}
		}
		before = with
	}
	if reused < 100 || changed < 100 {
		t.Errorf("the names of %d folders were known, of %d not", reused, changed)
	}
}

func filesOf(s *Snapshot) (all []string) {
	for path := range s.Files() {
		all = append(all, path)
	}
	return all
}

// With Follow, the targets of links outside count, each folder once, and circles end.
func TestFollow(t *testing.T) {
	base := t.TempDir()
	lay(t, base, map[string]string{
		"tree/a": "", "tree/.gitignore": "skipped/\n*.o\n", "lib/b": "", "lib/c.o": "", "lib/deep/d": "", "file": "", "other/x": "", "skipped/y": "",
	})
	dir := filepath.Join(base, "tree")
	for link, to := range map[string]string{
		"tree/one": "../lib", "tree/two": "../lib", "tree/file": "../file", "tree/up": "..", "tree/self": ".", "tree/none": "none", "tree/loop": "loop",
		"lib/back": "../tree", "lib/on": "../other", "other/circle": "../lib", "tree/skipped": "../skipped",
	} {
		if err := os.Symlink(to, filepath.Join(base, link)); err != nil {
			t.Skip(err)
		}
	}
	if runtime.GOOS == "windows" {
		t.Skip("folders are not followed here")
	}
	rules := NewRules(dir, alone(RuleOptions{}))
	plain := []string{".gitignore", "a", "file", "loop", "none", "one", "self", "skipped", "two", "up"}
	if got := filesOf(snap(t, dir, SnapshotOptions{Rules: rules})); !slices.Equal(got, plain) {
		t.Errorf("without following %q", got)
	}
	o := SnapshotOptions{Rules: rules, Follow: true}
	before := snap(t, dir, o)
	// "one" is the first link to lib. Behind "up" only the folders are new to which no other link leads.
	want := []string{
		".gitignore", "a", "file", "file", "loop", "none", "one", "one/b", "one/back", "one/deep/d", "one/on", "self", "skipped", "two", "up", "up/file",
	}
	got := filesOf(before)
	for _, path := range want {
		if !slices.Contains(got, path) {
			t.Errorf("%s is missing", path)
		}
	}
	seen := map[string]int{}
	for _, path := range got {
		info, err := os.Lstat(filepath.Join(dir, path))
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().IsRegular() {
			real, err := filepath.EvalSymlinks(filepath.Join(dir, path))
			if err != nil {
				t.Fatal(err)
			}
			if seen[real]++; seen[real] > 1 {
				t.Errorf("%s is there twice: %q", real, got)
			}
		}
		if strings.HasSuffix(path, ".o") || strings.HasPrefix(path, "skipped/") {
			t.Errorf("%s is ignored", path)
		}
	}
	for range 5 { // whichever worker is first
		if again := filesOf(snap(t, dir, o)); !slices.Equal(again, got) {
			t.Fatalf("got %q, then %q", got, again)
		}
	}
	pass(t, dir)
	lay(t, base, map[string]string{"lib/deep/d": "new", "file": "new"})
	var paths []string
	for _, c := range Diff(before, snap(t, dir, o)) {
		paths = append(paths, c.Path+" "+string(c.Reason))
	}
	for _, want := range []string{"file content", "one/deep/d content"} {
		if !slices.Contains(paths, want) {
			t.Errorf("%s is missing of %q", want, paths)
		}
	}
}

// Files in a folder that could not be read are not deleted.
func TestDiffUnread(t *testing.T) {
	of := func(path string, files ...string) folderState {
		f := folderState{path: path, files: files}
		for range files {
			f.stamps = append(f.stamps, Stamp{Size: 1})
		}
		return f
	}
	whole := &Snapshot{folders: []folderState{of("."), of("a", "x"), of("a/b", "y"), of("ab", "z")}}
	part := &Snapshot{folders: []folderState{of("."), of("a")}, unread: []string{"a"}}
	want := []Change{{"ab/z", Deleted}}
	if got := Diff(whole, part); !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
	want = []Change{{"ab/z", Added}}
	if got := Diff(part, whole); !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}

// Right after a change a snapshot is unsettled, and later it is settled.
func TestUnsettled(t *testing.T) {
	base := t.TempDir()
	dir := filepath.Join(base, "tree")
	lay(t, dir, map[string]string{"a": ""})
	future := time.Now().Add(24 * time.Hour)
	if err := os.Chtimes(filepath.Join(dir, "a"), future, future); err != nil {
		t.Fatal(err)
	}
	lay(t, dir, map[string]string{"b": ""})
	s := snap(t, dir, SnapshotOptions{})
	for end := time.Now().Add(10 * time.Second); s.Unsettled; s = snap(t, dir, SnapshotOptions{}) {
		if time.Now().After(end) {
			t.Fatal("it never settles")
		}
	}
	for path, stamp := range s.Files() {
		if path != "b" {
			continue
		}
		at := max(stamp.Changed, stamp.Modified)
		if s.settle(time.Unix(0, at)); !s.Unsettled {
			t.Error("a snapshot taken at the time of a change is sure of it")
		}
	}
}

func TestSnapshotLimits(t *testing.T) {
	dir := t.TempDir()
	for i := range 50 {
		lay(t, dir, map[string]string{fmt.Sprintf("d%d/f%d", i%5, i): ""})
	}
	s := snap(t, dir, SnapshotOptions{Limits: Limits{20, 40}})
	if s.Len() != 20 || len(filesOf(s)) != 20 || !s.Truncated {
		t.Errorf("%d files, truncated %v", s.Len(), s.Truncated)
	}
	if changes := Diff(s, snap(t, dir, SnapshotOptions{Limits: Limits{20, 40}})); len(changes) > 0 {
		t.Error(changes)
	}
	folders := 0
	for _, stamp := range snap(t, dir, SnapshotOptions{}).Folders() {
		if folders++; !stamp.Mode.IsDir() || stamp.Modified == 0 {
			t.Errorf("%+v", stamp)
		}
	}
	if folders != 6 {
		t.Errorf("%d folders", folders)
	}
	if _, err := TakeSnapshot(t.Context(), filepath.Join(dir, "none"), SnapshotOptions{}); !os.IsNotExist(err) {
		t.Error(err)
	}
}

// sampleSnapshot returns a snapshot with everything that a token can contain.
func sampleSnapshot() *Snapshot {
	link := Stamp{Modified: -5, Changed: 7, Size: 3, Inode: 1<<64 - 1, Mode: fs.ModeSymlink | 0o777}
	return &Snapshot{
		Truncated: true, Label: "a label", settles: tick, files: 3, unread: []string{"u", "v"}, Problems: []Problem{{"u", "why"}},
		folders: []folderState{
			{path: ".", self: Stamp{Mode: fs.ModeDir | 0o755}, files: []string{"\xff", "\xffa\n"}, stamps: []Stamp{{}, link}, targets: []target{{1, Stamp{Modified: 1 << 62}}}},
			{path: "a/b", files: []string{"c"}, stamps: []Stamp{{1, 2, 3, 4, 0o644}}, whole: true, folders: []string{"\n", "d"}},
			{path: "a/b/d", files: []string{}, stamps: []Stamp{}, whole: true},
		},
	}
}

func tokenOf(t testing.TB, s *Snapshot) []byte {
	t.Helper()
	var out bytes.Buffer
	if n, err := s.WriteTo(&out); err != nil || n != int64(out.Len()) {
		t.Fatal(n, err)
	}
	return out.Bytes()
}

// A written token is read back, and a damaged one is refused.
func TestToken(t *testing.T) {
	s := sampleSnapshot()
	token := tokenOf(t, s)
	got, err := ReadSnapshot(bytes.NewReader(token))
	if err != nil || !reflect.DeepEqual(got, s) {
		t.Fatalf("%v\ngot  %+v\nwant %+v", err, got, s)
	}
	for i := range token {
		for _, bit := range []byte{1, 0x80} {
			broken := bytes.Clone(token)
			broken[i] ^= bit
			if _, err := ReadSnapshot(bytes.NewReader(broken)); err == nil {
				t.Errorf("byte %d changed: it was read", i)
			}
		}
		if _, err := ReadSnapshot(bytes.NewReader(token[:i])); err == nil {
			t.Errorf("cut at %d: it was read", i)
		}
	}
	if _, err := ReadSnapshot(bytes.NewReader(append(token, 0))); err == nil {
		t.Error("with a byte more it was read")
	}
	if _, err := (&Snapshot{Label: strings.Repeat("x", mostTokenText+1)}).WriteTo(&bytes.Buffer{}); err == nil {
		t.Error("an endless label was written")
	}
	for _, wrong := range []*Snapshot{
		{folders: []folderState{{path: "."}, {path: "."}}},
		{folders: []folderState{{path: "b"}, {path: "a"}}},
		{folders: []folderState{{path: "../a"}}},
		{folders: []folderState{{path: "/a"}}},
		{folders: []folderState{{path: ".", files: []string{"a", "a"}, stamps: make([]Stamp, 2)}}},
		{folders: []folderState{{path: ".", files: []string{".."}, stamps: make([]Stamp, 1)}}},
		{folders: []folderState{{path: ".", files: []string{"a/b"}, stamps: make([]Stamp, 1)}}},
		{folders: []folderState{{path: ".", files: []string{"a"}, stamps: make([]Stamp, 1), targets: []target{{0, Stamp{}}}}}}, // the target belongs to no link
		{folders: []folderState{{path: ".", files: []string{"a"}, stamps: []Stamp{{Size: -1}}}}},
		{folders: []folderState{{path: ".", whole: true, folders: []string{"b", "a"}}}},
		{folders: []folderState{{path: ".", whole: true, folders: []string{".."}}}},
		{unread: []string{"b", "a"}},
	} {
		if s, err := ReadSnapshot(bytes.NewReader(tokenOf(t, wrong))); err == nil {
			t.Errorf("%+v was read", s)
		}
	}
	later := bytes.Replace(token, []byte(tokenVersion), []byte(tokenKind+"1\n"), 1)
	if _, err := ReadSnapshot(bytes.NewReader(later)); err == nil || !strings.Contains(err.Error(), "version") {
		t.Errorf("of another version: %v", err)
	}
}

// No input makes a reader hang or panic. Input that is accepted is written again as the same bytes.
// The test corrects the checksum, to reach the code behind it.
func FuzzToken(f *testing.F) {
	for _, s := range []*Snapshot{sampleSnapshot(), {}} {
		token := tokenOf(f, s)
		f.Add(token[len(tokenVersion) : len(token)-4])
	}
	f.Add([]byte("\x00\x00\x00\xff\xff\xff\x0f"))
	f.Fuzz(func(t *testing.T, data []byte) {
		token := append([]byte(tokenVersion), data...)
		token = binary.BigEndian.AppendUint32(token, crc32.ChecksumIEEE(token))
		s, err := ReadSnapshot(bytes.NewReader(token))
		if err != nil {
			return
		}
		again, err := ReadSnapshot(bytes.NewReader(tokenOf(t, s)))
		if err != nil || len(Diff(s, again)) > 0 || !reflect.DeepEqual(s, again) {
			t.Errorf("%v: %+v, again %+v", err, s, again)
		}
		for path := range s.Files() {
			if !filepath.IsLocal(filepath.FromSlash(path)) && runtime.GOOS != "windows" {
				t.Errorf("%q leads out of the tree", path)
			}
		}
	})
}

// BenchmarkSnapshot looks at 100,000 files in 6,000 folders. The peer is git's own search for
// changes.
func BenchmarkSnapshot(b *testing.B) {
	dir := b.TempDir()
	for d := range 6000 {
		files := map[string]string{}
		for f := range 17 {
			files[fmt.Sprintf("p%d/d%d/file%d.ts", d%200, d, f)] = ""
		}
		lay(b, dir, files)
	}
	lay(b, dir, map[string]string{".gitignore": strings.Join(oftenRules, "\n")})
	git := func(args ...string) {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	o := SnapshotOptions{Limits: Limits{1_000_000, 40}}
	before := snap(b, dir, o)
	b.Run("tool=devtools", func(b *testing.B) {
		for b.Loop() {
			o.Rules = NewRules(dir, alone(RuleOptions{BuiltIns: BuiltInPatterns()}))
			if n := len(Diff(before, snap(b, dir, o))); n > 0 {
				b.Fatal(n)
			}
		}
	})
	b.Run("tool=devtools-again", func(b *testing.B) {
		o.Rules = NewRules(dir, alone(RuleOptions{BuiltIns: BuiltInPatterns()}))
		o.Before = snap(b, dir, o)
		for b.Loop() {
			if n := len(Diff(o.Before, snap(b, dir, o))); n > 0 {
				b.Fatal(n)
			}
		}
		o.Before = nil
	})
	b.Run("tool=git-ls-files-m", func(b *testing.B) {
		if _, err := exec.LookPath("git"); err != nil {
			b.Skip("git is not installed")
		}
		git("init", "-q")
		git("add", "-A")
		for b.Loop() {
			git("ls-files", "-m")
		}
	})
	b.Run("diff", func(b *testing.B) {
		after := snap(b, dir, o)
		for b.Loop() {
			if n := len(Diff(before, after)); n > 0 {
				b.Fatal(n)
			}
		}
	})
	b.Run("token", func(b *testing.B) {
		b.SetBytes(int64(len(tokenOf(b, before))))
		for b.Loop() {
			if _, err := ReadSnapshot(bytes.NewReader(tokenOf(b, before))); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("memory", func(b *testing.B) {
		var start, end runtime.MemStats
		for b.Loop() {
			runtime.GC()
			runtime.ReadMemStats(&start)
			s := snap(b, dir, o)
			runtime.GC()
			runtime.ReadMemStats(&end)
			b.ReportMetric(float64(end.HeapAlloc-start.HeapAlloc)/float64(s.Len()), "B/file")
			runtime.KeepAlive(s)
		}
	})
}

// TestSnapshotRecall makes a folder unreadable for a while. Changes in the meantime show later.
func TestSnapshotRecall(t *testing.T) {
	top := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(top, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	take := func() *Snapshot {
		s, err := TakeSnapshot(t.Context(), top, SnapshotOptions{Limits: Limits{Files: 1000, Depth: 100}})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, name := range []string{"a", "sub/b", "sub/below/c", "subtle/d"} {
		write(name, "1")
	}
	before := take()
	blind := take()
	blind.folders = slices.DeleteFunc(blind.folders, func(f folderState) bool { return strings.HasPrefix(f.path, "sub/") })
	blind.at("sub").files, blind.at("sub").stamps = nil, nil
	blind.unread = []string{"sub"}
	blind.Recall(before)
	if got := Diff(before, blind); len(got) != 0 || blind.Unread() || blind.Len() != before.Len() {
		t.Errorf("changes %v, %d files", got, blind.Len())
	}
	write("sub/b", "22")
	write("sub/below/e", "1")
	want := []Change{{"sub/b", Content}, {"sub/below/e", Added}}
	if got := Diff(blind, take()); !slices.Equal(got, want) {
		t.Errorf("changes %v, want %v", got, want)
	}
}
