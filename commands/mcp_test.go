package commands

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v3"
)

func readMCPTools(t testing.TB) (set mcpSet) {
	t.Helper()
	if err := json.Unmarshal([]byte(mcpTools), &set); err != nil {
		t.Fatal(err)
	}
	return set
}

// mcpToolNamed returns a tool.
func mcpToolNamed(t testing.TB, name string) mcpTool {
	t.Helper()
	for _, tool := range readMCPTools(t).Tools {
		if tool.Definition["name"] == name {
			return tool
		}
	}
	t.Fatalf("no tool %s", name)
	panic("unreachable")
}

// Each argument of a tool is a flag of its command, of the same type and with the same choices, and what is shown of a result is a
// member of it.
func TestMCPToolsFit(t *testing.T) {
	root := newRoot(nil, nil, nil, allCommands)
	whole, err := parseSchema(schemaText)
	if err != nil {
		t.Fatal(err)
	}
	listed := readMCPTools(t).list()
	for i, tool := range readMCPTools(t).Tools {
		name, properties := tool.Definition["name"].(string), memberAt(tool.Definition, "inputSchema.properties").(map[string]any)
		for argument, property := range properties {
			flag := flagNamed(root, root.Command(tool.Command), cmp.Or(tool.Flags[argument], strings.ReplaceAll(argument, "_", "-")))
			_, isBool := flag.(*cli.BoolFlag)
			switch {
			case argument == "cwd", slices.Contains(tool.Positional, argument):
			case flag == nil:
				t.Errorf("%s: %s is no flag of %s", name, argument, tool.Command)
			case isBool != (memberAt(property, "type") == "boolean"):
				t.Errorf("%s: %s is a %s, and the flag is a %T", name, argument, memberAt(property, "type"), flag)
			}
			allowed := memberAt(listed[i], "inputSchema.properties."+argument+".enum")
			if choice, ok := flag.(*choiceFlag); ok && fmt.Sprint(allowed) != fmt.Sprint(choice.words) {
				t.Errorf("%s: %s is one of %v, and the flag one of %v", name, argument, allowed, choice.words)
			}
		}
		for _, d := range tool.Defaults {
			if flagNamed(root, root.Command(tool.Command), strings.ReplaceAll(d.Argument, "_", "-")) == nil {
				t.Errorf("%s: a default is for %s, which is no flag", name, d.Argument)
			}
			for _, argument := range slices.Concat(d.If, d.Unless) {
				if _, ok := properties[argument]; !ok {
					t.Errorf("%s: a default names %s, which is no argument", name, argument)
				}
			}
		}
		results := memberAt(listed[i], "outputSchema.anyOf").([]any)
		checkLines(t, whole, name, results[:len(results)-1], tool.Lines)
	}
}

// checkLines checks that what the lines name is in the schemas.
func checkLines(t *testing.T, whole schemaDocument, name string, schemas []any, lines []mcpLine) {
	t.Helper()
	for _, line := range lines {
		of := schemaAt(t, whole, schemas, line.Of)
		if len(of) == 0 {
			t.Errorf("%s: no result has %s", name, line.Of)
		}
		for _, path := range line.Members {
			if len(schemaAt(t, whole, of, path)) == 0 {
				t.Errorf("%s: no %s has %s", name, line.Of, path)
			}
		}
	}
}

// schemaAt returns the schemas of what is at a path, or of its elements.
func schemaAt(t *testing.T, whole schemaDocument, schemas []any, path string) (at []any) {
	t.Helper()
	for _, schema := range schemas {
		if ref, ok := memberAt(schema, "$ref").(string); ok {
			var object any
			if err := json.Unmarshal(whole.Defs[strings.TrimPrefix(ref, "#/$defs/")], &object); err != nil {
				t.Fatalf("%s: %v", ref, err)
			}
			schema = object
		}
		either, _ := memberAt(schema, "anyOf").([]any)
		name, rest, _ := strings.Cut(path, ".")
		switch items, properties := memberAt(schema, "items"), memberAt(schema, "properties"); {
		case either != nil:
			at = append(at, schemaAt(t, whole, either, path)...)
		case items != nil:
			at = append(at, schemaAt(t, whole, []any{items}, path)...)
		case path == "":
			at = append(at, schema)
		case memberAt(properties, name) != nil:
			at = append(at, schemaAt(t, whole, []any{memberAt(properties, name)}, rest)...)
		}
	}
	return at
}

