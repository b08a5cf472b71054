package isolation

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// inside runs a line of the shell at the level high and returns what it prints, and its exit code.
func inside(t *testing.T, r *Rules, p Surroundings, line string) (string, int) {
	t.Helper()
	plan, err := Prepare(r, p)
	if err != nil {
		t.Fatal(err)
	}
	defer plan.Close()
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	pid, err := plan.Start("/bin/sh", []string{"sh", "-c", line}, &syscall.ProcAttr{
		Env: r.Environment(os.Environ(), p), Files: []uintptr{null.Fd(), in.Fd(), in.Fd()}, Sys: &syscall.SysProcAttr{Setpgid: true},
	})
	_ = in.Close()
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(out)
	if err != nil {
		t.Fatal(err)
	}
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(pid, &status, 0, nil); err != nil {
		t.Fatal(err)
	}
	return string(text), status.ExitStatus()
}

func newSurroundings(t *testing.T) (*Rules, Surroundings) {
	t.Helper()
	if s := Probe(); s.High != nil {
		t.Skip(s.High)
	}
	dir := Resolve(t.TempDir())
	p := Surroundings{Temp: filepath.Join(dir, "temp"), Caches: filepath.Join(dir, "caches"), Cwd: filepath.Join(dir, "workspace")}
	p.Private = []string{filepath.Join(p.Cwd, "deep", ".devtools")}
	for _, folder := range append(p.Private, p.Temp, p.Caches, filepath.Join(dir, "outside")) {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "outside", "file"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	return &Rules{Level: High, Workspace: p.Cwd, Net: NetNone}, p
}

// A program writes below the workspace, its temporary folder, the caches and its own file systems, and nowhere else.
func TestWrites(t *testing.T) {
	r, p := newSurroundings(t)
	for line, allowed := range map[string]bool{
		"echo a >a && chmod 600 a && mkdir b && mv a b && rm -r b":     true,
		"echo a >$TMPDIR/a && echo b >$GOCACHE-b && echo c >/dev/null": true,
		"echo a >/dev/shm/a":                                    true,
		"echo a >>../outside/file":                              false,
		"chmod 644 ../outside/file":                             false,
		"touch ../outside/file":                                 false,
		"ln ../outside/file link":                               false,
		"mv ../outside/file .":                                  false,
		"echo a >deep/.devtools/a":                              false,
		"chmod 755 deep/.devtools":                              false,
		"mv deep/.devtools other":                               false,
		"mv deep other":                                         false,
		"mkdir -p /proc/self/root" + filepath.Dir(p.Cwd) + "/n": false,
		"cat ../outside/file && kill -0 $PPID":                  false, // signal 0 alone: a wrong one would end this test
		"cat ../outside/file && test -r deep/.devtools":         true,
	} {
		before := outside(t, p)
		if out, code := inside(t, r, p, line); (code == 0) != allowed {
			t.Errorf("%s: exit code %d, %s", line, code, strings.TrimSpace(out))
		}
		if after := outside(t, p); after != before {
			t.Errorf("%s: outside there was\n%s and is\n%s", line, before, after)
		}
	}
}

// outside describes what the program may not change.
func outside(t *testing.T, p Surroundings) string {
	t.Helper()
	var b strings.Builder
	for _, root := range append([]string{filepath.Join(filepath.Dir(p.Cwd), "outside")}, p.Private...) {
		err := filepath.Walk(root, func(path string, info os.FileInfo, err error) error {
			if err != nil {
				return err
			}
			var data []byte
			if info.Mode().IsRegular() {
				data, err = os.ReadFile(path)
			}
			fmt.Fprintln(&b, path, info.Mode(), info.Size(), info.ModTime(), string(data))
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	return b.String()
}

// A folder as standard input is an error, and /dev/null is the program's own.
func TestInput(t *testing.T) {
	r, p := newSurroundings(t)
	plan, err := Prepare(r, p)
	if err != nil {
		t.Fatal(err)
	}
	defer plan.Close()
	folder, err := os.Open(p.Cwd)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	fd := folder.Fd()
	_, err = plan.Start("/bin/true", []string{"true"}, &syscall.ProcAttr{Files: []uintptr{fd, fd, fd}, Sys: &syscall.SysProcAttr{}})
	if err == nil || !strings.Contains(err.Error(), "standard input is a folder") {
		t.Errorf("a folder as standard input: %v", err)
	}
	if out, code := inside(t, r, p, "! touch -c /dev/stdin 2>/dev/null && read x || echo end"); code != 0 || out != "end\n" {
		t.Errorf("exit code %d, %s", code, out)
	}
}

// What may be written to is what it was when the session was asked for: a program may have put a link in its place.
func TestLinkInPlace(t *testing.T) {
	r, p := newSurroundings(t)
	r.AllowWrite = []string{filepath.Join(p.Cwd, "sub")}
	if err := os.Symlink("../outside", r.AllowWrite[0]); err != nil {
		t.Fatal(err)
	}
	if _, err := Prepare(r, p); err == nil || !strings.Contains(err.Error(), "by a link") {
		t.Errorf("a link: %v", err)
	}
}
