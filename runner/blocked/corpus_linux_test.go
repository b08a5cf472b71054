package blocked

import (
	"net"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// A piece is a program for a stage.
type piece struct {
	name  string
	needs string // programs
	run   string // what a shell does
	setup string // what a shell does before, in the same folder
}

// waiters are programs that wait for input, with the reason and the confidence of
// the verdict, where each of their versions gives the same one.
var waiters = []struct {
	piece
	reason string
	conf   Confidence
}{
	{piece{"cat", "", "exec cat", ""}, "blocked_read", Certain},
	{piece{"cat of the terminal", "", "exec cat /dev/tty", ""}, "blocked_read", Certain},
	{piece{"bash read", "bash", `exec bash -c 'read -p "name: " x'`, ""}, "blocked_read", Certain},
	{piece{"bash read silent", "bash", `exec bash -c 'read -s -p "password: " x'`, ""}, "blocked_read", Certain},
	{piece{"bash read with a time limit", "bash", `exec bash -c 'read -t 60 x'`, ""}, "poll_tty_timeout", Medium},
	{piece{"bash", "bash", "exec bash --norc --noprofile -i", ""}, "poll_tty_only", High},
	{piece{"bash with a job", "bash", `exec bash --norc --noprofile -ic 'sleep 100 & exec bash --norc --noprofile -i'`, ""}, "poll_tty_only", High},
	{piece{"dash", "dash", "exec dash -i", ""}, "blocked_read", Certain},
	{piece{"dash read", "dash", `exec dash -c 'read x'`, ""}, "blocked_read", Certain},
	{piece{"zsh", "zsh", "exec zsh -f -i", ""}, "blocked_read", Certain},
	{piece{"fish", "fish", "exec fish --no-config", ""}, "", ""},
	{piece{"python input", "python3", `exec python3 -c 'input("name: ")'`, ""}, "blocked_read", Certain},
	{piece{"python getpass", "python3", `exec python3 -c 'import getpass; getpass.getpass()'`, ""}, "blocked_read", Certain},
	{piece{"python", "python3", "exec python3 -q", ""}, "", ""},
	{piece{"python select", "python3", `exec python3 -c '
import select
while not select.select([0], [], [], 0.5)[0]: pass'`, ""}, "poll_tty_timeout", Medium},
	{piece{"python asyncio", "python3", `exec python3 -c '
import asyncio
loop = asyncio.new_event_loop()
loop.add_reader(0, lambda: None)
loop.run_forever()'`, ""}, "poll_tty_only", High},
	{piece{"python with a pipe to itself", "python3", `exec python3 -c '
import os, select
select.select([0, os.pipe()[0]], [], [])'`, ""}, "poll_tty_only", High},
	{piece{"python with a FIFO of its own", "python3", `exec python3 -c '
import os, select
select.select([0, os.open("fifo", os.O_RDWR)], [], [])'`, "mkfifo fifo"}, "poll_tty_only", High},
	{piece{"python with a socket to itself", "python3", `exec python3 -c '
import select, socket
a, b = socket.socketpair()
select.select([0, a], [], [])'`, ""}, "poll_tty_only", High},
	{piece{"node", "node", "exec node -i", ""}, "", ""},
	{piece{"node question", "node", `exec node -e 'require("readline").createInterface(process.stdin, process.stdout).question("ok? ", () => 0)'`, ""}, "", ""},
	{piece{"perl", "perl", `exec perl -e '<STDIN>'`, ""}, "blocked_read", Certain},
	{piece{"less", "less", "exec less file", "seq 1000 >file"}, "blocked_read", Certain},
	{piece{"less of a pipe", "less", "seq 1000 | less", ""}, "blocked_read", Certain},
	{piece{"vim", "vim", "exec vim -u NONE -i NONE file", ""}, "", ""},
	{piece{"nano", "nano", "exec nano file", ""}, "", ""},
	{piece{"gdb", "gdb", "exec gdb -q -nx", ""}, "", ""},
	{piece{"sqlite3", "sqlite3", "exec sqlite3", ""}, "", ""},
	{piece{"htop", "htop", "exec htop -d 100", ""}, "", Medium},
	{piece{"top", "top", "exec top -d 10", ""}, "", Medium},
	{piece{"dialog", "dialog", "exec dialog --yesno sure? 7 40", ""}, "", ""},
	{piece{"whiptail", "whiptail", "exec whiptail --yesno sure? 7 40", ""}, "", ""},
	{piece{"fzf", "fzf", "seq 100 | fzf", ""}, "", ""},
	{piece{"script", "script bash", `exec script -q -c 'bash -c "read x"' /dev/null`, ""}, "nested_pty:blocked_read", Certain},
	{piece{"tmux", "tmux bash", "exec tmux -S socket -f /dev/null new-session bash --norc --noprofile -i", ""}, "nested_pty:poll_tty_only", High},
	{piece{"git add", "git", "exec git add -p", "git init -q . && echo a >f && git add f && echo b >f"}, "blocked_read", Certain},
	{piece{"ssh-keygen", "ssh-keygen", "exec ssh-keygen -t ed25519 -f key", ""}, "blocked_read", Certain},
	{piece{"openssl", "openssl", "exec openssl passwd -6", ""}, "blocked_read", Certain},
	{piece{"two cats", "", "cat | cat", ""}, "blocked_read", Certain},
	{piece{"a new session", "setsid", `exec setsid -w sh -c 'read x'`, ""}, "blocked_read", Certain},
	{piece{"make that asks", "make", "exec make", `printf 'ask:\n\t@read x\n' >Makefile`}, "blocked_read", Certain},
	{piece{"a read with a time limit of the terminal", "perl", `stty -icanon min 0 time 1; exec perl -e 'while (1) { sysread(STDIN, $x, 1) }'`, ""}, "blocked_read_timeout", Medium},
	{piece{"a read that signals interrupt", "perl", `exec perl -MTime::HiRes=setitimer,ITIMER_REAL -e '
$SIG{ALRM} = sub {};
setitimer(ITIMER_REAL, 0.02, 0.02);
while (1) { sysread(STDIN, $x, 1) }'`, ""}, "blocked_read+repeated", Medium},
	{piece{"busybox", "busybox", "exec busybox sh", ""}, "poll_tty_only", High},
	{piece{"busybox read", "busybox", `exec busybox sh -c 'read x'`, ""}, "poll_tty_only", High},
	{piece{"dialog menu", "dialog", "exec dialog --menu which? 10 40 2 a b c d", ""}, "", ""},
	{piece{"dialog gauge of the terminal", "dialog", "exec dialog --gauge g 8 40 30", ""}, "blocked_read", Certain},
	{piece{"python debugger", "python3", "exec python3 file.py", "echo 'breakpoint()' >file.py"}, "", ""},
	{piece{"python password beside a ticker", "python3", `exec python3 -c '
import getpass, threading, time
threading.Thread(target=lambda: time.sleep(20), daemon=True).start()
getpass.getpass()'`, ""}, "blocked_read+thread_timer", Certain},
	{piece{"java", "java", "exec java A.java", `cat >A.java <<'end'
public class A {
	public static void main(String[] args) { new java.util.Scanner(System.in).nextLine(); }
}
end`}, "blocked_read", Certain},
	{piece{"expect", "expect bash", `exec expect -c 'spawn bash -c "read x"; interact'`, ""}, "nested_pty:blocked_read", Certain},
	{piece{"socat", "socat bash", `exec socat -,raw,echo=0 EXEC:'bash --norc --noprofile -i',pty,setsid,ctty,stderr`, ""}, "nested_pty:poll_tty_only", High},
	{piece{"rm", "", "exec rm -i file", "echo a >file"}, "blocked_read", Certain},
	{piece{"a reader beside a child that works", "python3", `exec python3 -c '
import select, subprocess
subprocess.Popen(["sleep", "100"])
select.select([0], [], [])'`, ""}, "poll_tty_only", High},
	{piece{"a reader beside a thread that waits for a child", "python3", `exec python3 -c '
import subprocess, threading
p = subprocess.Popen(["cat"], stdin=subprocess.PIPE)
threading.Thread(target=p.wait, daemon=True).start()
input("name ")'`, ""}, "blocked_read", Certain},
	{piece{"python with a signal of the terminal", "python3", `stty -icanon -echo; exec python3 -c '
import fcntl, os, signal
signal.signal(signal.SIGIO, lambda *a: None)
fcntl.fcntl(0, fcntl.F_SETOWN, os.getpid())
fcntl.fcntl(0, fcntl.F_SETFL, fcntl.fcntl(0, fcntl.F_GETFL) | os.O_ASYNC | os.O_NONBLOCK)
while True: signal.pause()'`, ""}, "sigio", High},
	{piece{"a reader beside one that prints", "", "(while :; do echo x; sleep 0.01; done) & read x", ""}, "", ""},
}

// optional are programs that CI does not install.
var optional = []string{"node", "gdb", "java"}

// stage starts the piece.
func (p piece) stage(t *testing.T) *stage {
	t.Helper()
	for name := range strings.FieldsSeq(p.needs) {
		if _, err := exec.LookPath(name); err != nil && slices.Contains(optional, name) {
			t.Skip(err)
		}
		need(t, name)
	}
	cmd := program(t, "sh", "-c", p.run)
	cmd.Dir = t.TempDir()
	if p.setup != "" {
		before := program(t, "sh", "-c", p.setup)
		before.Dir = cmd.Dir
		if out, err := before.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	return perform(t, cmd)
}

// asksAlways stands for the picture of a program on the main screen, which is no part of these tests.
func asksAlways(_ Verdict, wanted Wanted) bool { return wanted != WholeScreen }

func TestWaiters(t *testing.T) {
	for _, tt := range waiters {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := tt.stage(t)
			s.watch.Picture.Offers = asksAlways
			var seen time.Time // that it reads the terminal
			v, ok := s.until(30*time.Second, func(v Verdict) bool {
				if seen.IsZero() && v.State != NotWaiting {
					seen = time.Now()
				}
				return v.State == Waiting
			})
			if !ok {
				t.Fatalf("after 30 s the verdict is %+v; the output was\n%s", v, s.text())
			}
			took := max(0, min(time.Since(seen), s.quiet()))
			t.Logf("%v %s: %s in %s, %v after it began; %q", v.Confidence, v.Reason, v.Comm, v.Syscall, took.Round(time.Millisecond), v.Evidence)
			if tt.reason != "" && v.Reason.String() != tt.reason || tt.conf != "" && v.Confidence != tt.conf {
				t.Errorf("%s %s, want %s %s", v.Confidence, v.Reason, tt.conf, tt.reason)
			}
			if want := 2 * time.Second; took > want { // on an idle machine it is 1.3 s
				t.Errorf("verdict after %v, want at most %v", took, want)
			}
			if b, ok := s.watch.Blocked(); (v.Confidence == Certain || v.Reason.Way == Signalled) && v.Reason.Nested == 0 && (!ok || b.Number() != v.Block) {
				t.Errorf("Blocked gives %+v, %v, want the block %d of %+v", b, ok, v.Block, v)
			}
		})
	}
}

