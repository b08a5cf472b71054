package commands

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/runner"
	"devtools/runner/wire"
	"devtools/screen"
	"devtools/screen/render"
)

func screenCommand() *cli.Command {
	return &cli.Command{
		ArgsUsage: "[NAME]",
		Description: `Prints the rows of the session NAME's terminal as a person sees them now, or saw
them at the end. Rows count from 0 at the top of the screen. Negative rows are
in the scrollback: -1 is the newest, '-' the oldest.

EXAMPLES:
  devtools screen web
  devtools screen web -S - -J | grep -n error
  devtools screen web --format png > web.png`,
		CustomHelpTemplate: `ROWS: start end join trim | keep-blanks number
PICTURE: format at hash diff | cursor other runs
SESSION: | t from size`,
		Flags: []cli.Flag{
			targetFlag(),
			oneOf(&cli.StringFlag{Name: "format", Usage: "print `FORMAT`: text, ansi, json, html, svg or png", Value: "text"}, "text", "ansi", "json", "html", "svg", "png"),
			&cli.StringFlag{Name: "start", Aliases: []string{"S"}, Usage: "first row `N`; negative: in the scrollback, '-': the oldest"},
			&cli.StringFlag{Name: "end", Aliases: []string{"E"}, Usage: "last row `N`; '-': the last row of the screen"},
			&cli.BoolFlag{Name: "trim", Usage: "leave out empty rows at the end"},
			&cli.BoolFlag{Name: "join", Aliases: []string{"J"}, Usage: "join the rows of a wrapped line"},
			&cli.BoolFlag{Name: "keep-blanks", Aliases: []string{"N"}, Usage: "keep blanks at the end of rows"},
			&cli.BoolFlag{Name: "number", Aliases: []string{"L"}, Usage: "print the number of each row"},
			&cli.BoolFlag{Name: "other", Aliases: []string{"a"}, Usage: "show the screen that is not in use: main or alternate"},
			&cli.BoolFlag{Name: "cursor", Usage: "print only the cursor: column, row, shape, visibility"},
			&cli.BoolFlag{Name: "hash", Usage: "print only the hash of the picture"},
			&cli.StringFlag{Name: "diff", Usage: "print only rows changed since the picture with `HASH`"},
			&cli.StringFlag{Name: "at", Usage: "show the screen at `MOMENT` (90s, or RFC 3339) or log offset"},
			&cli.BoolFlag{Name: "runs", Usage: "add each row as runs of one style, with --json"},
			&cli.StringFlag{Name: "from", Usage: "show the recording `FILE` (- is stdin), not a session"},
			&cli.StringFlag{Name: "size", Usage: "size of the terminal for FILE: `COLSxROWS`", DefaultText: "from FILE"},
		},
		ArgValidator: oneSessionOrFile,
		Action:       printScreen,
	}
}

// oneSessionOrFile is the ArgValidator of a command that shows either a session or a file.
func oneSessionOrFile(ctx context.Context, cmd *cli.Command) error {
	if !cmd.IsSet("from") {
		return oneSession(ctx, cmd)
	}
	if cmd.String("t") != "" || cmd.Args().Len() > 0 {
		return usagef("%s: --from cannot be used with a session: it shows a file", cmd.Name)
	}
	return nil
}

// errNoScreen reports that the other screen was never used.
var errNoScreen = errors.New("there is no other screen: the program has never used the alternate screen")

func printScreen(ctx context.Context, cmd *cli.Command) error {
	format, err := choice(cmd, "format")
	if err != nil {
		return err
	}
	if cmd.Bool("json") {
		if cmd.IsSet("format") && format != "json" {
			return usagef("screen: --json cannot be used with --format %s", format)
		}
		format = "json"
	}
	if err := checkScreen(cmd, format); err != nil {
		return err
	}
	session, pic, err := picture(ctx, cmd)
	if err != nil {
		return err
	}
	if pic.Stuck != nil {
		note(cmd, "%v: this picture is made from the log", pic.Stuck)
	}
	if cmd.Bool("other") && !pic.Snapshot.Exists {
		return errNoScreen
	}
	if pic.Printed > pic.Offset && !cmd.IsSet("at") {
		note(cmd, "the program prints faster than devtools can draw: this is the picture at offset %d of %d", pic.Offset, pic.Printed)
	}
	return printPicture(cmd, format, session, pic)
}

