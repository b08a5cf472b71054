package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/runner"
	"devtools/runner/wire"
)

func sendKeysCommand() *cli.Command {
	return &cli.Command{
		Name:      "send-keys",
		Usage:     "type into a session",
		ArgsUsage: "NAME [--] KEY…",
		Description: "Types the KEYs into the terminal of the session NAME, one after the other: text, names of keys (Enter, Up,\n" +
			"F1, C-c, M-x, [PageDown], <C-w>, ^C) and escapes (\\n, \\t, \\e, \\x03); [[, ^^ and \\\\ type those\n" +
			"characters. It waits until the program reads, types a line and its Enter apart, and returns when the\n" +
			"program has read all of it and reads again, at the latest after some seconds. A KEY that is - is what\n" +
			"standard input has, as it is.\n\n" +
			"Example: devtools send-keys web 'npm test' Enter --wait 'text:Tests:' --timeout 2m\n\n" +
			"Exit code: 0 typed, 1 not typed; with --wait that of wait.",
		Flags: slices.Concat([]cli.Flag{
			targetFlag(),
			&cli.BoolFlag{Name: "literal", Aliases: []string{"l"}, Usage: "every character is text"},
			&cli.BoolFlag{Name: "hex", Aliases: []string{"H"}, Usage: "the KEYs are bytes: 1b 5b 41"},
			&cli.IntFlag{Name: "repeat", Aliases: []string{"N"}, Usage: "type all of it `N` times", Value: 1, HideDefault: true},
			&cli.BoolFlag{Name: "paste", Usage: "paste it, so that the program can tell it from typing"},
			&cli.BoolFlag{Name: "enter", Usage: "and Enter at the end"},
			&cli.BoolFlag{Name: "no-wait", Usage: "return when it is typed, read or not"},
			&cli.StringFlag{Name: "if-hash", Usage: "only if the screen is still the one with the `HASH`"},
			&cli.StringSliceFlag{Name: "wait", Usage: "and wait until the `CONDITION` is true of what comes then"},
		}, conditionFlags("give up --wait after `DURATION`, 0 is never")),
		ArgValidator:  sessionAndKeys,
		ShellComplete: completeSessions,
		Action:        sendKeys,
	}
}

// sessionAndKeys is the ArgValidator of send-keys.
func sessionAndKeys(ctx context.Context, cmd *cli.Command) error {
	named := 1
	if cmd.String("t") != "" {
		named = 0
	}
	if cmd.Args().Len() == named && cmd.Bool("enter") {
		return nil
	}
	if cmd.Args().Len() < named {
		return usagef("send-keys: the name of a session is missing")
	}
	return arguments(named+1, 1<<20, "what to type")(ctx, cmd)
}

// A sendResult is the output of send-keys --json.
type sendResult struct {
	Name      string `json:"name"`
	SessionID string `json:"sessionId"`
	wire.Receipt
	Next ledger.Position `json:"next"` // NextOffset with the session
	Wait *waitResult     `json:"wait,omitempty"`
}

func sendKeys(ctx context.Context, cmd *cli.Command) error {
	name, args := target(cmd), cmd.Args().Slice()
	if cmd.String("t") == "" {
		args = args[1:]
	}
	typing, err := readTyping(cmd, args)
	if err != nil {
		return err
	}
	dir, err := openState(cmd, name)
	if err != nil {
		return err
	}
	begin := time.Now()
	session, sent, err := runner.Send(ctx, dir, name, typing)
	if err != nil {
		return err
	}
	result := sendResult{
		Name: session.Name, SessionID: session.ID, Receipt: sent.Receipt,
		Next: ledger.Position{Session: session.ID, Offset: sent.Receipt.NextOffset},
	}
	if typing.Wait != nil {
		waited := newWaitResult(sent.Waited, time.Since(begin))
		result.Wait = &waited
	}
	if c := sent.Receipt.Consumed; c != nil && !*c && typing.Wait == nil {
		note(cmd, "session %q has not read it yet: %s", session.Name, sent.Receipt.Reason)
	}
	if err := show(cmd, result, func(io.Writer, sendResult) error { return nil }); err != nil {
		return err
	}
	if typing.Wait == nil {
		return nil
	}
	return waitCode(sent.Waited, *typing.Wait)
}

// readTyping returns what to type, from the flags and arguments.
func readTyping(cmd *cli.Command, args []string) (t runner.Typing, err error) {
	t.Repeat, t.Paste, t.Enter = cmd.Int("repeat"), cmd.Bool("paste"), cmd.Bool("enter")
	t.NoWait, t.IfHash = cmd.Bool("no-wait"), cmd.String("if-hash")
	switch {
	case cmd.Bool("literal") && cmd.Bool("hex"):
		return t, usagef("send-keys: --literal is text, --hex is bytes: one of them")
	case cmd.Bool("literal"):
		t.Form = wire.Literal
	case cmd.Bool("hex"):
		t.Form = wire.Hex
	}
	if t.Repeat < 1 {
		return t, usagef("--repeat %d: it is a number of times", t.Repeat)
	}
	if slices.Contains(args, "-") {
		if len(args) > 1 {
			return t, usagef("send-keys: - is standard input, and stands alone; -l types a -")
		}
		if t.Form != "" && t.Form != wire.Literal {
			return t, usagef("send-keys: standard input is typed as it is, without --hex")
		}
		if t.Form == "" {
			text, err := readInput(cmd)
			if err != nil {
				return t, err
			}
			t.Form, args = wire.Bytes, []string{text}
		}
	}
	t.Args = args
	if err := t.Check(); err != nil {
		return t, usagef("send-keys: %v", err)
	}
	wait, err := readWait(cmd, "wait")
	switch {
	case err != nil:
		return t, err
	case len(wait.Until) > 0:
		t.Wait = &wait
	case cmd.IsSet("fail") || cmd.IsSet("all") || cmd.IsSet("timeout"):
		return t, usagef("send-keys: --fail, --all and --timeout are about --wait, which is missing")
	}
	return t, nil
}

// readInput returns the content of standard input.
func readInput(cmd *cli.Command) (string, error) {
	data, err := io.ReadAll(io.LimitReader(cmd.Root().Reader, wire.MaxTyped+1))
	if err != nil {
		return "", fmt.Errorf("read standard input: %w", err)
	}
	if len(data) > wire.MaxTyped {
		return "", usagef("send-keys: standard input has more than the %d bytes that are typed at once", wire.MaxTyped)
	}
	if len(data) == 0 {
		return "", errors.New("standard input is empty: there is nothing to type")
	}
	return string(data), nil
}
