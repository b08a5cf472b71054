package escapetest

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// An escape is a way in which a process gets out of sight of what has started it.
type escape struct {
	name  string
	fast  bool   // it is tried by every run of the tests
	line  string // of a shell; {…} is replaced, see prison.line
	perl  string // or a script, which runs in the background
	count int    // processes that say that they are ready; 0 is one

	needs []string // programs
	root  bool     // it needs the rights of root
	can   func() (reason string)

	moves   bool // its processes change all the time: what is listed is not what lives a moment later
	outside bool // it is started by a server that was there before, and keeps nothing of ours
	handed  bool // it is started by such a server, with our environment
	dies    bool // the kernel ends it together with the terminal
	stuck   bool // it cannot be killed until the test lets it go

	before func(t testing.TB, p *prison)                   // starts what was there before
	then   func(t testing.TB, p *prison, inmates []inmate) // does something to the escapees when they are ready
}

// The parts of scripts in perl: how each begins, what a daemon does, and being ready and going on for ever.
const (
	preface = `use POSIX; sub ready { open my $f, ">>", "{ready}" or die; syswrite $f, "$$\n"; close $f }
fork and exit; `
	daemonise = `fork and exit; POSIX::setsid(); fork and exit; open STDIN, "</dev/null"; open STDOUT, ">/dev/null"; open STDERR, ">/dev/null"; POSIX::close($_) for 3..255; `
	forever   = ` ready(); sleep 86400 while 1;`
)

var escapes = []escape{
	{name: "double fork, setsid, close all", fast: true, perl: `fork and exit; POSIX::setsid(); fork and exit; POSIX::close($_) for 0..255; exec "{out}";`},
	{name: "setsid &", fast: true, line: `setsid {out} &`},
	{name: "setsid -f", line: `setsid -f {out}`},
	{name: "nohup", line: `nohup {out} >/dev/null 2>&1 &`},
	{name: "disown", line: `set -m; {out} & disown`},
	{name: "background in the foreground group", line: `{out} &`, dies: true},
	{name: "env -i setsid", fast: true, line: `env -i {bin}/setsid {out} &`},
	{name: "daemon(1)", needs: []string{"daemon"}, line: `daemon --unsafe -- {out}`},
	{name: "daemon(3)", perl: daemonise + `exec "{out}";`},
	{name: "daemon, unsetenv", perl: daemonise + `delete $ENV{DEVTOOLS_SESSION};` + forever},
	{name: "daemon, environment overwritten", fast: true, perl: daemonise + overwrite + forever},
	{name: "daemon, %ENV=()", perl: daemonise + `%ENV = ();` + forever},
	{name: "daemon, %ENV=(), exec", perl: daemonise + `%ENV = (); exec "{out}";`},
	{name: "start-stop-daemon -b", needs: []string{"start-stop-daemon"}, line: `start-stop-daemon -S -b -x {out}`},
	{name: "a subreaper below", perl: `syscall({prctl}, 36, 1, 0, 0, 0) == 0 or die; if (!fork) { fork and exit; POSIX::setsid(); exec "{out}" } wait; setpgrp; $SIG{HUP} = "IGNORE";` + forever, count: 2},
	{name: "unshare -fp", root: true, needs: []string{"unshare"}, line: `setsid unshare -fp {out} &`},
	{name: "unshare -fp --mount-proc", root: true, needs: []string{"unshare"}, line: `setsid unshare -fp --mount-proc {out} &`},
	{name: "unshare -Urfp", needs: []string{"unshare"}, can: userNamespaces, line: `setsid unshare -Urfp {out} &`},
	{name: "su nobody -c", root: true, needs: []string{"su"}, line: `set -m; su nobody -s {bin}/sh -c {out} &`},
	{name: "su - nobody -c, setsid", root: true, needs: []string{"su"}, line: `setsid su - nobody -s {bin}/sh -c {out} &`},
	{name: "set-uid program", root: true, line: `cp {bin}/escapee {bin}/other; chown 65534 {bin}/other; chmod 4755 {bin}/other; (echo >>{ready}; exec setsid {bin}/other 86400) &`},
	{name: "tmux new -d", needs: []string{"tmux"}, line: `unset TMUX; tmux -S {dir}/tmux -f /dev/null new -d {out}`},
	{name: "systemd-run --user", needs: []string{"systemd-run"}, can: userManager, outside: true, line: `systemd-run --user {out}`},
	{name: "server that keeps our environment", fast: true, handed: true, before: jobServer, line: `(env -0; printf 'run\0') >{dir}/jobs`},
	{name: "server that keeps nothing", fast: true, outside: true, before: jobServer, line: `printf 'run\0' >{dir}/jobs`},
	{name: "1000 double forks", perl: `for (1..1000) { if (!fork) { POSIX::setsid(); fork and exit; exec "{out}" } wait } `, count: 1000},
	{name: "another name", fast: true, perl: daemonise + `$0 = "kthreadd"; syscall({prctl}, 15, my $n = "kworker/0:1", 0, 0, 0);` + forever},
	{name: "TERM ignored", line: `setsid sh -c 'trap "" TERM HUP INT; exec {out}' &`},
	{name: "stopped", fast: true, line: `setsid {out} &`, then: func(t testing.TB, p *prison, escapees []inmate) {
		for _, e := range escapees {
			if err := e.id.Signal(unix.SIGSTOP); err != nil && e.name == "escapee" {
				t.Fatal(err)
			}
		}
	}},
	{name: "D state: vfork", perl: daemonise + `ready(); syscall({clone}, 0x4111, 0, 0, 0, 0) == 0 and syscall({ppoll}, 0, 0, 0, 0, 0);`, then: func(t testing.TB, p *prison, _ []inmate) {
		await(t, "it sleeps uninterruptibly", func() bool {
			return slices.ContainsFunc(p.inmates(), func(i inmate) bool { return i.state == 'D' })
		})
	}},
	{name: "frozen, cgroup v1", root: true, can: freezerMissing, stuck: true, line: `setsid {out} &`, then: freezeV1},
	{name: "frozen, cgroup v2", root: true, can: cgroup2Missing, line: `setsid {out} &`, then: freezeV2},
	{name: "zombies that nobody reaps", perl: daemonise + `for (1..3) { fork or exit }` + forever},
	{name: "main thread ended", perl: daemonise + `require threads; threads->create(sub { sleep 86400 while 1 })->detach; ready(); syscall({exit}, 0);`},
	{name: "disguised as a holder", fast: true, line: `cp {bin}/perl {bin}/exe; cd {dir}; echo 'open F, ">>{ready}"; syswrite F, "$$\n"; sleep 86400 while 1' >hold; env -i {bin}/setsid {bin}/exe hold &`},
	{name: "out of our cgroup", root: true, can: cgroup2Missing, line: `echo $$ >{cgroup2}/cgroup.procs; env -i {bin}/setsid {out} &`},
	{name: "another group all the time", perl: `fork and exit; POSIX::setsid(); if (my $c = fork) { ready(); while (1) { setpgrp($c, $c); setpgrp($c, $$); select undef, undef, undef, 0.001 } } sleep 86400 while 1;`},
	{name: "another session all the time", moves: true, perl: daemonise + `ready(); while (1) { fork and exit; POSIX::setsid(); select undef, undef, undef, 0.1 }`},
	{name: "all at once", fast: true, perl: `%ENV = (); ` + daemonise + `$0 = "kthreadd"; chdir "/"; syscall({prctl}, 36, 1, 0, 0, 0); $SIG{$_} = "IGNORE" for qw(HUP INT TERM QUIT); exec "{out}";`},
}

