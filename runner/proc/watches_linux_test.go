package proc

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

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
