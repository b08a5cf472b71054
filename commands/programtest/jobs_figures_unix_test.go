//go:build unix

package programtest

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The most that a job may cost with devtools, as a share of what it costs with tmux. mostCalls is for jobs that have no limit of
// their own in the file.
const (
	mostCalls = 0.5
	mostBytes = 1.0
)

// bytesRise is by how much the share of the bytes may differ from the recorded one, in parts of 1. The ids of processes, the
// times and the folder in the answers have other lengths in each run: 40 runs of each job differed by up to 0.01.
const bytesRise = 0.03

var figuresFile = filepath.Join("testdata", "jobs.txt")

const figuresHead = `# What the jobs of testdata/jobs cost: calls of the program, and bytes that the agent reads. jobs_unix_test.go says what counts.
# go test ./commands/programtest -run TestJobs -update writes it. A job fails when it takes other numbers of calls, a greater
# share of the calls with tmux than the last column allows, or a greater share of the bytes. Other versions of the programs print
# other numbers of bytes, in both ways.
#
# job       devtools: calls bytes    tmux: calls bytes  calls at most
`

// A figure is the recorded cost of a job.
type figure struct {
	ours, theirs cost    // with devtools, and with tmux
	most         float64 // share of the calls that devtools may take
}

// jobFigures has the figures by job.
type jobFigures map[string]figure

func readFigures(t *testing.T) jobFigures {
	t.Helper()
	text, err := os.ReadFile(figuresFile)
	if err != nil && !*update {
		t.Fatal(err)
	}
	figures := jobFigures{}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		var name string
		var f figure
		if _, err := fmt.Sscan(line, &name, &f.ours.calls, &f.ours.bytes, &f.theirs.calls, &f.theirs.bytes, &f.most); err != nil {
			t.Fatalf("%s: %q: %v", figuresFile, line, err)
		}
		figures[name] = f
	}
	return figures
}

func (figures jobFigures) write(t *testing.T) {
	t.Helper()
	var text strings.Builder
	text.WriteString(figuresHead)
	for _, name := range slices.Sorted(maps.Keys(figures)) {
		f := figures[name]
		fmt.Fprintf(&text, "%-12s %14d %5d %14d %5d %14.1f\n", name, f.ours.calls, f.ours.bytes, f.theirs.calls, f.theirs.bytes, f.most)
	}
	if err := os.WriteFile(figuresFile, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// compare fails if a job costs more than it may, or something else than is recorded.
func (figures jobFigures) compare(t *testing.T, name string, ours, theirs cost) {
	t.Helper()
	was, known := figures[name]
	if !known {
		was.most = mostCalls
	}
	calls, bytes := share(ours.calls, theirs.calls), share(ours.bytes, theirs.bytes)
	t.Logf("devtools: %d calls, %d bytes; tmux: %d calls, %d bytes; shares %.2f and %.2f", ours.calls, ours.bytes, theirs.calls, theirs.bytes, calls, bytes)
	if calls > was.most || bytes > mostBytes {
		t.Errorf("with devtools it takes %.2f of the calls and %.2f of the bytes that it takes with tmux: at most %.1f and %.1f are allowed", calls, bytes, was.most, mostBytes)
	}
	if *update {
		figures[name] = figure{ours, theirs, was.most}
		return
	}
	if !known {
		t.Fatalf("%s has no figures of it: go test ./commands/programtest -run TestJobs -update", figuresFile)
	}
	if ours.calls != was.ours.calls || theirs.calls != was.theirs.calls {
		t.Errorf("it takes %d calls with devtools and %d with tmux; %s has %d and %d", ours.calls, theirs.calls, figuresFile, was.ours.calls, was.theirs.calls)
	}
	if recorded := share(was.ours.bytes, was.theirs.bytes); bytes > recorded+bytesRise {
		t.Errorf("with devtools it takes %.2f of the bytes that it takes with tmux; %s has %.2f", bytes, figuresFile, recorded)
	}
}

func share(part, whole int) float64 { return float64(part) / float64(whole) }
