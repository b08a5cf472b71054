package escapetest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"devtools/ledger"
	"devtools/runner/proc"
)

// A prison is a folder in which sessions are started whose processes try to get away. The programs that they
// execute are files of its own, which no process can deny: the link /proc/PID/exe stays what it was, whatever
// becomes of the environment, the name, the terminal, the session and the parents.
type prison struct {
	dir     string
	folder  string   // the state folder
	program string   // devtools
	env     []string // of devtools
	outside []*exec.Cmd
}

// copied are the programs of a prison. escapee is a sleep; those that the system does not have are left out.
var copied = map[string]string{
	"escapee": "sleep", "main": "sleep", "sh": "sh", "bash": "bash", "perl": "perl", "setsid": "setsid", "nohup": "nohup",
	"daemon": "daemon", "tmux": "tmux", "start-stop-daemon": "start-stop-daemon", "unshare": "unshare", "env": "env", "devtools": "devtools",
}

// stock returns the path of a program's copy, which a prison can make a hard link to.
func stock(t testing.TB, dir, program string) string {
	t.Helper()
	path := filepath.Join(dir, program)
	if _, err := os.Stat(path); err == nil {
		return path
	}
	found, err := exec.LookPath(program)
	if err != nil {
		return ""
	}
	data, err := os.ReadFile(found)
	if err == nil {
		err = errors.Join(os.WriteFile(path, data, 0o755), os.Chmod(path, 0o755))
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// newYard makes the folder that the prisons of a test share, which any user may enter, and is deleted with it.
func newYard(t testing.TB) string {
	t.Helper()
	yard, err := os.MkdirTemp("", "yard") // a short path: sockets will be below
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(yard); err != nil {
			t.Error(err)
		}
	})
	if err := errors.Join(os.Chmod(yard, 0o755), makeOpen(filepath.Join(yard, "stock"))); err != nil {
		t.Fatal(err)
	}
	for _, program := range copied {
		stock(t, filepath.Join(yard, "stock"), program)
	}
	return yard
}

// makeOpen makes a folder that any user may enter. The umask of this process lets no other user in once it has taken a lock of the
// ledger.
func makeOpen(path string) error { return errors.Join(os.Mkdir(path, 0o755), os.Chmod(path, 0o755)) }