// The command line of a call, and the longest time that a call takes.
func TestMCPLine(t *testing.T) {
	for _, try := range []struct {
		tool, arguments string
		progress        bool
		want            []string
	}{
		{"run", `{"command":"make"}`, false, []string{"--json", "--quiet", "run", "--max-output=16384", "--timeout=50s", "--", "make"}},
		{"run", `{"command":"ls","args":["--all"],"cwd":"-x"}`, false, []string{"--json", "--quiet", "-C=-x", "run", "--max-output=16384", "--timeout=50s", "--", "ls", "--all"}},
		{"run", `{"resume":"a","timeout":"0","all":false,"until":[]}`, false, []string{"--json", "--quiet", "run", "--max-output=16384", "--resume=a", "--timeout=50s", "--"}},
		{"run", `{"resume":"a","timeout":"1h"}`, true, []string{"--json", "--quiet", "run", "--max-output=16384", "--resume=a", "--timeout=1h", "--"}},
		{"run", `{"resume":"a","timeout":"20s","on_timeout":"kill"}`, false, []string{"--json", "--quiet", "run", "--max-output=16384", "--on-timeout=kill", "--resume=a", "--timeout=20s", "--"}},
		{"run", `{"command":"a","env":{"B":"1=2","A":""}}`, false, []string{"--json", "--quiet", "run", "--env=A=", "--env=B=1=2", "--max-output=16384", "--timeout=50s", "--", "a"}},
		{"launch", `{}`, false, []string{"--json", "--quiet", "launch", "--"}},
		{"launch", `{"stack":"dev","if_absent":true}`, false, []string{"--json", "--quiet", "launch", "--if-absent=true", "--stack=dev", "--timeout=50s", "--"}},
		{"screen", `{"session":"--help"}`, false, []string{"--json", "--quiet", "screen", "--t=--help", "--trim=true", "--"}},
		{"log", `{"session":"a"}`, false, []string{"--json", "--quiet", "log", "--t=a", "--tail=200", "--"}},
		{"log", `{"session":"a","since":"x:1"}`, false, []string{"--json", "--quiet", "log", "--t=a", "--since=x:1", "--"}},
		{"kill", `{"sessions":["a","--all"],"timeout":"2m"}`, false, []string{"--json", "--quiet", "kill", "--timeout=50s", "--", "a", "--all"}},
	} {
		var arguments map[string]any
		if err := json.Unmarshal([]byte(try.arguments), &arguments); err != nil {
			t.Fatal(err)
		}
		line, err := mcpToolNamed(t, try.tool).line(arguments, try.progress)
		if err != nil || !reflect.DeepEqual(line, try.want) {
			t.Errorf("%s %s: %q, %v\nwant %q", try.tool, try.arguments, line, err, try.want)
		}
	}
}

// What a command prints is the result, whatever its exit code is. Without an object, or with too much, there is an error in its place.
func TestMCPResult(t *testing.T) {
	tool := mcpToolNamed(t, "wait")
	for _, try := range []struct {
		out, errors string
		err         error
		want        string
		isError     bool
	}{
		{`{"name":"a","timedOut":false,"exitCode":0,"met":["exit"]}`, "", nil, "name \"a\", met [\"exit\"], exitCode 0", false},
		{`{"name":"a","match":"a\nb","timedOut":true}`, "", nil, `name "a", match "a\nb", timedOut true`, false},
		{`{}`, "", nil, "(nothing)", false},
		{`{"results":[{"name":"a"},{"name":"b","ended":true}]}`, "", nil, "name \"a\"\nname \"b\", ended true", false},
		{`{"name":"a"}`, "warning\n" + `{"error":{"kind":"failed","message":"too late","hint":"be quick"}}` + "\n", nil, "name \"a\"\ndevtools: too late\nhint: be quick", true},
		{"", `{"error":{"kind":"failed","message":"<none>"}}`, nil, "devtools: <none>", true},
		{"{", "panic: x", errors.New("no result"), "devtools: no result", true},
		{"", "", usagef("argument is missing"), "devtools: argument is missing\nhint: devtools wait --help shows its options", true},
	} {
		result := tool.result([]byte(try.out), []byte(try.errors), try.err)
		text := result["content"].([]any)[0].(map[string]string)["text"]
		if isError, _ := result["isError"].(bool); text != try.want || isError != try.isError {
			t.Errorf("%.100q, %q: %q, %v\nwant %q", try.out, try.errors, text, isError, try.want)
		}
	}
}