// overwrite clears the memory that /proc/PID/environ shows.
const overwrite = `open my $s, "<", "/proc/self/stat"; my @f = split / /, (<$s> =~ s/^.*\) //sr); open my $m, "+<:raw", "/proc/self/mem" or die;
sysseek $m, $f[47], 0; syswrite $m, "\0" x ($f[48] - $f[47]) or die; close $m;`

// skip skips an escape that cannot be tried here, and says why.
func (e escape) skip(t testing.TB) {
	t.Helper()
	if e.root && os.Getuid() != 0 {
		t.Skip("only root can do this")
	}
	for _, program := range append(e.needs, "perl", "setsid") {
		if _, err := exec.LookPath(program); err != nil {
			if os.Getenv("CI") == "true" {
				t.Fatalf("%s is not installed, see .ci/run", program)
			}
			t.Skipf("%s is not installed", program)
		}
	}
	if e.can != nil {
		if reason := e.can(); reason != "" {
			t.Skip(reason)
		}
	}
}

func userNamespaces() string {
	if out, err := exec.Command("unshare", "-Urfp", "true").CombinedOutput(); err != nil {
		return "no user namespaces here: " + strings.TrimSpace(string(out))
	}
	return ""
}

func userManager() string {
	if out, err := exec.Command("systemd-run", "--user", "true").CombinedOutput(); err != nil {
		return "no user manager here: " + strings.TrimSpace(string(out))
	}
	return ""
}

// mounted returns where a file system of the type is mounted that has the option and that we can change, or "".
func mounted(kind, option string) string {
	table, _ := os.ReadFile("/proc/self/mounts")
	for line := range strings.Lines(string(table)) {
		f := strings.Fields(line)
		if f[2] == kind && (option == "" || strings.Contains(","+f[3]+",", ","+option+",")) && unix.Access(f[1], unix.W_OK) == nil {
			return f[1]
		}
	}
	return ""
}

