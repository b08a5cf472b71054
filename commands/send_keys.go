package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/runner"
	"devtools/runner/guard"
	"devtools/runner/wire"
)

func sendKeysCommand() *cli.Command {
	return &cli.Command{
		ArgsUsage: "NAME [--] KEY…",
		Description: `Types the KEYs into the terminal of the session NAME. A KEY is text with names
of keys (Enter, Up, F1, C-c, M-x, [PageDown], ^C) and escapes (\n, \t, \e,
\x03). [[, ^^ and \\ type those characters. The KEY - types standard input.
send-keys waits until the program reads, and types a line and its Enter apart.

EXAMPLES:
  devtools send-keys web 'npm test' Enter --wait 'text:Tests:' --timeout 2m
  devtools send-keys editor Escape :wq Enter
  devtools send-keys web C-c

EXIT CODE: 0 typed and read, 1 not typed or not read; with --wait, that of wait`,
		CustomHelpTemplate: `KEYS: enter literal paste | hex repeat eof
WAITING: no-wait wait screen timeout | all fail
SESSION: | t if-hash yes`,
		Flags: slices.Concat([]cli.Flag{
			targetFlag(),
			&cli.BoolFlag{Name: "literal", Aliases: []string{"l"}, Usage: "type every character as text"},
			&cli.BoolFlag{Name: "hex", Aliases: []string{"H"}, Usage: "read the KEYs as bytes: 1b 5b 41"},
			&cli.IntFlag{Name: "repeat", Aliases: []string{"N"}, Usage: "type everything `N` times", Value: 1, HideDefault: true},
			&cli.BoolFlag{Name: "paste", Usage: "paste the text, so that it differs from typed text"},
			&cli.BoolFlag{Name: "enter", Usage: "type Enter at the end"},
			&cli.BoolFlag{Name: "eof", Usage: "close standard input at the end; needs launch --no-pty"},
			&cli.BoolFlag{Name: "no-wait", Usage: "type at once, whether the program reads or not"},
			&cli.StringFlag{Name: "if-hash", Usage: "type only if the screen still has the hash `HASH`"},
			&cli.StringSliceFlag{Name: "wait", Usage: "wait afterwards until `CONDITION` is true"},
			screenFlag(),
			yesFlag(),
		}, append(conditionFlags(), conditionTimeout("give up after `DURATION`; 0: never", "10s; --wait: 30s"))),
		ArgValidator: sessionAndKeys,
		Action:       sendKeys,
	}
}

// sessionAndKeys is the ArgValidator of send-keys.
func sessionAndKeys(ctx context.Context, cmd *cli.Command) error {
	named := 1
	if cmd.String("t") != "" {
		named = 0
	}
	if cmd.Args().Len() == named && (cmd.Bool("enter") || cmd.Bool("eof")) {
		return nil
	}
	if cmd.Args().Len() < named {
		return usagef("send-keys: the name of a session is missing")
	}
	return arguments(named+1, 1<<20, "what to type")(ctx, cmd)
}

// A sendResult is the output of send-keys --json.
type sendResult struct {
	Name          string `json:"name"`                    // name of the session
	SessionID     string `json:"sessionId"`               // id of the session
	WrittenBytes  int64  `json:"writtenBytes"`            // what was given to the terminal
	Consumed      *bool  `json:"consumed,omitempty"`      // the program has read the keys; absent if nobody waited for that
	Echoed        *bool  `json:"echoed,omitempty"`        // the keys appear in the output since
	ScreenChanged *bool  `json:"screenChanged,omitempty"` // the screen differs from the one before
	Reading       *bool  `json:"reading,omitempty"`       // the foreground program reads the terminal again; absent if unknown
	Delivery      string `json:"delivery,omitzero"`       // what became of the keys: read, half_line, unread, discarded or unknown
	Reason        string `json:"reason,omitzero"`         // why the keys were not consumed
	Foreground    string `json:"foreground,omitzero"`     // name of the foreground program
	ForegroundPID int    `json:"foregroundPid,omitzero"`  // the foreground program
	Canonical     bool   `json:"canonical"`               // the program reads lines
	Echo          bool   `json:"echo"`                    // the terminal shows typed text
	Offset        int64  `json:"offset"`                  // end of the output when the keys were typed
	readOn
	Hash string `json:"hash,omitzero"` // hash of the screen afterwards
	inputResult
	InputClosed bool          `json:"inputClosed,omitzero"` // with --eof: standard input of the command is closed
	Wait        *waitResult   `json:"wait,omitempty"`       // with --wait: what came of the wait
	Screen      *screenResult `json:"screen,omitempty"`     // with --screen: the screen afterwards, without the empty rows at its end
}

