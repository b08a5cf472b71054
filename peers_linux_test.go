package main

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
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// peerTools are the watchers that are compared, each with the flags that are best for a server. In a command line
// COMMAND is the server's with its arguments, LINE the same as one argument, PORT its port and FILE the file with the
// config. Those that end a server by force wait for 3 s before, longer than the slow server takes; entr, nodemon and wgo
// never do.
var peerTools = []struct {
	name    string
	command string
	config  string
	list    bool   // it reads the names of the files from its standard input
	version string // a command line that tells it
	twin    bool   // is the one before with another time to wait, which matters only to the times
}{
	{
		name: "devtools", command: "devtools watch --on-busy restart --ready port:PORT --kill-after 3s -- COMMAND",
		version: "devtools --version",
	},
	{
		name: "devtools-10ms", twin: true, command: "devtools watch --on-busy restart --ready port:PORT --kill-after 3s --debounce 10ms -- COMMAND",
	},
	{
		name: "watchexec", command: "watchexec --restart --shell=none --stop-timeout 3s --quiet -- COMMAND",
		version: "watchexec --version",
	},
	{
		name: "watchexec-10ms", twin: true, command: "watchexec --restart --shell=none --stop-timeout 3s --quiet --debounce 10ms -- COMMAND",
	},
	{
		name: "entr", command: "entr -n -r COMMAND", list: true,
		version: "entr",
	},
	{
		name: "nodemon", command: "nodemon --quiet --no-stdin --signal SIGTERM --ext ts --exec LINE",
		version: "nodemon --version",
	},
	{ // as it comes: a delay of a second, SIGKILL at once
		name: "air", command: "air -c FILE", config: airConfig,
		version: "air -v",
	},
	{
		name: "air-10ms", twin: true, command: "air -c FILE", config: airConfig + "delay = 10\n",
	},
	{ // SIGINT first
		name: "air-10ms-gentle", command: "air -c FILE", config: airConfig + "delay = 10\nsend_interrupt = true\nkill_delay = '3s'\n",
	},
	{
		name: "wgo", command: "wgo -file .ts COMMAND", // waits for 300 ms
	},
	{
		name: "wgo-10ms", twin: true, command: "wgo -debounce 10ms -file .ts COMMAND",
	},
}

// airConfig has no build, as the others have none.
const airConfig = `root = "."
tmp_dir = "tmp"
[build]
cmd = "true"
full_bin = "exec LINE"
include_ext = ["ts"]
exclude_dir = ["tmp", "node_modules", ".git"]
`

// peerVersions asks those that are installed for their versions.
func peerVersions(devtools string) string {
	var all []string
	for _, tool := range peerTools {
		if tool.version == "" {
			continue
		}
		args := strings.Fields(tool.version)
		if args[0] == "devtools" {
			args[0] = devtools
		}
		if _, err := exec.LookPath(args[0]); err != nil {
			continue
		}
		out, _ := exec.Command(args[0], args[1:]...).CombinedOutput() // entr tells it and fails
		for line := range strings.Lines(string(out)) {
			if strings.ContainsAny(line, "0123456789") || strings.Contains(line, " version ") {
				all = append(all, tool.name+": "+strings.TrimSpace(line))
				break
			}
		}
	}
	return strings.Join(all, "\n")
}

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

// lives reports whether a process does, and when it began. One that has ended and is not waited for does not.
func lives(pid int) (began string, ok bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", false
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(after)
	return fields[19], fields[0] != "Z" && fields[0] != "X"
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

// marked returns the living processes that have an entry in their environment that begins with mark, whoever their
// parents and whatever their sessions are.
func marked(mark string) (all []*os.Process) {
	entries, _ := os.ReadDir("/proc")
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		p, err := os.FindProcess(pid) // holds the process before it is looked at: no other can take its place
		if err != nil {
			continue
		}
		environ, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		if _, ok := lives(pid); ok && strings.Contains("\x00"+string(environ), "\x00"+mark) {
			all = append(all, p)
		} else {
			_ = p.Release()
		}
	}
	return all
}

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

// killMarked kills the processes with a mark until there are none, and returns how many it could not end.
func killMarked(mark string) int {
	for deadline := time.Now().Add(20 * time.Second); ; {
		all := marked(mark)
		if len(all) == 0 || time.Now().After(deadline) {
			return len(all)
		}
		for _, p := range all {
			_ = p.Kill()
			_ = p.Release()
		}
		<-time.After(5 * time.Millisecond)
	}
}

// peerJanitor is, in the environment of this program, the mark of what it is to end when its standard input is closed:
// then the tests, which hold the other end, were ended before they could.
const peerJanitor = "PEER_JANITOR"

func init() {
	if mark := os.Getenv(peerJanitor); mark != "" {
		_, _ = io.Copy(io.Discard, os.Stdin)
		killMarked(mark)
		os.Exit(0)
	}
}

// startJanitor has all rigs of this process cleared away however it ends, which closes the pipe.
var startJanitor = sync.OnceValues(func() (pipe io.Closer, err error) {
	janitor := exec.Command("/proc/self/exe")
	janitor.Env = append(os.Environ(), fmt.Sprintf("%s=%s", peerJanitor, peerMark()))
	janitor.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // no ^C is for it
	if pipe, err = janitor.StdinPipe(); err != nil {
		return nil, err
	}
	return pipe, janitor.Start()
})

// peerMark begins the marks of this process.
func peerMark() string { return fmt.Sprintf("PEER_RIG=%d-", os.Getpid()) }
