//go:build unix

package ledger

import (
	"os"
	"syscall"
	"testing"
)

// What is in the place of a file of the log, and is none, is an error at once, and is not waited for.
func TestLogRefusesWhatIsNoFile(t *testing.T) {
	for name, put := range map[string]func(path string) error{
		"a link":   func(path string) error { return os.Symlink("/etc/passwd", path) },
		"a FIFO":   func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"a folder": func(path string) error { return os.Mkdir(path, 0o700) },
	} {
		for _, file := range []string{eventFile, segmentName(1)} {
			d := newDir(t)
			if err := put(d.file(file)); err != nil {
				t.Fatal(err)
			}
			var failed error
			for _, err := range d.Events() {
				failed = err
			}
			if failed == nil {
				t.Errorf("%s as %s is read", name, file)
			}
			if err := d.Append(t.Context(), []Event{{Event: EventStarted}}); (err == nil) != (file != eventFile) {
				t.Errorf("%s as %s is written to: %v", name, file, err)
			}
		}
	}
}
