package runner_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"devtools/ledger"
	"devtools/runner"
	"devtools/runner/proc"
	"devtools/runner/runnertest"
	"devtools/runner/wire"
	"devtools/screen"
)

// A lateReader is a program that begins to read late, throws away what was typed before, or changes the modes of the
// terminal. Its last two arguments are a time in seconds by which it is late, and the file to which it writes what it has read.
type lateReader struct {
	name    string
	command []string
	keys    []string
	want    string
}

// lateReaders returns the programs. testdata is their folder.
func lateReaders(testdata string) []lateReader {
	script := func(name string) string { return filepath.Join(testdata, name) }
	vim := []string{"sh", "-c", `sleep "$1"; exec vim -u NONE -i NONE -n "$2"`, "sh"}
	less := []string{"sh", "-c", `sleep "$1"; seq 1000 >numbers; LESS= LESSEDIT= VISUAL='cp numbers' less -X numbers; echo left >"$2"`, "sh"}
	dialog := []string{"sh", "-c", `sleep "$1"; dialog --menu Pick 12 40 4 a apple b banana c cherry 2>"$2.part"; mv "$2.part" "$2"`, "sh"}
	shell := []string{"bash", "--norc", "-c", `exec bash --norc -i`, "bash"}
	python := "python3 " + script("flush_raw.py") + " 0.4 "
	return []lateReader{
		{"python flush", []string{"python3", script("flush_raw.py")}, []string{"hello", "Enter"}, "hello\r"},
		{"python getpass", []string{"python3", script("hidden.py")}, []string{"one", "Enter", "two", "Enter"}, "one two"},
		{"python single keys", []string{"python3", script("single_keys.py")}, []string{"Up", "Down", "Tab", "Enter"}, "\x1b[A\x1b[B\t\r"},
		{"bash drain", []string{"bash", script("drain.sh")}, []string{"a line", "Enter", "k"}, "a line k"},
		{"sh stty", []string{"sh", script("stty.sh")}, []string{"a line", "Enter", "[Tab]", "the end", "Enter"}, "a line \t the end"},
		{"python query", []string{"python3", script("query.py")}, []string{"hello", "Enter"}, "hello\r"},
		{"node readline", []string{"node", script("question.js")}, []string{"one", "Enter", "two", "Enter"}, "one two"},
		{"python polls", []string{"python3", script("polled.py")}, []string{"hello", "Enter"}, "hello\r"},
		{"python curses", []string{"python3", script("curses_menu.py")}, []string{"Down", "x", "Enter"}, "258 120 10"},
		{"vim", vim, []string{"itwo", "Escape", "OANNA", "Escape", "OBOB", "Escape", ":wq", "Enter"}, "BOB\nANNA\ntwo\n"},
		{"less", less, []string{"G", "g", "/500", "Enter", "q"}, "left\n"},
		{"dialog", dialog, []string{"Down", "Down", "Enter"}, "c"},
		{"shell", shell, []string{python + "FILE", "Enter", "hello", "Enter", "exit", "Enter"}, "hello\r"},
		{"python flushing", []string{"python3", script("flushing.py")}, []string{"hello", "Enter"}, "hello\r"},
		{"node raw", []string{"node", script("raw.js")}, []string{"hello", "Enter"}, "hello\r"},
		{"ruby", []string{"ruby", script("getch.rb")}, []string{"one", "Enter", "two", "Enter", "k"}, "one two k"},
		{"sh vtime", []string{"sh", script("vtime.sh")}, []string{"a line", "Enter"}, "a line"},
		{"script", []string{"sh", "-c", `exec script -qec "python3 ` + script("flush_raw.py") + ` $1 $2" /dev/null`, "sh"}, []string{"hello", "Enter"}, "hello\r"},
		{"zsh", []string{"zsh", "-fc", "exec zsh -f -i", "zsh"}, []string{python + "FILE", "Enter", "hello", "Enter", "exit", "Enter"}, "hello\r"},
		{"fish", []string{"fish", "--no-config", "-c", "exec fish --no-config -i"}, []string{python + "FILE", "Enter", "hello", "Enter", "exit", "Enter"}, "hello\r"},
		{"python each flushed", []string{"python3", script("each_flushed.py")}, []string{"hello", "Enter"}, "hello\r"},
		{"python one letter", []string{"python3", script("one_letter.py")}, []string{"a", "b", "c", "Enter"}, "abc\r"},
		{"python letter, then line", []string{"python3", script("letter_then_line.py")}, []string{"yhello", "Enter"}, "yhello\n"},
		{"python never blocks", []string{"python3", script("never_blocks.py")}, []string{"hello", "Enter"}, "hello\r"},
		{"python sleeps", []string{"python3", script("sleeps.py")}, []string{"Down", "hello", "Enter"}, "\x1b[Bhello\r"},
		{"node child", []string{"node", script("child.js")}, []string{"one", "Enter", "two", "Enter"}, "one two"},
		{"node timer", []string{"node", script("timer.js")}, []string{"one", "Enter", "two", "Enter"}, "one two"},
		{"shell cat", shell, []string{"sleep 0.3; cat >FILE", "Enter", "one", "Enter", "two", "Enter", "C-d", "exit", "Enter"}, "one\ntwo\n"},
	}
}

// A fate is what became of the keys of one round.
type fate string

const (
	arrived  fate = "arrived"
	reported fate = "reported" // they did not arrive, and the call has said so
	lost     fate = "lost"     // they did not arrive, and the call has said that they did
)

