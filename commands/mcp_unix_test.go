//go:build unix

package commands

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"devtools/runner/guard/isolation"
	"devtools/runner/runnertest"
)

// An mcpClient is a client without a library: it writes lines and reads lines.
type mcpClient struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    io.ReadCloser
	lines  *bufio.Reader
	meta   map[string]any // _meta of each request
	last   int            // id of the last request
	folder string         // working folder, with the state folder
}

// startMCP starts a server, and speaks the version with it.
func startMCP(t *testing.T, version string) *mcpClient {
	t.Helper()
	state := runnertest.NewState(t)
	c := &mcpClient{t: t, cmd: exec.CommandContext(runnertest.WithPatience(t), "devtools", "mcp"), folder: filepath.Dir(state)}
	c.cmd.Dir, c.cmd.Stderr = c.folder, os.Stderr
	c.cmd.Env = append(slices.DeleteFunc(os.Environ(), func(pair string) bool {
		return isolation.Agent([]string{pair}) != "" || strings.HasPrefix(pair, profileVariable+"=") // the server says itself that it is one
	}), "DEVTOOLS_DIR="+state)
	var err, outErr error
	c.in, err = c.cmd.StdinPipe()
	c.out, outErr = c.cmd.StdoutPipe()
	if err := errors.Join(err, outErr, c.cmd.Start()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.in.Close()
		_ = c.cmd.Wait()
	})
	c.lines = bufio.NewReader(c.out)
	if version == mcpVersions()[0] {
		c.meta = map[string]any{"io.modelcontextprotocol/protocolVersion": version, "io.modelcontextprotocol/clientCapabilities": map[string]any{}}
		return c
	}
	answer := c.request("initialize", map[string]any{"protocolVersion": version, "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "test", "version": "1"}})
	if got := memberAt(answer, "result.protocolVersion"); got != version {
		t.Fatalf("protocolVersion %v: %v", got, answer)
	}
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return c
}

func (c *mcpClient) send(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

// next returns the next message of the server.
func (c *mcpClient) next() (message map[string]any) {
	c.t.Helper()
	line, err := c.lines.ReadBytes('\n')
	if err := errors.Join(err, json.Unmarshal(line, &message)); err != nil {
		c.t.Fatalf("%q: %v", line, err)
	}
	return message
}

// ask sends a request and returns its id.
func (c *mcpClient) ask(method string, params map[string]any) int {
	c.t.Helper()
	c.last++
	if c.meta != nil {
		meta := map[string]any{}
		for _, members := range []any{c.meta, params["_meta"]} {
			members, _ := members.(map[string]any)
			for key, value := range members {
				meta[key] = value
			}
		}
		params["_meta"] = meta
	}
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": c.last, "method": method, "params": params})
	if err != nil {
		c.t.Fatal(err)
	}
	c.send(string(line))
	return c.last
}

// request sends a request and returns the answer, which comes next.
func (c *mcpClient) request(method string, params map[string]any) map[string]any {
	c.t.Helper()
	id := c.ask(method, params)
	answer := c.next()
	if answer["id"] != float64(id) {
		c.t.Fatalf("%s: %v", method, answer)
	}
	return answer
}

func toolCall(tool string, arguments map[string]any) map[string]any {
	return map[string]any{"name": tool, "arguments": arguments}
}

// call calls a tool and returns the result and its text.
func (c *mcpClient) call(tool string, arguments map[string]any) (result map[string]any, text string) {
	c.t.Helper()
	return c.resultOf(c.request("tools/call", toolCall(tool, arguments)))
}

func (c *mcpClient) resultOf(answer map[string]any) (result map[string]any, text string) {
	c.t.Helper()
	result, _ = answer["result"].(map[string]any)
	content, _ := result["content"].([]any)
	if len(content) != 1 {
		c.t.Fatalf("%v", answer)
	}
	text, _ = memberAt(content[0], "text").(string)
	return result, text
}

// devtools runs a command line in the folder of the client, as a person does, and returns what it prints.
func (c *mcpClient) devtools(args ...string) string {
	c.t.Helper()
	cmd := exec.Command("devtools", args...)
	cmd.Dir, cmd.Env = c.folder, c.cmd.Env
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		c.t.Fatalf("%q: %v", args, err)
	}
	return string(out)
}

// fifo makes a FIFO in the folder of the client. The function returned waits until somebody has written to it and closed it.
func (c *mcpClient) fifo(name string) (wait func()) {
	c.t.Helper()
	path := filepath.Join(c.folder, name)
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		c.t.Fatal(err)
	}
	return func() {
		c.t.Helper()
		if _, err := os.ReadFile(path); err != nil {
			c.t.Fatal(err)
		}
	}
}