func freezerMissing() string {
	if mounted("cgroup", "freezer") == "" {
		return "no freezer of version 1 here"
	}
	return ""
}

func cgroup2Missing() string {
	if mounted("cgroup2", "") == "" {
		return "no cgroup of version 2 here that can be changed"
	}
	return ""
}

// freezeV1 freezes the escapees in a group of the freezer, where no signal reaches them.
func freezeV1(t testing.TB, p *prison, escapees []inmate) {
	group := filepath.Join(mounted("cgroup", "freezer"), filepath.Base(filepath.Dir(p.dir))+filepath.Base(p.dir))
	freeze(t, group, "freezer.state", "FROZEN", "THAWED", escapees)
	await(t, "frozen", func() bool {
		state, _ := os.ReadFile(filepath.Join(group, "freezer.state"))
		return string(state) == "FROZEN\n"
	})
}

func freezeV2(t testing.TB, p *prison, escapees []inmate) {
	group := filepath.Join(mounted("cgroup2", ""), filepath.Base(filepath.Dir(p.dir))+filepath.Base(p.dir))
	freeze(t, group, "cgroup.freeze", "1", "0", escapees)
	await(t, "frozen", func() bool {
		events, _ := os.ReadFile(filepath.Join(group, "cgroup.events"))
		return strings.Contains(string(events), "frozen 1")
	})
}

// freeze moves the escapees into a group of their own and freezes it until the end of the test.
func freeze(t testing.TB, group, file, frozen, thawed string, escapees []inmate) {
	t.Helper()
	if err := os.Mkdir(group, 0o755); err != nil && !os.IsExist(err) {
		t.Fatal(err)
	}
	set := func(file, text string) error {
		return os.WriteFile(filepath.Join(group, file), []byte(text), 0)
	}
	t.Cleanup(func() {
		if !exists(group) {
			return // it was frozen twice
		}
		_ = set(file, thawed) // it may be so
		await(t, "the group is empty", func() bool {
			all, err := os.ReadFile(filepath.Join(group, "cgroup.procs"))
			for pid := range strings.FieldsSeq(string(all)) {
				if n, err := strconv.Atoi(pid); err == nil {
					_ = unix.Kill(n, unix.SIGKILL) // ours alone are in it
				}
			}
			return err == nil && len(all) == 0
		})
		if err := os.Remove(group); err != nil {
			t.Error(err)
		}
	})
	for _, e := range escapees {
		if e.name != "escapee" {
			continue
		}
		if err := set("cgroup.procs", strconv.Itoa(e.id.PID)); err != nil {
			t.Fatal(err)
		}
	}
	if err := set(file, frozen); err != nil {
		t.Fatal(err)
	}
}

// jobServer starts a server that runs what it is told to by a pipe, as atd does: with the environment that it is
// handed, each variable and the word "run" with a NUL at its end, and nothing else of ours.
func jobServer(t testing.TB, p *prison) {
	t.Helper()
	if err := unix.Mkfifo(p.path("jobs"), 0o622); err != nil && !os.IsExist(err) {
		t.Fatal(err)
	}
	p.write(t, "server.pl", `
use POSIX;
$SIG{CHLD} = "IGNORE";
%ENV = ();
open my $jobs, "+<", "`+p.path("jobs")+`" or die;
$/ = "\0";
my %env;
while (<$jobs>) {
	chomp;
	if (/^(\w+)=(.*)/s) { $env{$1} = $2; next }
	if (!fork) { POSIX::setsid(); %ENV = %env; exec "`+p.path("bin", "out")+`" }
	%env = ();
}
`)
	p.start(t, exec.Command("perl", p.path("server.pl")))
}

// command returns what a session executes to try the escape, and then last.
func (p *prison) command(t testing.TB, e escape, last string) []string {
	t.Helper()
	line := e.line
	if e.perl != "" {
		p.write(t, "escape.pl", p.expand(preface+e.perl))
		line = `{bin}/perl {dir}/escape.pl`
	}
	if last != "" {
		line += "\n" + last
	}
	return []string{p.path("bin", "bash"), "-c", p.expand(line)}
}

func (p *prison) expand(text string) string {
	clone := map[bool]int{true: 56, false: 220}[unix.SYS_PRCTL == 157] // of amd64 and arm64
	return strings.NewReplacer("{out}", p.path("bin", "out"), "{bin}", p.path("bin"), "{dir}", p.dir, "{ready}", p.path("ready"), "{program}", p.program,
		"{prctl}", strconv.Itoa(unix.SYS_PRCTL), "{ppoll}", strconv.Itoa(unix.SYS_PPOLL), "{exit}", strconv.Itoa(unix.SYS_EXIT), "{clone}", strconv.Itoa(clone),
		"{cgroup2}", mounted("cgroup2", "")).Replace(text)
}
