//go:build unix

package commands

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"devtools/runner/runnertest"
)

// The official clients in Go, TypeScript and Python make the calls of TestMCPTools, in both kinds of versions. They validate what
// the tools answer, and fetch their libraries from the network. The log has tool, client, version of the protocol.
func TestStressMCPClients(t *testing.T) {
	runnertest.NeedStress(t)
	devtools, err := exec.LookPath("devtools")
	if err != nil {
		t.Fatal(err)
	}
	source, err := filepath.Abs(filepath.Join("testdata", "mcp"))
	if err != nil {
		t.Fatal(err)
	}
	var calls []any
	if err := json.Unmarshal([]byte(readDocument(t, "testdata/mcp/calls.json")), &calls); err != nil {
		t.Fatal(err)
	}
	libraries := t.TempDir()
	run := func(folder, name string, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(runnertest.WithPatienceOf(t, 10*time.Minute), runnertest.Need(t, name), args...)
		cmd.Dir = folder
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %q: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	clients := map[string][]string{
		"Python":     {filepath.Join(libraries, "python", "bin", "python"), filepath.Join(source, "client.py")},
		"TypeScript": {"node", filepath.Join(libraries, "client.mjs")},
		"Go":         {filepath.Join(libraries, "client")},
	}
	run(libraries, "python3", "-m", "venv", "python")
	run(libraries, clients["Python"][0], "-m", "pip", "install", "--quiet", "mcp>=2")
	run(libraries, "npm", "install", "--silent", "--prefix", libraries, "@modelcontextprotocol/client@2")
	if err := os.WriteFile(clients["TypeScript"][1], []byte(readDocument(t, "testdata/mcp/client.mjs")), 0o600); err != nil {
		t.Fatal(err)
	}
	run(filepath.Join(source, "go"), "go", "build", "-o", clients["Go"][0], ".")
	for _, name := range slices.Sorted(maps.Keys(clients)) {
		for mode, version := range map[string]string{"auto": mcpVersions()[0], "legacy": mcpVersions()[1]} {
			state := runnertest.NewState(t) // the clients pass on few variables: the server finds it by its name
			if err := os.Mkdir(state, 0o700); err != nil {
				t.Fatal(err)
			}
			command := append(clients[name], mode, filepath.Join(source, "calls.json"), devtools)
			out := run(filepath.Dir(state), command[0], command[1:]...)
			if n := strings.Count(out, " "+version+" "); n != len(calls) {
				t.Errorf("%s: %d calls of %d speak %s", name, n, len(calls), version)
			}
			t.Logf("%s %s:\n%s", name, mode, out)
		}
	}
}