// The rows of a screen are text as they are, also empty ones. Output that is empty is no row.
func TestMCPRows(t *testing.T) {
	for tool, want := range map[string]string{
		`screen {"rows":["a","","b"],"hash":"1"}`: "a\n\nb\nhash \"1\"",
		`run {"output":"","exitCode":0}`:          "exitCode 0",
		`run {"output":"a <b>\n\n"}`:              "a <b>\n",
	} {
		name, object, _ := strings.Cut(tool, " ")
		result := mcpToolNamed(t, name).result([]byte(object), nil, nil)
		if text := result["content"].([]any)[0].(map[string]string)["text"]; text != want {
			t.Errorf("%s: %q, want %q", tool, text, want)
		}
	}
}

// A command that prints without end costs no more memory than is allowed.
func TestMCPBuffer(t *testing.T) {
	var b mcpBuffer
	n, err := io.CopyN(&b, endless{}, mcpPrinted+1)
	if _, err2 := b.Write([]byte("x")); n != mcpPrinted+1 || errors.Join(err, err2) != nil || len(b) != mcpPrinted {
		t.Errorf("%d of %d bytes are kept: %v, %v", len(b), n, err, err2)
	}
}

// endless is what a program prints that does not stop.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

// A message that is accepted has the members that another reader finds in it, and one that is not accepted has a code of the
// specification.
func FuzzMCPMessage(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ps","_meta":{"progressToken":"a"}}}`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":"a","method":"ping"}`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1e3,"method":"ping","method":"x"}`))
	f.Add([]byte(`[{}]`))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, line []byte) {
		m, fault := parseMCP(line)
		if fault != nil {
			if !slices.Contains([]int{mcpNoJSON, mcpNoRequest, mcpBadParams}, fault.Code) || json.Valid(line) == (fault.Code == mcpNoJSON) && strings.ToValidUTF8(string(line), "") == string(line) {
				t.Errorf("%q: %v", line, fault)
			}
			return
		}
		var other map[string]any
		if err := json.Unmarshal(line, &other); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if m.method != "" && (other["method"] != m.method || len(m.params) != len(membersOf(other["params"])) || len(m.meta) != len(membersOf(memberAt(other, "params._meta")))) {
			t.Errorf("%q: %+v", line, m)
		}
		if m.method == "" && (m.id != nil || other["result"] == nil && other["error"] == nil) && !strings.Contains(string(line), "null") {
			t.Errorf("%q: %+v is no response", line, m)
		}
		if text, err := json.Marshal(m.id); err != nil || m.id != nil && !json.Valid(text) {
			t.Errorf("%q: id %v: %v", line, m.id, err)
		}
	})
}

func membersOf(v any) map[string]any {
	object, _ := v.(map[string]any)
	return object
}

// Whatever the arguments are, nothing of them is a flag: before -- there are the flags of the tool with a value behind =, and after it
// the words as they were given.
func FuzzMCPArguments(f *testing.F) {
	f.Add("run", []byte(`{"command":"--help","args":["-x","--"],"cwd":"-C","env":{"A":"--"},"until":["--all"]}`))
	f.Add("send_keys", []byte(`{"session":"-t","keys":["--enter","-"],"literal":true}`))
	f.Add("kill", []byte(`{"sessions":["-9","--all"],"signal":"--tree"}`))
	f.Add("log", []byte(`{"session":"a","tail":-1}`))
	f.Fuzz(func(t *testing.T, name string, text []byte) {
		var arguments map[string]any
		if json.Unmarshal(text, &arguments) != nil {
			return
		}
		i := slices.IndexFunc(readMCPTools(t).Tools, func(tool mcpTool) bool { return tool.Definition["name"] == name })
		if i < 0 {
			return
		}
		tool := readMCPTools(t).Tools[i]
		line, err := tool.line(arguments, false)
		if err != nil {
			return
		}
		var words []string
		for _, positional := range tool.Positional {
			switch v := arguments[positional].(type) {
			case string:
				words = append(words, v)
			case []any:
				for _, word := range v {
					words = append(words, word.(string))
				}
			}
		}
		flags := line[:len(line)-len(words)-1]
		if line[len(flags)] != "--" || !slices.Equal(line[len(flags)+1:], words) {
			t.Errorf("%s: %q, want the words %q", text, line, words)
		}
		for _, flag := range flags {
			before, _, _ := strings.Cut(flag, "=")
			argument := strings.ReplaceAll(strings.TrimLeft(before, "-"), "-", "_")
			if given := arguments[argument] != nil || slices.Contains([]string{"json", "quiet", "C", "t", "trim", "timeout", "max_output", "tail"}, argument); !given && flag != tool.Command {
				t.Errorf("%s: %q has %s, which nobody has given", text, line, flag)
			}
		}
	})
}
