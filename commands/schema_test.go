package commands

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// resultNames returns the names of the objects that a command prints.
func resultNames(command string) (names []string) {
	for _, zero := range resultTypes[command] {
		names = append(names, objectName(reflect.TypeOf(zero)))
	}
	return names
}

// The embedded schema and the tables of devtools-json(5) are made from the Go types of the results and their comments.
// go test ./commands -run TestSchemaIsCurrent -update writes them anew.
func TestSchemaIsCurrent(t *testing.T) {
	objects := resultObjects(t)
	if t.Failed() {
		return
	}
	text, err := schemaJSON(objects)
	if err != nil {
		t.Fatal(err)
	}
	page, err := withTables(readDocument(t, jsonPage), objects)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"schema.json": string(text), jsonPage: page} {
		if *update {
			if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		} else if got, err := os.ReadFile(name); err != nil || string(got) != want {
			t.Errorf("%s is not what the Go types give (%v): go test ./commands -run TestSchemaIsCurrent -update", name, err)
		}
	}
}

// differentKinds are the members whose type differs between kinds of objects, with the reason. Within a kind of object
// a member has one type.
var differentKinds = map[string]string{
	"cursor":    "of a screen with its look, of a question only its place",
	"ports":     "ports that are open, and ports that a project declares",
	"processes": "what ps, doctor and stacks --expected know of a process differs",
	"rows":      "the text of the rows, and in a size their number",
}

