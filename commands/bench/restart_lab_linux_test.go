package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"
)

// labServers are the kinds of servers that the laboratory has replaced. In a file's text SERVER is the command line of the
// server.
var labServers = []struct {
	name    string
	flags   []string
	command []string
	file    string
	text    string
}{
	{name: "itself"},
	{name: "behind sh", command: []string{"sh", "run.sh"}, file: "run.sh", text: "SERVER\ntrue\n"},
	{name: "behind npm", command: []string{"npm", "run", "--silent", "dev"}, file: "package.json", text: `{"scripts": {"dev": "SERVER"}}`},
	{name: "behind make", command: []string{"make", "-s", "serve"}, file: "Makefile", text: "serve:\n\tSERVER; true\n"},
	{name: "a helper of its own session", flags: []string{"-helper"}},
	{name: "slow to end", flags: []string{"-slow", "2s"}},
	{name: "slow, behind sh", flags: []string{"-slow", "2s"}, command: []string{"sh", "run.sh"}, file: "run.sh", text: "SERVER\ntrue\n"},
	{name: "deaf to TERM", flags: []string{"-deaf"}},
}

// A labResult is what came of some rounds.
type labResult struct {
	rounds, starts int
	failed         int  // rounds in which a server could not bind
	wrong          int  // rounds without one living server, of the new version, at the end of their time
	forced         int  // servers that were ended by force
	left           int  // processes that live when the watcher has ended
	stuck          bool // it has not ended
}

// TestStressRestartLab has servers of every kind replaced by watch and by its peers, as far as they are installed, and
// prints what came of it. Only what watch does fails the test.
func TestStressRestartLab(t *testing.T) {
	if os.Getenv("DEVTOOLS_STRESS") != "1" {
		t.Skip("takes long: DEVTOOLS_STRESS=1 runs it")
	}
	devtools, server := build(t, top), build(t, "testdata/server")
	results := make([]map[string]labResult, len(labServers))
	var mu sync.Mutex
	t.Run("all", func(t *testing.T) {
		for kind, s := range labServers {
			results[kind] = map[string]labResult{}
			for row, tool := range peerTools {
				if tool.twin {
					continue
				}
				t.Run(strings.NewReplacer(" ", "-", ",", "").Replace(s.name)+"/tool="+tool.name, func(t *testing.T) {
					t.Parallel()
					result := labRounds(t, devtools, server, kind, row)
					mu.Lock()
					defer mu.Unlock()
					results[kind][tool.name] = result
					if tool.name == "devtools" && (result.failed > 0 || result.left > 0 || result.stuck) {
						t.Errorf("%+v", result)
					}
				})
			}
		}
	})
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "server\ttool\trounds\tstarts\tcannot bind\tnot one server\tforced\tleft at the end")
	for kind, s := range labServers {
		for _, tool := range peerTools {
			if r, ok := results[kind][tool.name]; ok {
				left := fmt.Sprint(r.left)
				if r.stuck {
					left += ", does not end"
				}
				_, _ = fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%s\n", s.name, tool.name, r.rounds, r.starts, r.failed, r.wrong, r.forced, left)
			}
		}
	}
	_ = w.Flush()
	t.Logf("%s\n%s", peerVersions(devtools), table.String())
}

// labRoundsEach is how often each watcher replaces each server.
const labRoundsEach = 10

// The times of the laboratory: of a round, for the end of the watcher, and for what it leaves to be gone after that.
const (
	labRoundTime = 6 * time.Second
	labEndTime   = 10 * time.Second
	labLeftTime  = 5 * time.Second
)

// labRounds changes the source again and again.
func labRounds(t *testing.T, devtools, server string, kind, row int) (result labResult) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, ".git"), 0o777); err != nil { // the root of a workspace
		t.Fatal(err)
	}
	r := newPeerRig(t, server, dir, filepath.Join(dir, "source.ts"))
	s := labServers[kind]
	command := r.command(s.flags...)
	if s.command != nil {
		text := strings.ReplaceAll(s.text, "SERVER", strings.Join(command, " "))
		if err := os.WriteFile(filepath.Join(dir, s.file), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		command = s.command
	}
	r.start(row, devtools, command)
	if _, ok := r.answers(time.Now().Add(startPatience)); !ok {
		t.Fatalf("no server within %v:\n%s", startPatience, r.log())
	}
	for ; result.rounds < labRoundsEach; result.rounds++ {
		pause()
		failed := r.failed
		r.write()
		if !r.alone(time.Now().Add(labRoundTime)) {
			result.wrong++
		}
		if r.failed > failed {
			result.failed++
		}
	}
	failed := r.failed
	result.stuck = !r.end(labEndTime)
	result.left = r.left(labLeftTime)
	for r.hear(time.Now().Add(50 * time.Millisecond)) { // what they said at their end
	}
	if r.failed > failed { // only of a server that nobody should have started
		result.failed++
	}
	result.forced, result.starts = r.forced(), r.starts
	return result
}

// alone waits for the new server to answer and for all others to be gone.
func (r *peerRig) alone(deadline time.Time) bool {
	if _, ok := r.answers(deadline); !ok {
		return false
	}
	for {
		living := r.living()
		if len(living) == 1 && living[0] == r.newest() {
			return true
		}
		if time.Now().After(deadline) {
			return false
		}
		r.hear(time.Now().Add(10 * time.Millisecond))
	}
}
