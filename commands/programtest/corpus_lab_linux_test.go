package programtest

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// A lab is what the specimens share.
type lab struct {
	dir   string // everything else is below; others may enter it
	table bool   // print what is found
	mu    sync.Mutex
	env   []string
	alike map[string]*sync.Mutex // what cannot be used twice at a time
}

// The ports are those of the corpus.
const (
	silentAddress = "127.0.0.1:18099" // accepts, and says nothing
	sshPort       = "18022"
)

// shared are words of commands: the programs that have one of them use the same port or lock.
var shared = []string{"apt-get", "nodehttp.js", "nodedev.js", "goserve", "vite", "18084", "18077", "crontab", "lab1", "lab2", "lab3"}

// newLab makes a lab, whose helpers are copies of those in a folder.
func newLab(t *testing.T, helpers string) *lab {
	t.Helper()
	dir, err := os.MkdirTemp("", "lab") // a short path: sockets will be below
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	l := &lab{dir: dir, alike: map[string]*sync.Mutex{}}
	for _, word := range shared {
		l.alike[word] = new(sync.Mutex)
	}
	program, err := exec.LookPath("devtools")
	if err != nil {
		t.Fatal(err)
	}
	l.env = []string{"TERM=xterm-256color", "LANG=C.UTF-8", "GORACE=atexit_sleep_ms=0", "H=" + l.path("helpers"), "TMPDIR=" + l.path("tmp"), "SHELL=/bin/bash"}
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPROXY", "GOSUMDB", "GOFLAGS", "GOTOOLCHAIN"} {
		out, err := exec.Command("go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		l.env = append(l.env, name+"="+strings.TrimSpace(string(out)))
	}
	l.shell(t, `
chmod 755 . && mkdir -m 755 bin stands && mkdir -m 1777 tmp && cp "$1" bin/devtools && chmod 755 bin/devtools
cp -r "$2" helpers && chmod -R u+w helpers
for i in $(seq 6000); do
	echo "double f$i(double *a, int n) { double s = $i; for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) s += a[i] * a[j] / (s + $i); return s; }"
done >helpers/big.c
mkdir -p work/home && cd work
printf '[user]\n\tname = Ada\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n[safe]\n\tdirectory = *\n' >home/.gitconfig
export HOME=$PWD/home
seq 100000 >big.txt
echo f2 >f2
echo f3 >f3
git init -q .
for i in 1 2 3; do
	seq $i 100 >tracked
	git add tracked
	git commit -q -m "commit $i"
done
git branch f1
seq 101 200 >tracked
`, program, absolute(t, helpers))
	sources, err := filepath.Glob(l.path("helpers", "*.go.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, source := range sources {
		l.buildGo(t, source)
	}
	return l
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func (l *lab) path(names ...string) string { return filepath.Join(slices.Insert(names, 0, l.dir)...) }

// shell runs a script in the folder of the lab.
func (l *lab) shell(t *testing.T, script string, args ...string) {
	t.Helper()
	ctx, cancel := withPatience(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", append([]string{"-euc", script, "bash"}, args...)...)
	cmd.Dir = l.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// interfaces are the helpers with libraries, which are programs of other names.
var interfaces = map[string]string{"tea": "teaprog", "teaspin": "teaspinprog", "survey": "surveyprog"}

// buildGo builds a helper beside its source.
func (l *lab) buildGo(t *testing.T, source string) {
	t.Helper()
	name := strings.TrimSuffix(filepath.Base(source), ".go.txt")
	target, tidy := name, "true"
	if other := interfaces[name]; other != "" {
		target, tidy = other, "go mod tidy"
	}
	l.shell(t, `
folder=$(mktemp -d build.XXXX)
cp "$1" $folder/main.go
cd $folder
printf 'module helper\n' >go.mod
export GOFLAGS=-mod=mod GOWORK=off
`+tidy+`
go build -o "$2" .
`, source, l.path("helpers", target))
}

// alone waits until no other specimen uses what s uses, and returns the function that lets the next one.
func (l *lab) alone(s specimen) (done func()) {
	for _, word := range shared {
		if strings.Contains(s.command, word) {
			l.alike[word].Lock()
			return l.alike[word].Unlock
		}
	}
	return func() {}
}

// stand prepares a place for the specimen.
func (l *lab) stand(t *testing.T, s specimen) *stand {
	t.Helper()
	b := &stand{specimen: s.adapted(t), program: l.path("bin", "devtools"), work: l.path("stands", s.set+"-"+s.name)}
	l.shell(t, `cp -a work "$1"`, b.work)
	name, path := "root", os.Getenv("PATH")
	if s.set == normalSet {
		name, path = testUsers[0].name, "/usr/local/bin:/usr/bin:/bin:/usr/games:/usr/sbin:/sbin"
		b.user = credential(t, name)
		l.shell(t, `chown -R "$2:$2" "$1"`, b.work, name)
	}
	b.env = slices.Concat(l.env, []string{
		"W=" + b.work, "HOME=" + filepath.Join(b.work, "home"), "TMUX_TMPDIR=" + filepath.Join(b.work, "home"), "MC_TMPDIR=" + filepath.Join(b.work, "home"),
		"DEVTOOLS_DIR=" + filepath.Join(b.work, "home", "state"), "PATH=" + path, "USER=" + name, "LOGNAME=" + name,
	})
	b.script(t, b.setup)
	return b
}

// installable are packages of Debian that need others, so that apt-get asks whether to install them.
var installable = []string{"emacs-nox", "emacs-gtk", "inkscape", "gimp"}

// adapted returns s as the lab can run it.
func (s specimen) adapted(t *testing.T) specimen {
	if s.name == "git-rebase-i" {
		s.setup += "\ngit stash -q" // it refuses to rebase what is edited
	}
	if strings.Contains(s.command, installable[0]) {
		for _, name := range installable {
			if out, err := exec.Command("dpkg-query", "-W", "-f", "${db:Status-Status}", name).Output(); err != nil || string(out) != "installed" {
				s.command = strings.ReplaceAll(s.command, installable[0], name)
				return s
			}
		}
		t.Fatalf("all of %v are installed: apt-get would not ask", installable)
	}
	return s
}

// A testUser is somebody whom the whole corpus makes for its time, with a password.
type testUser struct{ name, password string }

var testUsers = []testUser{{"labu", "pw1"}, {"labu2", "pw2"}}

// userComment marks the users in the list of all users.
const userComment = "corpus of devtools"

func credential(t *testing.T, name string) *syscall.Credential {
	t.Helper()
	u, err := user.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}

// packages are the packages of Debian with the programs of the whole corpus, by program.
var packages = map[string]string{
	"bash": "bash", "dash": "dash", "zsh": "zsh", "fish": "fish", "python3": "python3", "pip": "python3-pip", "node": "nodejs", "npm": "npm", "ruby": "ruby",
	"irb": "ruby", "perl": "perl", "git": "git", "vim": "vim", "nano": "nano", "less": "less", "more": "util-linux", "man": "man-db", "gdb": "gdb",
	"strace": "strace", "sqlite3": "sqlite3", "fzf": "fzf", "whiptail": "whiptail", "dialog": "dialog", "bc": "bc", "ed": "ed", "mc": "mc", "top": "procps",
	"watch": "procps", "htop": "htop", "make": "make", "gcc": "gcc", "openssl": "openssl", "gpg": "gnupg", "pinentry-curses": "pinentry-curses",
	"script": "bsdutils", "tmux": "tmux", "screen": "screen", "expect": "expect", "sudo": "sudo", "su": "util-linux", "passwd": "passwd", "chsh": "passwd",
	"ssh": "openssh-client", "ssh-keygen": "openssh-client", "sshd": "openssh-server", "crontab": "cron", "curl": "curl", "wget": "wget", "ping": "iputils-ping",
	"flock": "util-linux", "apt-get": "apt", "useradd": "passwd", "chpasswd": "passwd",
}

// furnish makes what the whole corpus needs besides: programs, users, servers, folders.
func (l *lab) furnish(t *testing.T) {
	t.Helper()
	var missing []string
	for program, of := range packages {
		if _, err := exec.LookPath(program); err != nil && !slices.Contains(missing, of) {
			missing = append(missing, of)
		}
	}
	if len(missing) > 0 {
		slices.Sort(missing)
		t.Fatalf("programs are missing: apt-get install --no-install-recommends %s", strings.Join(missing, " "))
	}
	silent, err := net.Listen("tcp", silentAddress)
	if err != nil {
		t.Fatal(err)
	}
	go listenTo(silent)
	t.Cleanup(func() { silent.Close() })
	l.buildFurniture(t)
	l.makeUsers(t)
	l.startSSH(t)
}

// listenTo accepts whoever comes, and keeps them waiting.
func listenTo(l net.Listener) {
	var kept []net.Conn
	for {
		conn, err := l.Accept()
		if err != nil {
			for _, conn := range kept {
				_ = conn.Close() // the test is over
			}
			return
		}
		kept = append(kept, conn)
	}
}

// buildFurniture makes helpers that are built, and the folders in which npm and Go are used.
func (l *lab) buildFurniture(t *testing.T) {
	t.Helper()
	l.shell(t, `
gcc -o helpers/uring helpers/uring.c
mkdir helpers/slp work/npmi
printf 'module slp\n' >helpers/slp/go.mod
printf 'package slp\n\nimport (\n\t"testing"\n\t"time"\n)\n\nfunc TestSleep(*testing.T) { time.Sleep(time.Minute) }\n' >helpers/slp/slp_test.go
mkdir -p work/gomod/cmd/corpus
printf 'module gomod\n' >work/gomod/go.mod
printf 'package main\n\nimport "net/http"\n\nfunc main() { _ = http.ListenAndServe("", nil) }\n' >work/gomod/cmd/corpus/main.go
mkdir nm && cd nm
npm install --no-audit --no-fund --loglevel error vite vitest typescript nodemon
ln -s "$PWD" ../work/nm
echo '<p>page</p>' >index.html
printf 'import { test } from "vitest"\ntest("adds", () => {})\n' >a.test.ts
echo 'export const a: number = 1' >a.ts
echo '{"compilerOptions": {"skipLibCheck": true, "types": []}, "files": ["a.ts"]}' >tsconfig.json
mkdir -m 700 ../work/home/.gnupg
echo 'pinentry-program /usr/bin/pinentry-curses' >../work/home/.gnupg/gpg-agent.conf
`)
}

// makeUsers makes users with passwords, of whom sudo asks theirs.
func (l *lab) makeUsers(t *testing.T) {
	t.Helper()
	t.Cleanup(func() {
		_ = os.Remove(sudoers) // it may not have come to that
		for _, u := range testUsers {
			if entry, err := user.Lookup(u.name); err != nil || entry.Name != userComment {
				continue // it is none of ours
			}
			if out, err := exec.Command("userdel", "-f", "-r", u.name).CombinedOutput(); err != nil {
				t.Logf("userdel %s: %v: %s", u.name, err, out)
			}
		}
	})
	var passwords bytes.Buffer
	for _, u := range testUsers {
		entry, err := user.Lookup(u.name)
		if err == nil && entry.Name != userComment {
			t.Fatalf("there is a user %s already", u.name)
		}
		if err != nil {
			l.shell(t, `useradd -m -s /bin/bash -c "$2" "$1" && mkdir -p "/home/$1/w" && chown "$1:$1" "/home/$1/w"`, u.name, userComment)
		}
		fmt.Fprintf(&passwords, "%s:%s\n", u.name, u.password)
	}
	set := exec.Command("chpasswd")
	set.Stdin = &passwords
	if out, err := set.CombinedOutput(); err != nil {
		t.Fatalf("chpasswd: %v: %s", err, out)
	}
	if err := os.WriteFile(sudoers, []byte(testUsers[0].name+" ALL=(ALL) ALL\n"), 0o440); err != nil {
		t.Fatal(err)
	}
}

// sudoers says what the users may do.
const sudoers = "/etc/sudoers.d/devtools-corpus"

// startSSH starts a server that root enters with a key, and others with their password.
func (l *lab) startSSH(t *testing.T) {
	t.Helper()
	l.shell(t, `
mkdir -p -m 755 /run/sshd
ssh-keygen -q -t ed25519 -N '' -f hostkey
ssh-keygen -q -t ed25519 -N '' -f work/sshk
cp work/sshk.pub authorized
cat >sshd_config <<END
ListenAddress 127.0.0.1
HostKey $PWD/hostkey
AuthorizedKeysFile $PWD/authorized
PermitRootLogin prohibit-password
PasswordAuthentication yes
KbdInteractiveAuthentication no
StrictModes no
UsePAM no
PidFile none
END
`)
	program, err := exec.LookPath("sshd")
	if err != nil {
		t.Fatal(err)
	}
	server := exec.Command(program, "-D", "-p", sshPort, "-f", l.path("sshd_config")) // it wants its whole path
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Kill() // it may have failed
		_ = server.Wait()
	})
	ctx, cancel := withPatience(t.Context(), 0)
	defer cancel()
	for {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", "127.0.0.1:"+sshPort)
		if err == nil {
			_ = conn.Close()
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("sshd: %v", err)
		case <-time.After(10 * time.Millisecond):
		}
	}
}
