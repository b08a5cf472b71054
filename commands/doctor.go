package commands

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/runner"
	"devtools/runner/proc"
)

func doctorCommand() *cli.Command {
	return &cli.Command{
		Name:  "doctor",
		Usage: "tell what this machine lets devtools see, and what to change",
		Description: "Tries whether the system tells what a program waits for, which is how a command that waits for input is\n" +
			"found, and checks the workspace's own patterns of prompts.\n\n" +
			"Example: devtools doctor\n\n" +
			"Exit code: 0; 1 the workspace's patterns are wrong.",
		ArgValidator: noArguments,
		Action:       doctor,
	}
}

// A doctorResult is what doctor prints with --json.
type doctorResult struct {
	System string `json:"system"`          // as Go names it
	Kernel string `json:"kernel,omitzero"` // its release
	Input  struct {
		Level       string `json:"level"`   // full, partial or none
		Message     string `json:"message"` // what that means, and how to change it
		PtraceScope *int   `json:"ptraceScope,omitempty"`
		HidePID     string `json:"hidepid,omitzero"`
	} `json:"input"`
	Prompts struct {
		Patterns int    `json:"patterns"` // of the workspace
		Error    string `json:"error,omitzero"`
	} `json:"prompts"`
}

func doctor(_ context.Context, cmd *cli.Command) error {
	sight := proc.Inspection()
	result := doctorResult{System: sight.System, Kernel: sight.Kernel}
	result.Input.Level, result.Input.Message, result.Input.HidePID = string(sight.Level), sight.Sentence, sight.HidePID
	if sight.PtraceScope >= 0 {
		result.Input.PtraceScope = &sight.PtraceScope
	}
	path, err := stateFolder(cmd)
	if err != nil {
		return err
	}
	dir, err := ledger.Open(path)
	if err != nil && !isMissing(err) {
		return err
	}
	if err == nil {
		if result.Prompts.Patterns, err = runner.CheckPrompts(dir); err != nil {
			result.Prompts.Error = err.Error()
		}
	}
	if err := show(cmd, result, doctorText); err != nil {
		return err
	}
	if result.Prompts.Error != "" {
		return exitCode(codeFailed)
	}
	return nil
}

func doctorText(w io.Writer, r doctorResult) error {
	prompts := fmt.Sprintf("%d of the workspace", r.Prompts.Patterns)
	if r.Prompts.Error != "" {
		prompts = r.Prompts.Error
	}
	_, err := fmt.Fprintf(w, "system   %s\ninput    %s: %s\nprompts  %s\n", strings.TrimSpace(r.System+" "+r.Kernel), r.Input.Level, r.Input.Message, prompts)
	return err
}