// screenRules are the rules about the flags of screen.
var screenRules = []flagRule{
	{flags: []string{"cursor"}, without: []string{"hash"}, reason: "screen --json has both"},
	{flags: []string{"diff"}, without: []string{"cursor", "hash"}},
	{flags: []string{"diff"}, without: []string{"start", "end", "other", "join"}, reason: "it compares the whole screen"},
	{flags: []string{"size"}, needs: []string{"from"}, reason: "devtools resize changes the terminal of a session"},
}

// checkScreen returns an error if the flags contradict each other, or the format.
func checkScreen(cmd *cli.Command, format string) error {
	if err := checkFlags(cmd, screenRules); err != nil {
		return err
	}
	if hash := cmd.String("diff"); cmd.IsSet("diff") && !isHash(hash) {
		return badValue("diff", hash, "the hash of a picture, 16 hexadecimal digits")
	}
	if cmd.Bool("runs") && format != "json" {
		return usagef("screen: --runs needs --json")
	}
	if format == "png" && isTerminal(cmd.Root().Writer) {
		return usagef("screen: a terminal cannot show a PNG: write it to a file with > FILE")
	}
	return checkScreenFormat(cmd)
}

// screenFormats lists the values of --format with which some flags of screen can be used.
var screenFormats = []struct {
	flag    string
	formats []string
}{
	{"cursor", []string{"text"}},
	{"hash", []string{"text"}},
	{"diff", []string{"text", "ansi", "json"}},
}

// checkScreenFormat returns an error if a flag cannot be used with --format.
func checkScreenFormat(cmd *cli.Command) error {
	given, format := givenFlags(cmd), cmd.String("format")
	for _, f := range screenFormats {
		if slices.Contains(given, f.flag) && !slices.Contains(f.formats, format) {
			return usagef("screen: --%s needs --format %s", f.flag, strings.Join(f.formats, ", "))
		}
	}
	return nil
}

// isHash reports whether text has the form of the output of --hash.
func isHash(text string) bool {
	_, err := strconv.ParseUint(text, 16, 64)
	return err == nil && len(text) == 16
}

// picture returns the picture that the command line asks for. With --from it is the picture of a file.
func picture(ctx context.Context, cmd *cli.Command) (ledger.Session, wire.Picture, error) {
	var none ledger.Session
	view, err := viewFlags(cmd)
	if err != nil {
		return none, wire.Picture{}, err
	}
	look := runner.Look{View: view, Since: cmd.String("diff")}
	if err := readAt(cmd, &look); err != nil {
		return none, wire.Picture{}, err
	}
	if file := cmd.String("from"); file != "" {
		pic, err := pictureOf(ctx, cmd, file, look)
		return none, pic, err
	}
	name := target(cmd)
	dir, err := openState(cmd, name)
	if err != nil {
		return none, wire.Picture{}, err
	}
	s, pic, err := runner.See(ctx, dir, name, look)
	sayLost(cmd, dir, s)
	return s, pic, err
}

// pictureOf returns the picture of a recording.
func pictureOf(ctx context.Context, cmd *cli.Command, file string, look runner.Look) (wire.Picture, error) {
	if look.At != nil && look.At.Session != "" {
		return wire.Picture{}, usagef("--at %s: a position in a session cannot be used with --from: use a byte offset", look.At)
	}
	var size ledger.Size
	if cmd.IsSet("size") {
		var err error
		if size, err = parseSize("--size", cmd.String("size")); err != nil {
			return wire.Picture{}, err
		}
	}
	in := cmd.Root().Reader
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return wire.Picture{}, fileError("--from", file, err)
		}
		defer f.Close()
		in = f
	}
	pic, err := runner.Play(ctx, in, size, look)
	if err != nil {
		err = fmt.Errorf("--from %s: %w", file, err)
	}
	return pic, err
}