// The calls that the official clients make too (TestStressMCPClients): each tool answers as its command does, and what it
// answers is what tools/list promises.
func TestMCPTools(t *testing.T) {
	var calls []struct {
		Tool, Text string
		Arguments  map[string]any
		IsError    bool
	}
	if err := json.Unmarshal([]byte(readDocument(t, "testdata/mcp/calls.json")), &calls); err != nil {
		t.Fatal(err)
	}
	for _, version := range mcpVersions()[:2] {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			c := startMCP(t, version)
			listed := c.request("tools/list", map[string]any{})
			if stateless := version == mcpVersions()[0]; stateless != (memberAt(listed, "result.resultType") == "complete" && memberAt(listed, "result.ttlMs") != nil) {
				t.Errorf("%v", listed["result"])
			}
			schemas := map[any]*jsonschema.Resolved{}
			tools, _ := memberAt(listed, "result.tools").([]any)
			for _, tool := range tools {
				text, err := json.Marshal(memberAt(tool, "outputSchema"))
				var schema jsonschema.Schema
				if err := errors.Join(err, json.Unmarshal(text, &schema)); err != nil {
					t.Fatal(err)
				}
				if schemas[memberAt(tool, "name")], err = schema.Resolve(nil); err != nil {
					t.Fatal(err)
				}
			}
			for _, call := range calls {
				result, text := c.call(call.Tool, call.Arguments)
				if isError, _ := result["isError"].(bool); isError != call.IsError || !strings.Contains(text, call.Text) {
					t.Errorf("%v: %v", call, result)
				}
				if err := schemas[call.Tool].Validate(result["structuredContent"]); err != nil {
					t.Errorf("%v: %v", call, err)
				}
			}
		})
	}
}

