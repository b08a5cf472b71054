package commands

import (
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	// It validates draft 2020-12, needs no module besides itself, and is maintained by the authors of Go's tools.
	"github.com/google/jsonschema-go/jsonschema"
)

// resultsFolder is the environment variable with the folder in which the program under test notes its results.
const resultsFolder = "RESULTS_FOLDER"

// recordResults makes the program note what it prints as JSON, in a file of its own: its arguments, then its results.
func recordResults() {
	if folder := os.Getenv(resultsFolder); folder != "" {
		observer = &resultRecorder{folder: folder}
	}
}

type resultRecorder struct {
	mu     sync.Mutex
	folder string
	file   *os.File
}

func (r *resultRecorder) Write(result []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.file == nil {
		file, err := os.CreateTemp(r.folder, "results-*")
		if err != nil {
			return 0, err
		}
		r.file = file
		if err := json.NewEncoder(file).Encode(os.Args); err != nil {
			return 0, err
		}
	}
	return r.file.Write(result)
}

// A resultCheck validates results.
type resultCheck struct {
	t       *testing.T
	objects map[string]*object
	valid   map[string]*jsonschema.Resolved // by the names of the objects
	seen    map[string]bool
}

func newResultCheck(t *testing.T) *resultCheck {
	c := &resultCheck{t: t, objects: resultObjects(t), valid: map[string]*jsonschema.Resolved{}, seen: map[string]bool{}}
	whole := schemaOf(c.objects, true)
	for name, o := range c.objects {
		if !o.result {
			continue
		}
		part := &jsonSchema{Dialect: whole.Dialect, Ref: reference(name).Ref, Defs: whole.Defs}
		text, err := json.Marshal(part)
		if err != nil {
			t.Fatal(err)
		}
		var schema jsonschema.Schema
		if err := json.Unmarshal(text, &schema); err != nil {
			t.Fatal(err)
		}
		if c.valid[name], err = schema.Resolve(nil); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// checkFolder validates all results that programs have noted in a folder.
func (c *resultCheck) checkFolder(folder string) {
	names, err := filepath.Glob(filepath.Join(folder, "results-*"))
	if err != nil {
		c.t.Fatal(err)
	}
	for _, name := range names {
		if err := c.checkFile(name); err != nil && !errors.Is(err, io.ErrUnexpectedEOF) { // a signal may have cut the last one
			c.t.Errorf("%s: %v", name, err)
		}
	}
}

func (c *resultCheck) checkFile(name string) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	decoder := json.NewDecoder(file)
	var args []string
	if err := decoder.Decode(&args); err != nil {
		return err
	}
	for {
		var result map[string]any
		if err := decoder.Decode(&result); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		c.check(args, result)
	}
}

// check validates one result of a command line.
func (c *resultCheck) check(args []string, result map[string]any) {
	command := named(args)
	if command == "schema" || slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "--fields") }) {
		return
	}
	if events, ok := result["events"].([]any); ok && command == "history" {
		result["events"] = slices.DeleteFunc(events, func(e any) bool { // of a later version: history prints it as it is
			event, ok := e.(map[string]any)
			return ok && event["v"] != 1.0
		})
	}
	names := resultNames(command)
	switch {
	case isObject(result["error"]):
		names = resultNames("error")
	case slices.Contains(args, "--version"):
		names = resultNames("version")
	}
	var near string
	var why error
	most := -1
	for _, name := range names {
		err := c.valid[name].Validate(result)
		if err == nil {
			c.note(name, result)
			return
		}
		common := 0
		for _, m := range c.objects[name].members {
			if _, ok := result[m.name]; ok {
				common++
			}
		}
		if common > most {
			near, why, most = name, err, common
		}
	}
	text, _ := json.Marshal(result) // it was just decoded
	c.t.Errorf("%s\nprints what is not a valid %s: %v\n%s", strings.Join(args, " "), near, why, text)
}

func isObject(v any) bool {
	_, ok := v.(map[string]any)
	return ok
}

// note remembers what the result shows of its object and of the objects in it: that it is there, which members are not
// empty, and their values where these are words or yes and no.
func (c *resultCheck) note(name string, result map[string]any) {
	c.seen[name] = true
	for _, m := range c.objects[name].members {
		v, full := result[m.name], name+"."+m.name
		c.noteInner(m.typ, v)
		switch v := v.(type) {
		case nil:
		case bool:
			c.seen[full+"="+strconv.FormatBool(v)] = true
		case string:
			if v != "" {
				c.seen[full], c.seen[full+"="+v] = true, true
			}
		case []any:
			c.seen[full] = c.seen[full] || len(v) > 0
		default:
			c.seen[full] = true
		}
	}
}

// noteInner notes the objects in the value of a member.
func (c *resultCheck) noteInner(typ memberType, v any) {
	switch v := v.(type) {
	case map[string]any:
		if typ.base == "object" {
			c.note(typ.object, v)
		}
	case []any:
		for _, one := range v {
			c.noteInner(*typ.of, one)
		}
	}
}