func newSendResult(session ledger.Session, sent runner.Sent) sendResult {
	r := sent.Receipt
	return sendResult{
		Name: session.Name, SessionID: session.ID, WrittenBytes: r.Written, Consumed: r.Consumed, Echoed: r.Echoed,
		ScreenChanged: r.ScreenChanged, Reading: r.Waiting, Delivery: string(r.Delivery), Reason: r.Reason, Foreground: r.Foreground, ForegroundPID: r.PID,
		Canonical: r.Canonical, Echo: r.Echo, Offset: r.Offset, readOn: readOnFrom(session.ID, r.NextOffset), Hash: r.Hash, InputClosed: r.Closed,
	}
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
	if err := checkShows(cmd, dir, name); err != nil {
		return err
	}
	judged, err := judgedSend(ctx, cmd, dir, name, &typing)
	session, sent := judged.session, judged.sent
	if errors.Is(err, wire.ErrNoTerminal) { // the usual hint names send-keys
		return &sessionError{err: err, name: session.Name, hint: "devtools log " + session.Name + " prints its output"}
	}
	if err != nil {
		return err
	}
	result := newSendResult(session, sent)
	if typing.Wait != nil {
		waited := newWaitResult(sent.Waited, time.Since(judged.begin))
		result.Wait = &waited
	}
	if cmd.Bool("json") {
		result.inputResult = newInputResult(runner.InputAfter(ctx, dir, session, sent))
	}
	if result.Screen, err = askedScreen(ctx, cmd, dir, session.ID); err != nil { // the keys are typed, and what they led to is told
		note(cmd, "the screen cannot be shown: %v", err)
	}
	if err := show(cmd, result, func(w io.Writer, r sendResult) error { return printRows(w, r.Screen) }); err != nil {
		return err
	}
	// What --wait has seen come true shows that the program has got the keys, where the system does not tell.
	seen := sent.Receipt.Delivery == wire.Unknown && len(sent.Waited.Met) > 0
	switch r := sent.Receipt; {
	case r.Delivery.Lost() && !seen:
		lost := &sessionError{err: fmt.Errorf("session %q: %w: %s", session.Name, wire.ErrNotRead, r.Reason), name: session.Name}
		if record, err := dir.LoadSession(session.ID); err == nil && record.Size.Cols == 0 {
			lost.hint = "devtools doctor " + session.Name + " finds out what the program does" // there is no screen
		}
		return told(cmd, lost)
	case r.Reason != "" && typing.Wait == nil:
		note(cmd, "session %q: %s", session.Name, r.Reason)
	}
	if typing.Wait == nil {
		return nil
	}
	return told(cmd, waitCode(sent.Waited, *typing.Wait))
}

// sendTries is how often send-keys asks the policies in all, when something else was typed before its keys each time. So many callers
// may type at the same time.
const sendTries = 20

// A judgedSent is what became of keys that the policies were asked about.
type judgedSent struct {
	session ledger.Session
	sent    runner.Sent
	begin   time.Time // when they began to be typed
}

