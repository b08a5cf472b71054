package commands

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/runner"
	"devtools/runner/attach"
)

func attachCommand() *cli.Command {
	return &cli.Command{
		ArgsUsage: "NAME",
		Description: `Shows the session NAME on this terminal and passes your keys to it, until you
detach with ctrl-\ or the command ends. The program gets ^C, ^Z and all other
keys. The session has the size of the terminal in which somebody typed last.
Other terminals show as much as fits.

EXAMPLES:
  devtools attach web
  devtools attach web --detach-keys ctrl-p,ctrl-q

EXIT CODE: 0 detached, otherwise that of the command`,
		Flags: append([]cli.Flag{targetFlag()}, attachFlags()...),

		ArgValidator: oneSession,
		Action:       runAttach,
	}
}

// attachFlags returns the flags that say how a terminal is attached.
func attachFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "read-only", Aliases: []string{"r"}, Usage: "show the session only: pass on no keys, keep its size"},
		&cli.StringFlag{Name: "detach-keys", Usage: "detach with `KEYS`: ctrl-LETTER or letters, comma-separated", Value: attach.DefaultDetachKeys.String()},
		&cli.StringFlag{Name: "copy-keys", Usage: "scroll and search with `KEYS`, as in tmux's copy mode", Value: attach.DefaultCopyKeys.String()},
	}
}

// attachOptions say how attachTo attaches a person's terminal to a session.
type attachOptions struct {
	readOnly bool
	detach   attach.Keys
	copying  attach.Keys
}

// newAttachOptions reads the flags of attachFlags.
func newAttachOptions(cmd *cli.Command) (attachOptions, error) {
	o, err := attachOptions{readOnly: cmd.Bool("read-only")}, error(nil)
	if o.detach, err = attach.ParseKeys(cmd.String("detach-keys")); err != nil {
		return o, usagef("--detach-keys: %v", err)
	}
	if o.copying, err = attach.ParseKeys(cmd.String("copy-keys")); err != nil {
		return o, usagef("--copy-keys: %v", err)
	}
	if o.detach.Begin(o.copying) || o.copying.Begin(o.detach) {
		return o, usagef("--copy-keys %s and --detach-keys %s begin alike: nobody could press the longer ones", o.copying, o.detach)
	}
	return o, nil
}

func runAttach(ctx context.Context, cmd *cli.Command) error {
	opts, err := newAttachOptions(cmd)
	if err != nil {
		return err
	}
	name := target(cmd)
	dir, err := openState(cmd, name)
	if err != nil {
		return err
	}
	client, err := attach.Reach(dir, name)
	if err != nil {
		return err
	}
	defer client.Close()
	return attachTo(ctx, cmd, client, opts)
}

// person returns the terminal behind standard input and output. ok is false unless both are a terminal.
func person(cmd *cli.Command) (in, out *os.File, ok bool) {
	in, ok = cmd.Root().Reader.(*os.File)
	if !ok || !isTerminal(in) {
		return nil, nil, false
	}
	out, ok = cmd.Root().Writer.(*os.File)
	return in, out, ok && isTerminal(out)
}

// attachTo attaches the terminal of this process to the client's session. At the end it prints what has happened. The
// result is nil after a detach, otherwise the exit code of the command.
func attachTo(ctx context.Context, cmd *cli.Command, client *runner.Client, opts attachOptions) error {
	result, err := attachTerminal(ctx, cmd, client, opts)
	if err != nil {
		return err
	}
	switch result.How {
	case attach.Detached:
		return nil
	case attach.Ended:
		if code := result.Session.ExitCode; code != nil && *code != 0 {
			return exitCode(*code)
		}
		return nil
	}
	if result.Signal == nil {
		result.Signal = syscall.SIGHUP // the terminal is gone
	}
	return endedBy(result.Signal)
}

// endedBy ends this process by a signal. Where that is not possible, it returns an exit code.
func endedBy(sig os.Signal) error {
	endBy(sig)
	if s, ok := sig.(syscall.Signal); ok {
		return exitCode(128 + int(s))
	}
	return exitCode(codeFailed)
}

// attachTerminal works as attachTo, but returns the result without judging it.
func attachTerminal(ctx context.Context, cmd *cli.Command, client *runner.Client, opts attachOptions) (none attach.Result, err error) {
	in, out, ok := person(cmd)
	if !ok {
		return none, ledger.SessionError(client.Session.Name, attach.ErrNotAttachable)
	}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, endSignals(syscall.SIGQUIT)...)
	defer signal.Stop(signals)
	o := attach.Options{In: in, Out: out, ReadOnly: opts.readOnly, DetachKeys: opts.detach, CopyKeys: opts.copying, Signals: signals}
	if len(o.DetachKeys) == 0 {
		o.DetachKeys = attach.DefaultDetachKeys
	}
	switch {
	case cmd.Bool("quiet"):
	case opts.readOnly:
		o.Notice = fmt.Sprintf("read-only: keys have no effect, except %s to detach", o.DetachKeys)
	default:
		o.Notice = fmt.Sprintf("%s detaches from %q", o.DetachKeys, client.Session.Name)
	}
	result, err := attach.Attach(ctx, client, o)
	if err == nil {
		sayAttached(cmd, result)
	}
	if err == nil && result.How == attach.Interrupted && result.Signal == nil {
		err = ctx.Err()
	}
	return result, err
}

// sayAttached prints one line about how the attachment ended.
func sayAttached(cmd *cli.Command, r attach.Result) {
	if r.Stuck {
		return // nobody can read it
	}
	text := "detached from " + r.Session.Name
	if r.How == attach.Ended && r.Session.ExitCode != nil {
		text = fmt.Sprintf("%s ended with exit code %d", r.Session.Name, *r.Session.ExitCode)
	}
	for i, a := range r.Answered {
		text += []string{", done: ", "; "}[min(i, 1)] + a.Message
	}
	if !cmd.Bool("quiet") {
		fmt.Fprintf(cmd.Root().ErrWriter, "[%s]\n", oneLine(text))
	}
	if r.Unsent > 0 {
		note(cmd, "%d typed bytes are lost: the program has not read them", r.Unsent)
	}
}
