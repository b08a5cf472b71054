//go:build unix

package doctor

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"devtools/ledger"
	"devtools/runner/proc"
	"devtools/runner/runnertest"
	"devtools/runner/sandbox"
)

// found returns the check with the name whose message has the text.
func found(t *testing.T, checks []Check, name, text string) Check {
	t.Helper()
	for _, c := range checks {
		if c.Name == name && strings.Contains(c.Message, text) {
			return c
		}
	}
	t.Errorf("no check %q says %q: %+v", name, text, checks)
	return Check{}
}

func TestMachineChecks(t *testing.T) {
	none := proc.Limit{Used: -1, Most: -1}
	good := proc.Machine{
		Known: true, PidfdFS: true, Children: true, Boot: true,
		Group: proc.Group{Mounted: "/sys/fs/cgroup", Path: "/user", Pids: none},
		Files: proc.Limit{Used: 10, Most: 1024}, FileSize: none, Processes: proc.Limit{Used: 100, Most: -1},
		AllProcesses: proc.Limit{Used: 100, Most: 32768}, Terminals: proc.Limit{Used: 3, Most: 4096},
	}
	failed := errors.New("no way")
	for _, c := range machineChecks(good) {
		if c.Level != LevelOK || !strings.HasSuffix(c.Message, ".") {
			t.Errorf("%+v", c)
		}
	}
	for _, test := range []struct {
		change     func(*proc.Machine)
		name, says string
		level      Level
	}{
		{func(m *proc.Machine) { m.Pidfd = failed }, "processes", "have no handles here (no way)", LevelWarn},
		{func(m *proc.Machine) { m.PidfdFS = false }, "processes", "since Linux 6.9", LevelNote},
		{func(m *proc.Machine) { m.Subreaper = failed }, "processes", "cannot be adopted (no way)", LevelFail},
		{func(m *proc.Machine) { m.Children = false }, "children", "CONFIG_PROC_CHILDREN", LevelNote},
		{func(m *proc.Machine) { m.Boot = false }, "clock", "The boot has no id", LevelWarn},
		{func(m *proc.Machine) { m.Clock = failed }, "clock", "cannot be read (no way)", LevelFail},
		{func(m *proc.Machine) { m.Group.Mounted = "" }, "control groups", "are not mounted", LevelNote},
		{func(m *proc.Machine) { m.Group.Make = failed }, "control groups", "/user in /sys/fs/cgroup (no way)", LevelNote},
		{func(m *proc.Machine) { m.Group.Enter = failed }, "control groups", "cannot start a process in it", LevelNote},
		{func(m *proc.Machine) { m.Group.Pids = proc.Limit{Used: 64, Most: 64} }, "limits", "64 of at most 64 processes of its control group", LevelFail},
		{func(m *proc.Machine) { m.Terminals.Used = 4000 }, "limits", "4000 of at most 4096 terminals", LevelWarn},
		{func(m *proc.Machine) { m.Processes.Most = 100 }, "limits", "100 of at most 100 processes and threads", LevelFail},
		{func(m *proc.Machine) { m.Files.Most = 64 }, "limits", "only 64 files open", LevelWarn},
		{func(m *proc.Machine) { m.FileSize.Most = 512 }, "limits", "at most 512 bytes", LevelWarn},
		{func(m *proc.Machine) { m.FileSize.Most = 1 << 30 }, "limits", "at most 1.0 GiB", LevelNote},
	} {
		m := good
		test.change(&m)
		if c := found(t, machineChecks(m), test.name, test.says); c.Level != test.level {
			t.Errorf("%+v, want %s", c, test.level)
		}
	}
}

