//go:build unix

package watchtest

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"devtools/runner/runnertest"
	"devtools/runner/watch"
)

// looking starts a watch that tells of changes and does no more about them.
func (r *watchRig) looking(flags ...string) *watching {
	r.t.Helper()
	w := r.watch(append(append(flags, "--on-busy", "ignore", "--ready", "port:"+strconv.Itoa(r.port), "--"), r.server()...)...)
	w.until(watch.EventReady)
	return w
}

// sees waits until a change of the path is told, and returns its reason and how many others were told with it.
func (w *watching) sees(path string) (reason string, others int) {
	w.rig.t.Helper()
	for {
		e := w.until(watch.EventChange, watch.EventStale)
		for _, p := range e.Paths {
			if p.Path == path {
				return p.Reason, e.Count - 1
			}
		}
	}
}

// seen returns the paths of which a change was told.
func (w *watching) seen() map[string]bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	paths := map[string]bool{}
	for _, e := range w.events {
		for _, p := range e.Paths {
			paths[p.Path] = true
		}
	}
	return paths
}

// shell runs a line of the shell in the workspace.
func (r *watchRig) shell(line string) {
	r.t.Helper()
	cmd := exec.Command("sh", "-ec", line)
	cmd.Dir, cmd.Env = r.dir, append(r.env(), "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	if out, err := cmd.CombinedOutput(); err != nil {
		r.t.Fatalf("%s: %v\n%s", line, err, out)
	}
}

// TestWatchChanges has files changed in each way that there is, while a watch looks: each is told, with its path and in
// what way it has changed.
func TestWatchChanges(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		before string // a line of the shell
		change string // the same
		path   string
		reason string
		needs  string
		flags  []string
	}{
		{name: "written in place", before: "echo 1 >f", change: "echo 2 >f", path: "f", reason: "content"},
		{name: "appended to", before: "echo 1 >f", change: "echo 2 >>f", path: "f", reason: "content"},
		{name: "saved as an IDE does", before: "echo 1 >f", change: "echo 2 >.f.tmp~; mv .f.tmp~ f", path: "f", reason: "content"},
		{name: "an older file moved over it", before: "echo 1 >f; echo 2 >../old; touch -d 2001-01-01 ../old", change: "mv ../old f", path: "f", reason: "content"},
		{name: "an older file moved in", before: "echo 2 >../old; touch -d 2001-01-01 ../old", change: "mv ../old f", path: "f", reason: "added"},
		{name: "renamed", before: "echo 1 >f", change: "mv f g", path: "g", reason: "added"},
		{name: "renamed, its old name", before: "echo 1 >f", change: "mv f g", path: "f", reason: "deleted"},
		{name: "deleted", before: "echo 1 >f", change: "rm f", path: "f", reason: "deleted"},
		{name: "written, its time put back", before: "echo 1 >f; touch -d 2001-01-01 f", change: "echo 2 >../f; touch -r f ../f; cp -p ../f f", path: "f", reason: "touched"},
		// Nothing tells these two apart but what is in the file: the first is told for the sake of the second.
		{name: "a hard link made elsewhere", before: "echo 1 >f", change: "ln f ../other", path: "f", reason: "touched"},
		{
			name: "a hard link made elsewhere, written through it, its time put back", before: "echo 1 >f; touch -d 2001-01-01 f",
			change: "touch -r f ../time; ln f ../other; echo 2 >../other; touch -r ../time ../other", path: "f", reason: "touched",
		},
		{name: "an old folder moved in", before: "mkdir ../d; echo 1 >../d/f; touch -d 2001-01-01 ../d/f ../d", change: "mv ../d d", path: "d/f", reason: "added"},
		{name: "made executable", before: "echo 1 >f; chmod 644 f", change: "chmod +x f", path: "f", reason: "mode"},
		{name: "touched into the past", before: "echo 1 >f", change: "touch -d 2001-01-01 f", path: "f", reason: "content"},
		{name: "a link in the tree, its target", before: "echo 1 >g; ln -s g f", change: "echo 2 >g", path: "f", reason: "content"},
		{name: "a link in the tree, its ignored target", before: "mkdir dist; echo 1 >dist/g; ln -s dist/g f", change: "echo 2 >dist/g", path: "f", reason: "content"},
		{name: "a link that leads out, its target", before: "echo 1 >../g; ln -s ../g f", change: "echo 2 >../g", path: "f", reason: "content", flags: []string{"--follow"}},
		{name: "a link in the tree, its target elsewhere", before: "mkdir a; echo 1 >g; ln -s ../g a/f", change: "echo 2 >g", path: "a/f", reason: "content"},
		{name: "a link to another file", before: "echo 1 >g; echo 2 >h; ln -s g f", change: "ln -sfn h f", path: "f", reason: "content"},
		{name: "a file becomes a link", before: "echo 1 >f; echo 1 >g", change: "ln -sf g f", path: "f", reason: "kind"},
		{name: "sed -i", before: "echo 1 >f", change: "sed -i s/1/2/ f", path: "f", reason: "content"},
		{
			name: "rsync -t", before: "echo 1 >f; echo 2 >../f; touch -d 2001-01-01 f; touch -d 2001-01-02 ../f",
			change: "rsync -t ../f f", path: "f", reason: "content", needs: "rsync",
		},
		{name: "vim", before: "echo 1 >f", change: "vim -es -u NONE -c 's/1/2/' -c wq f", path: "f", reason: "content", needs: "vim"},
		{
			name: "vim, with a backup and a new file", before: "echo 1 >f",
			change: "vim -es -u NONE -c 'set backup writebackup backupcopy=no' -c 's/1/2/' -c wq f", path: "f", reason: "content", needs: "vim",
		},
	} {
		t.Run(strings.ReplaceAll(test.name, " ", "-"), func(t *testing.T) {
			t.Parallel()
			if test.needs != "" {
				runnertest.Need(t, test.needs)
			}
			r := newWatchRig(t)
			if test.before != "" {
				r.shell(test.before)
			}
			w := r.looking(test.flags...)
			r.shell(test.change)
			if reason, _ := w.sees(test.path); reason != test.reason {
				t.Errorf("%s: %s, want %s:\n%s", test.path, reason, test.reason, w.told())
			}
			r.write("last.txt", "") // what is told until this one is all that there is
			w.sees("last.txt")
			for path := range w.seen() {
				if path != test.path && path != "f" && path != "g" && path != "last.txt" {
					t.Errorf("%s is told too", path)
				}
			}
		})
	}
}