// runners are programs that do not wait for input, with the reason of those that read the terminal.
var runners = []struct {
	piece
	reason string
}{
	{piece{"sleep", "", "exec sleep 100", ""}, ""},
	{piece{"a busy loop", "", "while :; do :; done", ""}, ""},
	{piece{"curl of a silent server", "curl", "exec curl -s http://$SILENT/", ""}, ""},
	{piece{"python server", "python3", "exec python3 -m http.server --bind 127.0.0.1 0", ""}, ""},
	{piece{"node server", "node", `exec node -e 'require("http").createServer(() => 0).listen(0, "127.0.0.1")'`, ""}, ""},
	{piece{"node timer", "node", `exec node -e 'setTimeout(() => 0, 100000)'`, ""}, ""},
	{piece{"tail", "", "exec tail -f file", "echo a >file"}, ""},
	{piece{"find", "", "while :; do find /usr/share -name nothing 2>/dev/null; done", ""}, ""},
	{piece{"sleep into cat", "", "sleep 100 | cat", ""}, ""},
	{piece{"bash that waits for a job", "bash", `exec bash -c 'sleep 100 & wait'`, ""}, ""},
	{piece{"bash that runs a job", "bash", `exec bash --norc --noprofile -ic 'sleep 100; :'`, ""}, ""},
	{piece{"a FIFO", "", "exec cat fifo", "mkfifo fifo"}, ""},
	{piece{"make", "make", "exec make -j2", `printf 'all: a b\na b:\n\t@sleep 100\n' >Makefile`}, ""},
	{piece{"go build", "go", "while :; do GOCACHE=$PWD/$((n=n+1)) go build -o /dev/null fmt; done", ""}, ""},
	{piece{"python sleep", "python3", `exec python3 -c 'import asyncio; asyncio.run(asyncio.sleep(100))'`, ""}, ""},
	{piece{"python subprocess", "python3", `exec python3 -c 'import subprocess; subprocess.run(["sleep", "100"])'`, ""}, ""},
	{piece{"python that reads and works", "python3", `exec python3 -c '
import select
while True:
    select.select([0], [], [], 0.001)
    sum(range(500000))'`, ""}, ""},
	{piece{"script with sleep", "script", `exec script -q -c 'sleep 100' /dev/null`, ""}, ""},
	{piece{"tmux with sleep", "tmux", "exec tmux -S socket -f /dev/null new-session sleep 100", ""}, ""},
	{piece{"flock", "flock", "flock file sleep 100 & exec flock file true", "echo >file"}, ""},
	{piece{"a stopped process", "", `kill -STOP $$`, ""}, ""},
	{piece{"a job that is stopped for reading", "bash", `exec bash -c 'set -m; cat & set +m; sleep 100'`, ""}, ""},
	{piece{"xargs", "xargs", "echo 100 | exec xargs sleep", ""}, ""},
	{piece{"timeout", "timeout", "exec timeout 100 sleep 100", ""}, ""},
	{piece{"a lock", "python3", `exec python3 -c 'import threading; threading.Semaphore(0).acquire()'`, ""}, ""},
	{piece{"a pager of a pipe that stalls", "less", "(echo a; exec sleep 100) | less", ""}, ""}, // less reads no keys meanwhile
	{piece{"dialog gauge of a pipe", "dialog", "(echo 30; exec sleep 100) | dialog --gauge g 8 40", ""}, ""},
	{piece{"whiptail gauge of a pipe", "whiptail", "(echo 30; exec sleep 100) | whiptail --gauge g 8 40 0", ""}, ""},
	{piece{"socat with sleep", "socat", "exec socat -,raw,echo=0 EXEC:'sleep 100',pty", ""}, "relay_inner_not_reading"},
	{piece{"expect with sleep", "expect", "exec expect -c 'spawn sleep 100; interact'", ""}, "relay_inner_not_reading"},
	{piece{"a listener", "socat", "exec socat - TCP-LISTEN:0,bind=127.0.0.1", ""}, ""},
	{piece{"the size of the terminal", "python3", `exec python3 -c '
import os, time
while True:
    os.get_terminal_size()
    time.sleep(0.01)'`, ""}, ""},
	{piece{"output", "", "while :; do echo x; sleep 0.05; done", ""}, ""},
	{piece{"a reader of another session behind", "setsid", "exec 3<&0; setsid sh -c 'read x <&3' & sleep 100; :", ""}, "blocked_read+foreground_goes_on"},
	{piece{"python that reads beside its work", "python3", `exec python3 -c '
import threading, sys
threading.Thread(target=sys.stdin.readline, daemon=True).start()
while True: pass'`, ""}, ""},
	{piece{"python that reads beside a child", "python3", `exec python3 -c '
import threading, sys, os, subprocess
threading.Thread(target=sys.stdin.readline, daemon=True).start()
os.waitpid(subprocess.Popen(["sleep", "100"]).pid, 0)'`, ""}, "blocked_read+thread_child"},
	{piece{"python that starts a program beside a reader", "python3", `exec python3 -c '
import os, sys, threading
threading.Thread(target=sys.stdin.readline, daemon=True).start()
hangs = [(os.POSIX_SPAWN_OPEN, 5, "fifo", os.O_RDONLY, 0)] # before it executes its program
os.posix_spawn("/bin/true", ["true"], {}, file_actions=hangs)'`, "mkfifo fifo"}, "blocked_read+thread_child"},
	{piece{"python with a loop, and a thread that works", "python3", `exec python3 -c '
import asyncio
async def main():
    asyncio.get_running_loop().add_reader(0, lambda: None)
    def work():
        while True: pass
    await asyncio.to_thread(work)
asyncio.run(main())'`, ""}, ""},
	{piece{"python with a loop, and a child", "python3", `exec python3 -c '
import os, select, subprocess
subprocess.Popen(["sleep", "100"])
select.select([0, os.pipe()[0]], [], [])'`, ""}, "poll_tty_only+child_goes_on"},
	{piece{"node with a child", "node", `exec node -e '
process.stdin.on("data", () => 0)
require("child_process").spawn("sleep", ["100"], {stdio: "ignore"})'`, ""}, ""},
	{piece{"node with a worker", "node", `exec node -e '
process.stdin.on("data", () => 0)
new (require("worker_threads").Worker)("while (true);", {eval: true})'`, ""}, ""},

	// These read the terminal, but not alone.
	{piece{"python with a server", "python3", `exec python3 -c '
import select, socket
s = socket.create_server(("127.0.0.1", 0))
select.select([0, s], [], [])'`, ""}, "poll_tty_plus_listen"},
	{piece{"socat with a client", "socat", "exec socat -,raw,echo=0 TCP:$SILENT", ""}, "poll_tty_plus_socket"},
	{piece{"python with a client", "python3", `exec python3 -c '
import select, socket
s = socket.create_server(("127.0.0.1", 0))
c = socket.create_connection(s.getsockname())
select.select([0, c], [], [])'`, ""}, "poll_tty_plus_socket"},
	{piece{"python with a signal of the terminal, that sleeps", "python3", `stty -icanon -echo; exec python3 -c '
import fcntl, os, signal, time
signal.signal(signal.SIGIO, lambda *a: None)
fcntl.fcntl(0, fcntl.F_SETFL, fcntl.fcntl(0, fcntl.F_GETFL) | os.O_ASYNC)
time.sleep(100)'`, ""}, ""},
	{piece{"python with a signal of the terminal that it blocks", "python3", `stty -icanon -echo; exec python3 -c '
import fcntl, os, signal
signal.signal(signal.SIGIO, lambda *a: None)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGIO])
fcntl.fcntl(0, fcntl.F_SETFL, fcntl.fcntl(0, fcntl.F_GETFL) | os.O_ASYNC)
signal.pause()'`, ""}, ""},
	{piece{"python that another program has left a signal of the terminal", "python3", `stty -icanon -echo; exec python3 -c '
import fcntl, os, signal
fcntl.fcntl(0, fcntl.F_SETFL, fcntl.fcntl(0, fcntl.F_GETFL) | os.O_ASYNC)
signal.pause()'`, ""}, ""},
	{piece{"python with a signal of the terminal, that waits for a child", "python3", `stty -icanon -echo; exec python3 -c '
import fcntl, os, signal, subprocess
signal.signal(signal.SIGIO, lambda *a: None)
fcntl.fcntl(0, fcntl.F_SETFL, fcntl.fcntl(0, fcntl.F_GETFL) | os.O_ASYNC)
subprocess.Popen(["sleep", "100"]).wait()'`, ""}, ""},
	{piece{"python with a child's output", "python3", `exec python3 -c '
import select, subprocess
p = subprocess.Popen(["sleep", "100"], stdout=subprocess.PIPE)
select.select([0, p.stdout], [], [])'`, ""}, "poll_tty_plus_pipe"},
	{piece{"python with a child's socket", "python3", `exec python3 -c '
import select, socket, subprocess
a, b = socket.socketpair()
p = subprocess.Popen(["sleep", "100"], stdout=b)
b.close()
select.select([0, a], [], [])'`, ""}, "poll_tty_plus_idle"},
	{piece{"python with a client that has its answer", "python3", `exec python3 -c '
import select, socket
s = socket.create_server(("127.0.0.1", 0))
d = socket.create_connection(s.getsockname())
e = s.accept()[0]
d.send(b"question")
e.recv(9)
select.select([], [], [], 0.05) # the kernel tells times in steps of some milliseconds
e.send(b"answer")
d.recv(9)
select.select([0, d], [], [])'`, ""}, "poll_tty_plus_idle"},
	{piece{"python with a client that has asked again", "python3", `exec python3 -c '
import select, socket
s = socket.create_server(("127.0.0.1", 0))
d = socket.create_connection(s.getsockname())
e = s.accept()[0]
d.send(b"question")
e.send(b"answer")
d.recv(9)
select.select([], [], [], 0.05)
d.send(b"question")
select.select([0, d], [], [])'`, ""}, "poll_tty_plus_socket"},
	{piece{"python with a child's end", "python3", `exec python3 -c '
import os, select, subprocess
p = subprocess.Popen(["sleep", "100"])
select.select([0, os.pidfd_open(p.pid)], [], [])'`, ""}, "poll_tty_plus_process"},
	{piece{"python with another terminal", "python3", `exec python3 -c '
import os, select
select.select([0, os.openpty()[1]], [], [])'`, ""}, "poll_tty_plus"},
	{piece{"python with a watch", "python3", `exec python3 -c '
import ctypes, select
select.select([0, ctypes.CDLL(None).inotify_init()], [], [])'`, ""}, "poll_tty_plus_watch"},
	{piece{"python with a server in a thread", "python3", `exec python3 -c '
import os, socket, threading
s = socket.create_server(("127.0.0.1", 0))
threading.Thread(target=s.accept).start()
os.read(0, 1)'`, ""}, "blocked_read+thread_listen"},
	{piece{"python with a watch in a thread", "python3", `exec python3 -c '
import ctypes, os, threading
w = ctypes.CDLL(None).inotify_init()
threading.Thread(target=lambda: os.read(w, 100)).start()
os.read(0, 1)'`, ""}, "blocked_read+thread_watch"},
}