// try starts a program that is late by so many seconds, types its keys and tells what became of them.
func (p lateReader) try(t *testing.T, state, work string, late float64) (fate, string) {
	file := filepath.Join(work, "got")
	command := append(slices.Clone(p.command), fmt.Sprintf("%.3f", late), file)
	spec := runnertest.SpecFor(t, state, command...)
	spec.Cwd = work
	spec.Env = append(spec.Env, "LC_ALL=C.UTF-8", "HOME="+work, "PS1=$ ", "TERM=xterm-256color")
	c := runnertest.Begin(t, spec)
	dir := runnertest.OpenState(t, state)
	var args []string
	for _, key := range p.keys {
		args = append(args, strings.ReplaceAll(key, "FILE", file))
	}
	_, sent, err := runner.Send(runnertest.WithPatience(t), dir, c.Session.ID, runner.Typing{Keys: wire.Keys{Args: args}})
	if errors.Is(err, ledger.ErrNoSession) {
		t.Fatal(err)
	}
	told := fmt.Sprintf("%v, %+v", err, sent.Receipt)
	if err != nil || sent.Receipt.Delivery.Lost() {
		_, _ = c.Kill(runnertest.WithPatience(t), 0, "KILL", 0)
		return reported, told
	}
	if _, err := c.Result(runnertest.WithPatience(t)); err != nil {
		return lost, told
	}
	data, err := os.ReadFile(file)
	if err != nil || string(data) != p.want {
		return lost, fmt.Sprintf("it has read %q, %v, want %q: %s", data, err, p.want, told)
	}
	return arrived, told
}

// tryAll types into each of the programs in turn, so many times in all, and counts the fates.
func tryAll(t *testing.T, rounds, atOnce int, latest float64) {
	testdata, err := filepath.Abs("testdata/latereaders")
	if err != nil {
		t.Fatal(err)
	}
	state := runnertest.NewState(t)
	counts := map[string]map[fate]int{}
	var mu sync.Mutex
	var all sync.WaitGroup
	next := make(chan int)
	for range atOnce {
		all.Go(func() {
			for i := range next {
				work := t.TempDir()
				programs := lateReaders(testdata)
				p := programs[i%len(programs)]
				f, told := p.try(t, state, work, rand.Float64()*latest)
				mu.Lock()
				if counts[p.name] == nil {
					counts[p.name] = map[fate]int{}
				}
				counts[p.name][f]++
				mu.Unlock()
				if f != arrived {
					t.Logf("%s: %s: %s", p.name, f, told)
				}
			}
		})
	}
	for i := range rounds {
		next <- i
	}
	close(next)
	all.Wait()
	total := map[fate]int{}
	for name, c := range counts {
		t.Logf("%-20s %v", name, c)
		for f, n := range c {
			total[f] += n
		}
	}
	t.Logf("%-20s %v", "all", total)
	if total[lost] > 0 || total[reported] > (rounds+99)/100 { // on busy processors, fish flushes its input now and then just before it reads
		t.Errorf("%d rounds: %v", rounds, total)
	}
}

// What is typed for programs that begin to read late, throw input away and change the modes arrives, or the call says that it
// did not.
func TestLateReaders(t *testing.T) {
	for _, program := range []string{"python3", "bash", "node", "vim", "less", "dialog", "script", "zsh", "fish", "ruby"} {
		runnertest.Need(t, program)
	}
	tryAll(t, 28, 4, 0.5)
}

// The same 500 times, on busy processors.
func TestStressLateReaders(t *testing.T) {
	runnertest.NeedStress(t)
	defer runnertest.Load(t, 2)()
	tryAll(t, 500, 4, 2)
}

// Keys are not typed for a client that is gone, not even when it leaves while the holder is stopped and the program begins to read.
func TestSendOfGoneClient(t *testing.T) {
	for range 5 {
		state, work := runnertest.NewState(t), t.TempDir()
		spec := runnertest.Shell(t, state, `until test -e go; do sleep 0.01; done; : >reads; read line; echo "<$line>"; sleep 1000`)
		spec.Cwd = work
		c := runnertest.Begin(t, spec)
		ctx := runnertest.WithPatience(t)
		client, err := runner.Dial(runnertest.OpenState(t, state), c.Session)
		if err != nil {
			t.Fatal(err)
		}
		client.Send(wire.Request{Op: wire.OpType, Type: &wire.TypeRequest{Args: [][]byte{[]byte("gone"), []byte("Enter")}, LimitMs: -1}})
		view := screen.Visible()
		if _, err := client.Call(ctx, wire.Request{Op: wire.OpScreen, View: &view}); err != nil { // the keys wait by then
			t.Fatal(err)
		}
		if err := syscall.Kill(c.Session.Holder.PID, syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		_ = client.Close()
		if err := os.WriteFile(filepath.Join(work, "go"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		for {
			_, err := os.Stat(filepath.Join(work, "reads"))
			if shell, _ := proc.Glimpse(c.Session.Main.PID); err == nil && shell.State == 'S' {
				break
			}
			if ctx.Err() != nil {
				t.Fatal("the program does not read")
			}
		}
		if err := syscall.Kill(c.Session.Holder.PID, syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
		runnertest.TypeInto(t, c, "here", "Enter")
		runnertest.Met(t, c, "text:<here>")
	}
}
