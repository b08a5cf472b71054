package main

import (
	"bytes"
	"debug/elf"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"devtools/runner/runnertest"
)

var update = flag.Bool("update", false, "write the figures of testdata/budget.txt anew")

const budgetFile = "testdata/budget.txt"

const budgetHead = `# What the program costs, without a clock. TestBudget fails when a figure grows by more than a tenth
# (and by more than a slack, see budget_linux_test.go). After a change that is worth it,
#
#     go test -run TestBudget . -update
#
# writes the figures anew; they go into a commit of their own that says why. Packages of less than the
# slack are left out. The standard library and the whole binary count only with this version of Go:
`

// Each kind of figure may grow by a tenth and by a slack: so much that a small figure does not fail for
// what nobody can help.
var slacks = map[string]int{
	"bytes of initialization":       256, // the tables of a map are split by its random hash
	"allocations of initialization": 4,   // the same
	"KB of the binary":              16,  // one function more or less of a small package is inlined
	"calls":                         2,   // a file of Go's runtime or of the C library's configuration
}

// A budget holds figures by their names: kind, colon, blank, and what has the cost.
type budget map[string]int

// TestBudget holds the costs of the program that no clock is needed for beside those written down.
func TestBudget(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the figures are those of amd64")
	}
	data, err := os.ReadFile(budgetFile)
	if err != nil && !*update {
		t.Fatal(err)
	}
	goVersion := regexp.MustCompile(`go1\.\d+`).FindString(runtime.Version())
	wanted := budget{}
	sameGo := false
	for line := range strings.Lines(string(data)) {
		sameGo = sameGo || strings.TrimSpace(line) == goVersion
		figure, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		if n, err := strconv.Atoi(figure); err == nil {
			wanted[name] = n
		}
	}
	program, withSymbols := build(t, ".", true), build(t, ".", false)
	for part, measure := range map[string]func(*testing.T) budget{
		"Initialization": func(t *testing.T) budget { return initialization(t, program) },
		"Size":           func(t *testing.T) budget { return sizes(t, program, withSymbols) },
		"Calls":          func(t *testing.T) budget { return calls(t, program) },
	} {
		t.Run(part, func(t *testing.T) {
			got := measure(t)
			if *update {
				maps.DeleteFunc(wanted, func(name string, _ int) bool { return measuredWith(got, name) })
				maps.Copy(wanted, got)
				return
			}
			compare(t, got, wanted, sameGo)
		})
	}
	t.Run("Help", func(t *testing.T) { sameHelp(t, program) })
	t.Run("PageFaults", func(t *testing.T) { pageFaults(t, program) })
	if *update {
		writeBudget(t, wanted, goVersion)
	}
}

// measuredWith reports whether a figure is of a kind that got has.
func measuredWith(got budget, name string) bool {
	kind, _, _ := strings.Cut(name, ": ")
	for other := range got {
		if strings.HasPrefix(other, kind+": ") {
			return true
		}
	}
	return false
}

func compare(t *testing.T, got, wanted budget, sameGo bool) {
	t.Helper()
	if !sameGo {
		t.Logf("%s was written with another version of Go: the standard library does not count", budgetFile)
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		kind, of, _ := strings.Cut(name, ": ")
		kind, _, _ = strings.Cut(kind, " of devtools ")
		first, _, _ := strings.Cut(of, "/")
		if ours := first == module || strings.Contains(first, "."); !sameGo && kind != "calls" && !ours {
			continue
		}
		if was, is := wanted[name], got[name]; is > was+was/10 && is > was+slacks[kind] {
			t.Errorf("%s: %d, %d more than the %d in %s; if it is worth it, go test -run TestBudget . -update", name, is, is-was, was, budgetFile)
		}
	}
}