// TestWatchNano saves a file in an editor on a terminal.
func TestWatchNano(t *testing.T) {
	t.Parallel()
	runnertest.Need(t, "nano")
	r := newWatchRig(t)
	w := r.looking()
	r.devtools("launch", "--name", "editor", "--ready", "text:src.txt", "--", "nano", "--ignorercfiles", "src.txt")
	r.devtools("send-keys", "editor", "new ", "C-o", "Enter", "C-x")
	if reason, others := w.sees("src.txt"); reason != "content" || others != 0 {
		t.Errorf("%s, and %d others:\n%s", reason, others, w.told())
	}
}

// TestStressWatchNewFolders writes into folders the moment they are made: no event tells of that.
func TestStressWatchNewFolders(t *testing.T) {
	t.Parallel()
	r := newWatchRig(t)
	w := r.looking("--debounce", "10ms")
	n := runnertest.Rounds(20, 300)
	for i := range n {
		name := fmt.Sprintf("%d/b/c/f.txt", i)
		r.write(name, "")
		if reason, _ := w.sees(name); reason != "added" {
			t.Fatalf("%s: %s", name, reason)
		}
	}
	for i := range n { // all at once
		r.write(fmt.Sprintf("all/%d/b/c/f.txt", i), "")
	}
	want := 2 * n
	for got := n; got < want; {
		got += w.until(watch.EventChange).Count
	}
}

