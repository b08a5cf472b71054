package commands

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"devtools/runner/condition"
	"devtools/runner/wire"
	"devtools/stack"
)

// An advice is what run says of a command that keeps running, before it waits for it.
type advice struct {
	Class      stack.Class `json:"class"`
	Confidence string      `json:"confidence"` // high, medium or low
	Reason     string      `json:"reason"`
	Launch     string      `json:"launch"`           // the command line that starts it and returns
	Bounded    string      `json:"bounded,omitzero"` // the form of the command that ends by itself
}

// advise looks whether a command keeps running, one argument of which is a line, while its session is being started.
// It sends one value, nil where there is nothing to say.
func (req *runRequest) advise(cmd *cli.Command, command []string) <-chan *advice {
	said := make(chan *advice, 1)
	if req.background || req.viewed { // it does not wait; a person sees what goes on
		said <- nil
		return said
	}
	dir, unwatched := req.spec.Cwd, req.spec.NoTerminal || isSet(req.spec.Env, "CI")
	flags := sameStart(cmd)
	go func() {
		said <- newAdvice(reach(cmd), flags, command, classifyCommand(command, dir), unwatched)
	}()
	return said
}

// sameStart returns the flags with which launch starts the same command in the same place as run does. Variables are
// left out: they may be secrets, and what is said is kept in logs.
func sameStart(cmd *cli.Command) (flags []string) {
	for _, name := range []string{"cwd", "shell", "stack"} {
		if cmd.IsSet(name) {
			flags = append(flags, "--"+name, cmd.String(name))
		}
	}
	return flags
}

// isSet reports whether a variable of the environment says yes.
func isSet(env []string, name string) bool {
	return slices.ContainsFunc(env, func(pair string) bool {
		value, ok := strings.CutPrefix(pair, name+"=")
		return ok && value != "" && value != "0" && value != "false"
	})
}

// newAdvice returns what there is to say of a command, nil where it ends by itself. A watcher of terminals is one
// only where it is watched. The flags are those of launch; with --stack they name the command, and when it is ready.
func newAdvice(devtools string, flags, command []string, v stack.Verdict, unwatched bool) *advice {
	if !v.Class.Long() || v.Class == stack.WatchIfTTY && unwatched {
		return nil
	}
	launch := append([]string{"launch"}, flags...)
	if !slices.Contains(flags, "--stack") {
		if v.Class == stack.Server {
			launch = append(launch, "--ready", condition.Listens(v.Port).String())
		}
		launch = append(append(launch, "--"), command...)
	}
	return &advice{
		Class: v.Class, Confidence: v.Confidence.String(), Reason: v.Reason, Bounded: v.Bounded,
		Launch: devtools + " " + wire.ShellLine([]string{"sh"}, launch),
	}
}

// say tells on stderr what is about to be waited for, and what to do instead.
func (a *advice) say(cmd *cli.Command) {
	if a == nil || cmd.Bool("json") || cmd.Bool("quiet") {
		return
	}
	does := "keeps running"
	if a.Confidence == stack.Low.String() {
		does = "probably " + does
	}
	note(cmd, "this %s: %s", does, strings.TrimSuffix(a.Reason, "."))
	text := a.Launch
	if a.Bounded != "" {
		text += ", or one that ends: " + a.Bounded
	}
	hint(cmd.Root().ErrWriter, text)
}