func writeBudget(t *testing.T, figures budget, goVersion string) {
	t.Helper()
	var b strings.Builder
	b.WriteString(budgetHead + goVersion + "\n")
	last := ""
	for _, name := range slices.Sorted(maps.Keys(figures)) {
		kind, _, _ := strings.Cut(name, ": ")
		if figures[name] <= slacks[kind] && kind != "calls" {
			continue
		}
		if kind != last {
			b.WriteString("\n")
		}
		last = kind
		fmt.Fprintf(&b, "%8d  %s\n", figures[name], name)
	}
	if err := os.WriteFile(budgetFile, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
}

// build builds the tree in dir as the Makefile does, with symbols if it is not to be stripped.
func build(t *testing.T, dir string, stripped bool) string {
	t.Helper()
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	recipe := regexp.MustCompile(`(?m)^\t(CGO_ENABLED=0 go build .*) -o devtools \.$`).FindStringSubmatch(string(makefile))
	if recipe == nil {
		t.Fatal("the Makefile has no recipe that ends in: -o devtools .")
	}
	program := filepath.Join(t.TempDir(), "devtools")
	line := recipe[1] + " -buildvcs=false -o " + program + " ."
	if !stripped {
		line = strings.Replace(line, "-ldflags='-s -w'", "", 1)
	}
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", line, err, out)
	}
	return program
}

// quietly returns a command in an environment whose size is always the same, because os.Getenv copies it.
func quietly(dir, program string, args ...string) *exec.Cmd {
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=/", "LANG=C.UTF-8"}
	return cmd
}

// initialization returns the memory that package variables and init functions take, by package.
func initialization(t *testing.T, program string) budget {
	t.Helper()
	cmd := quietly(t.TempDir(), program, "help")
	cmd.Env = append(cmd.Env, "GODEBUG=inittrace=1")
	var trace bytes.Buffer
	cmd.Stderr = &trace
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	got := budget{}
	for _, m := range regexp.MustCompile(`(?m)^init (\S+) @.*, (\d+) bytes, (\d+) allocs$`).FindAllStringSubmatch(trace.String(), -1) {
		for i, kind := range []string{"bytes of initialization", "allocations of initialization"} {
			n, _ := strconv.Atoi(m[2+i])
			got[kind+": "+m[1]] = n
			got[kind+": all packages"] += n
		}
	}
	if len(got) == 0 {
		t.Fatalf("no package in %s", trace.String())
	}
	return got
}

// sizes returns what the packages from 50 KB on take in the binary. Strings, tables of lines and the
// stacks' maps have no package: they are in the whole.
func sizes(t *testing.T, program, withSymbols string) budget {
	t.Helper()
	const least = 50 << 10
	whole, err := os.Stat(program)
	if err != nil {
		t.Fatal(err)
	}
	got := budget{"KB of the binary: all packages": int(whole.Size() >> 10)}
	file, err := elf.Open(withSymbols)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	symbols, err := file.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	bytesOf := map[string]uint64{}
	for _, s := range symbols {
		if int(s.Section) < len(file.Sections) && file.Sections[s.Section].Type == elf.SHT_PROGBITS {
			bytesOf[packageOf(s.Name)] += s.Size
		}
	}
	for name, size := range bytesOf {
		if size >= least && name != "" {
			got["KB of the binary: "+name] = int(size >> 10)
		}
	}
	return got
}

// packageOf returns the import path in the name of a symbol, "" for what the linker made.
func packageOf(symbol string) string {
	name, _, _ := strings.Cut(symbol, "[") // the types of a generic function
	slash := strings.LastIndexByte(name, '/') + 1
	path, _, ok := strings.Cut(name[slash:], ".")
	if !ok || strings.ContainsAny(name[:slash]+path, ":*( ") {
		return ""
	}
	return name[:slash] + path
}

// counted are the system calls whose number does not depend on chance. The others do: the scheduler, the
// allocator, timers and signals of Go's runtime make futex, nanosleep, mmap, sched_*, rt_sig* and epoll_*,
// and one read more or less depends on how output is cut.
const counted = "openat,newfstatat,statx,readlinkat,execve,clone,clone3,vfork,socket,connect,flock,renameat,renameat2,linkat,unlinkat,mkdirat,ftruncate,fsync"

