package bench

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The benchmarks run whole programs, ours beside those that people use for the same: a figure is a
// ratio within one run.

// top is the folder of our program.
const top = "../.."

// build returns the path of a static binary of the package in dir.
func build(b testing.TB, dir string) string {
	b.Helper()
	path := filepath.Join(b.TempDir(), "program")
	cmd := exec.Command("go", "build", "-trimpath", "-tags=urfave_cli_no_template", "-ldflags=-s -w", "-o", path, ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	// As make install does. The linker's own file is cached in small pieces, and starts a tenth more slowly.
	program, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path+"-copy", program, 0o700)
	}
	if err != nil {
		b.Fatal(err)
	}
	return path + "-copy"
}

// peer runs the command line b.N times in the folder dir, with its output going through a pipe. A
// program that is not there skips.
func peer(b *testing.B, name, dir string, command ...string) {
	b.Run(name, func(b *testing.B) {
		path, err := exec.LookPath(command[0])
		if err != nil {
			b.Skipf("%s is not installed", command[0])
		}
		for b.Loop() {
			cmd := exec.Command(path, command[1:]...)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "TERM=xterm-256color")
			out, err := cmd.StdoutPipe()
			if err == nil {
				err = cmd.Start()
			}
			if err == nil {
				_, err = io.Copy(io.Discard, out)
			}
			if err == nil {
				err = cmd.Wait()
			}
			if err != nil {
				b.Fatalf("%s: %v", strings.Join(command, " "), err)
			}
		}
	})
}

// BenchmarkStream moves 20 MB of lines of base64 length through a terminal into a pipe.
func BenchmarkStream(b *testing.B) {
	const size = 20e6
	devtools, dir := build(b, top), b.TempDir()
	line := strings.Repeat("0123456789abcdef", 5)[:76] + "\n"
	if err := os.WriteFile(filepath.Join(dir, "big"), []byte(strings.Repeat(line, size/len(line))), 0o600); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(size)
	peer(b, "tool=devtools-raw", dir, devtools, "run", "--raw", "--", "cat", "big")
	peer(b, "tool=devtools-text", dir, devtools, "run", "--", "cat", "big")
	peer(b, "tool=script", dir, "script", "-qec", "cat big", os.DevNull)
	peer(b, "tool=tmux", dir, "sh", "-c", `command -v tmux >/dev/null && tmux -L bench$$ -f /dev/null new-session -d "cat big; tmux -L bench$$ wait-for -S done" \; wait-for done`)
	peer(b, "tool=asciinema", dir, "sh", "-c", "asciinema rec -q --overwrite -c 'cat big' out.cast")
}

// BenchmarkScrollback looks at 10,000 rows of scrollback.
func BenchmarkScrollback(b *testing.B) {
	devtools, dir := build(b, top), b.TempDir()
	run := func(name string, args ...string) {
		b.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%s: %v: %s", strings.Join(args, " "), err, out)
		}
	}
	b.Cleanup(func() { run(devtools, "kill", "long") })
	run(devtools, "run", "--wait", "background", "--name", "long", "--", "sh", "-c",
		"until test -e go; do sleep 0.01; done; seq 11000 | sed 's/$/ of the rows in the scrollback of this terminal/'; exec sleep 1000")
	run(devtools, "resize", "long", "--scrollback", "10000")
	run("sh", "-c", `touch go; until "$0" screen long | grep "^11000"; do :; done`, devtools)
	peer(b, "tool=devtools-json", dir, devtools, "--json", "screen", "long", "-S", "-")
}

// BenchmarkLaunch is a session that ends at once, beside the least that a Go program costs.
func BenchmarkLaunch(b *testing.B) {
	devtools, dir := build(b, top), b.TempDir()
	peer(b, "tool=devtools", dir, devtools, "launch", "--max-sessions", "0", "--", "true")
	peer(b, "tool=empty", dir, build(b, "testdata/empty"))
}

