package commands

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"devtools/runner/runnertest"
)

// A boxedCase is what an agent does in a sandbox, and what it is to be told. Each line of calls is one call of the agent, for bash; what
// the last one prints counts. A want begins with the exit code: x for any but 0, ? for any. Each line after it is a pattern of the
// output with standard error, or ! and one that must not be there.
type boxedCase struct {
	name, calls, want string
	other             map[string]string // where a shape is to give something else
}

const (
	boxShell = `devtools launch -q --name sh --ready prompt -- bash --norc && ` // a session for the rest of the line
	boxPipe  = `devtools launch -q --no-pty --name p -- cat && `

	cannotWrite = "x\n(?i)read-only"          // launch where nothing can be written
	noTerminal  = "x\n(?i)terminal"           // where none can be had
	noSession   = "x\n(?i)no (such )?session" // of a call before, which could write nothing
	gone        = "x\nits sandbox ended with the call that started it"
	endsWith    = `ends when bwrap \(pid 1 here\) ends`
)

// inShell and inPipe are the wants of what needs a session in a terminal, and in pipes.
func inShell(name, calls, want string) boxedCase {
	return boxedCase{name, boxShell + calls, want, map[string]string{"readonly": cannotWrite, "landlock": noTerminal}}
}

func inPipe(name, calls, want string) boxedCase {
	return boxedCase{name, boxPipe + calls, want, map[string]string{"readonly": cannotWrite}}
}

// afterwards is a call for a session that a call before has started, which lives on under Landlock alone.
func afterwards(name, call, want, landlock string) boxedCase {
	unsaved := noSession
	if strings.HasSuffix(call, "devtools ps --all") || call == "devtools history" { // they list what there is
		unsaved = "0\n!cat"
	}
	return boxedCase{name + ", next call", boxPipe + "devtools send-keys -q p hello Enter --wait text:hello\n" + call, want, map[string]string{"readonly": unsaved, "landlock": landlock}}
}

