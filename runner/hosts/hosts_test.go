package hosts

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// skillText stands for the skill.
const skillText = "---\nname: devtools\n---\n"

// home makes a home folder of a test, in which both hosts are used.
func home(t *testing.T) Place {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{".claude", ".codex"} {
		if err := os.Mkdir(filepath.Join(dir, host), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return Place{Record: filepath.Join(dir, "record", "installed.json"), Expand: func(path string) string {
		path = os.Expand(path, func(name string) string {
			_, value, _ := strings.Cut(name, ":-")
			return value
		})
		return strings.Replace(path, "~", dir, 1)
	}}
}

// entriesOf returns the entries that are written into a file.
func (p Place) entriesOf(t *testing.T, name string) (list []Entry) {
	t.Helper()
	all, err := Entries(skillText)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		if strings.HasSuffix(p.Expand(e.File), name) {
			list = append(list, e)
		}
	}
	if len(list) == 0 {
		t.Fatalf("no entry is written into %s", name)
	}
	return list
}

// do plans and writes an entry.
func (p Place) do(t *testing.T, e Entry, remove bool) Change {
	t.Helper()
	c := p.Plan(e, remove)
	if c.State == Added || c.State == Removed {
		if err := c.Write(); err != nil {
			t.Fatalf("%s: %v", e.Name, err)
		}
	}
	return c
}

func content(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Files as people and hosts have them, and what is in each after the installation: after becomes what before has in its place.
var files = []struct{ about, name, content, has string }{
	{"tabs, no line end at the end", ".claude/settings.json", "{\n\t\"model\": \"opus\",\n\t\"permissions\": {\n\t\t\"deny\": [\"Read(./.env)\"]\n\t}\n}", "\t\t\"deny\": [\"Read(./.env)\"],\n\t\t\"allow\": [\n\t\t\t\"Bash(devtools ps *)\",\n"},
	{
		"hooks and rules of others", ".claude/settings.json",
		"{\n  \"permissions\": {\n    \"allow\": [\n      \"Bash(git diff *)\"\n    ]\n  },\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\n        \"matcher\": \"Bash\",\n        \"hooks\": [{ \"type\": \"command\", \"command\": \"rtk hook\" }]\n      }\n    ],\n    \"Stop\": []\n  }\n}\n",
		"      \"Bash(git diff *)\",\n      \"Bash(devtools ps *)\",\n",
	},
	{"one line", ".claude/settings.json", `{"env":{"A":"é\u00e9"},"permissions":{"allow":["Read"],"x":1e400}}`, `"allow":["Read", "Bash(devtools ps *)", "Bash(devtools log *)",`},
	{"CRLF", ".claude/settings.json", "{\r\n    \"model\": \"opus\",\r\n    \"sandbox\": {}\r\n}\r\n", ",\r\n    \"permissions\": {\r\n        \"allow\": [\r\n            \"Bash(devtools ps *)\",\r\n"},
	{"empty", ".claude/settings.json", "", "{\n  \"permissions\": {\n"},
	{"an empty object", ".claude/settings.json", "{ }", "{\n  \"permissions\": {\n"},
	{"empty lists", ".claude/settings.json", "{\n  \"permissions\": {\"allow\": []},\n  \"hooks\": {\n  }\n}\n", "  \"hooks\": {\n    \"PreToolUse\": [\n"},
	{"servers of others", ".claude.json", "{\n  \"numStartups\": 7,\n  \"mcpServers\": {\n    \"github\": {\n      \"type\": \"http\",\n      \"url\": \"https://x\"\n    }\n  },\n  \"projects\": {}\n}", "    },\n    \"devtools\": {\n      \"type\": \"stdio\",\n"},
	{"hooks of others", ".codex/hooks.json", "{\n  \"hooks\": {\n    \"Stop\": [{ \"hooks\": [{ \"type\": \"command\", \"command\": \"say done\" }] }]\n  }\n}\n", "\"Stop\": [{ \"hooks\": [{ \"type\": \"command\", \"command\": \"say done\" }] }],\n    \"PreToolUse\": [\n"},
	{"tables, comments and inline tables", ".codex/config.toml", "# mine\nmodel = \"gpt-5\" # the best\nshell_environment_policy = { inherit = \"core\" }\n\n[mcp_servers.github]\nurl = \"https://x\"\nenv = { A = \"1\" }\n\n[[skills.config]]\nname = \"x\"", "name = \"x\"\n\n[mcp_servers.devtools]\ncommand = \"devtools\"\n"},
	{"CRLF", ".codex/config.toml", "model = \"gpt-5\"\r\n[features]\r\nhooks = true\r\n", "hooks = true\r\n\r\n[mcp_servers.devtools]\r\ncommand = "},
}

// What others have written into a file stays, byte for byte; twice is once; and all is as before when it is taken out, in whatever order.
func TestFilesOfHosts(t *testing.T) {
	for _, f := range files {
		for _, order := range []string{"as written", "last first"} {
			t.Run(f.name+", "+f.about+", "+order, func(t *testing.T) {
				p := home(t)
				file := p.Expand("~/" + f.name)
				if err := os.WriteFile(file, []byte(f.content), 0o640); err != nil {
					t.Fatal(err)
				}
				entries := p.entriesOf(t, f.name)
				for _, e := range entries {
					if c := p.do(t, e, false); c.State != Added {
						t.Fatalf("%s: %s, %s", e.Name, c.State, c.Reason)
					}
				}
				got := content(t, file)
				if !strings.Contains(got, f.has) {
					t.Errorf("it has no %q:\n%s", f.has, got)
				}
				for _, e := range entries {
					if c := p.do(t, e, false); c.State != There || content(t, file) != got {
						t.Errorf("%s, the second time: %s", e.Name, c.State)
					}
				}
				if info, err := os.Stat(file); err != nil || info.Mode() != 0o640 {
					t.Errorf("its mode is %v: %v", info.Mode(), err)
				}
				if order == "last first" {
					slices.Reverse(entries)
				}
				for _, e := range entries {
					if c := p.do(t, e, true); c.State != Removed {
						t.Errorf("%s: %s, %s", e.Name, c.State, c.Reason)
					}
				}
				if got := content(t, file); got != f.content {
					t.Errorf("afterwards it is\n%q, not\n%q", got, f.content)
				}
			})
		}
	}
}

// A host may write its file anew, with other blanks and more in it. What was written is found by what it means.
func TestFileWrittenAnew(t *testing.T) {
	p := home(t)
	file := p.Expand("~/.claude/settings.json")
	entries := p.entriesOf(t, ".claude/settings.json")
	for _, e := range entries {
		p.do(t, e, false)
	}
	var all map[string]any
	if err := json.Unmarshal([]byte(content(t, file)), &all); err != nil {
		t.Fatal(err)
	}
	permissions := all["permissions"].(map[string]any)
	permissions["allow"] = append(permissions["allow"].([]any), "Bash(ls)")
	all["model"] = "opus"
	text, err := json.MarshalIndent(all, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if c := p.do(t, e, true); c.State != Removed {
			t.Errorf("%s: %s, %s", e.Name, c.State, c.Reason)
		}
	}
	if got, want := content(t, file), "{\n\t\"model\": \"opus\",\n\t\"permissions\": {\n\t\t\"allow\": [\n\t\t\t\"Bash(ls)\"\n\t\t]\n\t}\n}"; got != want {
		t.Errorf("it is %q, not %q", got, want)
	}
}

// What somebody had written before is not taken out.
func TestWhatWasThereStays(t *testing.T) {
	p := home(t)
	file := p.Expand("~/.claude/settings.json")
	const own = `{"permissions": {"allow": ["Bash(devtools ps *)"]}}`
	if err := os.WriteFile(file, []byte(own), 0o600); err != nil {
		t.Fatal(err)
	}
	allow := p.entriesOf(t, ".claude/settings.json")[0]
	if c := p.do(t, allow, false); c.State != Added || strings.Count(content(t, file), "devtools ps") != 1 {
		t.Fatalf("%s: %s", c.State, content(t, file))
	}
	if c := p.do(t, allow, true); c.State != Removed || content(t, file) != own {
		t.Errorf("%s: %s", c.State, content(t, file))
	}
	if c := p.do(t, allow, true); c.State != Absent {
		t.Errorf("once more: %s", c.State)
	}
	p.do(t, allow, false)
	var all any
	if err := json.Unmarshal([]byte(content(t, file)), &all); err != nil {
		t.Fatal(err)
	}
	anew, err := json.Marshal(all)
	if err := errors.Join(err, os.WriteFile(file, anew, 0o600)); err != nil {
		t.Fatal(err)
	}
	if c := p.do(t, allow, true); c.State != Removed || content(t, file) != `{"permissions":{"allow":["Bash(devtools ps *)"]}}` {
		t.Errorf("written anew: %s: %s", c.State, content(t, file))
	}
}

// What an older devtools has written is replaced, also where the host has written its file anew: a hook would run twice.
func TestOlderValue(t *testing.T) {
	for _, anew := range []bool{false, true} {
		p := home(t)
		hook := p.entriesOf(t, ".codex/hooks.json")[0]
		old := hook
		old.Value = strings.Replace(old.Value, `"timeout": 5`, `"timeout": 9`, 1)
		old.Values = []string{strings.Trim(old.Value, "[]")}
		c := p.do(t, old, false)
		want := strings.Replace(content(t, c.File), `"timeout": 9`, `"timeout": 5`, 1)
		if anew {
			if err := os.WriteFile(c.File, []byte(`{"hooks": {"PreToolUse": `+old.Value+`}}`), 0o600); err != nil {
				t.Fatal(err)
			}
			want = strings.TrimSuffix(want, "\n")
		}
		if c := p.do(t, hook, false); c.State != Added || !same(content(t, c.File), want) || !anew && content(t, c.File) != want {
			t.Errorf("%s: %s, not %s", c.State, content(t, c.File), want)
		}
		if c := p.do(t, hook, true); c.State != Removed {
			t.Errorf("%s, %s", c.State, c.Reason)
		}
		if _, err := os.Stat(c.File); !os.IsNotExist(err) {
			t.Errorf("%s is still there: %v", c.File, err)
		}
	}
}

// The record knows of all that is in a file, also of a process that ends or fails in between.
func TestRecordFails(t *testing.T) {
	p := home(t)
	hook := p.entriesOf(t, ".codex/hooks.json")[0]
	c := p.Plan(hook, false)
	c.place.Record = filepath.Join(p.Expand("~"), strings.Repeat("x", 250)) // the name of the new file beside it is too long
	if err := c.Write(); err == nil {
		t.Error("there is no error")
	}
	if _, err := os.Stat(c.File); !os.IsNotExist(err) {
		t.Errorf("it is written without a record: %v", err)
	}
}

// A file that is no plain JSON or TOML, that says something else, or that is none, is left alone.
func TestLeftAlone(t *testing.T) {
	for _, f := range []struct{ name, content, reason string }{
		{".claude/settings.json", "{\n  // mine\n  \"a\": 1\n}", "not plain JSON"},
		{".claude/settings.json", "{\"a\": 1,}", "not plain JSON"},
		{".claude/settings.json", "\ufeff{}", "not plain JSON"},
		{".claude/settings.json", "{\"a\": {\"b\": 1, \"b\": 2}}", `"b" twice`},
		{".claude/settings.json", "{\"a\": \"\xff\"} {}", "not plain JSON"},
		{".claude/settings.json", "[]", "something else"},
		{".claude/settings.json", `{"permissions": {"allow": "all"}}`, "something else"},
		{".claude/settings.json", `{"permissions": []}`, "something else"},
		{".claude/settings.json", strings.Repeat("[", 20000) + strings.Repeat("]", 20000), "not plain JSON"},
		{".claude.json", `{"mcpServers": {"devtools": {"command": "other"}}}`, "something else"},
		{".codex/config.toml", "a = 1\na = 2\n", "not valid TOML"},
		{".codex/config.toml", "mcp_servers = { x = { command = \"y\" } }\n", "one line"},
		{".codex/config.toml", "[mcp_servers.devtools]\ncommand = \"other\"\n", "something else"},
		{".codex/rules/devtools.rules", "prefix_rule(pattern = [\"devtools\"])\n", "another text"},
	} {
		t.Run(f.content[:min(len(f.content), 30)], func(t *testing.T) {
			p := home(t)
			file := p.Expand("~/" + f.name)
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(f.content), 0o600); err != nil {
				t.Fatal(err)
			}
			c := p.do(t, p.entriesOf(t, f.name)[0], false)
			if c.State != Left || !strings.Contains(c.Reason, f.reason) || !strings.Contains(c.Text, "devtools") || content(t, file) != f.content {
				t.Errorf("%s, %s, %q: %s", c.State, c.Reason, c.Text, content(t, file))
			}
		})
	}
}

// A text of an older devtools is replaced, one that a person has changed is not.
func TestOtherText(t *testing.T) {
	p := home(t)
	skill := p.entriesOf(t, "SKILL.md")[0]
	old := skill
	old.Text = "older"
	p.do(t, old, false)
	if c := p.do(t, skill, false); c.State != Added || content(t, c.File) != skillText {
		t.Errorf("%s, %s: %s", c.State, c.Reason, content(t, c.File))
	}
	file := p.Expand(skill.File)
	if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, remove := range []bool{false, true} {
		if c := p.do(t, skill, remove); c.State != Left || content(t, file) != "mine" {
			t.Errorf("%s: %s", c.State, content(t, file))
		}
	}
}

// The record is a file like others: whatever it says, nothing else is lost.
func TestBadRecord(t *testing.T) {
	p := home(t)
	hook := p.entriesOf(t, ".codex/hooks.json")[0]
	file := p.Expand("~/.codex/hooks.json")
	value, err := json.Marshal(hook.Values)
	if err := errors.Join(err, os.Mkdir(filepath.Dir(p.Record), 0o700)); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		`null`: Left, `[]`: Left, `{`: Left,
		`{"` + file + `": null}`: There,
		`{"` + file + `": {"edits": [{"entry": "codex-hook", "depth": -9, "values": ` + string(value) + `}]}}`: Removed,
	} {
		if err := errors.Join(os.WriteFile(p.Record, []byte(text), 0o600), os.WriteFile(file, []byte(`{"hooks":{"PreToolUse":`+hook.Value+`}}`), 0o600)); err != nil {
			t.Fatal(err)
		}
		if c := p.do(t, hook, true); c.State != want {
			t.Errorf("%s: %s, %s", text, c.State, c.Reason)
		}
	}
}

