package commands

import (
	"encoding/json"
	"io"
	"os"
	"strings"

	"devtools/stack"
)

// A hookCall is what a host tells a hook about a command that it is about to run.
type hookCall struct {
	Cwd  string `json:"cwd"`
	Tool struct {
		Command    string `json:"command"`
		Background bool   `json:"run_in_background"`
	} `json:"tool_input"`
}

// mostHookBytes is how much of a call is read. A longer one gets no advice.
const mostHookBytes = 256 << 10

// hook prints, for the host of an agent, which call of devtools fits a command that asks or serves. It decides nothing: whatever it reads,
// it prints one object, and the exit code is 0.
func hook(stdin io.Reader, stdout io.Writer) int {
	answer := map[string]any{}
	defer func() {
		_ = recover() // a fault of ours must not be in the way of the host
		_ = encode(stdout, answer)
	}()
	var call hookCall
	if json.NewDecoder(io.LimitReader(stdin, mostHookBytes)).Decode(&call) == nil && !call.Tool.Background {
		if advice := hookAdvice(call.Tool.Command, call.Cwd); advice != "" {
			answer["hookSpecificOutput"] = map[string]string{"hookEventName": "PreToolUse", "additionalContext": advice}
		}
	}
	return 0
}

// hookAdvice returns a sentence about a command line in a folder, or "". It has no word of the line, nor of a file.
func hookAdvice(line, dir string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(line), " ")
	if info, err := os.Stat(dir); first == "devtools" || strings.ContainsAny(line, "|\n") || strings.Contains(first, "=") || err != nil || !info.IsDir() {
		return ""
	}
	switch v := stack.Classify(line, dir); {
	case v.Class == stack.Interactive && v.Confidence >= stack.Medium:
		return "This command talks to a person: devtools run --answer 'RE=TEXT' -- COMMAND answers its questions, and " +
			"devtools launch --name NAME --ready input --screen -- COMMAND shows its screen (devtools help agents)."
	case v.Class == stack.Server || v.Class == stack.Watcher:
		return "This command does not end by itself: devtools launch --name NAME --ready port:PORT -- COMMAND returns when it serves, " +
			"keeps it running, and devtools kill NAME ends it (devtools help agents)."
	}
	return ""
}
