package commands

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

// mcpTools has the tools: what a client is told of them, and how a call becomes a command line.
//
//go:embed mcp_tools.json
var mcpTools string

const (
	mcpWait     = 50 * time.Second // the longest call of a client that sees no progress: it gives up after a minute
	mcpProgress = 5 * time.Second  // time between two messages about a call that waits
	mcpPrinted  = 4 << 20          // bytes that a command may print: a page of a log has 1 MiB of clean text, in JSON at most twice as much
)

// An mcpSet is what mcp_tools.json has.
type mcpSet struct {
	Instructions string // what a model is told of the server
	Tools        []mcpTool
}

// An mcpTool makes a command line of the arguments of a call: so policies, isolation and messages are those of the command line.
type mcpTool struct {
	Definition map[string]any    // what a client is told
	Command    string            // subcommand
	Positional []string          // arguments that are no flags, in their order
	Flags      map[string]string // flags of arguments with other names
	Defaults   []struct {
		Argument, Value string   // an argument, or another flag
		If, Unless      []string // only with one of these arguments, only without all of these
	}
	Lines []mcpLine // text of the result
}

// An mcpLine is text about a part of a result. A path is the names of members with dots between them.
type mcpLine struct {
	Of      string   // path of a text, an object, or a list of these; "": the result
	Members []string // paths in the object; those that are empty or false are left out
}

// list returns what a client is told of the tools. The objects to which an outputSchema refers come from the schema of all
// commands, without what it says to people, which is four fifths of it, and without members that must be there ([withoutEmpty]).
func (set mcpSet) list() (list []map[string]any) {
	spoken := regexp.MustCompile(`"description": *"([^"\\]|\\.)*",?|"required": *\[[^]]*\],?`)
	whole, _ := parseSchema(spoken.ReplaceAllString(schemaText, "")) // both are parts of this program
	for _, tool := range set.Tools {
		output := tool.Definition["outputSchema"].(map[string]any)
		var refs bytes.Buffer
		_ = encode(&refs, output) // it comes from JSON
		output["$defs"] = whole.used(refs.Bytes())
		list = append(list, tool.Definition)
	}
	return list
}