var boxedCases = []boxedCase{
	{"run", `devtools run -- 'echo hi'`, "0\n^hi$\n!devtools:", map[string]string{
		"readonly": "0\n^hi$\n(?i)read-only|memory", "landlock": "0\n^hi$\n(?i)terminal",
	}},
	{"run, exit code", `devtools run -- 'echo hi; exit 7'`, "7\n^hi$", nil},
	{"run --json", `devtools run --json -- 'echo hi; exit 7'`, "7\n\"exitCode\":7\n\"output\":\"hi\n\"status\":\"completed\"", map[string]string{
		"landlock": "7\n\"exitCode\":7\n\"output\":\"hi\n\"tty\":false",
	}},
	{"run of a signal", `devtools run -- 'kill -9 $$'`, "137", nil},
	{"run, not found", `devtools run -- no-such-program`, "127", nil},
	{"run --stdin", `echo data | devtools run --stdin -- cat`, "0\n^data$", nil},
	{"run --no-pty", `devtools run --no-pty -- 'echo out; echo err >&2'`, "0\n^out$\n^err$", nil},
	{"run --no-record", `devtools run --no-record -- 'echo hi'`, "0\n^hi$", nil},
	{"run, much output", `devtools run --max-output 0 -- 'seq 200000' | tail -1`, "0\n^200000$", nil},
	{"run asks", `devtools run -T 50s -- 'read -p "name? " x; echo "[$x]"'`, "120\nname\\?", map[string]string{"landlock": "?\n\\[\\]\n(?i)terminal"}},
	{"run asks, JSON", `devtools run -T 50s --json -- 'read -p "name? " x; echo "[$x]"'`, "120\n\"status\":\"waiting_for_input\"\n\"endsWithCall\":true", map[string]string{
		"readonly": "120\n\"status\":\"waiting_for_input\"\n\"exitCode\":143", "landlock": "?\n\"tty\":false",
	}},
	{"run --answer", `devtools run -T 50s --answer 'name=Ann' -- 'read -p "name? " x; echo "[$x]"'`, "0\n\\[Ann\\]", map[string]string{"landlock": noTerminal}},
	{"run --answer, select", `devtools run -T 50s --answer Continue=y -- python3 -c 'import select, sys; print("Continue? [y/N] ", end="", flush=True); select.select([0], [], []); print("got", sys.stdin.readline())'`, "0\n^got y", map[string]string{"landlock": noTerminal}},
	{"run -T", `devtools run -T 1s -- 'echo early; sleep 300; exit 3'`, "124\n^early$\n" + endsWith + "\n!--resume", map[string]string{
		"readonly": "124\n^early$\nended\n!--resume", "landlock": "124\n^early$\n--resume",
	}},
	{"run -T, JSON", `devtools run -T 1s --json -- 'echo early; sleep 300; exit 3'`, "124\n\"output\":\"early\n\"status\":\"timeout\"\n\"endsWithCall\":true", map[string]string{
		"readonly": "124\n\"output\":\"early\n\"status\":\"timeout\"\n\"exitCode\":143", "landlock": "124\n\"output\":\"early\n\"status\":\"timeout\"\n!endsWithCall",
	}},
	{"run --on-timeout kill", `devtools run -T 1s --on-timeout kill -- 'echo early; sleep 300'`, "124\n^early$\n!--resume", nil},
	{"run --until", `devtools run -T 50s -u text:ready --name web -- 'echo ready; sleep 300' && devtools log web`, "0\nready\n" + endsWith, map[string]string{
		"readonly": "x\n(?i)read-only", "landlock": noTerminal, // a condition looks at the screen
	}},
	{"leftovers", `devtools run --leftovers kill -- 'setsid sleep 300 & echo hi'`, "0\nhi", nil},
	{"launch says when it ends", `devtools launch --name s -- sleep 300`, "0\n^s$\n" + endsWith, map[string]string{
		"readonly": cannotWrite, "landlock": "?\n(?i)terminal",
	}},
	{"launch, JSON", `devtools launch --json --name s --no-pty -- sleep 300`, "0\n\"endsWithCall\":true", map[string]string{
		"readonly": cannotWrite, "landlock": "0\n!endsWithCall",
	}},
	{"launch --ready port", `devtools launch -T 50s --name web --ready port:18231 -- python3 -m http.server 18231 --bind 127.0.0.1`, "0\n^web$", map[string]string{
		"net": "x\n!--resume", "readonly": cannotWrite, "landlock": "?",
	}},
	inShell("send-keys, screen", `devtools send-keys sh 'echo typed-$((40+2))' Enter --wait text:typed-42 >/dev/null && devtools screen sh`, "0\n^typed-42"),
	inShell("screen --svg", `devtools screen sh --format svg`, "0\n<svg"),
	inShell("run --in", `devtools run --in sh -- cd / && devtools run --in sh -- pwd`, "0\n^/$"),
	inShell("resize", `devtools resize sh 100x30 && devtools run --in sh -- stty size`, "0\n^30 100"),
	inShell("attach", `devtools launch -q --name outer -- devtools attach sh && devtools wait -T 50s outer --until 'text:[$#]' && devtools send-keys outer 'echo at-$((40+2))' Enter --wait text:at-42 && devtools send-keys outer 'C-\' && devtools wait -T 50s outer && devtools screen sh`, "0\nat-42"),
	inShell("ask", `devtools ask sh -m look -T 0.5`, "124\nwithdrawn"),
	inShell("wait prompt", `devtools wait -T 50s sh --until prompt`, "0"),
	inShell("replay", `devtools run --in sh -- echo once && devtools replay sh --export - --format txt`, "0\nonce"),
	inPipe("send-keys, log", `devtools send-keys p hello Enter --wait text:hello && devtools log p`, "0\n^hello$"),
	inPipe("wait text", `devtools send-keys p hello Enter && devtools wait -T 50s p --until text:hello`, "0"),
	inPipe("log --follow", `devtools send-keys p hello Enter --wait text:hello && devtools send-keys p --eof && devtools log p --follow`, "0\n^hello$"),
	inPipe("wait exit", `devtools send-keys p --eof && devtools wait -T 50s p`, "0"),
	inPipe("kill", `devtools kill p && devtools ps`, "0\n^killed"),
	inPipe("ps", `devtools ps`, "0\n^p +running"),
	inPipe("ps --tree", `devtools ps --tree`, "0\ncat"),
	inPipe("ps --json", `devtools ps --json`, "0\n\"status\":\"running\""),
	inPipe("rename", `devtools rename p q && devtools ps`, "0\n^q +running"),
	inPipe("label", `devtools label p a=b && devtools label p`, "0\na=b"),
	inPipe("restart", `devtools restart p && devtools send-keys p again Enter --wait text:again`, "0"),
	inPipe("doctor NAME", `devtools doctor p`, "0\np "),
	inPipe("capture", `devtools capture start p --format raw -o p.raw && devtools capture list p && devtools send-keys p hello Enter --wait text:hello && devtools capture stop p && cat p.raw`, "0\n^hello"),
	inPipe("kill --all", `devtools kill --all`, "0\n^killed"),
	{"history", `devtools run -q -- 'echo hi' >/dev/null; devtools history`, "0\necho hi", map[string]string{"readonly": "0"}},
	{"ps of none", `devtools ps`, "0", nil},
	{"stacks", `devtools stacks`, "0", nil},
	{"stacks --classify", `devtools stacks --classify 'python3 -m http.server'`, "0\nserver", nil},
	{"watch", `devtools launch -q --name w -- devtools watch -- 'echo started; sleep 300' && devtools wait -T 50s w --until text:started && devtools kill w`, "0\n^killed", map[string]string{
		"readonly": cannotWrite, "landlock": "?\n(?i)terminal",
	}},
	{"watch --token", `devtools watch --token`, "0", map[string]string{"readonly": cannotWrite}},
	{"kill-orphans", `devtools kill-orphans`, "0", nil},
	{"prune", `devtools prune --older 7d`, "0", nil},
	{"policy check", `devtools policy check -- ls`, "0\nfree", nil},
	{"schema", `devtools schema run`, "0\n\"properties\"", nil},
	{"completion", `devtools completion bash`, "0\ncomplete", nil},
	{"help", `devtools help run`, "0\ndevtools run", nil},
	{"doctor", `devtools doctor`, "0\n" + endsWith + "\n!(?m:^fail)", map[string]string{
		"unix": "0\n" + endsWith + "\n(?i)(warn|note) +sockets.*not permitted\nFIFO\n!(?m:^fail)", "net": "0\n" + endsWith + "\n(?i)(warn|note) +sockets.*not permitted\nFIFO\n!(?m:^fail)",
		"readonly": "1\n(?m:^fail).*(?i:read-only)\nrun\n" + endsWith, "landlock": "1\n(?m:^fail) +terminal.*/dev/ptmx.*permission denied\n!ends when",
	}},
	{"doctor --json", `devtools doctor --json`, "?\n\"name\":\"terminal\"\n\"name\":\"FIFO\"\n\"name\":\"sandbox\"", map[string]string{
		"readonly": "1\n\"name\":\"state folder\",\"level\":\"fail\"\n\"name\":\"runtime folder\",\"level\":\"fail\"",
	}},

	{"run -T, log in the next call", "devtools run -T 1s --name slow -- 'echo early; sleep 300'\ndevtools log slow", "0\n^early$", map[string]string{"readonly": noSession}},
	{"run -T, wait in the next call", "devtools run -T 1s --name slow -- 'echo early; sleep 300'\ndevtools wait -T 0.2 slow", "x\n!still runs", map[string]string{
		"readonly": noSession, "landlock": "124",
	}},
	{"history in the next call", "devtools run -q -- 'echo hi'\ndevtools history", "0\necho hi", map[string]string{"readonly": "0"}},
	{"replay in the next call", "devtools run -q --name r -- 'echo hi'\ndevtools replay r --export - --format txt", "0\nhi", map[string]string{"readonly": noSession}},
	afterwards("send-keys", `devtools send-keys p x Enter`, gone, "0"),
	afterwards("wait", `devtools wait -T 0.2 p`, gone, "124"),
	afterwards("wait --json", `devtools wait -T 0.2 p --json`, gone, "124"),
	afterwards("run --resume", `devtools run -T 0.2 --resume p`, gone, "124"),
	afterwards("kill", `devtools kill p`, "?\nits sandbox ended with the call that started it", "0\n^killed"),
	afterwards("log", `devtools log p`, "0\n^hello$", "0\n^hello$"),
	afterwards("replay", `devtools replay p --export - --format txt`, "0\nhello", "0\nhello"),
	afterwards("ps", `devtools wait -T 1 p 2>/dev/null; devtools ps --all`, // until the end of the sandbox has killed its holder, it runs
		"0\n!^p +running", "0\n^p +running"),
	afterwards("doctor NAME", `devtools wait -T 1 p 2>/dev/null; devtools doctor p`, "0\nits sandbox ended with the call that started it", "0\np "),
	afterwards("history", `devtools history`, "0\ncat", "0\ncat"),
}

