package commands

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v3"

	"devtools/runner/doctor"
)

func doctorCommand() *cli.Command {
	return &cli.Command{
		ArgsUsage: "[NAME]",
		Description: `Without NAME, doctor checks the kernel, the limits, what a sandbox refuses, the
folder for sockets and the state folder. It prints what does not work, and what
to do. With NAME, it says in one sentence what the session is doing and why it
does not end. It changes nothing.

EXAMPLES:
  devtools doctor
  devtools doctor web

EXIT CODE: 0; 1 a check has failed; 123 no such session`,
		Flags:        []cli.Flag{targetFlag()},
		ArgValidator: atMostOneSession,
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if target(cmd) != "" {
				return doctorSession(ctx, cmd)
			}
			return runDoctor(ctx, cmd)
		},
	}
}

// A doctorResult is the output of doctor --json.
type doctorResult struct {
	System      string            `json:"system"`          // name of the system, as in Go
	Kernel      string            `json:"kernel,omitzero"` // release of the kernel
	Input       inputVisibility   `json:"input"`           // what the kernel tells about programs that wait for input
	Prompts     promptsResult     `json:"prompts"`         // the workspace's own patterns of prompts
	StateFolder stateFolderResult `json:"stateFolder"`     // folder with the state
	Checks      []doctor.Check    `json:"checks"`          // findings about the machine and the state folder
}

// An inputVisibility says what the kernel tells about programs that wait for input.
type inputVisibility struct {
	Level       string `json:"level"`                 // how much of it can be seen: full, partial or none
	Message     string `json:"message"`               // what the level means, and how to change it
	PtraceScope *int   `json:"ptraceScope,omitempty"` // value of kernel.yama.ptrace_scope, if there is one
	HidePID     string `json:"hidepid,omitzero"`      // option hidepid of /proc, if it is set
}

// A promptsResult describes the workspace's own patterns of prompts.
type promptsResult struct {
	Patterns int    `json:"patterns"`         // number of patterns
	Problem  string `json:"problem,omitzero"` // why the patterns cannot be used
}

// A stateFolderResult says which folder has the state.
type stateFolderResult struct {
	Path   string `json:"path"`   // path of the folder, which need not exist
	Reason string `json:"reason"` // why it is this folder
}

func runDoctor(ctx context.Context, cmd *cli.Command) error {
	path, reason, err := findFolder(ctx, cmd)
	if err != nil {
		return err
	}
	e, err := doctor.Examine(ctx, path)
	if err != nil {
		return err
	}
	var result doctorResult
	visibility := e.Visibility
	result.System, result.Kernel = visibility.System, visibility.Kernel
	result.Input.Level, result.Input.Message, result.Input.HidePID = string(visibility.Level), visibility.Sentence, visibility.HidePID
	if visibility.PtraceScope >= 0 {
		result.Input.PtraceScope = &visibility.PtraceScope
	}
	result.Prompts.Patterns = e.Patterns
	if e.Prompts != nil {
		result.Prompts.Problem = e.Prompts.Error()
	}
	result.StateFolder.Path, result.StateFolder.Reason = path, reason
	result.Checks = append([]doctor.Check{}, e.Checks...)
	if err := show(cmd, result, doctorText); err != nil {
		return err
	}
	if e.Failed() {
		return exitCode(codeFailed)
	}
	return nil
}

// findFolder returns the path of the state folder, and why it is that folder. The folder need not exist.
func findFolder(ctx context.Context, cmd *cli.Command) (path, reason string, err error) {
	type folder struct{ path, reason string }
	f, err := doctor.Within(ctx, doctor.Briefly, func() (folder, error) {
		path, err := stateFolder(cmd)
		switch {
		case err != nil:
			return folder{}, err
		case cmd.String("dir") != "":
			return folder{path, "--dir or DEVTOOLS_DIR names it"}, nil
		}
		return folder{path, doctor.WhyFolder(path)}, nil
	})
	if err != nil {
		err = fmt.Errorf("cannot look for the state folder at and above the working directory: %w", err)
	}
	return f.path, f.reason, err
}

func doctorText(w io.Writer, r doctorResult) error {
	rows := [][]string{
		{"", "system", oneLine(strings.TrimSpace(r.System + " " + r.Kernel))},
		{"", "workspace", oneLine(r.StateFolder.Path) + ": " + oneLine(r.StateFolder.Reason)},
	}
	for _, c := range r.Checks {
		rows = append(rows, []string{string(c.Level), c.Name, oneLine(c.Message)})
		if c.Fix != "" {
			rows = append(rows, []string{"", "", "to do: " + oneLine(c.Fix)})
		}
	}
	return writeColumns(w, rows)
}