// judgedSend asks the policies about the keys, and types them. If something else was typed in between, it does both again, unless it
// has asked a person: nobody is asked twice for one call.
func judgedSend(ctx context.Context, cmd *cli.Command, dir ledger.Dir, name string, t *runner.Typing) (j judgedSent, err error) {
	for range sendTries {
		t.Judged = false
		var untold error
		calls := func() (list []guard.Call) {
			list, untold = typeCalls(ctx, dir, name, t)
			return list
		}
		var asked bool
		if asked, err = judgeAsked(cmd, dir.Path(), calls); cmp.Or(err, untold) != nil {
			return j, cmp.Or(err, untold)
		}
		j.begin = time.Now()
		j.session, j.sent, err = runner.Send(ctx, dir, name, *t)
		if asked || !errors.Is(err, wire.ErrTypedBefore) {
			return j, err
		}
	}
	return j, err
}

// checkShows returns an error if the screen is asked for of a session without a terminal. Nothing is typed then.
func checkShows(cmd *cli.Command, dir ledger.Dir, name string) error {
	if !cmd.Bool("screen") {
		return nil
	}
	s, living := dir.Living(name)
	record, err := dir.LoadSession(s.ID)
	if living && err == nil && record.Size.Cols == 0 {
		return usagef("send-keys: --screen cannot be used with session %q: it has no terminal", s.Name)
	}
	return nil
}

// sendRules are the rules about the flags of send-keys.
var sendRules = []flagRule{
	{flags: []string{"literal"}, without: []string{"hex"}},
	{flags: []string{"fail", "all"}, needs: []string{"wait"}},
}

// readTyping returns what to type, from the flags and arguments.
func readTyping(cmd *cli.Command, args []string) (t runner.Typing, err error) {
	t.Repeat, t.Paste, t.Enter = cmd.Int("repeat"), cmd.Bool("paste"), cmd.Bool("enter")
	t.EOF = cmd.Bool("eof")
	t.NoWait, t.IfHash = cmd.Bool("no-wait"), cmd.String("if-hash")
	if err := checkFlags(cmd, sendRules); err != nil {
		return t, err
	}
	switch {
	case cmd.Bool("literal"):
		t.Form = wire.Literal
	case cmd.Bool("hex"):
		t.Form = wire.Hex
	}
	if cmd.IsSet("if-hash") && !isHash(t.IfHash) {
		return t, badValue("if-hash", t.IfHash, "the hash of a picture, 16 hexadecimal digits")
	}
	if t.Repeat < 1 {
		return t, badValue("repeat", t.Repeat, "1 or more")
	}
	if slices.Contains(args, "-") {
		if len(args) > 1 {
			return t, usagef("send-keys: - cannot be used with other KEYs: it types standard input; --literal types a -")
		}
		if t.Form != "" && t.Form != wire.Literal {
			return t, usagef("send-keys: --hex cannot be used with -, which types standard input unchanged")
		}
		if t.Form == "" {
			text, err := readInput(cmd, t.EOF)
			if err != nil {
				return t, err
			}
			t.Form, args = wire.Bytes, []string{text}
		}
	}
	if len(args) > 0 && strings.Join(args, "") == "" && !t.Enter && !t.EOF {
		return t, usagef("send-keys: the KEY is empty: there is nothing to type")
	}
	t.Args = args
	if err := t.Check("-l"); err != nil {
		return t, usagef("send-keys: %v", err)
	}
	wait, err := readWait(cmd, "wait")
	if len(wait.Until) > 0 {
		t.Wait = &wait
	}
	if cmd.IsSet("timeout") {
		if t.Limit = wait.Timeout; t.Limit == 0 {
			t.Limit = -1
		}
	}
	return t, err
}

// readInput returns the content of standard input. It may be empty if something else is to be done than to type it.
func readInput(cmd *cli.Command, empty bool) (string, error) {
	data, err := io.ReadAll(io.LimitReader(cmd.Root().Reader, wire.MaxTyped+1))
	if err != nil {
		return "", err
	}
	if len(data) > wire.MaxTyped {
		return "", usagef("send-keys: standard input is too long: at most %d bytes can be typed at once", wire.MaxTyped)
	}
	if len(data) == 0 && !empty {
		return "", errors.New("standard input is empty: there is nothing to type")
	}
	return string(data), nil
}
