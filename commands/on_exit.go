package commands

import (
	"fmt"

	"github.com/urfave/cli/v3"

	"devtools/runner/proc"
	"devtools/runner/wire"
	"devtools/stack/line"
)

// onExitFlag returns the flag for what is started at the end of a session.
func onExitFlag() cli.Flag {
	return &cli.StringFlag{Name: "on-exit", Usage: "start `COMMAND`, a program or a shell line, at the end", OnlyOnce: true}
}

// readOnExit finds the program of onExitFlag. The caller has set the folder and the environment of the session.
func readOnExit(cmd *cli.Command, s *wire.Spec) (err error) {
	command := cmd.String("on-exit")
	switch {
	case !cmd.IsSet("on-exit"):
		return nil
	case command == "":
		return badValue("on-exit", command, "a program or a shell line")
	case command == "keep", command == "kill": // what the flag took before it took a command
		return usagef("%s: --on-exit takes a command to start at the end: use --leftovers for processes that outlive COMMAND", cmd.Name)
	}
	if s.OnExit, err = line.Argv([]string{command}, "", s.Cwd); err == nil {
		s.OnExitPath, err = proc.Lookup(s.OnExit[0], s.Cwd, s.Env)
	}
	if err != nil {
		return fmt.Errorf("--on-exit: %w", err)
	}
	return nil
}