// FuzzInsert: around an insertion all bytes stay, the result is plain JSON or TOML with the entry, and taking it out gives the bytes back.
func FuzzInsert(f *testing.F) {
	for _, file := range files {
		f.Add([]byte(file.content))
	}
	all, err := Entries(skillText)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, before []byte) {
		for _, e := range all {
			made, err := e.insert(before)
			if err != nil || made.Text == "" {
				continue
			}
			after := slices.Concat(before[:made.offset], []byte(made.Text), before[made.offset:])
			if again, err := e.insert(after); err != nil || again.Text != "" {
				t.Fatalf("%s: not there after it was inserted into %q: %q, %v", e.Name, before, after, err)
			}
			if got := e.takeOut(after, made); string(got) != string(before) {
				t.Fatalf("%s: %q became %q", e.Name, before, got)
			}
			if e.Format != "json" || blank(before) {
				continue
			}
			stripped := e.stripJSON(after, made)
			var was, is any
			if json.Unmarshal(before, &was) != nil || json.Unmarshal(stripped, &is) != nil {
				continue // a number that is too large
			}
			if !strings.Contains(string(before), "devtools") && !reflect.DeepEqual(was, is) {
				t.Fatalf("%s: %q is %q without it", e.Name, after, stripped)
			}
		}
	})
}