// newPrison makes a prison, all of whose inmates end with the test.
func newPrison(t testing.TB, yard, name string) *prison {
	t.Helper()
	p := &prison{dir: filepath.Join(yard, name)}
	p.folder = p.path(ledger.FolderName)
	p.program = filepath.Join(yard, "stock", "devtools")
	err := makeOpen(p.dir)
	for _, folder := range []string{"bin", "others", "tmp"} {
		err = errors.Join(err, makeOpen(p.path(folder)))
	}
	err = errors.Join(err, os.Chmod(p.path("tmp"), 0o1777))
	for link, program := range copied {
		if path := filepath.Join(yard, "stock", program); exists(path) {
			err = errors.Join(err, os.Link(path, p.path("bin", link)))
		}
	}
	err = errors.Join(err, os.Link(filepath.Join(yard, "stock", "sleep"), p.path("others", "escapee")))
	p.write(t, "bin/out", "#!"+p.path("bin", "sh")+"\necho $$ >>"+p.path("ready")+"; exec "+p.path("bin", "escapee")+" 86400\n")
	p.write(t, "ready", "")
	err = errors.Join(err, os.Chmod(p.path("bin", "out"), 0o755), os.Chmod(p.path("ready"), 0o666))
	if err != nil {
		t.Fatal(err)
	}
	p.env = []string{
		"PATH=" + p.path("bin") + ":/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME=" + p.dir, "TMPDIR=" + p.path("tmp"), "TERM=xterm-256color",
		"LANG=C.UTF-8", "GORACE=atexit_sleep_ms=0", "SHELL=/bin/sh", "DEVTOOLS_DIR=" + p.folder, "DEVTOOLS_REMINDER=0",
	}
	t.Cleanup(func() {
		p.devtools("kill", "--all", "--signal", "KILL")
		p.empty(t)
		for _, cmd := range p.outside {
			_ = cmd.Process.Kill() // it may have ended
			_ = cmd.Wait()         // killed is what is expected
		}
	})
	return p
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func (p *prison) path(names ...string) string {
	return filepath.Join(slices.Insert(names, 0, p.dir)...)
}

func (p *prison) write(t testing.TB, name, text string) {
	t.Helper()
	if err := os.WriteFile(p.path(name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// A said is what one call of devtools said.
type said struct {
	out, err string
	code     int
}

func (a said) String() string { return fmt.Sprintf("code %d\n%s%s", a.code, a.out, a.err) }

// devtools calls devtools to its end.
func (p *prison) devtools(args ...string) said {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return p.call(exec.CommandContext(ctx, p.program, args...))
}

// call runs a command in the prison to its end.
func (p *prison) call(cmd *exec.Cmd) said {
	cmd.Env, cmd.Dir = p.env, p.dir
	var out, text bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &text
	err := cmd.Run()
	a := said{out.String(), text.String(), 0}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		a.code = exit.ExitCode()
	} else if err != nil {
		a.code, a.err = -1, a.err+err.Error()
	}
	return a
}

// asked calls devtools and takes its result apart. The exit code must be one of codes.
func asked[T any](t testing.TB, p *prison, codes []int, args ...string) (v T) {
	t.Helper()
	a := p.devtools(append([]string{"--json"}, args...)...)
	if err := json.Unmarshal([]byte(a.out), &v); err != nil || !slices.Contains(codes, a.code) {
		t.Fatalf("devtools %s: %v, %v", strings.Join(args, " "), err, a)
	}
	return v
}

// An inmate is a living process that executes a file of the prison.
type inmate struct {
	id    proc.ID
	name  string // of the file
	state byte
}

func (i inmate) String() string { return fmt.Sprintf("%s(%d %c)", i.name, i.id.PID, i.state) }

func ids(inmates []inmate) (list []proc.ID) {
	for _, i := range inmates {
		list = append(list, i.id)
	}
	return list
}

// inmates lists the living processes of the prison, but its devtools.
func (p *prison) inmates() (living []inmate) {
	seen := map[string]bool{}
	for before := -1; before < len(seen); { // again, for those that have begun meanwhile
		before = len(seen)
		entries, _ := filepath.Glob("/proc/[0-9]*")
		for _, entry := range entries {
			if name := filepath.Base(entry); !seen[name] {
				seen[name] = true
				living = p.look(living, name)
			}
		}
	}
	return living
}

// escapee returns the one inmate that has got away. It says so just before it executes the program of that name.
func (p *prison) escapee(t testing.TB) (found inmate) {
	t.Helper()
	await(t, "one has got away", func() bool {
		away := slices.DeleteFunc(p.inmates(), func(i inmate) bool { return i.name != "escapee" })
		if len(away) == 1 {
			found = away[0]
		}
		return len(away) == 1
	})
	return found
}

// look appends the process with a pid, if it is an inmate.
func (p *prison) look(living []inmate, name string) []inmate {
	pid, err := strconv.Atoi(name)
	if err != nil {
		return living
	}
	exe, err := os.Readlink("/proc/" + name + "/exe")
	if err != nil { // its main thread may have ended before the others
		threads, _ := filepath.Glob("/proc/" + name + "/task/*/exe")
		for _, thread := range threads {
			if exe, err = os.Readlink(thread); err == nil {
				break
			}
		}
	}
	if err != nil || !strings.HasPrefix(exe, p.path("bin")+"/") || filepath.Base(exe) == "devtools" {
		return living
	}
	id, err := proc.Identify(pid)
	if stat, statErr := os.ReadFile("/proc/" + name + "/stat"); err == nil && statErr == nil && id.Alive() {
		state := stat[bytes.LastIndexByte(stat, ')')+2]
		living = append(living, inmate{id, filepath.Base(exe), state})
	}
	return living
}

// patience is how long something may take that must happen.
const patience = 2 * time.Minute

// await waits for what some events bring about, and looks at it again and again.
func await(t testing.TB, what string, met func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !met(); {
		if time.Now().After(deadline) {
			t.Fatalf("waited for a minute: %s", what)
		}
		<-time.After(2 * time.Millisecond)
	}
}

// ready reports whether n inmates have said that they have done all that they do to get away.
func (p *prison) ready(n int) bool {
	data, err := os.ReadFile(p.path("ready"))
	return err == nil && bytes.Count(data, []byte("\n")) >= n
}

// stranger starts a process that no session has started, and that looks like an escapee: the program, its name and
// its arguments are the same. It has the variables besides.
func (p *prison) stranger(t testing.TB, variables ...string) *exec.Cmd {
	t.Helper()
	return p.start(t, exec.Command(p.path("others", "escapee"), "86400"), variables...)
}

// start starts a process that is no session's, and ends with the test.
func (p *prison) start(t testing.TB, cmd *exec.Cmd, variables ...string) *exec.Cmd {
	t.Helper()
	if cmd.Args[0] == p.path("others", "escapee") {
		cmd.Args[0] = p.path("bin", "escapee")
	}
	cmd.Env, cmd.Dir = append(slices.Clone(p.env), variables...), p.dir
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.outside = append(p.outside, cmd)
	return cmd
}

// untouched checks that no stranger of the prison was ended.
func (p *prison) untouched(t testing.TB) {
	t.Helper()
	for _, cmd := range p.outside {
		if id, err := proc.Identify(cmd.Process.Pid); err != nil || !id.Alive() {
			t.Errorf("the stranger %d (%v) was hit", cmd.Process.Pid, cmd.Args)
		}
	}
}

// state returns the state folder.
func (p *prison) state(t testing.TB) ledger.Dir {
	t.Helper()
	dir, err := ledger.Open(p.folder)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// session returns the record of a session.
func (p *prison) session(t testing.TB, name string) ledger.Session {
	t.Helper()
	s, err := p.state(t).Session(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// journalled reports whether the files of a session name all the processes.
func (p *prison) journalled(id string, all []inmate) bool {
	known := map[[2]uint64]bool{}
	for _, name := range []string{"process-log.jsonl", "sessions/" + id + "/processes.jsonl"} {
		data, _ := os.ReadFile(filepath.Join(p.folder, name))
		for line := range bytes.Lines(data) {
			var entry struct {
				PID   uint64 `json:"pid"`
				Start uint64 `json:"start"`
			}
			if json.Unmarshal(line, &entry) == nil {
				known[[2]uint64{entry.PID, entry.Start}] = true
			}
		}
	}
	return !slices.ContainsFunc(all, func(i inmate) bool { return i.id.Alive() && !known[[2]uint64{uint64(i.id.PID), i.id.Start}] })
}

// killHolder ends the holder of a session as a crash does, and waits until the kernel has done what follows.
func killHolder(t testing.TB, s ledger.Session) {
	t.Helper()
	holder := proc.ID{PID: s.Holder.PID, Start: s.Holder.Start, Boot: s.Holder.Boot, Inode: s.Holder.Inode}
	if err := holder.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := proc.Await(ctx, holder); err != nil {
		t.Fatal(err)
	}
}

// empty ends all inmates of the prison.
func (p *prison) empty(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	outcome := proc.Kill(ctx, func() []proc.ID { return ids(p.inmates()) }, syscall.SIGKILL, 0)
	if left := p.inmates(); len(left) > 0 {
		t.Errorf("still there: %v, %v", left, outcome)
	}
}