// TestWatchFoldersAgain has events told of folders that have come anew or were moved: nothing of their names but the
// old events is known by then.
func TestWatchFoldersAgain(t *testing.T) {
	t.Parallel()
	r := newWatchRig(t)
	r.shell("mkdir -p a/sub/x b/sub/x c; touch a/sub/x/f b/sub/x/f c/f")
	w := r.looking()
	for i, line := range []string{
		"rm -r a; mkdir -p a/sub/x; touch a/sub/x/f",
		"mv a moved; touch moved/m",
		"mv moved a; touch a/m",
		"mv a t; mv b a; mv t b; touch a/n b/n",
		"mv a t; mkdir -p a/sub/x; touch t/o; touch a/sub/x/f; rm -r t",
	} {
		mark := fmt.Sprintf("mark%d", i)
		r.shell(line + "; touch " + mark)
		w.sees(mark)
		for _, folder := range []string{"a/sub/x", "b/sub", "a", "c", "moved/sub/x"} {
			if _, err := os.Stat(r.path(folder)); err != nil {
				continue
			}
			name := fmt.Sprintf("%s/after%d", folder, i)
			r.write(name, "")
			w.sees(name)
		}
	}
}

// TestWatchOverflow has more happen while the watch does not run than the kernel keeps events of. Each file is told.
func TestWatchOverflow(t *testing.T) {
	const folders, files = 17, 1000 // Linux keeps 16,384 events
	r := newWatchRig(t)
	r.shell("mkdir ../from")
	for i := range folders {
		for k := range files {
			r.write(fmt.Sprintf("../from/%d/%d", i, k), "")
		}
		if err := os.Mkdir(r.path(strconv.Itoa(i)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	w := r.looking()
	for _, stopped := range []bool{true, false} {
		if stopped {
			_ = w.cmd.Process.Signal(syscall.SIGSTOP)
		}
		for i := range folders {
			for k := range files {
				name := fmt.Sprintf("%d/%d", i, k)
				if err := os.Rename(r.path("../from/"+name), r.path(name)); err != nil {
					t.Fatal(err)
				}
			}
		}
		if stopped {
			_ = w.cmd.Process.Signal(syscall.SIGCONT)
		}
		for got := 0; got < folders*files; {
			got += w.until(watch.EventChange).Count
		}
		r.write("last.txt", strconv.FormatBool(stopped))
		if _, others := w.sees("last.txt"); others != 0 {
			t.Errorf("%d were told once more", others)
		}
		for i := range folders { // back again
			for k := range files {
				name := fmt.Sprintf("%d/%d", i, k)
				if err := os.Rename(r.path(name), r.path("../from/"+name)); err != nil {
					t.Fatal(err)
				}
			}
		}
		for got := 0; got < folders*files; {
			got += w.until(watch.EventChange).Count
		}
	}
}

// TestStressWatchCheckout has git replace 5,000 files: the program is built once for that.
func TestStressWatchCheckout(t *testing.T) {
	runnertest.Need(t, "git")
	const files = 5000
	r := newWatchRig(t)
	r.shell("rm -rf .git; git init -q .")
	for _, branch := range []string{"one", "two"} {
		for i := range files {
			r.write(fmt.Sprintf("src/%d/%d.txt", i%50, i), branch)
		}
		r.write("src.txt", branch)
		r.shell("git checkout -q -b " + branch + "; git add -A; git commit -q -m " + branch)
	}
	w := r.watch(append([]string{"--build", "echo >>../built", "--ready", "port:" + strconv.Itoa(r.port), "--"}, r.server()...)...)
	w.until(watch.EventReady)
	rounds := runnertest.Rounds(2, 20)
	for i := range rounds {
		r.shell("git checkout -q " + []string{"one", "two"}[i%2])
		if e := w.until(watch.EventChange); e.Count != files+1 {
			t.Errorf("round %d: %d of %d files in the first change", i, e.Count, files+1)
		}
		w.until(watch.EventReady)
		r.write("last.txt", strconv.Itoa(i))
		w.sees("last.txt")
		w.until(watch.EventReady)
	}
	if n, want := w.count(watch.EventBuild), 1+2*rounds; n != want {
		t.Errorf("%d builds, want %d", n, want)
	}
}

// TestStressWatchSourcesGone has the only folder that is watched removed and made anew.
func TestStressWatchSourcesGone(t *testing.T) {
	t.Parallel()
	r := newWatchRig(t)
	r.write("src/a.txt", "1")
	r.write("one.txt", "1")
	w := r.looking("--path", "src", "--path", "one.txt")
	for i := range runnertest.Rounds(2, 20) {
		r.shell("rm -r src one.txt")
		w.sees("one.txt")
		r.write("src/a.txt", strconv.Itoa(i))
		r.write("one.txt", strconv.Itoa(i))
		w.sees("src/a.txt")
		r.write("src/b.txt", strconv.Itoa(i))
		w.sees("src/b.txt")
	}
	if n := w.count(watch.EventFailed); n > 20 {
		t.Errorf("that they cannot be read is told %d times", n)
	}
}

// TestWatchRules changes ignore files while a watch looks.
func TestWatchRules(t *testing.T) {
	t.Parallel()
	r := newWatchRig(t)
	r.shell("rm -rf .git; mkdir -p .git dist sub/dist; echo 'ref: refs/heads/main' >.git/HEAD; touch dist/a sub/dist/a sub/log.txt; echo log.txt >sub/.gitignore")
	w := r.looking()
	r.write("dist/a", "1")
	r.write("sub/log.txt", "1")
	r.write(".devtoolsignore", "!dist/\n")
	w.sees(".devtoolsignore")
	if seen := w.seen(); seen["sub/log.txt"] {
		t.Errorf("sub/log.txt is told:\n%s", w.told())
	}
	r.write("dist/a", "2")
	w.sees("dist/a")
	r.write("sub/.gitignore", "")
	w.sees("sub/.gitignore")
	r.write("sub/log.txt", "2")
	w.sees("sub/log.txt")
	r.write(".devtoolsignore", "!dist/\nsub/\n")
	w.sees(".devtoolsignore")
	r.write("sub/log.txt", "3")
	r.write("dist/a", "3")
	w.sees("dist/a")
	r.write("last.txt", "")
	w.sees("last.txt")
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range w.events {
		for _, p := range e.Paths {
			if p.Path == "sub/log.txt" && p.Reason == "content" && e.Seq > w.events[w.next-1].Seq-2 {
				t.Error("what is ignored by now is told")
			}
		}
	}
}

// TestWatchPolls has everything found without events.
func TestWatchPolls(t *testing.T) {
	t.Parallel()
	r := newWatchRig(t)
	w := r.looking("--poll")
	if e := w.events[1]; e.Backend != "poll" {
		t.Errorf("scanned by %q", e.Backend)
	}
	for i := range 3 {
		name := fmt.Sprintf("%d/b/f.txt", i)
		r.write(name, "")
		w.sees(name)
		r.write(name, "more")
		w.sees(name)
		if err := os.RemoveAll(filepath.Dir(r.path(name))); err != nil {
			t.Fatal(err)
		}
		if reason, _ := w.sees(name); reason != "deleted" {
			t.Errorf("%s: %s", name, reason)
		}
	}
}

// TestWatchPipes has what programs make as they start beside the sources: nobody builds from it.
func TestWatchPipes(t *testing.T) {
	t.Parallel()
	r := newWatchRig(t)
	w := r.looking()
	r.shell("mkfifo pipe")
	l, err := net.Listen("unix", r.path("socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	r.write("src.txt", "1")
	w.sees("src.txt")
	if seen := w.seen(); len(seen) != 1 {
		t.Errorf("told: %v", seen)
	}
}

// TestWatchNoise has something written all the time that nobody waits for: a change that no event tells of is found all
// the same.
func TestWatchNoise(t *testing.T) {
	t.Parallel()
	r := newWatchRig(t)
	r.write("src.go", "1")
	r.write("noise/n.txt", "1")
	r.shell("ln src.go ../other")
	w := r.looking("--ext", "go")
	done, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		for tick := time.NewTicker(200 * time.Millisecond); ; {
			select {
			case <-tick.C:
				_ = os.WriteFile(r.path("noise/n.txt"), []byte("2"), 0o644) // a test that fails says so
			case <-done:
				return
			}
		}
	}()
	if err := os.WriteFile(r.path("../other"), []byte("2"), 0o644); err != nil {
		t.Fatal(err)
	}
	if reason, _ := w.sees("src.go"); reason != "content" {
		t.Error(reason)
	}
	close(done)
	<-over
}