// call runs the command of a tool, and answers when it has ended. A call with a mistake is answered at once.
func (s *mcpServer) call(ctx context.Context, m mcpMessage) (map[string]any, *mcpFault) {
	name, arguments := jsonText(m.params["name"]), map[string]any{}
	i := slices.IndexFunc(s.set.Tools, func(t mcpTool) bool { return t.Definition["name"] == name })
	if json.Unmarshal([]byte(cmp.Or(string(m.params["arguments"]), "{}")), &arguments) != nil || i < 0 {
		return nil, mcpFaultf(mcpBadParams, "Unknown tool: %q, or params.arguments is no object", name)
	}
	tool, token := s.set.Tools[i], mcpID(m.meta["progressToken"])
	line, err := tool.line(arguments, token != nil)
	if err != nil {
		return tool.result(nil, nil, err), nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.calls == nil || s.calls[m.id] != nil || len(s.calls) == mcpMost {
		return nil, mcpFaultf(mcpNoRequest, "a call with this id still runs, or %d calls do: wait for the end of one", mcpMost)
	}
	ctx, cancel := context.WithCancel(ctx)
	s.calls[m.id] = cancel
	s.running.Add(1)
	go func() {
		defer cancel()
		printed, failed, noResult := s.execute(ctx, line, token)
		if ctx.Err() == nil {
			s.answer(m, tool.result(printed, failed, noResult), nil, m.id)
		} else {
			s.forget(m.id)
		}
	}()
	return nil, nil
}

// line returns the arguments of the command of a call. No value becomes a flag: it follows a = or stands behind --. Without
// progress the call lasts at most mcpWait.
func (t mcpTool) line(arguments map[string]any, progress bool) (line []string, err error) {
	values := map[string][]string{}
	properties, _ := memberAt(t.Definition, "inputSchema.properties").(map[string]any)
	required, _ := memberAt(t.Definition, "inputSchema.required").([]any)
	for _, name := range slices.Sorted(maps.Keys(arguments)) {
		if properties[name] == nil {
			return nil, notOneOf("unknown argument", name, slices.Sorted(maps.Keys(properties)))
		}
		want, typ := memberAt(properties[name], "type"), ""
		if values[name], typ = argumentWords(arguments[name]); typ != want {
			text, _ := json.Marshal(arguments[name]) // it comes from JSON
			return nil, usagef("argument %q: want %s, with strings in it that have no NUL, not %.80s", name, want, text)
		}
	}
	given := func(name string) bool { return values[name] != nil }
	for _, name := range required {
		if !given(name.(string)) {
			return nil, usagef("argument %q is missing", name)
		}
	}
	for _, d := range t.Defaults {
		if !given(d.Argument) && (d.If == nil || slices.ContainsFunc(d.If, given)) && !slices.ContainsFunc(d.Unless, given) {
			values[d.Argument] = []string{d.Value}
		}
	}
	if given("timeout") && !progress {
		asked, err := parseDuration(values["timeout"][0]) // the command reports an error
		if tooLong := err == nil && (asked == 0 || asked > mcpWait); tooLong && slices.Contains(values["on_timeout"], "kill") {
			return nil, usagef("timeout: without a progressToken %v is the most, and kill would end the command by then: use keep", mcpWait)
		} else if tooLong {
			values["timeout"] = []string{mcpWait.String()}
		}
	}
	line = []string{"--json", "--quiet"} // without what else runs: that is ps
	if given("cwd") {
		line = append(line, "-C="+values["cwd"][0])
	}
	line = append(line, t.Command)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		for _, value := range values[name] {
			if name != "cwd" && !slices.Contains(t.Positional, name) {
				line = append(line, "--"+cmp.Or(t.Flags[name], strings.ReplaceAll(name, "_", "-"))+"="+value)
			}
		}
	}
	line = append(line, "--")
	for _, name := range t.Positional {
		line = append(line, values[name]...)
	}
	return line, nil
}

// argumentWords returns the words that an argument is on the command line, and its type in JSON Schema. The type is "" for what no
// tool takes. Of false and of an empty list there are no words.
func argumentWords(value any) (words []string, typ string) {
	valid := true
	switch v := value.(type) {
	case string:
		words, typ = []string{v}, "string"
	case float64:
		words, typ, valid = []string{fmt.Sprint(int64(v))}, "integer", v == float64(int64(v))
	case bool:
		if typ = "boolean"; v {
			words = []string{"true"}
		}
	case []any:
		typ = "array"
		for _, element := range v {
			word, isText := element.(string)
			words, valid = append(words, word), valid && isText
		}
	case map[string]any: // variables
		typ = "object"
		for _, name := range slices.Sorted(maps.Keys(v)) {
			word, isText := v[name].(string)
			words, valid = append(words, name+"="+word), valid && isText && name != "" && !strings.Contains(name, "=")
		}
	}
	if !valid || strings.ContainsRune(strings.Join(words, ""), 0) {
		typ = ""
	}
	return words, typ
}

// An mcpBuffer keeps the first mcpPrinted bytes that are written to it.
type mcpBuffer []byte

func (b *mcpBuffer) Write(p []byte) (int, error) {
	*b = append(*b, p[:min(len(p), mcpPrinted-len(*b))]...)
	return len(p), nil
}

