//go:build unix

package guard

import (
	"os"
	"path/filepath"
	"testing"
)

// A judge looks at each link of the disk once: its verdict is about one state of the disk.
func TestLinksAreReadOnce(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	link, target := filepath.Join(dir, "link"), filepath.Join(dir, "target")
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	j := &judge{links: map[string]string{}}
	if got := j.resolve(link+"/file", true); got != target+"/file" {
		t.Fatalf("%s leads to %s", link, got)
	}
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	if got := j.resolve(link+"/file", true); got != target+"/file" {
		t.Errorf("%s was read again: %s", link, got)
	}
}