// mustBeSeen are the results that the scripts show, in every status: an object, a member that is not empty, or a value.
var mustBeSeen = strings.Fields(`
AskResult.answered=true AskResult.by=attach AskResult.by=condition AskResult.timedOut=true AskResult.withdrawn AskResult.screen
CaptureListing.captures CaptureResult.status=running CaptureResult.status=ended
ChangedResult.changed=true ChangedResult.changed=false ChangedResult.token ChangedResult.paths
ClassifyResult.class=server ClassifyResult.class=build ClassifyResult.class=test ClassifyResult.class=interactive
ClassifyResult.class=watcher ClassifyResult.class=watch-if-tty ClassifyResult.class=oneshot ClassifyResult.class=unknown
DoctorResult DoctorSession.reason=input DoctorSession.reason=quiet DoctorSession.reason=ended
ErrorResult
ExpectedResult.expected ExpectedResult.missing ExpectedResult.unexpected
ExplainResult.watched=true ExplainResult.watched=false ExplainResult.rule
ExportResult.format=cast ExportResult.format=html ExportResult.format=png ExportResult.format=svg ExportResult.format=txt
HistoryResult.events
KillResult.killed KillResult.failed KillResult.orphaned KillResult.errors KillFailure.reason=protected
LaunchResult LaunchResult.ready LaunchResult.ports LaunchResult.created=false
LogEvent.direction=output LogEvent.direction=stderr LogEvent.direction=input LogEvent.direction=resize
LogPage.encoding=base64 LogPage.event=output LogPage.event=closed
PruneResult.removed
PsResult.sessions PsResult.orphaned PsResult.missing
PsEvent
ResizeResult
RunResult.status=completed RunResult.signal RunResult.status=waiting_for_input RunResult.status=timeout
RunResult.status=running RunResult.leftovers RunResult.advice RunResult.stdout RunResult.answers
RunInResult.status=completed RunInResult.status=waiting_for_input RunInResult.status=timeout RunInResult.status=running RunInResult.shellEnded=true
CursorResult HashResult ScreenResult.rows ScreenResult.runs ScreenResult.diff ScreenResult.links ScreenResult.marks ScreenResult.fromLog=true
SendResult SendResult.wait SendResult.waiting
StacksResult.projects
WatchEvent.event=start WatchEvent.event=scan WatchEvent.event=change WatchEvent.event=build_start
WatchEvent.event=build_end WatchEvent.event=ending WatchEvent.event=stop WatchEvent.event=spawn WatchEvent.event=ready
WatchEvent.event=not_ready WatchEvent.event=exit WatchEvent.event=crash WatchEvent.event=signal
WatchEvent.event=takeover WatchEvent.event=stale WatchEvent.event=failed WatchEvent.event=end WatchEvent.paths WatchEvent.output
VersionResult
WaitListing.results WaitListing.first WaitListing.errors WaitResult.met WaitResult.failCondition WaitResult.timedOut=true WaitResult.ended=true WaitResult.notes
`)

// watchResults validates, when all scripts have ended, what they printed as JSON. It returns the folder for the notes.
func watchResults(t *testing.T) (folder string) {
	check := newResultCheck(t)
	folder = t.TempDir()
	t.Cleanup(func() {
		failed := t.Failed()
		check.checkFolder(folder)
		if failed || testing.Short() || strings.Contains(flag.Lookup("test.run").Value.String(), "/") {
			return // not all scripts have run to their ends
		}
		for _, fact := range mustBeSeen {
			if !check.seen[fact] {
				t.Errorf("no script has printed %s with --json", fact)
			}
		}
	})
	return folder
}

// The check of results finds what the scripts must not print.
func TestSchemaFindsFaults(t *testing.T) {
	check := newResultCheck(t)
	const good = `{"name":"web","sessionId":"x","size":{"cols":80,"rows":24},"scrollback":0}`
	for _, c := range []struct{ object, text, fault string }{
		{"ResizeResult", good, ""},
		{"ResizeResult", strings.Replace(good, `"name"`, `"unknown":1,"name"`, 1), "unevaluatedProperties"},
		{"ResizeResult", strings.Replace(good, `"name":"web",`, "", 1), "name"},
		{"ResizeResult", strings.Replace(good, `80`, `"80"`, 1), "string"},
		{"CaptureListing", `{"name":"web","sessionId":"x","captures":[]}`, ""},
		{"CaptureListing", `{"name":"web","sessionId":"x","captures":null}`, "null"},
		{"HistoryResult", `{"events":[{"v":1,"event":"started","pid":1,"terminal":"a","ts":"2026-01-15T10:30:00Z","sessionId":"x"}]}`, ""},
		{"HistoryResult", `{"events":[{"v":1,"event":"begun","pid":1,"terminal":"a","ts":"2026-01-15T10:30:00Z","sessionId":"x"}]}`, "begun"},
		{"HistoryResult", `{"events":[{"v":1,"event":"started","pid":1,"terminal":"a","ts":"today","sessionId":"x"}]}`, "today"},
	} {
		var result any
		if err := json.Unmarshal([]byte(c.text), &result); err != nil {
			t.Fatal(err)
		}
		if err := check.valid[c.object].Validate(result); (err == nil) != (c.fault == "") || err != nil && !strings.Contains(err.Error(), c.fault) {
			t.Errorf("%s %s: %v, want a fault with %q", c.object, c.text, err, c.fault)
		}
	}
}
