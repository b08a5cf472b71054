package proc

import (
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Of the files that this process has open those are told that it may write.
func TestWriting(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	path := func(name string) string { return filepath.Join(dir, name) }
	for name, flags := range map[string]int{"read": os.O_RDONLY, "written": os.O_WRONLY, "both": os.O_RDWR, "appended": os.O_WRONLY | os.O_APPEND, "closed": os.O_WRONLY} {
		f, err := os.OpenFile(path(name), flags|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		if name == "closed" {
			_ = f.Close()
		} else {
			t.Cleanup(func() { _ = f.Close() })
		}
	}
	got := Writing(os.Getpid())
	for name, want := range map[string]bool{"read": false, "written": true, "both": true, "appended": true, "closed": false} {
		if slices.Contains(got, path(name)) != want {
			t.Errorf("%s: %v, want %v", name, !want, want)
		}
	}
}

// A shell has a file written in ways that leave no process behind: Written tells of each.
func TestWritten(t *testing.T) {
	c := shell(t, `echo up; while read line; do eval "$line"; done`)
	c.expect("up", 1)
	dir := t.TempDir()
	for i, line := range []string{
		`echo x >"$file"`,
		`sh -c 'echo x >"$0"; :' "$file"`,
		`(sh -c 'echo x >"$0"; :' "$file" &)`, // it comes to us
		`mkdir "$file"`,                       // not by a write, but by a process
		`dd if=/dev/zero of="$file" bs=10k count=1 2>/dev/null`,
	} {
		before := Written(os.Getpid())
		if before[c.id()] == 0 || len(before) < 2 {
			t.Fatalf("got %v", before)
		}
		if again := Written(os.Getpid()); !maps.Equal(before, again) {
			t.Errorf("nobody writes, but it was %v and is %v", before, again)
		}
		file := filepath.Join(dir, string(rune('a'+i)))
		if _, err := io.WriteString(c.stdin, "file="+file+"; "+line+"\n"); err != nil {
			t.Fatal(err)
		}
		for end := time.Now().Add(time.Minute); ; <-time.After(time.Millisecond) {
			tree := Tree(os.Getpid())
			for _, p := range tree {
				if p.Ended() && p.Parent == os.Getpid() {
					_, _ = unix.Wait4(p.PID, nil, 0, nil) // it has ended
				}
			}
			if info, err := os.Stat(file); err == nil && len(tree) == 1 && (info.IsDir() || info.Size() > 0) {
				break
			}
			if time.Now().After(end) {
				t.Fatalf("%s: not done within a minute", line)
			}
		}
		if after := Written(os.Getpid()); maps.Equal(before, after) {
			t.Errorf("%s: it is %v still", line, after)
		}
	}
}

func TestWatchesFiles(t *testing.T) {
	if WatchesFiles(os.Getpid()) {
		t.Skip("something in this process watches files already")
	}
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	if WatchesFiles(os.Getpid()) {
		t.Error("a descriptor without a watch watches")
	}
	if _, err := unix.InotifyAddWatch(fd, t.TempDir(), unix.IN_CREATE); err != nil {
		t.Fatal(err)
	}
	if !WatchesFiles(os.Getpid()) {
		t.Error("a watch is not seen")
	}
	if WatchesFiles(1 << 30) {
		t.Error("a process that is not there watches")
	}
}
