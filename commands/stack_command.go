package commands

import (
	"context"
	"time"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/runner"
	"devtools/runner/condition"
	"devtools/runner/wire"
	"devtools/stack"
)

// stackFlag returns the flag that names a command of the workspace, in place of a written command.
func stackFlag() cli.Flag {
	return &cli.StringFlag{Name: "stack", Usage: "run the workspace's `NAME`: dev, build, test, lint…"}
}

// stackRules are the rules about --stack. Not every command with --stack has the other flags.
var stackRules = []flagRule{
	{flags: []string{"stack"}, without: []string{"lang", "resume", "in", "shell"}, reason: "it names the command"},
}

// commandOrStack checks that the command line has either a command or --stack, not both.
func commandOrStack(ctx context.Context, cmd *cli.Command) error {
	if !cmd.IsSet("stack") {
		return nil
	}
	if err := checkFlags(cmd, stackRules); err != nil {
		return err
	}
	if cmd.Args().Len() > 0 {
		return usagef("%s: --stack names the command, and takes no argument %q", cmd.Name, cmd.Args().First())
	}
	return nil
}

// A stackCommand is a command of the workspace, with everything known about it.
type stackCommand struct {
	stack.Command
	label     string // name for its session
	ports     []int  // ports on which it is expected to listen
	composes  bool   // it only starts containers and stays with them
	published []int  // ports that the containers publish
	ready     []string
}

// findStackCommand finds the command that --stack names. It makes the session run in the command's folder, and names
// the session after the command.
func findStackCommand(ctx context.Context, cmd *cli.Command, s *wire.Spec) (c stackCommand, err error) {
	dir, err := workingDirectory(cmd.String("cwd"))
	if err != nil {
		return c, &startError{err}
	}
	report, err := detect(ctx, cmd, dir)
	if err != nil {
		return c, err
	}
	name := cmd.String("stack")
	project, found, err := report.Command(name)
	if err != nil {
		return c, &usageError{"--stack " + err.Error(), didYouMean(name, report.CommandNames(), "devtools stacks lists the commands")}
	}
	c = stackCommand{Command: found, label: report.Label(project, name), ready: project.Ready}
	c.published, c.composes = project.Published(found)
	s.Cwd, s.Base = found.Cwd, c.label
	for _, p := range project.Ports {
		if p.Service == "" {
			c.ports = append(c.ports, p.Port)
		}
	}
	return c, nil
}

// wait returns the conditions for the session of the command to be ready. A server listens. The ports of containers
// are open. A watcher says that it watches. For a command that ends by itself there are no conditions.
func (c stackCommand) wait() runner.Wait {
	return runner.Wait{Until: c.conditions(), All: c.composes, Timeout: stackPatience}
}

func (c stackCommand) conditions() (until []condition.Condition) {
	switch {
	case c.composes:
		for _, port := range c.published[:min(len(c.published), condition.MostOpen)] {
			until = append(until, condition.Open(port))
		}
	case c.Class == stack.Server, c.Class == stack.Unknown && c.Kind == "dev" && len(c.ports) > 0:
		for _, port := range c.ports {
			until = append(until, condition.Listens(port))
		}
		until = append(until, condition.Listens(0)) // the server may choose another port
	case c.Class.Long():
		for _, re := range c.ready {
			if cond, err := condition.ParseCondition("text:"+re, c.Cwd); err == nil {
				until = append(until, cond)
			}
		}
	}
	return until
}

// stackPatience is the time limit for a workspace command to become ready. The command may have to build everything
// first.
const stackPatience = 2 * time.Minute

// anyOf returns conditions, each of which is enough for readiness. The ports of containers form one condition
// together.
func (c stackCommand) anyOf() []condition.Condition {
	if until := c.conditions(); !c.composes || len(until) == 0 {
		return until
	}
	return []condition.Condition{condition.Open(c.published[:min(len(c.published), condition.MostOpen)]...)}
}

// packagesHint returns how to install the packages of a Node.js project, if a command that has ended needs them and
// they are missing. Otherwise it returns "".
func packagesHint(ctx context.Context, cmd *cli.Command, s ledger.Session) string {
	if !stack.RunsNode(s.Command) {
		return ""
	}
	report, err := detect(ctx, cmd, s.Cwd)
	if err != nil { // it is only a hint
		return ""
	}
	install, dir := report.Uninstalled(s.Cwd)
	if install == "" {
		return ""
	}
	return install + " in " + dir + ": the packages are not installed"
}
