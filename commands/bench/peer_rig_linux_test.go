package bench

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// A peerRig is a server in a workspace, and a watcher that restarts it.
type peerRig struct {
	t       testing.TB
	yard    string // is out of the workspace
	dir     string // the workspace
	source  string // the file that is written, which the server answers with
	server  string // the program
	port    int
	socket  *net.UnixConn // hears from the servers
	mark    string        // is in the environment of all that the watcher starts
	version int           // of the source, which always has the same length
	tool    *exec.Cmd
	ended   chan struct{} // is closed when the tool has ended
	servers []*peerServer
	failed  int // servers that did not get the port
	starts  int
}

// A peerServer is a server that was up.
type peerServer struct {
	pid     int
	began   string // when: no other process has the same pid and time
	version int
	down    bool // it has ended because it was told to
}

var peerRigs atomic.Int64

// newPeerRig makes a rig for a source in a workspace.
func newPeerRig(t testing.TB, server, dir, source string) *peerRig {
	t.Helper()
	if _, err := startJanitor(); err != nil {
		t.Fatal(err)
	}
	yard, err := os.MkdirTemp("", "peers") // a short path: a socket is below
	if err != nil {
		t.Fatal(err)
	}
	n := int(peerRigs.Add(1))
	r := &peerRig{t: t, yard: yard, dir: dir, source: source, server: server, version: 10_000_000, mark: fmt.Sprintf("%s%d.", peerMark(), n)}
	t.Cleanup(func() {
		r.killAll()
		for _, path := range []string{yard, filepath.Join(dir, ".devtools"), filepath.Join(dir, "tmp")} {
			if err := os.RemoveAll(path); err != nil {
				t.Error(err)
			}
		}
	})
	if r.socket, err = net.ListenUnixgram("unixgram", &net.UnixAddr{Name: filepath.Join(yard, "tell"), Net: "unixgram"}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.socket.Close() })
	for r.port = 20000 + (os.Getpid()*31+n*101)%12000; ; r.port++ { // the system gives these to nobody who does not ask
		if l, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(r.port)); err == nil {
			_ = l.Close()
			break
		}
	}
	r.write()
	return r
}

// command is the command line of the server.
func (r *peerRig) command(flags ...string) []string {
	return append([]string{r.server, "-port", strconv.Itoa(r.port), "-source", r.source, "-tell", filepath.Join(r.yard, "tell")}, flags...)
}

// start starts a watcher, the row of peerTools. It skips if that is not installed.
func (r *peerRig) start(row int, devtools string, command []string) {
	r.t.Helper()
	tool, line := peerTools[row], strings.Join(command, " ")
	config := filepath.Join(r.yard, "air.toml")
	if err := os.WriteFile(config, []byte(strings.ReplaceAll(tool.config, "LINE", line)), 0o666); err != nil {
		r.t.Fatal(err)
	}
	var args []string
	for _, word := range strings.Fields(tool.command) {
		switch word {
		case "devtools":
			args = append(args, devtools)
		case "COMMAND":
			args = append(args, command...)
		case "LINE":
			args = append(args, line)
		case "FILE":
			args = append(args, config)
		default:
			args = append(args, strings.ReplaceAll(word, "PORT", strconv.Itoa(r.port)))
		}
	}
	if _, err := exec.LookPath(args[0]); err != nil {
		r.t.Skipf("%s is not installed", args[0])
	}
	r.run(args, tool.list)
}

// run starts the command line of a watcher.
func (r *peerRig) run(args []string, list bool) {
	r.t.Helper()
	r.tool = exec.Command(args[0], args[1:]...)
	r.tool.Dir = r.dir
	r.tool.Env = append(os.Environ(), r.mark, "DEVTOOLS_DIR=", "DEVTOOLS_REMINDER=0", "HOME="+r.yard)
	r.tool.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	log, err := os.Create(filepath.Join(r.yard, "log"))
	if err != nil {
		r.t.Fatal(err)
	}
	defer log.Close()
	r.tool.Stdout, r.tool.Stderr = log, log
	if list {
		files := exec.Command("find", ".", "-name", "*.ts", "-not", "-path", "*/node_modules/*")
		files.Dir = r.dir
		names, err := files.Output()
		if err != nil {
			r.t.Fatal(err)
		}
		r.tool.Stdin = bytes.NewReader(names)
	} else {
		in, hold, err := os.Pipe() // an input that stays open and says nothing
		if err != nil {
			r.t.Fatal(err)
		}
		defer in.Close()
		r.t.Cleanup(func() { _ = hold.Close() })
		r.tool.Stdin = in
	}
	if err := r.tool.Start(); err != nil {
		r.t.Fatal(err)
	}
	tool, ended := r.tool, make(chan struct{})
	r.ended = ended
	go func() {
		_ = tool.Wait() // it ends when it is told to, in its way
		close(ended)
	}()
}

