package escapetest

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"devtools/runner/guard/isolation"
	"devtools/runner/proc"
)

// TestIsolation runs a program at the level high that tries to change what is outside of its workspace. Each way must be refused, or
// stand in the list of what is not covered (ISOLATION in devtools-run(1), devtools-security(7)).
func TestIsolation(t *testing.T) {
	if err := isolation.Probe().High; err != nil {
		t.Skip(err)
	}
	p := newPrison(t, newYard(t), "p")
	if a := p.devtools("launch", "--name", "sibling", "--", p.path("bin", "main"), "86400"); a.code != 0 {
		t.Fatal(a)
	}
	sibling := p.session(t, "sibling")
	o := newOutside(t, p, sibling.Main.PID, sibling.Holder.PID, sibling.Socket)
	before := o.state(t)

	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := p.path("workspace", "escaper")
	data, err := os.ReadFile(self)
	if err == nil {
		err = os.WriteFile(program, data, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, net := range isolation.Nets {
		terminal := "--size=80x24"
		if net == isolation.NetConnect {
			terminal = "--no-pty"
		}
		cmd := exec.Command(p.program, "run", "--isolation", "high", "--net", net, "--workspace", p.path("workspace"), "--cwd", p.path("workspace"), "--timeout", "2m", terminal, "--", program)
		cmd.Env = append(o.variables(), p.env...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		tried := map[string]bool{}
		for line := range strings.Lines(string(out)) {
			name, result, ok := strings.Cut(strings.TrimSpace(line), ": ")
			if !ok {
				t.Errorf("it says %q", line)
				continue
			}
			tried[name] = true
			if result == "worked" && !uncovered[name] {
				t.Errorf("--net %s: %s: %s", net, name, result)
			}
			t.Log(net, name, result)
		}
		for _, e := range escapesOut {
			if !tried[e.name] {
				t.Errorf("--net %s: %s was not tried", net, e.name)
			}
		}
	}
	if after := o.state(t); after != before {
		t.Errorf("outside there was\n%s\nand is\n%s", before, after)
	}
	for _, pid := range []int{sibling.Main.PID, sibling.Holder.PID} {
		if !proc.Lives(pid) {
			t.Errorf("process %d has ended", pid)
		}
	}
	if bytes.Contains(o.heard(), []byte("escaped")) {
		t.Error("a socket outside was reached")
	}
}

// uncovered are the ways that may not be refused: the manual lists them. The kernel refuses this one to root, who has given up capabilities.
var uncovered = map[string]bool{"priority of the holder": true}

// An outside is what lies outside of a workspace.
type outside struct {
	folder   string // with a file, a folder and a link to the file's name in the workspace
	sibling  int    // process of another session
	holder   int    // its holder
	socket   string // of that holder
	docker   *net.UnixListener
	datagram *net.UnixConn
	abstract string
	listener net.Listener
	shared   int // System V's shared memory
}

func newOutside(t *testing.T, p *prison, sibling, holder int, socket string) *outside {
	t.Helper()
	o := &outside{folder: p.path("outside"), sibling: sibling, holder: holder, socket: socket, abstract: fmt.Sprintf("@escape-%d", os.Getpid())}
	err := os.Mkdir(o.folder, 0o700)
	if err == nil {
		err = os.Mkdir(filepath.Join(o.folder, "empty"), 0o700)
	}
	if err == nil {
		err = os.Mkdir(p.path("workspace"), 0o700)
	}
	if err == nil {
		err = os.Symlink(filepath.Join(o.folder, "file"), p.path("workspace", "link"))
	}
	p.write(t, "outside/file", "mine\n")
	p.write(t, "workspace/inside", "inside\n")
	if err == nil {
		o.docker, err = net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(o.folder, "sock"), Net: "unix"})
	}
	if err == nil {
		o.datagram, err = net.ListenUnixgram("unixgram", &net.UnixAddr{Name: filepath.Join(o.folder, "dgram"), Net: "unixgram"})
	}
	if err == nil {
		o.listener, err = net.Listen("unix", o.abstract)
	}
	if err == nil {
		o.shared, err = unix.SysvShmGet(0x25de7, 4096, unix.IPC_CREAT|0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = o.docker.Close()
		_ = o.datagram.Close()
		_ = o.listener.Close()
		_, _ = unix.SysvShmCtl(o.shared, unix.IPC_RMID, nil)
	})
	return o
}

// variables tell the program where to try.
func (o *outside) variables() []string {
	return []string{
		escapeVariable + "=" + o.folder, fmt.Sprintf("ESCAPE_SIBLING=%d", o.sibling), fmt.Sprintf("ESCAPE_HOLDER=%d", o.holder),
		"ESCAPE_SOCKET=" + o.socket, "ESCAPE_ABSTRACT=" + o.abstract,
	}
}

// state describes the files outside, and what else could be changed there.
func (o *outside) state(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	err := filepath.Walk(o.folder, func(path string, info os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		fmt.Fprintln(&b, path, info.Mode(), info.Size(), info.ModTime())
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			fmt.Fprintf(&b, "%s %v\n", data, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/proc/sys/kernel/core_pattern", fmt.Sprintf("/proc/%d/oom_score_adj", o.holder), fmt.Sprintf("/proc/%d/limits", o.holder)} {
		data, _ := os.ReadFile(path)
		b.Write(data)
	}
	return b.String()
}

// heard returns what the sockets outside have got.
func (o *outside) heard() []byte {
	buffer := make([]byte, 100)
	_ = o.datagram.SetReadDeadline(time.Now().Add(10 * time.Millisecond))
	n, _, _ := o.datagram.ReadFromUnix(buffer)
	return buffer[:max(n, 0)]
}