// viewFlags returns the requested rows.
func viewFlags(cmd *cli.Command) (screen.View, error) {
	view := screen.Visible()
	view.Other = cmd.Bool("other")
	first, err := rowFlag(cmd, "start", view.First, math.MinInt32)
	if err != nil {
		return view, err
	}
	last, err := rowFlag(cmd, "end", view.Last, view.Last)
	if err != nil {
		return view, err
	}
	view.First, view.Last = min(first, last), max(first, last) // as in tmux, the order does not matter
	return view, nil
}

// rowFlag returns the number of a row. unset is the number without the flag, and dash is the number for '-'.
func rowFlag(cmd *cli.Command, flag string, unset, dash int) (int, error) {
	switch text := cmd.String(flag); text {
	case "":
		return unset, nil
	case "-":
		return dash, nil
	default:
		n, err := strconv.ParseInt(text, 10, 32)
		if err != nil {
			return 0, badValue(flag, text, "the number of a row, or '-'")
		}
		return int(n), nil
	}
}

// readAt stores the moment of --at in look. A bare number is an offset, not a time.
func readAt(cmd *cli.Command, look *runner.Look) error {
	text := cmd.String("at")
	if text == "" {
		return nil
	}
	if at, err := ledger.ParsePosition(text); err == nil {
		look.At = &at
		return nil
	}
	if then, ok := epochTime(text); ok {
		look.Then = &then
		return nil
	}
	if after, err := parseDuration(text); err == nil {
		look.After = &after
		return nil
	}
	if then, err := time.Parse(time.RFC3339Nano, text); err == nil {
		look.Then = &then
		return nil
	}
	return badValue("at", text, "a time since the start (90s), RFC 3339, @1768473000, a byte offset of the log, or the next of an answer")
}

// printPicture prints what the flags ask for.
func printPicture(cmd *cli.Command, format string, session ledger.Session, pic wire.Picture) error {
	w := cmd.Root().Writer
	s := pic.Snapshot
	switch {
	case cmd.Bool("cursor") && format == "json":
		return printJSON(cmd, cursorResult{newScreenCursor(s)})
	case cmd.Bool("hash") && format == "json":
		return printJSON(cmd, hashResult{s.Hash()})
	case format == "json":
		return printJSON(cmd, newScreenResult(cmd, session, pic))
	case cmd.Bool("cursor"):
		visible := "hidden"
		if s.Cursor.Visible {
			visible = "visible"
		}
		_, err := fmt.Fprintf(w, "%d %d %s %s\n", s.Cursor.Col, s.Cursor.Row, s.Cursor.Shape, visible)
		return err
	case cmd.Bool("hash"):
		_, err := fmt.Fprintln(w, s.Hash())
		return err
	}
	options := render.TextOptions{
		KeepBlanks: cmd.Bool("keep-blanks"), Join: cmd.Bool("join"), Numbers: cmd.Bool("number"), Trim: cmd.Bool("trim"),
	}
	if cmd.IsSet("diff") {
		options.Numbers = true
		options.Only = func(i int) bool { return slices.Contains(pic.Changed, i) }
	}
	if s.Title == "" { // for an HTML page or an image
		titled := *s
		titled.Title = session.Name
		s = &titled
	}
	switch format {
	case "ansi":
		return brokenPipe(render.ANSI(w, s, options))
	case "html":
		return brokenPipe(render.HTML(w, s))
	case "svg":
		return brokenPipe(render.SVG(w, s))
	case "png":
		return brokenPipe(render.PNG(w, s))
	}
	return brokenPipe(render.Text(w, s, options))
}
