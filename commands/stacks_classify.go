package commands

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v3"

	"devtools/stack"
)

// A classifyResult is the output of stacks --classify --json.
type classifyResult struct {
	CommandLine string      `json:"commandLine"`      // the command as it was given
	Class       stack.Class `json:"class"`            // what the command does: server, watcher, watch-if-tty, build, test, oneshot, interactive or unknown
	Confidence  string      `json:"confidence"`       // how sure the class is: high, medium or low
	Reason      string      `json:"reason"`           // why it has this class: a sentence
	Bounded     string      `json:"bounded,omitzero"` // command line of a form that ends by itself
	Recommended string      `json:"recommended"`      // how to run it: background, block or ask; ask means that it depends on a person
	Detaches    bool        `json:"detaches"`         // the command leaves something running
	Port        int         `json:"port,omitzero"`    // port in the command line
	Chain       []string    `json:"chain"`            // command lines from the command to what it finally runs
}

// classify prints what a command line does. Several arguments are the words of one command.
func classify(_ context.Context, cmd *cli.Command) error {
	args := cmd.Args().Slice()
	if len(args) == 0 || len(args) == 1 && strings.TrimSpace(args[0]) == "" {
		return usagef("stacks: --classify: a command is missing")
	}
	dir, err := os.Getwd()
	if err != nil {
		return noWorkingDirectory(err)
	}
	v := classifyCommand(args, dir)
	return show(cmd, classifyResult{
		CommandLine: v.Command, Class: v.Class, Confidence: v.Confidence.String(), Reason: v.Reason, Bounded: v.Bounded,
		Recommended: v.Launch, Detaches: v.Detaches, Port: v.Port, Chain: append([]string{}, v.Chain...),
	}, classifyText)
}

// classifyCommand says what a command does. A single argument is a whole shell line.
func classifyCommand(args []string, dir string) stack.Verdict {
	if len(args) == 1 {
		return stack.Classify(args[0], dir)
	}
	return stack.ClassifyArgv(args, dir)
}

func classifyText(w io.Writer, r classifyResult) error {
	fmt.Fprintf(w, "%s (%s): %s\n", r.Class, r.Confidence, oneLine(r.Reason))
	for _, l := range []struct{ name, text string }{
		{"runs", strings.Join(r.Chain, " -> ")},
		{"bounded", r.Bounded},
	} {
		if l.text != "" {
			fmt.Fprintf(w, "%s: %s\n", l.name, oneLine(l.text))
		}
	}
	if r.Port > 0 {
		fmt.Fprintf(w, "port: %d\n", r.Port)
	}
	if r.Detaches {
		fmt.Fprintln(w, "detaches: it leaves something running")
	}
	return nil
}