// A name has one type within each kind of object.
func TestSchemaHasNoConflicts(t *testing.T) {
	objects := resultObjects(t)
	types := map[string]map[string]map[string][]string{} // names of objects, by member, type and kind
	for name, o := range objects {
		kind := objectKinds[name]
		if kind == "" && o.result {
			kind = "result"
		}
		if kind == "" {
			kind = name
		}
		for _, m := range o.members {
			typ := m.typ.text()
			if typ == "integer" {
				typ = "number" // an integer is a number
			}
			if types[m.name] == nil {
				types[m.name] = map[string]map[string][]string{}
			}
			if types[m.name][typ] == nil {
				types[m.name][typ] = map[string][]string{}
			}
			types[m.name][typ][kind] = append(types[m.name][typ][kind], name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(types)) {
		reason := differentKinds[name]
		switch byType := types[name]; {
		case len(byType) == 1 && reason != "":
			t.Errorf("differentKinds: %s has one type", name)
		case len(byType) > 1 && reason == "":
			t.Errorf("%s has several types: %v", name, byType)
		}
		kinds := map[string]string{} // type by kind
		for typ, byKind := range types[name] {
			for kind := range byKind {
				if other, ok := kinds[kind]; ok {
					t.Errorf("%s is a %s and a %s in objects of the kind %s", name, other, typ, kind)
				}
				kinds[kind] = typ
			}
		}
	}
	for name := range differentKinds {
		if types[name] == nil {
			t.Errorf("differentKinds: no object has %s", name)
		}
	}
	for name := range objectKinds {
		if objects[name] == nil {
			t.Errorf("objectKinds: there is no object %s", name)
		}
	}
	for typ, name := range objectNames {
		if o := objects[name]; o == nil || typeName(o.typ) != typ {
			t.Errorf("objectNames: %s is the type of no object", typ)
		}
	}
}

// typeRules are the types that a member of a name has wherever it occurs.
var typeRules = map[string]string{
	"waiting":     "Waiting or null",
	"failed":      "list of integer",
	"killed":      "list of integer",
	"command":     "list of string",
	"commandLine": "string",
	"pid":         "integer",
	"name":        "string",
	"sessionId":   "string",
	"hints":       "list of string",
}

// askedNames are members whose names were asked for, although they do not follow the rules.
var askedNames = []string{"bytesCaptured", "durationSeconds", "outputBytesPerSecond", "pathBase64", "timestamp", "ts"}

// optionalLists are lists that are there with an option, or that an event of some kind has.
var optionalLists = map[string]string{
	"KillResult.orphaned":      "--dry-run",
	"Process.children":         "within sessions alone",
	"Process.descendants":      "in a reminder alone",
	"Session.endedProcesses":   "--tree",
	"Reminder.activeProcesses": "not with --quiet",
	"Reminder.endedRecently":   "not with --quiet",
	"Reminder.orphaned":        "not with --quiet",
	"Project.superseded":       "--all",
	"PsEvent.missing":          "--expected",
	"PsResult.missing":         "--expected",
	"ScreenResult.rows":        "not with --diff",
	"ScreenResult.runs":        "--runs",
	"WatchEvent.paths":         "change, stale, loop_guard",
	"WatchEvent.portNumbers":   "ready, takeover",
	"LaunchResult.withheldEnv": "--profile agent",
	"RunInResult.stages":       "never: --in has only pipeline",
	"RunInResult.withheldEnv":  "--profile agent",
	"RunResult.pipeline":       "a line that ends with a pipeline",
	"RunResult.stages":         "as pipeline",
	"RunResult.withheldEnv":    "--profile agent",
	"WatchEvent.withheldEnv":   "--profile agent",
	"Waiting.choices":          "a screen that shows choices",
}

// Names are in camel case; times, durations and sizes end with At, Ms and Bytes; lists are always there; words of a fixed set
// are listed.
func TestSchemaFollowsTheRules(t *testing.T) {
	camelCase := regexp.MustCompile(`^[a-z][a-zA-Z0-9]*$`)
	duration := regexp.MustCompile(`(?i)(duration|elapsed|delay|age|idle|waited)$|^ms$|seconds|duration|millis`)
	size := regexp.MustCompile(`(?i)^(gap|written|memory)$|bytes`)
	asked := map[string]bool{} // the members with names that were asked for
	for name, o := range resultObjects(t) {
		for _, m := range o.members {
			typ, full := m.typ.text(), name+"."+m.name
			if want := typeRules[m.name]; want != "" && typ != want {
				t.Errorf("%s is a %s: it must be a %s", full, typ, want)
			}
			if (m.name == "event" || m.name == "status") && typ == "string" && len(m.typ.values) == 0 {
				t.Errorf("%s: the schema does not list its values", full)
			}
			if !camelCase.MatchString(m.name) {
				t.Errorf("%s is not in camel case", full)
			}
			if m.name == "waiting" && m.optional {
				t.Errorf("%s may be absent: it must be null in its place", full)
			}
			if m.typ.base == "list" && m.optional && optionalLists[full] == "" {
				t.Errorf("%s may be absent: a list is always there", full)
			}
			if m.typ.base == "list" && m.typ.nullable {
				t.Errorf("%s may be null: a list is never null", full)
			}
			if slices.Contains(askedNames, m.name) {
				asked[m.name] = true
				continue
			}
			number := typ == "integer" || typ == "number"
			isDuration, isSize := strings.HasSuffix(m.name, "Ms"), strings.HasSuffix(m.name, "Bytes")
			switch {
			case m.typ.time != strings.HasSuffix(m.name, "At"):
				t.Errorf("%s is a %s: a time, and nothing else, ends with At", full, typ)
			case !isDuration && number && (duration.MatchString(m.name) || strings.Contains(m.doc, "illiseconds")):
				t.Errorf("%s: a duration ends with Ms", full)
			case !isSize && number && size.MatchString(m.name):
				t.Errorf("%s: a size ends with Bytes", full)
			case (isDuration || isSize) && typ != "integer" && !strings.HasSuffix(strings.ToLower(m.name), "atms"):
				t.Errorf("%s is a %s: it must be a whole number", full, typ)
			}
		}
	}
	for _, name := range askedNames {
		if !asked[name] {
			t.Errorf("askedNames: no object has %s", name)
		}
	}
}

// Each visible command has a schema, or prints no JSON.
func TestSchemaNamesCommands(t *testing.T) {
	silent := []string{"attach", "completion", "help", "mcp", "schema"}
	for _, cmd := range visible(fullRoot(t)) {
		if _, ok := resultTypes[cmd.Name]; ok == slices.Contains(silent, cmd.Name) {
			t.Errorf("%s: it has a schema: %v", cmd.Name, ok)
		}
	}
}

// schema NAME has all that it refers to, and nothing else.
func TestSchemaOfCommand(t *testing.T) {
	if *update {
		t.Skip("the schema in this program is from before")
	}
	for name := range resultTypes {
		var part schemaDocument
		if err := json.Unmarshal(printedBy(t, "schema", name), &part); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		refers := map[string]bool{}
		text := [][]byte{part.AnyOf}
		for _, def := range part.Defs {
			text = append(text, def)
		}
		for _, object := range referenced(bytes.Join(text, nil)) {
			if refers[object] = true; part.Defs[object] == nil {
				t.Errorf("schema %s refers to %s, which it does not have", name, object)
			}
		}
		for object := range part.Defs {
			if !refers[object] {
				t.Errorf("schema %s has %s, to which nothing refers", name, object)
			}
		}
	}
	if whole := printedBy(t, "schema"); string(whole) != readDocument(t, "schema.json") {
		t.Error("schema prints something else than schema.json")
	}
}
