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

// stackFlag names a command of the workspace, in place of one that is written out.
func stackFlag() cli.Flag {
	return &cli.StringFlag{Name: "stack", Usage: "the workspace's own command `NAME`: dev, start, build, test, lint, or as it is called there"}
}

// commandOrStack wants either a command or --stack.
func commandOrStack(ctx context.Context, cmd *cli.Command) error {
	if !cmd.IsSet("stack") {
		return nil
	}
	for _, flag := range []string{"lang", "resume", "in", "shell"} {
		if cmd.IsSet(flag) {
			return usagef("%s: --stack names the command, and --%s is about another: one of them", cmd.Name, flag)
		}
	}
	if cmd.Args().Len() > 0 {
		return usagef("%s: --stack names the command, which takes no argument %q", cmd.Name, cmd.Args().First())
	}
	return nil
}

// A stackCommand is a command of the workspace with what is known of it.
type stackCommand struct {
	stack.Command
	label     string // a name for its session
	ports     []int  // where it is expected to listen
	composes  bool   // all that it does is to start containers and to stay with them
	published []int  // by those
	ready     []string
}

// findStackCommand finds the command that --stack names, and has the session run in its folder and be called after it.
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
		return c, usagef("--stack %v", err)
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

// wait returns what is true of the command's session when it is ready: a server listens, the ports of containers are open,
// a watcher says that it watches. Of a command that ends by itself nothing is.
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
		until = append(until, condition.Listens(0)) // it may take another
	case c.Class.Long():
		for _, re := range c.ready {
			if cond, err := condition.ParseCondition("text:"+re, c.Cwd); err == nil {
				until = append(until, cond)
			}
		}
	}
	return until
}

// stackPatience is how long a command of the workspace may take until it is ready, which may build all of it first.
const stackPatience = 2 * time.Minute

// anyOf returns conditions of which one is enough for it to be ready: the ports of containers are one together.
func (c stackCommand) anyOf() []condition.Condition {
	if until := c.conditions(); !c.composes || len(until) == 0 {
		return until
	}
	return []condition.Condition{condition.Open(c.published[:min(len(c.published), condition.MostOpen)]...)}
}

// completeStack completes --stack with the commands of the workspace.
func completeStack(ctx context.Context, cmd *cli.Command) {
	if !cmd.IsSet("stack") || cmd.String("stack") != "" {
		cli.DefaultCompleteWithFlags(ctx, cmd)
		return
	}
	dir, err := workingDirectory(cmd.String("cwd"))
	if err != nil {
		return
	}
	report, err := detect(ctx, cmd, dir)
	if err != nil {
		return
	}
	for _, name := range report.CommandNames() {
		if name == oneLine(name) { // else it would not come back as it is
			offer(cmd, name)
		}
	}
}

// packagesHint tells how the packages of a project of Node.js are installed, if those are missing and a command that has
// ended needs them; else it is "".
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
	return install + " in " + dir + ": its packages are not installed"
}
