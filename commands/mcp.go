package commands

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"unicode/utf8"

	"github.com/urfave/cli/v3"

	"devtools/runner/guard/isolation"
	"devtools/runner/track"
)

const (
	mcpLongest = 4 << 20                    // bytes of a message
	mcpMost    = 64                         // calls at a time
	mcpPrefix  = "io.modelcontextprotocol/" // begins the names of members that the protocol itself puts into _meta

	// Codes of errors: JSON-RPC 2.0, section 5.1, and the specification of 2026-07-28 (basic/index, Error Codes).
	mcpNoJSON       = -32700
	mcpNoRequest    = -32600
	mcpNoMethod     = -32601
	mcpBadParams    = -32602
	mcpOtherVersion = -32022
)

// mcpVersions returns the versions of the Model Context Protocol, newest first. In the first one each request says its version. The
// others begin with initialize; they differ in nothing that is used here, but that 2025-03-26 has batches.
func mcpVersions() []string {
	return []string{"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}
}

func mcpCommand() *cli.Command {
	return &cli.Command{
		Description: `Serves run, launch, send-keys, screen, log, wait, ps and kill as tools, over the
Model Context Protocol on standard input and output. A program that works with
a language model starts it. The sessions go on when it ends.

EXAMPLES:
  devtools mcp   # as the command of an MCP server: "devtools", ["mcp"]`,
		Action: serveMCP,
	}
}

// An mcpServer is the side of the protocol that offers tools.
type mcpServer struct {
	program string // path of this program
	set     mcpSet
	began   bool               // the client has sent initialize
	end     context.CancelFunc // ends the server
	running sync.WaitGroup     // the processes of calls

	mu    sync.Mutex
	calls map[any]context.CancelFunc // those that run, by the ids of their requests

	writing sync.Mutex
	out     io.Writer
}

// serveMCP answers requests until the client is gone. Then it ends the calls that wait; what they wait for goes on.
func serveMCP(ctx context.Context, cmd *cli.Command) error {
	ctx, stop := signal.NotifyContext(ctx, endSignals(syscall.SIGPIPE)...)
	defer stop()
	program, err := track.Executable()
	s := &mcpServer{program: program, out: cmd.Root().Writer, calls: map[any]context.CancelFunc{}}
	if dir := cmd.Root().String("dir"); dir != "" {
		err = errors.Join(err, os.Setenv("DEVTOOLS_DIR", dir))
	}
	if isolation.Agent(os.Environ()) == "" {
		err = errors.Join(err, os.Setenv("AI_AGENT", "mcp"))
	}
	if err = errors.Join(err, json.Unmarshal([]byte(mcpTools), &s.set)); err != nil {
		return err
	}
	if _, _, ok := person(cmd); ok {
		note(cmd, "a program that works with a language model starts this, and speaks JSON with it; ctrl-d ends it")
	}
	ctx, s.end = context.WithCancel(ctx)
	go s.read(ctx, cmd.Root().Reader)
	select {
	case <-readerGone(s.out):
	case <-ctx.Done():
	}
	s.end()
	s.mu.Lock()
	s.calls = nil // none begins from now on
	s.mu.Unlock()
	s.running.Wait()
	return nil
}

// read answers the messages of the client, until there are no more or one is too long.
func (s *mcpServer) read(ctx context.Context, from io.Reader) {
	defer s.end()
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, mcpLongest)
	for lines.Scan() {
		if line := bytes.TrimSpace(lines.Bytes()); len(line) > 0 {
			s.serve(ctx, line)
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		s.answer(mcpMessage{}, nil, mcpFaultf(mcpNoRequest, "the message has more than %d bytes: the server ends", mcpLongest), nil)
	}
}

// An mcpMessage is a request or a notification of a client.
type mcpMessage struct {
	id     any // string or int64; nil: a notification
	method string
	params map[string]json.RawMessage
	meta   map[string]json.RawMessage // member _meta of params
}

// stateless reports whether the request says its version, as all do since 2026-07-28.
func (m mcpMessage) stateless() bool { return m.meta[mcpPrefix+"protocolVersion"] != nil }

// An mcpAnswer is the answer to a request: a result or an error.
type mcpAnswer struct {
	Version string         `json:"jsonrpc"`
	ID      any            `json:"id,omitempty"`
	Result  map[string]any `json:"result,omitzero"`
	Error   *mcpFault      `json:"error,omitempty"`
}

// An mcpFault is the error of a request.
type mcpFault struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

func mcpFaultf(code int, format string, args ...any) *mcpFault {
	return &mcpFault{Code: code, Message: fmt.Sprintf(format, args...)}
}

// parseMCP reads a message. A response has no method and no fault: the server asks nothing.
func parseMCP(line []byte) (m mcpMessage, fault *mcpFault) {
	members, isObject := jsonObject(line)
	m.id, m.method = mcpID(members["id"]), jsonText(members["method"])
	var hasParams, hasMeta bool
	m.params, hasParams = jsonObject(members["params"])
	m.meta, hasMeta = jsonObject(m.params["_meta"])
	switch {
	case !utf8.Valid(line) || !json.Valid(line):
		fault = mcpFaultf(mcpNoJSON, "the line is not JSON in UTF-8")
	case isObject && members["method"] == nil && (members["result"] != nil || members["error"] != nil):
		return mcpMessage{}, nil
	case !isObject, jsonText(members["jsonrpc"]) != "2.0", m.method == "", members["id"] != nil && m.id == nil:
		fault = mcpFaultf(mcpNoRequest, `want an object with jsonrpc "2.0", a method and, in a request, an id: a string or an integer; there are no batches`)
	case !hasParams && members["params"] != nil, !hasMeta && m.params["_meta"] != nil:
		fault = mcpFaultf(mcpBadParams, "params and params._meta: want objects")
	}
	return m, fault
}

// jsonObject returns the members of an object, and false for all else. Names of members count with their case.
func jsonObject(text []byte) (members map[string]json.RawMessage, ok bool) {
	err := json.Unmarshal(text, &members)
	return members, err == nil && members != nil
}

// jsonText returns a string, and "" for all else.
func jsonText(text json.RawMessage) string {
	word, _ := mcpID(text).(string)
	return word
}

// mcpID returns the id of a request or the token of a progress as a string or an int64, or nil if it is something else.
func mcpID(text json.RawMessage) any {
	var word *string
	var number *int64
	switch {
	case json.Unmarshal(text, &word) == nil && word != nil:
		return *word
	case json.Unmarshal(text, &number) == nil && number != nil:
		return *number
	}
	return nil
}

// serve answers a message, now or when its call has ended.
func (s *mcpServer) serve(ctx context.Context, line []byte) {
	m, fault := parseMCP(line)
	var result map[string]any
	switch {
	case m.id == nil && (fault == nil || fault.Code == mcpBadParams): // a notification or a response has no answer
		if m.method == "notifications/cancelled" {
			s.cancel(mcpID(m.params["requestId"]))
		}
		return
	case fault == nil:
		result, fault = s.request(ctx, m)
	}
	if fault != nil || result != nil {
		s.answer(m, result, fault, nil)
	}
}

// request returns the answer to a request, or neither when it comes later.
func (s *mcpServer) request(ctx context.Context, m mcpMessage) (map[string]any, *mcpFault) {
	version, handshake := jsonText(m.meta[mcpPrefix+"protocolVersion"]), mcpVersions()[1:]
	_, able := jsonObject(m.meta[mcpPrefix+"clientCapabilities"])
	about := map[string]any{"capabilities": map[string]any{"tools": map[string]any{}}, "instructions": s.set.Instructions}
	switch {
	case version != "" && version != mcpVersions()[0]:
		return nil, &mcpFault{mcpOtherVersion, "Unsupported protocol version", map[string]any{"supported": mcpVersions(), "requested": version}}
	case m.stateless() && (version == "" || !able), !m.stateless() && !s.began && m.method != "initialize" && m.method != "ping":
		return nil, mcpFaultf(mcpBadParams, "params._meta: want %[1]sprotocolVersion, a string, and %[1]sclientCapabilities, an object; or begin with initialize", mcpPrefix)
	case m.method == "initialize" && !m.stateless():
		s.began, about["serverInfo"] = true, mcpServerInfo()
		about["protocolVersion"] = handshake[max(0, slices.Index(handshake, jsonText(m.params["protocolVersion"])))]
		return about, nil
	case m.method == "ping" && !m.stateless():
		return map[string]any{}, nil
	case m.method == "server/discover" && m.stateless():
		about["supportedVersions"] = mcpVersions()
		return about, nil
	case m.method == "tools/list" && m.params["cursor"] == nil: // there is one page
		return map[string]any{"tools": s.set.list()}, nil
	case m.method == "tools/list":
		return nil, mcpFaultf(mcpBadParams, "params.cursor: there is no such page")
	case m.method == "tools/call":
		return s.call(ctx, m)
	}
	return nil, mcpFaultf(mcpNoMethod, "there is no method %q", m.method)
}

func mcpServerInfo() map[string]any {
	return map[string]any{"name": "devtools", "title": "devtools", "version": version()}
}

// answer sends the result of a request, or its fault. There is no id if the message had none that could be read. The call, if it is one
// that has run, makes room for another one when its answer is the next: a client that reads nothing has no more than these.
func (s *mcpServer) answer(m mcpMessage, result map[string]any, fault *mcpFault, call any) {
	if m.stateless() && fault == nil {
		result["resultType"], result["_meta"] = "complete", map[string]any{mcpPrefix + "serverInfo": mcpServerInfo()}
		if m.method != "tools/call" { // it is the same for all, and a client may keep it for an hour
			result["ttlMs"], result["cacheScope"] = 3600_000, "public"
		}
	}
	s.write(mcpAnswer{"2.0", m.id, result, fault}, call)
}

// write sends a message, and makes room for the call. When it fails, the client is gone.
func (s *mcpServer) write(message, call any) {
	var line bytes.Buffer
	err := encode(&line, message)
	s.writing.Lock()
	defer s.writing.Unlock()
	s.forget(call)
	if _, failed := s.out.Write(line.Bytes()); err != nil || failed != nil {
		s.end()
	}
}

// cancel ends the call with the id, if it runs.
func (s *mcpServer) cancel(id any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if end := s.calls[id]; end != nil {
		end()
	}
}

// forget ends the count of the call with the id.
func (s *mcpServer) forget(id any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.calls, id)
}
