package commands

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/runner/wire"
	"devtools/stack/line"
)

// stagesOf returns the stages of the pipeline with which a command ends that is a line of bash or zsh, and whether it is the only
// pipeline of the line.
func stagesOf(command []string) (stages []line.Stage, only bool) {
	if len(command) == 3 && command[1] == "-c" && strings.Contains(command[2], "|") {
		if kind := wire.ShellKinds[filepath.Base(command[0])]; kind == wire.ShellBash || kind == wire.ShellZsh {
			return line.Stages(command[2])
		}
	}
	return nil, false
}

// takeStages notes the exit codes of the stages of a pipeline. It says so if a stage before the last one has failed, whose exit code
// nobody sees. The code 141 is no failure: the reader of the stage has ended first, as head does, and SIGPIPE (13) has ended the stage.
func (r *runResult) takeStages(cmd *cli.Command, s ledger.Session) {
	stages, only := stagesOf(s.Command)
	if len(stages) == 0 || len(stages) != len(s.Pipeline) || !only && *s.ExitCode != 0 { // the line may have ended before this pipeline
		return
	}
	r.Pipeline = s.Pipeline
	said, last := "", len(stages)-1
	for i, stage := range stages {
		r.Stages = append(r.Stages, stage.Text)
		switch code := s.Pipeline[i]; {
		case i == last && said != "":
			r.Hints = append(r.Hints, fmt.Sprintf("exit code %d is that of %s%s", code, stage.Name, said))
			if !cmd.Bool("json") {
				message(cmd.Root().ErrWriter, "%s", r.Hints[len(r.Hints)-1])
			}
		case code != 0 && code != 141:
			said += fmt.Sprintf("; %s ended with %d", stage.Name, code)
		}
	}
}
