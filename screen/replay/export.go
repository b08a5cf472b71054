package replay

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"devtools/ledger/transcript"
	"devtools/screen"
	"devtools/screen/render"
)

const (
	// framesPerSecond is the maximum number of pictures per second in an animation.
	framesPerSecond = 30

	// lastFrame is how long an animation shows its last picture before it begins again.
	lastFrame = 2 * time.Second
)

// Formats are the formats that Export writes. cast and cast3 are asciicasts of version 2 and 3. txt is the output as
// text. html is a page with the last picture and its scrollback. The others are animations. Each name is also a file
// name extension, except cast3.
var Formats = []string{"cast", "cast3", "txt", "html", "svg", "gif", "png", "apng"}

// FormatOf returns the format that the extension of a file name stands for. It returns "" if the extension is
// unknown.
func FormatOf(name string) string {
	i := strings.LastIndexByte(name, '.')
	if format := strings.ToLower(name[i+1:]); i >= 0 && slices.Contains(Formats, format) && format != "cast3" {
		return format
	}
	return ""
}

// Export writes the tape to out in the given format. The caller has measured the tape. In formats with times, the
// tape plays at a multiple of its speed.
func (t *Tape) Export(ctx context.Context, out io.WriteSeeker, format string, speed float64) error {
	switch format {
	case "cast":
		return t.exportCast(ctx, out, transcript.Asciicast, speed)
	case "cast3":
		return t.exportCast(ctx, out, transcript.AsciicastV3, speed)
	case "txt":
		return t.exportText(ctx, out)
	case "html":
		return t.exportPage(ctx, out)
	case "svg":
		film, err := render.NewSVGAnimation(out, t.Largest.Cols, t.Largest.Rows, t.Title)
		if err != nil {
			return err
		}
		return t.exportFilm(ctx, film, speed)
	case "gif":
		film, err := render.NewGIF(out, t.Largest.Cols, t.Largest.Rows)
		if err != nil {
			return err
		}
		return t.exportFilm(ctx, film, speed)
	case "png", "apng":
		film, err := render.NewAPNG(out, t.Largest.Cols, t.Largest.Rows)
		if err != nil {
			return err
		}
		return t.exportFilm(ctx, film, speed)
	}
	return fmt.Errorf("unknown format %q", format)
}

func (t *Tape) exportCast(ctx context.Context, out io.Writer, format transcript.Format, speed float64) error {
	buffered := bufio.NewWriter(out)
	started := t.Started
	if !started.IsZero() {
		started = started.Add(t.from)
	}
	recorder := transcript.NewRecorder(buffered, format, transcript.RecordingHeader{
		Cols: t.Size.Cols, Rows: t.Size.Rows, Started: started, Title: t.Title, Command: t.Command,
	})
	err := t.Play(ctx, func(at time.Duration, e transcript.Event) error {
		at = scaled(at, speed)
		if cols, rows, ok := transcript.ParseSize(e.Text); ok && e.Kind == transcript.Resize {
			return recorder.Resize(at, cols, rows)
		}
		return recorder.Output(at, e.Kind, e.Data)
	})
	if err == nil {
		err = recorder.Close()
	}
	if err == nil {
		err = buffered.Flush()
	}
	return err
}

// exportText writes the output as devtools log does.
func (t *Tape) exportText(ctx context.Context, out io.Writer) error {
	buffered := bufio.NewWriter(out)
	if t.Size.Cols == 0 { // these are the bytes of the program itself
		err := t.Play(ctx, func(_ time.Duration, e transcript.Event) error {
			_, err := buffered.Write(e.Data)
			return err
		})
		if err == nil {
			err = buffered.Flush()
		}
		return err
	}
	plain := screen.NewPlain(buffered, t.Size.Cols, t.Size.Rows)
	err := t.Play(ctx, func(_ time.Duration, e transcript.Event) error {
		if cols, rows, ok := transcript.ParseSize(e.Text); ok && e.Kind == transcript.Resize {
			plain.Resize(cols, rows)
		}
		_, err := plain.Write(e.Data)
		return err
	})
	if err == nil {
		err = plain.Close()
	}
	if err == nil {
		err = buffered.Flush()
	}
	return err
}

// exportPage writes the last picture, with all rows that have scrolled off.
func (t *Tape) exportPage(ctx context.Context, out io.Writer) error {
	terminal := t.terminal(screen.MaxScrollback)
	if err := t.Play(ctx, func(_ time.Duration, e transcript.Event) error {
		apply(terminal, e)
		return nil
	}); err != nil {
		return err
	}
	s := terminal.Snapshot(screen.View{First: math.MinInt32, Last: screen.MaxRows, Unfinished: true})
	if s.Title == "" {
		s.Title = t.Title
	}
	return render.HTML(out, s)
}

// A film takes pictures. Each picture is shown from its time on.
type film interface {
	Frame(s *screen.Snapshot, at time.Duration) error
	Close(end time.Duration) error
}

// exportFilm passes the pictures of the tape to a film. The time is divided into equal parts. The picture of a part
// is what the terminal shows at its end.
func (t *Tape) exportFilm(ctx context.Context, f film, speed float64) error {
	terminal := t.terminal(0)
	part, last, now := int64(0), "", time.Duration(0)
	var timer frameTimer
	frame := func(unfinished bool) error {
		unfinished = unfinished || timer.overdue(terminal, now)
		s := terminal.Snapshot(screen.View{Last: screen.MaxRows, Unfinished: unfinished})
		hash := s.Hash()
		if hash == last {
			return nil
		}
		last = hash
		return f.Frame(s, time.Duration(part)*time.Second/framesPerSecond)
	}
	err := t.Play(ctx, func(at time.Duration, e transcript.Event) error {
		if n := int64(scaled(at, speed)) * framesPerSecond / int64(time.Second); n > part {
			if err := frame(false); err != nil {
				return err
			}
			part = n
		}
		apply(terminal, e)
		now = at
		return nil
	})
	if err == nil {
		err = frame(true)
	}
	if err != nil {
		return err
	}
	return f.Close(time.Duration(part)*time.Second/framesPerSecond + lastFrame)
}
