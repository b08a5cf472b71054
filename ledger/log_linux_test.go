package ledger

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// A file with a hole that is larger than any disk is read at once, with the events behind the hole, and the files before it stay.
func TestHole(t *testing.T) {
	const hole = 1 << 42
	d := newDir(t)
	lower(t, &segmentBytes, 3*lineBytes)
	logPIDs(t, d, 1, 2, 3, 4)
	path := d.file(eventFile)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteAt([]byte("\n{\"event\":\"started\",\"pid\":5}\n"), info.Size()+hole)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Skipf("this file system has no such files: %v", err)
	}
	if !tellsHoles(t, path, info.Size()) {
		t.Skip("this file system does not tell where holes are")
	}
	if got, want := loggedPIDs(t, d), []int{1, 2, 3, 4, 5}; !cmp.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	c, err := d.CheckUp()
	if err != nil || c.EventLines != 5 || c.DamagedEvents != 1 {
		t.Errorf("%+v, %v", c, err)
	}
	logPIDs(t, d, 6)
	if got, want := loggedPIDs(t, d), []int{1, 2, 3, 4, 5, 6}; !cmp.Equal(got, want) {
		t.Errorf("after the next event: %v, want %v", got, want)
	}
}

// tellsHoles reports whether the hole behind offset at in a file can be found, lseek(2).
func tellsHoles(t *testing.T, path string, at int64) bool {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	data, err := f.Seek(at+1<<20, unix.SEEK_DATA)
	return err == nil && data > at+1<<30
}

// A writer that begins another file is killed before each of its system calls in turn. No event is lost or doubled.
func TestKilledBeforeEachCall(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not installed")
	}
	if out, err := exec.Command(strace, "-qq", "-o", os.DevNull, "true").CombinedOutput(); err != nil {
		t.Skipf("strace may not trace here: %s", out)
	}
	lower(t, &segmentBytes, 3*lineBytes)
	for _, torn := range []string{"", `{"v":1,"event":"star`} {
		for _, call := range []string{"openat", "flock", "fstat", "pread64", "write", "renameat", "getdents64", "close", "unlinkat", "ftruncate"} {
			killed := 0
			for n := 1; ; n++ {
				d := newDir(t)
				logPIDs(t, d, 1, 2, 3, 4)
				f, err := os.OpenFile(d.file(eventFile), os.O_WRONLY|os.O_APPEND, 0o600)
				if err == nil {
					_, err = f.WriteString(torn)
				}
				if err := errors.Join(err, f.Close()); err != nil {
					t.Fatal(err)
				}
				cmd := exec.Command(strace, "-f", "-qq", "-o", os.DevNull, "-e", "trace="+call, "-e", fmt.Sprintf("inject=%s:signal=KILL:when=%d", call, n), os.Args[0])
				cmd.Env = append(os.Environ(), "LEDGER_TEST_ROLE=append once", "LEDGER_TEST_DIR="+d.Path())
				out, err := cmd.CombinedOutput()
				if err != nil && len(out) > 0 {
					t.Fatalf("%s: %v", out, err)
				}
				got := loggedPIDs(t, d)
				if !cmp.Equal(got, []int{1, 2, 3, 4, 5}) && (err == nil || !cmp.Equal(got, []int{1, 2, 3, 4})) {
					t.Errorf("killed before %s %d: %v", call, n, got)
				}
				logPIDs(t, d, 6)
				if again := loggedPIDs(t, d); !cmp.Equal(again, append(got, 6)) {
					t.Errorf("killed before %s %d, then: %v", call, n, again)
				}
				if err == nil {
					break
				}
				killed++
			}
			t.Logf("%s: killed %d times", call, killed)
		}
	}
}

// A full disk loses no acknowledged event and leaves no half line. Writing goes on when there is room again.
func TestFullDisk(t *testing.T) {
	lower(t, &segmentBytes, 8<<10)
	folder := t.TempDir()
	if err := unix.Mount("none", folder, "tmpfs", 0, "size=192k"); err != nil {
		t.Skipf("no file system can be mounted here: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(folder, unix.MNT_DETACH) })
	d, err := Create(filepath.Join(folder, FolderName))
	if err != nil {
		t.Fatal(err)
	}
	ballast := filepath.Join(folder, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 64<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	var want []int
	fill := func() (failures int) {
		t.Helper()
		for pid := len(want) + 1; failures < 20; pid++ {
			var batch []Event
			for range 1 + pid%5 {
				batch = append(batch, Event{Event: EventStarted, PID: pid, Cmd: "a command line of some length, as they are"})
			}
			switch err := d.Append(t.Context(), batch); {
			case errors.Is(err, unix.ENOSPC):
				failures++
			case err != nil:
				t.Fatal(err)
			default:
				for range batch {
					want = append(want, pid)
				}
			}
			if len(want) > 10000 {
				t.Fatal("the disk does not become full")
			}
		}
		if got := loggedPIDs(t, d); !cmp.Equal(got, want) {
			t.Fatalf("of the full disk: %s", cmp.Diff(want, got))
		}
		if n := damage(t, d); n > 0 {
			t.Errorf("%d lines are no events", n)
		}
		return failures
	}
	fill()
	before := len(want)
	for size := int64(60 << 10); size >= 0; size -= 4 << 10 { // page by page, so that it becomes full at each step of a rotation
		if err := os.Truncate(ballast, size); err != nil {
			t.Fatal(err)
		}
		fill()
	}
	numbers, err := d.segments()
	if err != nil || len(numbers) < 10 || len(want) < before+100 {
		t.Errorf("%d and then %d events, %d full files, %v", before, len(want), len(numbers), err)
	}
}