// What is no request is answered as the specification says, and the next request works.
func TestMCPMessages(t *testing.T) {
	t.Parallel()
	const stateless = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	c := startMCP(t, mcpVersions()[0])
	for _, step := range []struct{ line, want string }{
		{`{`, `-32700`},
		{"\"\xff\"", `-32700`},
		{`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, `-32600`},
		{`7`, `-32600`},
		{`null`, `-32600`},
		{`{"jsonrpc":"2.0","id":null,"method":"ping"}`, `-32600`},
		{`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, `-32600`},
		{`{"jsonrpc":"1.0","id":"a","method":"ping"}`, `-32600`},
		{`{"jsonrpc":"2.0","id":"a","Method":"ping"}`, `-32600`},
		{`{"jsonrpc":"2.0","id":"a","method":"ping","params":[]}`, `-32602`},
		{`{"jsonrpc":"2.0","id":"a","method":"ping","params":{"_meta":1}}`, `-32602`},
		{`{"jsonrpc":"2.0","id":"a","method":"tools/list"}`, `-32602`}, // no version, and no initialize
		{`{"jsonrpc":"2.0","id":"a","method":"ping"}`, `"result":{}`},
		{`{"jsonrpc":"2.0","id":"a","method":"ping","params":{` + stateless + `}}`, `-32601`}, // the version has none
		{`{"jsonrpc":"2.0","id":"a","method":"resources/list","params":{` + stateless + `}}`, `-32601`},
		{`{"jsonrpc":"2.0","id":"a","method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`, `-32602`},
		{`{"jsonrpc":"2.0","id":"a","method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"1900-01-01"}}}`, `"supported":["2026-07-28","2025-11-25"`},
		{`{"jsonrpc":"2.0","id":"a","method":"tools/list","params":{"cursor":"x",` + stateless + `}}`, `-32602`},
		{`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"rm",` + stateless + `}}`, `-32602`},
		{`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"ps","arguments":[],` + stateless + `}}`, `-32602`},
		{`{"jsonrpc":"2.0","id":"a","method":"server/discover","params":{` + stateless + `}}`, `"supportedVersions":["2026-07-28","2025-11-25"`},
		{`{"jsonrpc":"2.0","id":"b","method":"initialize","params":{"protocolVersion":"2199-01-01"}}`, `"protocolVersion":"2025-11-25"`},
		{`{"jsonrpc":"2.0","id":"b","method":"initialize","params":{"protocolVersion":"2024-11-05"}}`, `"protocolVersion":"2024-11-05"`},
		{`{"jsonrpc":"2.0","id":"b","method":"server/discover"}`, `-32601`},
		{`{"jsonrpc":"2.0","method":"notifications/unknown","params":{}}` + "\n\n" + `{"jsonrpc":"2.0","method":"tools/list","params":3}` + "\n" +
			`{"jsonrpc":"2.0","id":1,"result":{}}` + "\r\n" + `{"jsonrpc":"2.0","id":-9007199254740993,"method":"ping"}`, `"id":-9007199254740993`}, // the others have no answer
		{`{"jsonrpc":"2.0","id":"` + strings.Repeat("x", mcpLongest), `-32600`}, // it is the last one
	} {
		c.send(step.line)
		if line, err := c.lines.ReadString('\n'); err != nil || !strings.Contains(line, step.want) {
			t.Errorf("%.200s\n%s\nwant %s (%v)", step.line, line, step.want, err)
		}
	}
	if err := c.cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// What a tool does not take is an error that names it, and nothing runs.
func TestMCPArguments(t *testing.T) {
	t.Parallel()
	c := startMCP(t, mcpVersions()[1])
	for _, try := range []struct {
		tool, arguments, want string
	}{
		{"run", `{"comand":"true"}`, `did you mean "command"?`},
		{"run", `{"command":["true"]}`, `"command": want string`},
		{"run", `{"command":null}`, `"command": want string`},
		{"run", `{"command":"true","args":["a",1]}`, `"args": want array`},
		{"run", `{"command":"a\u0000b"}`, `"command": want string`},
		{"run", `{"command":"true","env":{"A=B":"c"}}`, `"env": want object`},
		{"run", `{"command":"true","max_output":-5}`, `--max-output: invalid number of bytes "-5"`},
		{"run", `{"command":"true","max_output":1.5}`, `"max_output": want integer`},
		{"run", `{"command":"true","on_input":"guess"}`, `--on-input: invalid value "guess": use return, wait, ask or kill`},
		{"run", `{"command":"true","timeout":"soon"}`, `invalid duration "soon"`},
		{"run", `{"command":"true","timeout":"5m","on_timeout":"kill"}`, `50s is the most`},
		{"run", `{"command":"true","cwd":"--help"}`, `-C --help: no such file`},
		{"run", `{"command":"` + strings.Repeat("x", 3<<20) + `"}`, `argument list too long`},
		{"run", `{}`, `a command is missing`},
		{"run", `{"command":"sudo true"}`, `needs a confirmation`}, // the rules for agents hold
		{"send_keys", `{"keys":["x"]}`, `"session" is missing`},
		{"kill", `{"sessions":["-9"]}`, `no name or pid begins with -`},
		{"kill", `{"sessions":["--all"]}`, `no name or pid begins with -`},
		{"wait", `{"sessions":["x"],"all":1}`, `"all": want boolean`},
	} {
		var arguments map[string]any
		if err := json.Unmarshal([]byte(try.arguments), &arguments); err != nil {
			t.Fatal(err)
		}
		if result, text := c.call(try.tool, arguments); result["isError"] != true || !strings.Contains(text, try.want) {
			t.Errorf("%s %s: %v, want %s", try.tool, try.arguments, result, try.want)
		}
	}
	if got := c.devtools("ps", "--all"); got != "" {
		t.Errorf("something was started: %s", got)
	}
}

// A cancelled call has no answer, and the command goes on. Its id is free when its process has ended.
func TestMCPCancel(t *testing.T) {
	t.Parallel()
	for _, version := range mcpVersions()[:2] {
		c := startMCP(t, version)
		started := c.fifo("started")
		id := c.ask("tools/call", toolCall("run", map[string]any{"command": "echo > started; exec cat", "name": "s", "on_input": "wait"}))
		started()
		c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + strconv.Itoa(id) + `,"reason":"no more time"}}`)
		answer := map[string]any{"error": "not tried"}
		for answer["error"] != nil { // until the id is free
			c.last = id - 1
			answer = c.request("tools/call", toolCall("ps", map[string]any{}))
		}
		if _, text := c.resultOf(answer); !strings.Contains(text, `name "s", status "running"`) {
			t.Error(text)
		}
	}
}

// A call that waits says so every few seconds to a client that wants to know, which may then wait longer than others.
func TestMCPProgress(t *testing.T) {
	t.Parallel()
	for _, version := range mcpVersions()[:2] {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			c := startMCP(t, version)
			c.call("launch", map[string]any{"command": "cat", "name": "s"})
			params := toolCall("wait", map[string]any{"sessions": []string{"s"}, "timeout": "2m"})
			params["_meta"] = map[string]any{"progressToken": "p"}
			c.ask("tools/call", params)
			message := c.next()
			if memberAt(message, "method") != "notifications/progress" || memberAt(message, "params.progressToken") != "p" {
				t.Fatalf("%v", message)
			}
			c.devtools("kill", "s")
			for message = c.next(); message["method"] != nil; message = c.next() { // one may come before the end
			}
			if _, text := c.resultOf(message); !strings.Contains(text, "SIGTERM") {
				t.Errorf("%v", message)
			}
		})
	}
}

