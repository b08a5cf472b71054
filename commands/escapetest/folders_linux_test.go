package escapetest

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"devtools/ledger"
	"devtools/runner/runnertest"
)

// crashed starts a session with an escapee, kills its holder, and returns the record and the escapee.
func crashed(t *testing.T, p *prison, name string) (ledger.Session, inmate) {
	t.Helper()
	before := p.inmates()
	data, err := os.ReadFile(p.path("ready"))
	if err != nil {
		t.Fatal(err)
	}
	line := p.expand("{bin}/setsid {out} & exec {bin}/main 86400")
	if a := p.devtools("launch", "--name", name, "--", p.path("bin", "bash"), "-c", line); a.code != 0 {
		t.Fatal(a)
	}
	await(t, "the escapee is ready", func() bool { return p.ready(strings.Count(string(data), "\n") + 1) })
	s := p.session(t, name)
	var escaped []inmate
	await(t, "the journal names it", func() bool {
		escaped = slices.DeleteFunc(p.inmates(), func(i inmate) bool {
			return i.name != "escapee" || slices.ContainsFunc(before, func(b inmate) bool { return b.id == i.id })
		})
		return len(escaped) == 1 && p.journalled(s.ID, escaped)
	})
	killHolder(t, s)
	await(t, "the main process is gone", func() bool {
		return !slices.ContainsFunc(p.inmates(), func(i inmate) bool { return i.name == "main" })
	})
	return s, escaped[0]
}

// in is asked for another state folder.
func in[T any](t *testing.T, p *prison, folder string, codes []int, args ...string) T {
	t.Helper()
	return asked[T](t, p, codes, append([]string{"--dir", folder}, args...)...)
}

// wantNothing checks that a folder knows of nothing that lives, and ends nothing.
func wantNothing(t *testing.T, p *prison, folder string, living ...inmate) {
	t.Helper()
	l := in[listing](t, p, folder, []int{0}, "ps")
	if len(l.Active)+len(l.Orphaned) > 0 {
		t.Errorf("%s: %v, %v", folder, l.Active, l.Orphaned)
	}
	if k := in[killing](t, p, folder, []int{0}, "kill-orphans", "--kill-after", "0.1s"); len(k.Killed)+len(k.Failed) > 0 {
		t.Errorf("%s: %v", folder, k)
	}
	for _, i := range living {
		if !i.id.Alive() {
			t.Errorf("%s: %v was hit", folder, i)
		}
	}
}

// wantOrphan checks that a folder lists the one orphan, once.
func wantOrphan(t *testing.T, p *prison, folder string, orphan inmate) {
	t.Helper()
	if l := in[listing](t, p, folder, []int{0}, "ps", "--orphans"); !slices.Equal(pidsOf(l.Orphaned), []int{orphan.id.PID}) {
		t.Errorf("%s: orphaned %v, want %v", folder, l.Orphaned, orphan)
	}
}

// wantKilled checks that kill-orphans ends the one orphan of a folder.
func wantKilled(t *testing.T, p *prison, folder string, orphan inmate) {
	t.Helper()
	k := in[killing](t, p, folder, []int{0}, "kill-orphans", "--kill-after", "1s")
	if !slices.Equal(k.Killed, []int{orphan.id.PID}) || len(k.Failed) > 0 || orphan.id.Alive() {
		t.Errorf("%s: %v, want %v", folder, k, orphan)
	}
}

