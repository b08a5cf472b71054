package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/ledger/regular"
	"devtools/ledger/transcript"
	"devtools/runner"
	"devtools/screen/replay"
)

func replayCommand() *cli.Command {
	return &cli.Command{
		ArgsUsage: "NAME|FILE",
		Description: `Plays the output of the session NAME with its timing, or the recording FILE (-
is stdin). Keys: space pauses, '.' goes one step, the arrows seek and change the
speed, 0 to 9 go to that tenth, q quits. With --export, the end of the file's
name says the format: .cast, .txt, .html, .svg, .gif, .png or .apng.

EXAMPLES:
  devtools replay web --speed 4
  devtools replay web --idle-limit 1s --export web.gif`,
		CustomHelpTemplate: `PLAYING: speed idle-limit from to | t size
EXPORT: export force | format cast-version`,
		Flags: []cli.Flag{
			targetFlag(),
			&cli.StringFlag{Name: "speed", Usage: "play `N` times as fast", Value: "1"},
			&cli.StringFlag{Name: "idle-limit", Aliases: []string{"i"}, Usage: "shorten longer pauses to `DURATION`"},
			&cli.StringFlag{Name: "from", Usage: "start at `MOMENT`: since the start (90s), or RFC 3339"},
			&cli.StringFlag{Name: "to", Usage: "end at `MOMENT`"},
			&cli.StringFlag{Name: "export", Aliases: []string{"o"}, Usage: "write `FILE` (- is stdout) instead of playing"},
			oneOf(&cli.StringFlag{Name: "format", Usage: "`FORMAT` of the export: " + orList(exportFormats)}, exportFormats...),
			&cli.IntFlag{Name: "cast-version", Usage: "`VERSION` of an exported asciicast: 2 or 3", Value: 2},
			&cli.BoolFlag{Name: "force", Usage: "replace the file of --export if it exists"},
			&cli.StringFlag{Name: "size", Usage: "size of the terminal for FILE: `COLSxROWS`", DefaultText: "from FILE"},
		},
		ArgValidator: oneSession,
		Action:       replayTape,
	}
}

// exportFormats lists the values of --format.
var exportFormats = []string{"cast", "txt", "html", "svg", "gif", "png", "apng"}

// A replayRequest is the parsed command line of replay.
type replayRequest struct {
	speed  float64
	cut    replay.Cut
	size   ledger.Size
	format string // format of the export; "": play
}

func newReplayRequest(cmd *cli.Command) (r replayRequest, err error) {
	r.speed, err = strconv.ParseFloat(strings.TrimSuffix(cmd.String("speed"), "x"), 64)
	if err != nil || !(r.speed >= 0.001) || math.IsInf(r.speed, 0) || r.speed > 1e6 {
		return r, badValue("speed", cmd.String("speed"), "a number such as 2 or 0.5")
	}
	if cmd.IsSet("idle-limit") {
		if r.cut.IdleLimit, err = duration(cmd, "idle-limit"); err == nil && r.cut.IdleLimit == 0 {
			r.cut.IdleLimit = 1 // practically no pause: 0 would mean no limit
		}
	}
	if err == nil {
		r.cut.From, err = readMoment(cmd, "from")
	}
	if err == nil {
		r.cut.To, err = readMoment(cmd, "to")
	}
	if err == nil && cmd.IsSet("size") {
		r.size, err = parseSize("--size", cmd.String("size"))
	}
	if err == nil && r.cut.To.Before(r.cut.From) {
		err = usagef("replay: --to %s is before --from %s", cmd.String("to"), cmd.String("from"))
	}
	if err != nil {
		return r, err
	}
	r.format, err = exportFormat(cmd)
	return r, err
}

// replayRules are the rules about the flags of replay.
var replayRules = []flagRule{{flags: []string{"format", "cast-version", "force", "json"}, needs: []string{"export"}}}

// exportFormat returns the format of the export, or "" without an export.
func exportFormat(cmd *cli.Command) (format string, err error) {
	if err := checkFlags(cmd, replayRules); err != nil || !cmd.IsSet("export") {
		return "", err
	}
	file := cmd.String("export")
	if format = replay.FormatOf(file); cmd.IsSet("format") {
		if format, err = choice(cmd, "format"); err != nil {
			return "", err
		}
	}
	if format == "" {
		return "", usagef("--export %s: the name does not show the format: use --format with %s", file, orList(exportFormats))
	}
	if file == "-" {
		if err := exportsToStdout(cmd, format); err != nil {
			return "", err
		}
	}
	return castFormat(cmd, format)
}