// As many calls as are allowed wait at the same time. One more is refused at once, and all get their answer.
func TestMCPParallel(t *testing.T) {
	t.Parallel()
	c := startMCP(t, mcpVersions()[0])
	c.call("launch", map[string]any{"command": "cat", "name": "s"})
	for range mcpMost {
		c.ask("tools/call", toolCall("wait", map[string]any{"sessions": []string{"s"}, "until": []string{"text:go"}}))
	}
	if answer := c.request("tools/call", toolCall("ps", map[string]any{})); memberAt(answer, "error.code") != float64(mcpNoRequest) {
		t.Errorf("%v", answer)
	}
	c.devtools("send-keys", "s", "go", "Enter")
	answered := map[any]bool{}
	for range mcpMost {
		answer := c.next()
		if result, text := c.resultOf(answer); result["isError"] != false || !strings.Contains(text, `match "go"`) {
			t.Errorf("%v", answer)
		}
		answered[answer["id"]] = true
	}
	if len(answered) != mcpMost {
		t.Errorf("%d calls have an answer", len(answered))
	}
}

// When the client is gone, the server ends with the calls that wait, and the session goes on.
func TestMCPClientGone(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(*mcpClient) error{
		"no more requests": func(c *mcpClient) error { return c.in.Close() },
		"nobody reads":     func(c *mcpClient) error { return c.out.Close() },
		"SIGTERM":          func(c *mcpClient) error { return c.cmd.Process.Signal(syscall.SIGTERM) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := startMCP(t, mcpVersions()[0])
			started := c.fifo("started")
			c.ask("tools/call", toolCall("run", map[string]any{"command": "echo > started; exec cat", "name": "s", "on_input": "wait"}))
			started()
			if err := errors.Join(leave(c), c.cmd.Wait()); err != nil {
				t.Error(err)
			}
			if got := c.devtools("ps", "--fields", "sessions.status"); !strings.Contains(got, "running") {
				t.Error(got)
			}
		})
	}
}

// A client that does not read its answers keeps the server from nothing but them: it ends when it is told to.
func TestMCPClientIsStuck(t *testing.T) {
	t.Parallel()
	c := startMCP(t, mcpVersions()[0])
	c.ask("tools/call", toolCall("run", map[string]any{"command": "head -c 500000 /dev/zero | tr '\\0' x", "max_output": 1000000}))
	if _, err := c.lines.ReadByte(); err != nil { // the answer has begun, and does not fit into the pipe
		t.Fatal(err)
	}
	if err := errors.Join(c.cmd.Process.Signal(syscall.SIGTERM), c.cmd.Wait()); err != nil {
		t.Error(err)
	}
}

// A client that does not read its answers gets no more calls than one that waits for them.
func TestMCPAnswersUnread(t *testing.T) {
	t.Parallel()
	c := startMCP(t, mcpVersions()[1])
	c.ask("tools/call", toolCall("run", map[string]any{"command": "head -c 500000 /dev/zero | tr '\\0' x", "max_output": 1000000}))
	if _, err := c.lines.ReadByte(); err != nil { // the answer has begun, and does not fit into the pipe
		t.Fatal(err)
	}
	done := c.fifo("done")
	for range mcpMost {
		c.ask("tools/call", toolCall("run", map[string]any{"command": "echo > done"}))
		done()
	}
	last := c.ask("tools/call", toolCall("ps", map[string]any{}))
	if _, err := c.lines.ReadBytes('\n'); err != nil {
		t.Fatal(err)
	}
	answer := c.next()
	for answer["id"] != float64(last) {
		answer = c.next()
	}
	if memberAt(answer, "error.code") != float64(mcpNoRequest) {
		t.Errorf("%v", answer)
	}
}

// A command that asks something asks a person, who answers from elsewhere.
func TestMCPAsk(t *testing.T) {
	t.Parallel()
	c := startMCP(t, mcpVersions()[1])
	started := c.fifo("started")
	c.ask("tools/call", toolCall("run", map[string]any{"command": "echo > started; read -p 'PIN? ' pin; echo got $pin", "name": "s", "on_input": "ask"}))
	started()
	c.devtools("wait", "s", "--until", "input")
	for ctx := runnertest.WithPatience(t); !strings.Contains(c.devtools("ps", "--json"), `"message":"PIN?`); { // until run has asked
		if ctx.Err() != nil {
			t.Fatal("run asks nobody")
		}
	}
	c.devtools("send-keys", "s", "1234", "Enter")
	if result, text := c.resultOf(c.next()); !strings.Contains(text, "got 1234") || memberAt(result, "structuredContent.exitCode") != 0.0 {
		t.Errorf("%v", result)
	}
}