// copyFolder copies a folder as it is, times and modes included.
func copyFolder(t *testing.T, from, to string) {
	t.Helper()
	if out, err := exec.Command("cp", "-a", from, to).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// A copy of a state folder, made while sessions live or after a crash, is none of those whose processes these are.
func TestCopiedFolder(t *testing.T) {
	p := newPrison(t, newYard(t), "p")
	own := p.folder
	if a := p.devtools("launch", "--name", "living", "--", p.path("bin", "escapee"), "86400"); a.code != 0 {
		t.Fatal(a)
	}
	living := p.inmates()
	copyFolder(t, own, p.path("copy1"))
	wantNothing(t, p, p.path("copy1"), living...)
	a := p.devtools("--dir", p.path("copy1"), "kill", "living")
	t.Logf("kill in a copy: %v", a)
	if a.code != 123 || !strings.Contains(a.err, "this folder is a copy of it") || !living[0].id.Alive() {
		t.Errorf("kill in a copy: %v", a)
	}
	_, orphan := crashed(t, p, "crash")
	copyFolder(t, own, p.path("copy2"))
	wantNothing(t, p, p.path("copy1"), orphan)
	wantNothing(t, p, p.path("copy2"), orphan)
	wantOrphan(t, p, own, orphan)
	copyFolder(t, own, p.path("copy3")) // when it is known
	wantNothing(t, p, p.path("copy3"), orphan)
	wantKilled(t, p, own, orphan)
	if !living[0].id.Alive() {
		t.Error("a living session was hit")
	}
}

// Nor is a copy on another file system whose files have the same numbers.
func TestCopiedToOtherFileSystem(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can mount")
	}
	p := newPrison(t, newYard(t), "p")
	for _, name := range []string{"one", "two"} {
		if err := os.Mkdir(p.path(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := unix.Mount("tmpfs", p.path(name), "tmpfs", 0, "size=4m"); err != nil {
			t.Skipf("no tmpfs can be mounted here: %v", err)
		}
		t.Cleanup(func() {
			p.devtools("--dir", p.path(name, ledger.FolderName), "kill", "--all", "--signal", "KILL")
			if err := unix.Unmount(p.path(name), unix.MNT_DETACH); err != nil {
				t.Error(err)
			}
		})
	}
	p.env = append(p.env, "DEVTOOLS_DIR="+p.path("one", ledger.FolderName)) // the last one counts
	p.folder = p.path("one", ledger.FolderName)
	_, orphan := crashed(t, p, "crash")
	copyFolder(t, p.folder, p.path("two"))
	wantNothing(t, p, p.path("two", ledger.FolderName), orphan)
	wantOrphan(t, p, p.folder, orphan)
	wantKilled(t, p, p.folder, orphan)
}

// A folder that was put back from a backup may tell of sessions that have ended since, and not tell of others.
func TestRestoredFolder(t *testing.T) {
	p := newPrison(t, newYard(t), "p")
	own := p.folder
	for _, name := range []string{"finished", "lost"} {
		if a := p.devtools("launch", "--name", name, "--", p.path("bin", "escapee"), "86400"); a.code != 0 {
			t.Fatal(a)
		}
	}
	copyFolder(t, own, p.path("backup"))
	lost := p.session(t, "lost")
	if a := p.devtools("kill", "finished"); a.code != 0 {
		t.Fatal(a)
	}
	killHolder(t, lost)
	await(t, "the kernel ends the lost one", func() bool { return len(p.inmates()) == 0 })
	later, orphan := crashed(t, p, "later") // the backup does not know it
	if err := os.Rename(own, p.path("set-aside")); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(p.path("backup"), own); err != nil {
		t.Fatal(err)
	}
	wantNothing(t, p, own, orphan)
	all := asked[struct {
		Sessions []struct{ Name, Status string } `json:"sessions"`
	}](t, p, []int{0}, "ps", "--all")
	for _, s := range all.Sessions {
		if s.Status != ledger.StatusKilled {
			t.Errorf("%s is %s", s.Name, s.Status)
		}
	}
	t.Logf("its record is not in the backup: %s", later.ID)
	if err := os.RemoveAll(own); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(p.path("set-aside"), own); err != nil {
		t.Fatal(err)
	}
	wantOrphan(t, p, own, orphan)
	wantKilled(t, p, own, orphan)
}

// A folder that was moved with its workspace still knows its orphans.
func TestMovedFolder(t *testing.T) {
	p := newPrison(t, newYard(t), "p")
	_, orphan := crashed(t, p, "crash")
	if err := os.Rename(p.folder, p.path("moved")); err != nil {
		t.Fatal(err)
	}
	wantOrphan(t, p, p.path("moved"), orphan)
	wantKilled(t, p, p.path("moved"), orphan)
}

// Two worktrees of a repository, and two workspaces, have nothing to do with each other.
func TestTwoWorkspaces(t *testing.T) {
	runnertest.Need(t, "git")
	p := newPrison(t, newYard(t), "p")
	p.env = slices.DeleteFunc(p.env, func(pair string) bool { return strings.HasPrefix(pair, "DEVTOOLS_DIR=") })
	script := `git init -q one && cd one && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m a && git worktree add -q ../two && mkdir sub ../two/sub ../three`
	if a := p.call(exec.Command("sh", "-euc", script)); a.code != 0 {
		t.Fatal(a)
	}
	places := []string{p.path("one"), p.path("two"), p.path("three")}
	orphans := make([]inmate, len(places))
	for i, place := range places {
		if a := p.devtools("-C", place, "launch", "--name", "same", "--", p.path("bin", "bash"), "-c", p.expand("{bin}/setsid {out} & exec {bin}/main 86400")); a.code != 0 {
			t.Fatal(a)
		}
		await(t, "the escapee is ready", func() bool { return p.ready(i + 1) })
		dir, err := ledger.Open(place + "/" + ledger.FolderName)
		if err != nil {
			t.Fatal(err)
		}
		s, err := dir.Session("same")
		if err != nil {
			t.Fatal(err)
		}
		killHolder(t, s)
		await(t, "the main process is gone", func() bool {
			return !slices.ContainsFunc(p.inmates(), func(i inmate) bool { return i.name != "escapee" })
		})
		for _, i := range p.inmates() {
			if !slices.ContainsFunc(orphans, func(o inmate) bool { return o.id == i.id }) {
				orphans[len(p.inmates())-1] = i
			}
		}
	}
	for i, place := range places {
		l := asked[listing](t, p, []int{0}, "-C", place, "ps", "--orphans")
		if !slices.Equal(pidsOf(l.Orphaned), []int{orphans[i].id.PID}) {
			t.Errorf("%s: %v, want %v", place, l.Orphaned, orphans[i])
		}
	}
	for i, place := range places {
		k := asked[killing](t, p, []int{0}, "-C", place, "kill-orphans")
		if !slices.Equal(k.Killed, []int{orphans[i].id.PID}) || len(p.inmates()) != len(places)-i-1 {
			t.Errorf("%s: %v, %v live", place, k, p.inmates())
		}
	}
}

// Another user's folder is refused, and their orphans are none of ours, not even root's.
func TestTwoUsers(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can be two users")
	}
	runnertest.Need(t, "setpriv")
	p := newPrison(t, newYard(t), "p")
	_, orphan := crashed(t, p, "crash")
	if err := os.Chmod(p.dir, 0o777); err != nil {
		t.Fatal(err)
	}
	as := func(args ...string) said {
		return p.call(exec.Command("setpriv", append([]string{"--reuid=65534", "--regid=65534", "--clear-groups", p.program}, args...)...))
	}
	for _, args := range [][]string{{"ps"}, {"kill-orphans"}, {"kill", "crash"}, {"run", "true"}} {
		a := as(args...)
		t.Logf("another user, %s: %v", args[0], a)
		if a.code == 0 || !strings.Contains(a.err, "another user") {
			t.Errorf("%v: %v", args, a)
		}
	}
	if !orphan.id.Alive() {
		t.Error("another user has ended our orphan")
	}
	own := p.path("theirs", ledger.FolderName)
	if err := os.Mkdir(p.path("theirs"), 0o777); err != nil || os.Chmod(p.path("theirs"), 0o777) != nil {
		t.Fatal(err)
	}
	if a := as("--dir", own, "launch", "--name", "theirs", "--", p.path("bin", "bash"), "-c", p.expand("{bin}/setsid {out} & exec {bin}/main 86400")); a.code != 0 {
		t.Fatal(a)
	}
	await(t, "the escapee is ready", func() bool { return p.ready(2) })
	var l listing
	a := as("--dir", own, "--json", "ps")
	if err := json.Unmarshal([]byte(a.out), &l); err != nil || len(l.Sessions) != 1 {
		t.Fatal(err, a)
	}
	record, err := os.ReadFile(own + "/sessions/" + l.Sessions[0].SessionID + ".json")
	var s ledger.Session
	if err != nil || json.Unmarshal(record, &s) != nil {
		t.Fatal(err)
	}
	killHolder(t, s)
	await(t, "the main process is gone", func() bool { return len(p.inmates()) == 2 })
	wantOrphan(t, p, p.folder, orphan)
	root := p.devtools("--dir", own, "kill-orphans")
	t.Logf("root in the folder of another user: %v", root)
	wantKilled(t, p, p.folder, orphan)
	theirs := as("--dir", own, "--json", "kill-orphans")
	if len(p.inmates()) > 0 {
		t.Errorf("%v: %v", theirs, p.inmates())
	}
}

// On a read-only file system ps is right, and kill-orphans ends what it can know.
func TestReadOnlyFolder(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can mount")
	}
	runnertest.Need(t, "unshare")
	runnertest.Need(t, "mount")
	if out, err := exec.Command("unshare", "-m", "true").CombinedOutput(); err != nil {
		t.Skipf("no mount namespaces here: %s", out)
	}
	p := newPrison(t, newYard(t), "p")
	readOnly := func(args ...string) said {
		script := `mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"`
		return p.call(exec.Command("unshare", append([]string{"-m", "sh", "-c", script, p.folder, p.program}, args...)...))
	}
	_, orphan := crashed(t, p, "crash")
	var l listing
	a := readOnly("--json", "ps", "--orphans")
	if err := json.Unmarshal([]byte(a.out), &l); err != nil || !slices.Equal(pidsOf(l.Orphaned), []int{orphan.id.PID}) {
		t.Errorf("%v, want %v: %v", l.Orphaned, orphan, a)
	}
	var k killing
	a = readOnly("--json", "kill-orphans")
	t.Logf("kill-orphans on a read-only folder: %v", a)
	if err := json.Unmarshal([]byte(a.out), &k); err != nil || !slices.Equal(k.Killed, []int{orphan.id.PID}) || orphan.id.Alive() {
		t.Errorf("%v: %v", err, a)
	}
	a = readOnly("--json", "ps")
	if err := json.Unmarshal([]byte(a.out), &l); err != nil || len(l.Orphaned)+len(l.Active) > 0 {
		t.Errorf("%v: %v", err, a)
	}
	p.closed(t, "", false)
}

