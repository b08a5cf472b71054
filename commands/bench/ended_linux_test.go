package bench

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// BenchmarkCallsBesideEnded is a call in a folder with 10,000 ended sessions, beside the same call in one with a few. A tenth
// of the sessions share seven names. COSTS.md explains the figures.
func BenchmarkCallsBesideEnded(b *testing.B) {
	const ended = 10000
	few, many := newLab(b), newLab(b)
	many.devtools = few.devtools
	few.endMany(b, 0)
	many.endMany(b, ended)
	few.run(b, few.devtools, "run", "--", "true") // writes the active set again
	many.run(b, many.devtools, "run", "--", "true")
	many.run(b, many.devtools, "log", "first") // makes the index of names
	for _, call := range []string{
		"ps", "run -- true", "wait first", "log first", "wait s5001", "log again3", "wait s1", "log last", "ps first",
		"doctor", "history --tail 5", "ps --all", "prune --keep 100 --dry-run",
	} {
		args := strings.Fields(call)
		fewArgs := slices.Clone(args)
		for i, arg := range args {
			if i > 0 && slices.Contains([]string{"s5001", "again3", "s1", "last"}, arg) {
				fewArgs[i] = "first"
			}
		}
		other := command{argv: append([]string{few.devtools}, fewArgs...), dir: few.dir, leaves: args[0] == "run"}
		mine := ours(args...)
		mine.leaves = other.leaves
		many.compare(b, "call="+strings.ReplaceAll(call, " ", "_"), mine, other)
	}
}

// BenchmarkPruneOfMany removes 9,900 ended sessions. The median and the 95th percentile of the time of run, in milliseconds,
// are those of calls one after the other until prune has ended, and of as many before.
func BenchmarkPruneOfMany(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		l := newLab(b)
		l.endMany(b, 10000)
		var before, beside []cost
		for range 100 {
			before = append(before, l.measure(b, runTrue))
		}
		ended := make(chan error, 1)
		b.StartTimer()
		begun := time.Now()
		go func() {
			cmd := exec.Command(l.devtools, "prune", "--keep", "100")
			cmd.Dir = l.dir
			ended <- cmd.Run()
		}()
		for over := false; !over; {
			select {
			case err := <-ended:
				if err != nil {
					b.Fatal(err)
				}
				over = true
			default:
				beside = append(beside, l.measure(b, command{ours: true, argv: runTrue.argv}))
			}
		}
		b.ReportMetric(time.Since(begun).Seconds(), "prune-s")
		for range beside { // their holders
			if _, err := syscall.Wait4(-1, nil, 0, nil); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(median(before, cost.milliseconds), "alone-ms")
		b.ReportMetric(percentile(before, 95), "alone-p95-ms")
		b.ReportMetric(median(beside, cost.milliseconds), "beside-ms")
		b.ReportMetric(percentile(beside, 95), "beside-p95-ms")
	}
}

func percentile(costs []cost, n int) float64 {
	var list []float64
	for _, c := range costs {
		list = append(list, c.milliseconds())
	}
	slices.Sort(list)
	return list[len(list)*n/100]
}

// endMany fills the lab with ended sessions: four that have run, and n older ones that are copies of the second and the third of
// them.
func (l *lab) endMany(b *testing.B, n int) {
	b.Helper()
	for _, name := range []string{"first", "silent", "loud", "last"} {
		l.run(b, l.devtools, "run", "--no-pty", "--name", name, "--", "sh", "-c", "test "+name+" = silent || echo a line")
	}
	sessions := filepath.Join(l.dir, ".devtools", "sessions")
	records, err := filepath.Glob(filepath.Join(sessions, "*.json"))
	if err != nil || len(records) != 4 {
		b.Fatalf("%q, %v", records, err)
	}
	var log bytes.Buffer
	logFile := filepath.Join(l.dir, ".devtools", "process-log.jsonl")
	events, err := os.ReadFile(logFile)
	if err != nil {
		b.Fatal(err)
	}
	for i := range n {
		original := strings.TrimSuffix(filepath.Base(records[1+i%2]), ".json")
		id := fmt.Sprintf("60000%05d", i) // of 2020
		name := fmt.Sprintf("s%d", i)
		if i%10 == 0 {
			name = fmt.Sprintf("again%d", i/10%7)
		}
		renamed := strings.NewReplacer(original, id, `"silent"`, `"`+name+`"`, `"loud"`, `"`+name+`"`)
		if err := copySession(sessions, original, id, renamed); err != nil {
			b.Fatal(err)
		}
		for line := range strings.Lines(string(events)) {
			if strings.Contains(line, original) {
				log.WriteString(renamed.Replace(line))
			}
		}
	}
	log.Write(events)
	// Without the active set devtools looks what there is.
	if err := errors.Join(os.WriteFile(logFile, log.Bytes(), 0o600), os.Remove(filepath.Join(l.dir, ".devtools", "active-processes.json"))); err != nil {
		b.Fatal(err)
	}
}

// copySession makes a session from another one. renamed changes its record.
func copySession(sessions, original, id string, renamed *strings.Replacer) error {
	record, err := os.ReadFile(filepath.Join(sessions, original+".json"))
	if err != nil {
		return err
	}
	text := strings.TrimRight(renamed.Replace(string(record)), "\n")
	text += strings.Repeat("\n", max(1, len(record)-len(text)))
	return errors.Join(
		os.WriteFile(filepath.Join(sessions, id+".json"), []byte(text), 0o600),
		os.CopyFS(filepath.Join(sessions, id), os.DirFS(filepath.Join(sessions, original))),
		os.Chmod(filepath.Join(sessions, id), 0o700))
}