func TestRuntimeChecks(t *testing.T) {
	base, err := os.MkdirTemp("/tmp", "d") // short enough for the address of a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	t.Setenv("XDG_RUNTIME_DIR", base)
	state := filepath.Join(t.TempDir(), ledger.FolderName)
	found(t, runtimeChecks(state, sandbox.Sandbox{}), "runtime folder", "is made with the first session")
	folder := filepath.Join(base, "devtools")
	if _, err := os.Lstat(folder); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("looking has made the folder: %v", err)
	}
	missing := filepath.Join(base, "a", "b")
	t.Setenv("TMPDIR", missing)
	t.Setenv("XDG_RUNTIME_DIR", filepath.Join(missing, "run"))
	found(t, runtimeChecks(state, sandbox.Sandbox{}), "runtime folder", missing)
	if left, err := os.ReadDir(base); err != nil || len(left) > 0 {
		t.Errorf("looking has left %v, %v", left, err)
	}
	t.Setenv("XDG_RUNTIME_DIR", base)
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	listen := func(name string) *net.UnixListener {
		t.Helper()
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(folder, name), Net: "unix"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
		return l
	}
	listen("living")
	if c := found(t, runtimeChecks(state, sandbox.Sandbox{}), "sockets", "1 socket of sessions"); c.Level != LevelOK {
		t.Errorf("%+v", c)
	}
	dead := listen("dead")
	dead.SetUnlinkOnClose(false)
	if err := errors.Join(dead.Close(), os.WriteFile(filepath.Join(folder, "file"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	c := found(t, runtimeChecks(state, sandbox.Sandbox{}), "sockets", "Nobody listens on 1 socket any more: "+folder+"/dead.")
	if c.Level != LevelNote || !strings.HasSuffix(c.Fix, "rm "+folder+"/dead") {
		t.Errorf("%+v", c)
	}
	if _, err := os.Lstat(filepath.Join(folder, "dead")); err != nil {
		t.Errorf("looking has removed it: %v", err)
	}
	known := sandbox.Sandbox{Allow: "all sockets"}
	if c := found(t, doorChecks(filepath.Join(folder, "trial"), true, known), "sockets", "Sessions are reached by FIFOs"); c.Level != LevelNote || !strings.HasSuffix(c.Fix, "or allow all sockets") {
		t.Errorf("%+v", c)
	}
	if c := found(t, doorChecks(filepath.Join(folder, "file", "trial"), true, known), "FIFO", "FIFOs cannot be made: "); c.Level != LevelNote {
		t.Errorf("%+v", c)
	}
	if err := os.Chmod(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if c := found(t, runtimeChecks(state, sandbox.Sandbox{}), "runtime folder", "is open to other users (mode 0755)"); c.Level != LevelFail {
		t.Errorf("%+v", c)
	}
}

func TestFolderChecks(t *testing.T) {
	base := t.TempDir()
	path := filepath.Join(base, ledger.FolderName)
	found(t, diskChecks(path, sandbox.Sandbox{}), "state folder", "is made with the first session")
	if left, err := os.ReadDir(base); err != nil || len(left) > 0 {
		t.Errorf("looking has left %v, %v", left, err)
	}
	if err := os.Symlink(t.TempDir(), path); err != nil {
		t.Fatal(err)
	}
	if c := found(t, folderChecks(path), "state folder", "is a symbolic link"); c.Level != LevelFail || c.Fix == "" {
		t.Errorf("%+v", c)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	d, err := ledger.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"state folder", "records", "event log", "sessions"} {
		if c := found(t, folderChecks(path), name, ""); c.Level != LevelOK {
			t.Errorf("%+v", c)
		}
	}
	found(t, diskChecks(path, sandbox.Sandbox{}), "file locks", "can be locked and replaced")
	id, err := d.NewSession()
	if err == nil {
		err = errors.Join(
			os.WriteFile(filepath.Join(path, "sessions", "z1.json"), []byte("{"), 0o600),
			os.WriteFile(filepath.Join(path, "sessions", "z2.json.corrupt-1"), []byte("{"), 0o600),
			os.WriteFile(filepath.Join(path, "process-log.jsonl"), []byte("x\n"), 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
	checks := folderChecks(path)
	for _, want := range []struct {
		name, says, fix string
		level           Level
	}{
		{"records", "1 file cannot be read: sessions/z1.json: ", "devtools ps --all", LevelFail},
		{"records", "1 file was found damaged, and set aside: sessions/z2.json.corrupt-1.", path + "/sessions/z2.json.corrupt-1", LevelNote},
		{"records", "1 folder of sessions without a record: " + id, "rm -r " + path + "/sessions/" + id, LevelNote},
		{"event log", "1 line of the log cannot be read, and 0 events can.", "", LevelWarn},
	} {
		if c := found(t, checks, want.name, want.says); c.Level != want.level || !strings.Contains(c.Fix, want.fix) {
			t.Errorf("%+v, want %+v", c, want)
		}
	}
}

// A FIFO in the place of the lock is told of, and holds up nobody.
func TestExamineFIFO(t *testing.T) {
	d, err := ledger.Create(runnertest.NewState(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(d.Path(), "lock"), 0o600); err != nil {
		t.Fatal(err)
	}
	e, err := Examine(runnertest.WithPatience(t), d.Path())
	if err != nil || !e.Failed() {
		t.Errorf("%+v, %v", e, err)
	}
	found(t, e.Checks, "records", "lock: it is not a file")
	if _, err := Explain(runnertest.WithPatience(t), d, "web"); !errors.Is(err, ledger.ErrNoSession) {
		t.Errorf("explain: %v", err)
	}
	if err := os.Remove(filepath.Join(d.Path(), "lock")); err != nil { // for the end of the test
		t.Fatal(err)
	}
}

func TestWithin(t *testing.T) {
	if n, err := Within(t.Context(), runnertest.Patience, func() (int, error) { return 3, nil }); n != 3 || err != nil {
		t.Error(n, err)
	}
	never := func() (int, error) { select {} }
	if _, err := Within(t.Context(), time.Nanosecond, never); !errors.Is(err, errNoReply) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Within(ctx, runnertest.Patience, never); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