func TestRunners(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { silent.Close() })
	for _, tt := range runners {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.run = strings.ReplaceAll(tt.run, "$SILENT", silent.Addr().String())
			s := tt.stage(t)
			s.watch.Picture.Offers = asksAlways
			probes, reads := 0, false
			var v Verdict
			early := func(at time.Duration) bool { // on a busy machine it is not yet there
				return at < time.Second || probes < 100 || tt.reason != "" && v.Reason.String() != tt.reason && at < time.Minute
			}
			for start := time.Now(); early(time.Since(start)); time.Sleep(3 * time.Millisecond) {
				// As if it had been silent for longer.
				v = s.watch.Probe(time.Now(), s.quiet()+quietPrompt)
				probes++
				reads = reads || v.State == AcceptsInput
				if v.State == Waiting {
					t.Fatalf("probe %d after %v: %+v; the output was\n%s", probes, time.Since(start), v, s.text())
				}
			}
			t.Logf("%d probes, %s %s", probes, v.State, v.Reason)
			if tt.reason != "" && v.Reason.String() != tt.reason {
				t.Errorf("%s %q, want %q", v.State, v.Reason, tt.reason)
			}
			if b, ok := s.watch.Blocked(); ok && b.Alone && !reads {
				t.Errorf("it waits for the terminal alone: %+v", b)
			}
		})
	}
}