// exportsToStdout returns an error if an export of this format cannot go to standard output.
func exportsToStdout(cmd *cli.Command, format string) error {
	if cmd.Bool("json") {
		return usagef("replay: --json needs an --export to a file")
	}
	if isTerminal(cmd.Root().Writer) && slices.Contains([]string{"gif", "png", "apng"}, format) {
		return usagef("replay: a terminal cannot show a picture: write it to a file")
	}
	return nil
}

// castFormat adds the version to the format of an asciicast.
func castFormat(cmd *cli.Command, format string) (string, error) {
	version := cmd.Int("cast-version")
	switch {
	case version != 2 && version != 3:
		return "", badValue("cast-version", version, "2 or 3")
	case format != "cast" && cmd.IsSet("cast-version"):
		return "", usagef("replay: --cast-version can only be used with an asciicast")
	case version == 3:
		return "cast3", nil
	}
	return format, nil
}

// readMoment returns the value of a flag that is a time since the start or a point in time.
func readMoment(cmd *cli.Command, flag string) (replay.Moment, error) {
	text := cmd.String(flag)
	if !cmd.IsSet(flag) {
		return replay.Moment{}, nil
	}
	if then, ok := epochTime(text); ok {
		return replay.Moment{Then: then, Given: true}, nil
	}
	if after, err := parseDuration(text); err == nil {
		return replay.Moment{After: after, Given: true}, nil
	}
	if then, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return replay.Moment{Then: then, Given: true}, nil
	}
	return replay.Moment{}, usagef("--%s: invalid time %q: use a time since the start (90s), @1768473000 or RFC 3339", flag, text)
}

func replayTape(ctx context.Context, cmd *cli.Command) error {
	r, err := newReplayRequest(cmd)
	if err != nil {
		return err
	}
	tape, err := openTape(cmd, r)
	if err != nil {
		return err
	}
	defer tape.Close()
	if !tape.Timed {
		note(cmd, "the recording has no times: all of it appears at once")
	}
	if r.format != "" || isTerminal(cmd.Root().Writer) {
		if err := tape.Measure(ctx); err != nil {
			return err
		}
	}
	switch {
	case r.format != "":
		return export(ctx, cmd, tape, r)
	case isTerminal(cmd.Root().Writer):
		sig, err := playOnTerminal(ctx, cmd, tape, r.speed)
		if sig != nil {
			endBy(sig)
			return exitCode(codeInterrupted)
		}
		return err
	}
	return brokenPipe(tape.Stream(ctx, cmd.Root().Writer, r.speed))
}

// openTape opens the session that the command line names, or otherwise the file. A name with a slash is a file name.
func openTape(cmd *cli.Command, r replayRequest) (*replay.Tape, error) {
	name := target(cmd)
	named := cmd.String("t") != ""
	if named || name != "-" && !strings.ContainsRune(name, filepath.Separator) && !strings.ContainsRune(name, '/') {
		dir, err := openState(cmd, name)
		if err == nil {
			_, err = dir.Session(name)
		}
		if err == nil {
			if cmd.IsSet("size") {
				return nil, usagef("replay: --size is for a FILE: the session %q has the sizes of its terminal", name)
			}
			return openSessionTape(dir, name, r.cut)
		}
		if named || !errors.Is(err, ledger.ErrNoSession) {
			return nil, err
		}
		if _, missing := os.Stat(name); missing != nil {
			return nil, fmt.Errorf("%w, and no such file", err)
		}
	}
	file, err := openRecording(cmd, name)
	if err != nil {
		return nil, err
	}
	tape, err := replay.Open(file, r.size, r.cut)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if info, err := file.Stat(); err == nil && info.Size() == 0 {
		if name == "-" {
			name = "standard input"
		}
		note(cmd, "%s is empty: there is no recording in it", name)
		tape.Timed = true // there is nothing that could have a time
	}
	tape.Title = filepath.Base(name)
	return tape, nil
}

// openSessionTape returns the tape of a session, up to the present end of its output.
func openSessionTape(dir ledger.Dir, name string, cut replay.Cut) (*replay.Tape, error) {
	log, err := runner.OpenLog(dir, name)
	if err != nil {
		return nil, err
	}
	end, err := log.End()
	if err != nil {
		return nil, errors.Join(err, log.Close())
	}
	return replay.OpenSession(replay.SessionLog{
		Session: log.Session(),
		End:     end,
		Events: func(ctx context.Context, yield func(transcript.Event) error) error {
			return log.Events(ctx, 0, false, yield)
		},
		Close: log.Close,
	}, cut)
}