// write writes the next version into the source: in place and at once, so that nobody reads half of it.
func (r *peerRig) write() {
	r.t.Helper()
	r.version++
	f, err := os.OpenFile(r.source, os.O_WRONLY|os.O_CREATE, 0o666)
	if err == nil {
		_, err = fmt.Fprintf(f, "%d\n", r.version)
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		r.t.Fatal(err)
	}
}

// hear takes in what one server tells until a moment, and reports whether one has.
func (r *peerRig) hear(until time.Time) bool {
	r.t.Helper()
	var data [100]byte
	if err := r.socket.SetReadDeadline(until); err != nil {
		r.t.Fatal(err)
	}
	n, err := r.socket.Read(data[:])
	if err != nil {
		return false
	}
	var word string
	var s peerServer
	if _, err := fmt.Sscan(string(data[:n]), &word, &s.pid, &s.version); err != nil {
		r.t.Fatalf("a server said %q: %v", data[:n], err)
	}
	switch word {
	case "failed":
		r.starts++
		r.failed++
	case "up":
		r.starts++
		s.began, _ = lives(s.pid)
		r.servers = append(r.servers, &s)
	case "down":
		for _, known := range slices.Backward(r.servers) {
			if known.pid == s.pid {
				known.down = true
				break
			}
		}
	}
	return true
}

// answers waits for a server of the present version to answer, and returns when it did.
func (r *peerRig) answers(deadline time.Time) (time.Time, bool) {
	r.t.Helper()
	for r.hear(deadline) {
		if s := r.newest(); s == nil || s.version != r.version {
			continue
		}
		conn, err := net.Dial("tcp", "127.0.0.1:"+strconv.Itoa(r.port))
		if err != nil {
			continue
		}
		text, err := io.ReadAll(conn)
		_ = conn.Close()
		if err == nil && strings.TrimSpace(string(text)) == strconv.Itoa(r.version) {
			return time.Now(), true
		}
	}
	return time.Time{}, false
}

func (r *peerRig) newest() *peerServer {
	if len(r.servers) == 0 {
		return nil
	}
	return r.servers[len(r.servers)-1]
}

// watches waits until the watcher follows a change: some start the server before they watch. It returns how long the
// first server took.
func (r *peerRig) watches(patience time.Duration) (first time.Duration) {
	r.t.Helper()
	begin := time.Now()
	if _, ok := r.answers(begin.Add(patience)); !ok {
		r.t.Fatalf("no server within %v:\n%s", patience, r.log())
	}
	first = time.Since(begin)
	for time.Since(begin) < patience {
		r.write()
		if _, ok := r.answers(time.Now().Add(patience / 10)); ok {
			return first
		}
	}
	r.t.Fatalf("it follows no change within %v:\n%s", patience, r.log())
	return 0
}

// log is the end of what the watcher and the servers printed.
func (r *peerRig) log() string {
	text, _ := os.ReadFile(filepath.Join(r.yard, "log"))
	return string(text[max(0, len(text)-2000):])
}

// living returns the servers that live.
func (r *peerRig) living() (all []*peerServer) {
	for _, s := range r.servers {
		if began, ok := lives(s.pid); ok && began == s.began {
			all = append(all, s)
		}
	}
	return all
}

// forced counts the servers that were ended by force.
func (r *peerRig) forced() (n int) {
	living := r.living()
	for _, s := range r.servers {
		if !s.down && !slices.Contains(living, s) {
			n++
		}
	}
	return n
}

// end tells the watcher to end, as ^C does: it and all of its group.
func (r *peerRig) end(patience time.Duration) (ended bool) {
	_ = syscall.Kill(-r.tool.Process.Pid, syscall.SIGINT)
	select {
	case <-r.ended:
		return true
	case <-time.After(patience):
		return false
	}
}

// marked returns the processes that the watcher has started and that live, itself among them.
func (r *peerRig) marked() []*os.Process { return marked(r.mark) }

// left waits for all that the watcher has started to be gone, and returns how many processes are left then.
func (r *peerRig) left(patience time.Duration) (n int) {
	for deadline := time.Now().Add(patience); ; {
		all := r.marked()
		for _, p := range all {
			_ = p.Release()
		}
		if len(all) == 0 || time.Now().After(deadline) {
			return len(all)
		}
		<-time.After(50 * time.Millisecond)
	}
}

// killAll ends all that the watcher has started, until nothing of it is left.
func (r *peerRig) killAll() {
	if n := killMarked(r.mark); n > 0 {
		r.t.Errorf("%d processes of %s cannot be ended", n, r.mark)
	}
}