// A step of the wall clock changes no identity.
func TestClockSteps(t *testing.T) {
	p := newPrison(t, newYard(t), "p")
	for i, step := range []time.Duration{-30 * time.Hour, 5 * time.Hour, 24 * 365 * time.Hour} {
		s, orphan := crashed(t, p, fmt.Sprint("crash", i))
		was := s.StartedAt.UTC().Format("2006-01-02T15:04:05.000Z")
		moved := s.StartedAt.Add(step).UTC().Format("2006-01-02T15:04:05.000Z")
		script := `find "$0" -name '*.json*' -exec sed -i "s/$1/$2/g; s/${1%T*}/${2%T*}/g" {} +`
		if out, err := exec.Command("sh", "-c", script, p.folder, was, moved).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		wantOrphan(t, p, p.folder, orphan)
		wantKilled(t, p, p.folder, orphan)
		p.closed(t, s.ID, true)
	}
}

// With a clock of its own the client takes the same processes for the same.
func TestFalseClock(t *testing.T) {
	runnertest.Need(t, "faketime")
	p := newPrison(t, newYard(t), "p")
	_, orphan := crashed(t, p, "crash")
	for _, step := range []string{"-3d", "+3d"} {
		var l listing
		a := p.call(exec.Command("faketime", "-f", step, p.program, "--json", "ps", "--orphans"))
		if err := json.Unmarshal([]byte(a.out), &l); err != nil || !slices.Equal(pidsOf(l.Orphaned), []int{orphan.id.PID}) {
			t.Errorf("%s: %v", step, a)
		}
	}
	wantKilled(t, p, p.folder, orphan)
}