// openRecording opens a file that can be read again from its start. Where that is not possible, as for a pipe, it
// copies the content.
func openRecording(cmd *cli.Command, name string) (*os.File, error) {
	in := cmd.Root().Reader
	if name != "-" {
		if err := checkPinned(false, "recording", name); err != nil {
			return nil, err
		}
		file, err := os.Open(name)
		if err != nil {
			return nil, fileError("recording", name, err)
		}
		info, err := file.Stat()
		switch {
		case err != nil:
			return nil, fileError("recording", name, err)
		case info.IsDir():
			return nil, fmt.Errorf("%s: is a directory", name)
		case info.Mode().IsRegular():
			return file, nil
		}
		defer file.Close()
		in = file
	}
	file, err := tempFile()
	if err != nil {
		return nil, err
	}
	_, err = io.Copy(file, in)
	return file, err
}

// tempFile returns an empty file that disappears with this process.
func tempFile() (*os.File, error) {
	file, err := os.CreateTemp("", "devtools-*")
	if err == nil {
		_ = os.Remove(file.Name()) // where an open file cannot be removed, it stays
	}
	return file, err
}

// An exportResult is the output of replay --export --json.
type exportResult struct {
	Name       string `json:"name"`       // session or recording that was exported, as it was given
	File       string `json:"file"`       // path of the exported file
	Format     string `json:"format"`     // format of the file: cast, txt, html, svg, gif, png or apng
	FileBytes  int64  `json:"fileBytes"`  // length of the file
	DurationMs int64  `json:"durationMs"` // playing time of the cut part at the chosen speed
}

// export writes the file. The file appears only when it is complete.
func export(ctx context.Context, cmd *cli.Command, tape *replay.Tape, r replayRequest) error {
	ctx, stop := signal.NotifyContext(ctx, endSignals()...) // leave no incomplete file
	defer stop()
	path := cmd.String("export")
	info, err := os.Stat(path)
	there := path != "-" && err == nil
	switch {
	case path == "-", there && !info.Mode().IsRegular() && !info.IsDir():
		return exportStream(ctx, cmd, tape, r, path)
	case there && info.IsDir():
		return fmt.Errorf("--export %s: is a directory", path)
	case there && info.Size() > 0 && !cmd.Bool("force"):
		return fmt.Errorf("--export %s: the file exists: --force replaces it", path)
	}
	part := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%d", filepath.Base(path), os.Getpid()))
	regular.CloseUmask()
	file, err := os.OpenFile(part, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fileError("--export", path, err)
	}
	err = tape.Export(ctx, file, r.format, r.speed)
	size, seekErr := file.Seek(0, io.SeekEnd)
	if err = errors.Join(err, seekErr, file.Close()); err == nil {
		err = os.Rename(part, path)
	}
	if err != nil {
		_ = os.Remove(part) // the first error is the one to report
		return fileError("--export", path, err)
	}
	result := exportResult{
		Name: target(cmd), File: path, Format: strings.TrimSuffix(r.format, "3"), FileBytes: size,
		DurationMs: time.Duration(float64(tape.Duration) / r.speed).Round(time.Millisecond).Milliseconds(),
	}
	return show(cmd, result, func(w io.Writer, r exportResult) error {
		_, err := fmt.Fprintf(w, "%s: %d bytes, %s\n", oneLine(r.File), r.FileBytes, shortDuration(time.Duration(r.DurationMs)*time.Millisecond))
		return err
	})
}

// exportStream writes to standard output, or to another target that is not a regular file. Nothing can be filled in
// there later, so exportStream writes a temporary file first.
func exportStream(ctx context.Context, cmd *cli.Command, tape *replay.Tape, r replayRequest, path string) error {
	file, err := tempFile()
	if err != nil {
		return err
	}
	defer file.Close()
	if err := tape.Export(ctx, file, r.format, r.speed); err != nil {
		return err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	out := cmd.Root().Writer
	if path != "-" {
		device, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return fileError("--export", path, err)
		}
		defer device.Close()
		out = device
	}
	_, err = io.Copy(out, file)
	return brokenPipe(err)
}