// BenchmarkHistory reads a log of a million events.
func BenchmarkHistory(b *testing.B) {
	devtools, dir := build(b, top), b.TempDir()
	if err := os.Mkdir(filepath.Join(dir, ".devtools"), 0o700); err != nil {
		b.Fatal(err)
	}
	f, err := os.Create(filepath.Join(dir, ".devtools", "process-log.jsonl"))
	if err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriter(f)
	at := time.Date(2026, 1, 15, 10, 0, 0, 0, time.UTC)
	for i := range 500000 {
		session := fmt.Sprintf(`"terminal":"web%d","ts":"%s","sessionId":"6aj%07d","start":%d,"boot":"51bc233c-0862-4e51-9fd1-7f5e33ea8af2","cwd":"/home/me/shop"`,
			i%1000, at.Add(time.Duration(i)*time.Second).Format("2006-01-02T15:04:05.000Z"), i, 8812345+i)
		fmt.Fprintf(w, `{"v":1,"event":"started","pid":%d,"name":"node","cmd":"node server.js --port %d",%s}`+"\n", 1000+i%30000, i, session)
		fmt.Fprintf(w, `{"v":1,"event":"completed","pid":%d,"name":"node","cmd":"node server.js --port %d",%s,"exitCode":%d}`+"\n", 1000+i%30000, i, session, i%5)
	}
	if err := errors.Join(w.Flush(), f.Close()); err != nil {
		b.Fatal(err)
	}
	peer(b, "tool=devtools", dir, devtools, "history")
	peer(b, "tool=devtools-json", dir, devtools, "history", "--json")
	peer(b, "tool=devtools-session", dir, devtools, "history", "--session", "web77")
	peer(b, "tool=devtools-failed", dir, devtools, "history", "--failed")
	peer(b, "tool=devtools-grep", dir, devtools, "history", "--grep", `port \d+77$`)
	peer(b, "tool=devtools-tail", dir, devtools, "history", "--tail", "10")
	peer(b, "tool=grep", dir, "grep", `"terminal":"web77"`, ".devtools/process-log.jsonl")
	peer(b, "tool=jq", dir, "jq", "-c", `select(.terminal == "web77")`, ".devtools/process-log.jsonl")
}

// BenchmarkPs lists 15 sessions with 105 processes, with what they use, where they listen and what they wait for. The
// peer reads the tree of all processes and tells no more of them.
func BenchmarkPs(b *testing.B) {
	devtools, dir := build(b, top), b.TempDir()
	run := func(args ...string) {
		b.Helper()
		cmd := exec.Command(devtools, args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%s: %v: %s", strings.Join(args, " "), err, out)
		}
	}
	b.Cleanup(func() { run("kill", "--all", "--kill-after", "0s") })
	for range 15 {
		run("launch", "--max-sessions", "0", "--ready", "text:up", "--", "sh", "-c", "for i in 1 2 3 4 5 6; do sleep 1000 & done; echo up; wait")
	}
	peer(b, "tool=devtools", dir, devtools, "ps")
	peer(b, "tool=devtools-json", dir, devtools, "ps", "--json")
	peer(b, "tool=pstree", dir, "pstree", "-p")
}

// BenchmarkStacks looks at a small project and at a workspace of 200 projects with 1,000 scripts and 100,000 files and
// more that git ignores; the peer is git's own look at the latter, all else of which is committed.
func BenchmarkStacks(b *testing.B) {
	devtools, small, large := build(b, top), b.TempDir(), b.TempDir()
	write := func(dir, name, text string) {
		b.Helper()
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			b.Fatal(err)
		}
	}
	const manifest = `{"name": "p", "scripts": {"dev": "vite --port 3000", "build": "tsc -b && vite build", "test": "vitest run",
		"lint": "eslint . --max-warnings 0", "start": "npm run build && node src/server.js"},
		"devDependencies": {"vite": "6", "typescript": "5"}}`
	write(small, "package.json", manifest)
	write(large, "package.json", `{"workspaces": ["packages/*"]}`)
	write(large, ".gitignore", "node_modules/\ndist/\ncoverage/\n.next/\n*.log\n*.tsbuildinfo\n.env\n.env.*\n!.env.example\n/packages/*/lib\n**/generated/\n*~\n")
	for p := range 200 {
		project := "packages/p" + strconv.Itoa(p)
		write(large, project+"/package.json", manifest)
		write(large, project+"/tsconfig.json", "{}")
		write(large, project+"/src/server.js", "import http from 'node:http'\nhttp.createServer().listen(3000)\n")
		write(large, project+"/lib/package.json", "{}")
		write(large, project+"/build.log", "")
		for f := range 497 {
			write(large, project+"/src/d"+strconv.Itoa(f/17)+"/f"+strconv.Itoa(f)+".ts", "")
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=b", "-c", "user.email=b@example.org", "commit", "-qm", "all"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = large
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	peer(b, "tool=devtools/files=1", small, devtools, "stacks")
	peer(b, "tool=devtools-bare/files=1", small, devtools, "--version")
	peer(b, "tool=devtools/files=100k", large, devtools, "stacks")
	peer(b, "tool=git-status/files=100k", large, "git", "status")
}
