package commands

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"devtools/runner/condition"
	"devtools/runner/wire"
	"devtools/stack"
)

// An advice is what run prints about a command that keeps running, before run waits for it.
type advice struct {
	Class      stack.Class `json:"class"`            // what the command does: server, watcher or watch-if-tty
	Confidence string      `json:"confidence"`       // how sure the class is: high, medium or low
	Reason     string      `json:"reason"`           // why it has this class: a sentence
	Launch     string      `json:"launch"`           // command line that starts it and returns
	Bounded    string      `json:"bounded,omitzero"` // command line of a form that ends by itself
}

// advise examines whether the command keeps running. An argument of the command may be a whole shell line. The advice is
// nil if there is nothing to say.
func (req *runRequest) advise(cmd *cli.Command, command []string) *advice {
	if req.background || req.viewed || len(req.until.Until) > 0 { // run does not wait for the end, or a person sees what happens
		return nil
	}
	unwatched := req.spec.NoTerminal || isSet(req.spec.Env, "CI")
	return newAdvice(devtoolsCommand(cmd), startFlags(cmd), command, classifyCommand(command, req.spec.Cwd), unwatched)
}

// startFlags returns the flags with which launch starts the same command in the same place as run does. It leaves out
// environment variables: they may be secrets, and logs keep the advice.
func startFlags(cmd *cli.Command) (flags []string) {
	for _, name := range []string{"cwd", "shell", "stack"} {
		if cmd.IsSet(name) {
			flags = append(flags, "--"+name, cmd.String(name))
		}
	}
	return flags
}

// isSet reports whether an environment variable is set to a value that means yes.
func isSet(env []string, name string) bool {
	return slices.ContainsFunc(env, func(pair string) bool {
		value, ok := strings.CutPrefix(pair, name+"=")
		return ok && value != "" && value != "0" && value != "false"
	})
}

// newAdvice returns the advice for a command, or nil if the command ends by itself. With unwatched, a command of the
// class WatchIfTTY ends by itself. The flags are those of launch. With --stack they name the command and its
// readiness condition.
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

// say prints on stderr what run is about to wait for, and what to do instead.
func (a *advice) say(cmd *cli.Command) {
	if a == nil || cmd.Bool("json") || cmd.Bool("quiet") {
		return
	}
	does := "keeps running"
	if a.Confidence == stack.Low.String() {
		does = "probably " + does
	}
	note(cmd, "this command %s: %s", does, strings.TrimSuffix(a.Reason, "."))
	text := a.Launch
	if a.Bounded != "" {
		text += ", or a form that ends: " + a.Bounded
	}
	hint(cmd.Root().ErrWriter, text)
}