// execute runs this program as an agent would. When the context ends, so does the call, and not what it waits for. The error is that
// of a command that has printed no object.
func (s *mcpServer) execute(ctx context.Context, line []string, token any) (printed, failed []byte, noResult error) {
	var out, errOut mcpBuffer
	cmd := exec.CommandContext(ctx, s.program, line...)
	cmd.Args[0], cmd.Stdout, cmd.Stderr = os.Args[0], &out, &errOut
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 2 * time.Second // where there is no SIGTERM, it is killed
	began, ended := time.Now(), make(chan error, 1)
	go func() {
		defer s.running.Done() // also when the loop below is kept up by a client that reads no messages
		ended <- cmd.Run()
	}()
	ticker := time.NewTicker(mcpProgress)
	defer ticker.Stop()
	for {
		select {
		case err := <-ended:
			return out, errOut, fmt.Errorf("no result, or one of more than %d bytes: ask for less (%v) %.2000s", mcpPrinted, err, errOut)
		case now := <-ticker.C:
			if seconds := int(now.Sub(began).Seconds()); token != nil && ctx.Err() == nil {
				s.write(map[string]any{"jsonrpc": "2.0", "method": "notifications/progress", "params": map[string]any{
					"progressToken": token, "progress": seconds, "message": fmt.Sprintf("still waiting after %d s", seconds),
				}}, nil)
			}
		}
	}
}

// result returns the answer to a call: the object that its command has printed, and text. It is an error if the command has
// printed one, or no object. Another exit code than 0 is none.
func (t mcpTool) result(printed, failed []byte, noResult error) map[string]any {
	var text strings.Builder
	var fault failure
	var object any
	for line := range bytes.Lines(failed) {
		_ = json.Unmarshal(line, &fault) // the last object is the error; other lines are none
	}
	result := map[string]any{}
	if json.Unmarshal(printed, &object) == nil {
		result["structuredContent"] = withoutEmpty(object)
	} else {
		if fault.Error.Kind == "" {
			fault.Error = newErrorDetail(t.Command, noResult)
		}
		result["structuredContent"] = fault
	}
	for _, line := range t.Lines {
		line.write(&text, object)
	}
	if fault.Error.Kind != "" {
		message(&text, "%s", fault.Error.Message)
		hint(&text, fault.Error.Hint)
	}
	shown := cmp.Or(strings.TrimSuffix(text.String(), "\n"), "(nothing)") // some models refuse an empty text
	result["isError"], result["content"] = fault.Error.Kind != "", []any{map[string]string{"type": "text", "text": shown}}
	return result
}

// withoutEmpty returns a value from JSON without the members of objects that are empty or null: a model reads each byte.
func withoutEmpty(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			if v[name] = withoutEmpty(member); isEmpty(v[name]) {
				delete(v, name)
			}
		}
	case []any:
		for i := range v {
			v[i] = withoutEmpty(v[i])
		}
	}
	return v
}

// isEmpty reports whether a value from JSON is null, or a text, a list or an object with nothing in it.
func isEmpty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

// jsonOf returns a value that comes from JSON as JSON.
func jsonOf(v any) string {
	var text bytes.Buffer
	_ = encode(&text, v)
	return strings.TrimSpace(text.String())
}

// write writes the text about the part of v that l is about.
func (l mcpLine) write(w *strings.Builder, v any) {
	var words []string
	switch v := memberAt(v, l.Of).(type) {
	case string:
		if v != "" || l.Of == "" { // a row of a screen may be empty
			w.WriteString(strings.TrimSuffix(v, "\n") + "\n")
		}
	case []any:
		for _, element := range v {
			mcpLine{Members: l.Members}.write(w, element)
		}
	case map[string]any:
		for _, path := range l.Members {
			if value := memberAt(v, path); !isEmpty(value) && value != false {
				words = append(words, path+" "+jsonOf(value))
			}
		}
	}
	if words != nil {
		w.WriteString(strings.Join(words, ", ") + "\n")
	}
}

// memberAt returns what is at a path of v, or nil.
func memberAt(v any, path string) any {
	for name := range strings.SplitSeq(path, ".") {
		if object, _ := v.(map[string]any); path != "" {
			v = object[name]
		}
	}
	return v
}