// calls returns the system calls of some subcommands and, for run, of the holder too. It leaves out threads, and
// files of /proc and /sys: how often they are looked at depends on chance and on the machine.
func calls(t *testing.T, program string) budget {
	t.Helper()
	strace := runnertest.Need(t, "strace")
	if out, err := exec.Command(strace, "-o", os.DevNull, "true").CombinedOutput(); err != nil {
		t.Skipf("strace may not trace here: %v: %s", err, out)
	}
	dir := t.TempDir()
	if out, err := quietly(dir, program, "launch", "--name", "x", "--", "cat").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	defer func() { _ = quietly(dir, program, "kill", "--all").Run() }()
	got := budget{}
	for _, line := range []string{"help", "screen x", "send-keys x --no-wait x", "ps", "run -- true"} {
		rounds := 5 // the fewest count: the first may tidy up, and any may be late and look once more
		if line == "run -- true" {
			rounds = 40 // beside other tests, nearly each is late: the tree of an ended command lives at the first look
		}
		for range rounds {
			one := map[string]int{}
			trace := filepath.Join(t.TempDir(), "trace")
			args := append([]string{"-f", "-qq", "-y", "-o", trace, "-e", "trace=" + counted, program}, strings.Fields(line)...)
			if out, err := quietly(dir, strace, args...).CombinedOutput(); err != nil {
				t.Fatalf("%s: %v: %s", line, err, out)
			}
			for _, name := range countCalls(t, trace) {
				one["calls of devtools "+line+": "+name]++
			}
			for name, n := range one {
				if before, ok := got[name]; !ok || n < before {
					got[name] = n
				}
			}
		}
	}
	return got
}

var (
	callInTrace   = regexp.MustCompile(`^\d+ +(\w+)\(`)
	notCounted    = regexp.MustCompile(`CLONE_THREAD|["<]/(?:proc|sys)/`)
	throughFolder = regexp.MustCompile(`"/proc/self/fd/\d+/`) // a file of the state folder
)

// countCalls returns the name of each call in a trace that counts.
func countCalls(t *testing.T, trace string) (names []string) {
	t.Helper()
	data, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(throughFolder.ReplaceAllString(string(data), `"`)) {
		if m := callInTrace.FindStringSubmatch(line); m != nil && !notCounted.MatchString(line) {
			names = append(names, m[1])
		}
	}
	return names
}

// sameHelp compares what the program says of itself with what it says when it is built without tags, as go install does.
func sameHelp(t *testing.T, program string) {
	plain := filepath.Join(t.TempDir(), "plain")
	cmd := exec.Command("go", "build", "-buildvcs=false", "-o", plain, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, line := range []string{"help", "help run", "run --help", "--version", "help capture", "frob", "ps --frob"} {
		want, wantErr := quietly("/", plain, strings.Fields(line)...).CombinedOutput()
		got, err := quietly("/", program, strings.Fields(line)...).CombinedOutput()
		if string(got) != string(want) || fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Errorf("devtools %s: %v\n%s\nwithout tags: %v\n%s", line, err, got, wantErr, want)
		}
	}
}

// pageFaults compares help with the program of the parent commit, because figures of page faults are
// those of one machine.
func pageFaults(t *testing.T, program string) {
	archive := filepath.Join(t.TempDir(), "tree.tar")
	if out, err := exec.Command("git", "archive", "-o", archive, "HEAD~1").CombinedOutput(); err != nil {
		t.Skipf("there is no parent commit here: %v: %s", err, out)
	}
	tree := t.TempDir()
	if out, err := exec.Command("tar", "-xf", archive, "-C", tree).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	programs := [2]string{build(t, tree, true), program}
	var faults [2][]int64
	for range 11 {
		for i, program := range programs {
			cmd := quietly(tree, program, "help")
			if err := cmd.Run(); err != nil {
				t.Fatal(err)
			}
			faults[i] = append(faults[i], cmd.ProcessState.SysUsage().(*syscall.Rusage).Minflt)
		}
	}
	var median [2]int64
	for i := range faults {
		slices.Sort(faults[i])
		median[i] = faults[i][len(faults[i])/2]
	}
	t.Logf("page faults of help: %d, in the parent commit %d", median[1], median[0])
	if median[1] > median[0]+median[0]/10 {
		t.Errorf("help has %d page faults, %d more than in the parent commit", median[1], median[1]-median[0])
	}
}