// Each command answers rightly in each shape of sandbox, or says truly why not; and nothing is left there.
func TestStressSandboxShapes(t *testing.T) {
	for shape := range boxShapes {
		t.Run(shape, func(t *testing.T) {
			t.Parallel()
			rounds := runnertest.Rounds(1, 5)
			switch {
			case !boxWorks(shape):
				t.Skip("such a sandbox does not work here")
			case rounds == 1 && (shape == "pid" || shape == "unix"):
				t.Skip("with DEVTOOLS_STRESS=1 alone: the shape net refuses the same and more")
			}
			for round := range rounds {
				for _, c := range boxedCases {
					t.Run(fmt.Sprint(c.name, " ", round+1), func(t *testing.T) {
						t.Parallel()
						boxedRun(t, shape, c)
					})
				}
			}
		})
	}
}

func boxedRun(t *testing.T, shape string, c boxedCase) {
	base, err := os.MkdirTemp("/tmp", "box") // short enough for the address of a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	work, temporary := filepath.Join(base, "w"), filepath.Join(base, "t")
	if err := errors.Join(os.Mkdir(work, 0o700), os.Mkdir(temporary, 0o700)); err != nil {
		t.Fatal(err)
	}
	env := slices.DeleteFunc(os.Environ(), func(pair string) bool {
		return strings.HasPrefix(pair, "DEVTOOLS_") && !strings.HasPrefix(pair, "DEVTOOLS_TEST=") || strings.HasPrefix(pair, "XDG_")
	})
	env = append(env, "TMPDIR="+temporary, "HOME="+base, "DEVTOOLS_REMINDER=0", "GORACE=atexit_sleep_ms=0")
	call := func(name string, arguments ...string) (out []byte, code int) {
		ctx, cancel := context.WithTimeout(context.Background(), 4*runnertest.Patience)
		defer cancel()
		cmd := exec.CommandContext(ctx, name, arguments...)
		cmd.Dir, cmd.Env, cmd.WaitDelay = work, env, time.Second // what a call leaves running holds its output open
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		err := cmd.Run()
		if ctx.Err() != nil {
			t.Errorf("%s %q hangs", name, arguments)
		} else if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
			t.Errorf("%s %q: %v", name, arguments, err)
		}
		return append(stdout.Bytes(), stderr.Bytes()...), cmd.ProcessState.ExitCode()
	}
	var out []byte
	code := 0
	for line := range strings.Lines(c.calls) {
		out, code = call("box", shape, "bash", "-c", line)
	}
	want := c.want
	if other, ok := c.other[shape]; ok {
		want = other
	}
	if fault := boxedFault(want, code, string(out)); fault != "" {
		t.Errorf("%s: code %d, %s\n%s", c.calls, code, fault, out)
	}
	call("devtools", "kill", "-q", "--all") // what lives on without a namespace
	for deadline := time.Now().Add(runnertest.Patience); ; {
		call("devtools", "ps", "--all") // this removes what holders had that the end of their namespace has killed, once they are dead
		left, _ := filepath.Glob(filepath.Join(temporary, "*", "*"))
		others, _ := filepath.Glob(filepath.Join(temporary, "[^d]*"))
		if left = append(left, others...); len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Errorf("left: %v", left)
			return
		}
		<-time.After(20 * time.Millisecond)
	}
}

// boxedFault returns in what an answer is not as it is to be.
func boxedFault(want string, code int, out string) string {
	first, patterns, _ := strings.Cut(want, "\n")
	if first != "?" && first != strconv.Itoa(code) && (first != "x" || code == 0) {
		return "not " + first
	}
	for line := range strings.Lines(patterns) {
		pattern, not := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "!")
		if regexp.MustCompile("(?m)"+pattern).MatchString(out) == not {
			return fmt.Sprintf("pattern %s: %v", pattern, not)
		}
	}
	return ""
}
