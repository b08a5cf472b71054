// The official client in Go. It makes the calls of a file, and prints a line for each: tool, protocol version,
// version of the library.
//
//	client auto|legacy CALLS COMMAND
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	ctx := context.Background()
	mode, file, command := os.Args[1], os.Args[2], os.Args[3]
	options := &mcp.ClientSessionOptions{}
	if mode == "legacy" {
		options.ProtocolVersion = "2025-11-25"
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(ctx, &mcp.CommandTransport{Command: exec.Command(command, "mcp")}, options)
	check(err)
	text, err := os.ReadFile(file)
	check(err)
	var calls []struct {
		Tool, Text string
		Arguments  map[string]any
		IsError    bool
	}
	check(json.Unmarshal(text, &calls))
	tools, err := session.ListTools(ctx, nil)
	check(err)
	schemas := map[string]*jsonschema.Resolved{}
	for _, tool := range tools.Tools {
		var schema jsonschema.Schema
		text, err := json.Marshal(tool.OutputSchema)
		check(err)
		check(json.Unmarshal(text, &schema))
		schemas[tool.Name], err = schema.Resolve(nil)
		check(err)
	}
	for _, call := range calls {
		result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: call.Tool, Arguments: call.Arguments})
		check(err)
		if text := result.Content[0].(*mcp.TextContent).Text; !strings.Contains(text, call.Text) || result.IsError != call.IsError {
			log.Fatalf("%v: %s", call, text)
		}
		check(schemas[call.Tool].Validate(result.StructuredContent)) // this client does not do it itself
		fmt.Println(call.Tool, session.InitializeResult().ProtocolVersion, library())
	}
	check(session.Close())
}

func library() string {
	info, _ := debug.ReadBuildInfo()
	for _, module := range info.Deps {
		if module.Path == "github.com/modelcontextprotocol/go-sdk" {
			return module.Version
		}
	}
	return "unknown"
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
