package proc

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// statLine is a line of stat as fs/proc/array.c prints it.
func statLine(p Info) string {
	return fmt.Sprintf("%d (%s) %c %d %d %d %d %d 4194304 100 0 0 0 %d %d 0 0 20 0 %d 0 %d 3133440 %d 18446744073709551615 1 2 3 0 0 0%s %d 7\n",
		p.PID, p.Name, p.State, p.Parent, p.Group, p.Session, p.TTY, p.Foreground,
		p.CPU/tick, 0, p.Threads, p.Start, p.Memory/pageSize, strings.Repeat(" 0", 20), p.StopSignal)
}

func TestParseStat(t *testing.T) {
	for _, name := range []string{"cat", "", " ", ")", "(", "a) R (b", "x) Z 1 1 1", "tmux: server", "new\nline", "kworker/0:1-ev)", "\xff\xfe"} {
		want := Info{
			ID: ID{PID: 4351, Start: 70888}, Parent: 4345, Group: 4344, Session: 3613, TTY: 34816, Foreground: 4345,
			Name: name, State: 'S', CPU: 1230 * time.Millisecond, Threads: 7, Memory: 381 * pageSize,
		}
		got, err := ParseStat([]byte(statLine(want)))
		if err != nil || got != want {
			t.Errorf("%q: got %+v, %v, want %+v", name, got, err, want)
		}
	}
}

// The last field but one has the exit code of other processes.
func TestParseStatOfStopped(t *testing.T) {
	for state, want := range map[byte]syscall.Signal{'T': syscall.SIGTTOU, 'S': 0, 'Z': 0} {
		p := Info{ID: ID{PID: 1, Start: 2}, Name: "a", State: state, StopSignal: syscall.SIGTTOU}
		if got, err := ParseStat([]byte(statLine(p))); err != nil || got.StopSignal != want {
			t.Errorf("%c: %v, %v, want %v", state, got.StopSignal, err, want)
		}
	}
}

func TestParseStatAddsUserAndSystemTime(t *testing.T) {
	got, err := ParseStat([]byte("1 (a) S 0 1 1 0 -1 0 0 0 0 0 3 4 0 0 20 0 1 0 9"))
	if want := 70 * time.Millisecond; err != nil || got.CPU != want {
		t.Errorf("got %v, %v, want %v", got.CPU, err, want)
	}
}

func TestParseStatKnowsForks(t *testing.T) {
	for flags, want := range map[string]bool{"4194304": false, "4194368": true, "64": true, "0": false} {
		got, err := ParseStat([]byte("1 (a) S 0 1 1 0 -1 " + flags + " 0 0 0 0 3 4 0 0 20 0 1 0 9"))
		if err != nil || got.Forked != want {
			t.Errorf("%s: %v, %v", flags, got.Forked, err)
		}
	}
}

func TestParseStatRefuses(t *testing.T) {
	whole := strings.TrimSuffix(statLine(Info{ID: ID{PID: 1, Start: 2}, Name: "a", State: 'S'}), "\n")
	upToStart := strings.Fields(whole)[:21]
	for _, line := range []string{
		"", "1", "(a) S", "1 (a", "1 a) S", "1 )a( S", "x (a) S 1", "-1 (a) S 1", "0 (a) S 1",
		strings.Replace(whole, ") S", ") SS", 1),
		strings.Replace(whole, ") S 0", ") S x", 1),
		strings.Join(upToStart, " "),
		strings.Join(upToStart, " ") + " -2",
	} {
		if got, err := ParseStat([]byte(line)); err == nil {
			t.Errorf("%q: accepted as %+v", line, got)
		}
	}
}

// Whatever a process calls itself, its numbers stay what they are.
func FuzzStatName(f *testing.F) {
	f.Add("a) R (b", 10, 1, uint64(70888))
	f.Add("1 (x) Z 1 1", 4194304, 99, uint64(1<<63))
	f.Fuzz(func(t *testing.T, name string, pid, parent int, started uint64) {
		if pid <= 0 {
			return
		}
		want := Info{ID: ID{PID: pid, Start: started}, Parent: parent, Name: name, State: 'R', Threads: 1}
		if got, err := ParseStat([]byte(statLine(want))); err != nil || got != want {
			t.Errorf("got %+v, %v, want %+v", got, err, want)
		}
	})
}

// No line makes the parser panic, or accept a process without a pid.
func FuzzStatLine(f *testing.F) {
	f.Add([]byte(statLine(Info{ID: ID{PID: 1, Start: 2}, Name: "a", State: 'S'})))
	f.Add([]byte("1 (a) S 0 1 1 0 -1 0 0 0 0 0 3 4 0 0 20 0 1 0 9"))
	f.Add([]byte(")("))
	f.Add([]byte("1()\x00 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0"))
	f.Fuzz(func(t *testing.T, line []byte) {
		if got, err := ParseStat(line); err == nil && (got.PID <= 0 || got.State == 0) {
			t.Errorf("%q: accepted as %+v", line, got)
		}
	})
}

func TestReadOfAMisleadingName(t *testing.T) {
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "a) Z (b")
	if err := os.Symlink(sleep, link); err != nil {
		t.Fatal(err)
	}
	// The name in argv is the one that multi-call binaries look at.
	c := start(t, &exec.Cmd{Path: link, Args: []string{"sleep", "1000"}})
	info, err := Read(c.Process.Pid)
	if err != nil || info.Name != "a) Z (b" || info.Parent != os.Getpid() || info.Ended() {
		t.Errorf("got %+v, %v", info, err)
	}
}
