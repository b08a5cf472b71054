package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"devtools/ledger"
	"devtools/ledger/transcript"
	"devtools/screen"
	"devtools/screen/render"
)

const (
	// seekStep is the distance that one key seeks.
	seekStep = 5 * time.Second

	// The limits for the speed.
	slowest, fastest = 1.0 / 16, 256.0

	// repaintTime is the minimum time between two pictures.
	repaintTime = time.Second / 60

	// fastForwardTime is the minimum time between two pictures while a seek is catching up.
	fastForwardTime = time.Second / 2
)

// A Player shows a tape on a person's terminal, which must be in raw mode. The recording itself never reaches that
// terminal. The Player draws the picture that the recording makes. So a person can seek in it, and it is clipped to
// the terminal. It sends the terminal no queries and leaves nothing behind.
type Player struct {
	Tape   *Tape
	Out    io.Writer
	Window ledger.Size // size of the person's terminal
	Speed  float64

	Keys    <-chan []byte      // typed bytes; nil: no keys
	Resized <-chan ledger.Size // new sizes of the terminal
	Suspend func() error       // stops this process as ^Z does, until it is resumed; nil: not possible

	terminal *screen.Terminal
	frame    frameTimer
	shown    *screen.Snapshot // picture that Out shows; nil: not known
	status   string           // status line that Out shows; "": not known
	painted  time.Time
	base     time.Duration // position of the tape at the time wall
	wall     time.Time
	paused   bool
	keys     keyReader
}

// Reasons to stop playing a tape.
var (
	errBack = errors.New("back to an earlier place")
	errQuit = errors.New("quit")
)

// ErrInterrupted reports that ^C ended the playing.
var ErrInterrupted = errors.New("interrupted")

// The sequences with which a Player takes over and gives back the terminal. enterScreen switches to the alternate
// screen. leaveScreen resets the style, the wrapping, the cursor and its shape.
const (
	enterScreen = "\x1b[?1049h\x1b[?7l\x1b[2J"
	leaveScreen = "\x1b[?2026l\x1b[m\x1b[2J\x1b[?7h\x1b[0 q\x1b[?25h\x1b[?1049l"
)

// Run plays the tape from its start. It returns at the end of the tape or when a key ends the playing. At the end of
// the tape the last picture stays on the terminal.
func (p *Player) Run(ctx context.Context) (err error) {
	if _, err := io.WriteString(p.Out, enterScreen); err != nil {
		return err
	}
	ended := false
	defer func() {
		_, leaving := io.WriteString(p.Out, leaveScreen)
		if err = errors.Join(err, leaving); err == nil && ended {
			err = render.ANSI(crlf{p.Out}, p.terminal.Snapshot(screen.View{Last: screen.MaxRows, Unfinished: true}), render.TextOptions{Trim: true})
		}
	}()
	p.wall = time.Now()
	for {
		p.terminal = p.Tape.terminal(0)
		err := p.Tape.Play(ctx, func(at time.Duration, e transcript.Event) error {
			if err := p.until(ctx, at); err != nil {
				return err
			}
			apply(p.terminal, e)
			return nil
		})
		if err == nil {
			err = p.atEnd(ctx)
			ended = err == nil
		}
		switch {
		case errors.Is(err, errBack):
		case errors.Is(err, errQuit):
			return nil
		default:
			return err
		}
	}
}

// now returns the present position of the tape.
func (p *Player) now() time.Duration {
	if p.paused {
		return p.base
	}
	return p.base + time.Duration(float64(time.Since(p.wall))*p.Speed)
}

// seek moves to the position to, within the tape.
func (p *Player) seek(to time.Duration) {
	p.base, p.wall = min(max(to, 0), p.Tape.Duration), time.Now()
}

// until waits until the tape has reached the position at. It returns an error if this run of the tape has to stop.
func (p *Player) until(ctx context.Context, at time.Duration) error {
	for {
		wait, interval := at-p.now(), repaintTime
		if wait < -time.Second {
			interval = fastForwardTime
		}
		if wait <= 0 && time.Since(p.painted) < interval {
			return nil
		}
		if wait <= 0 {
			if err := p.paint(); err != nil {
				return err
			}
			select {
			case keys, ok := <-p.Keys:
				if err := p.typed(keys, ok, at); err != nil {
					return err
				}
				continue
			default:
			}
			return nil
		}
		if err := p.paint(); err != nil {
			return err
		}
		if err := p.wait(ctx, wait, at); err != nil {
			return err
		}
	}
}

// atEnd shows the last picture. While the tape is paused, it waits for a key that seeks back.
func (p *Player) atEnd(ctx context.Context) error {
	p.base, p.wall = p.Tape.Duration, time.Now()
	for {
		if err := p.paint(); err != nil || !p.paused {
			return err
		}
		if err := p.wait(ctx, time.Hour, p.Tape.Duration); err != nil {
			return err
		}
		if !p.paused {
			return nil
		}
		if p.now() < p.Tape.Duration {
			return errBack
		}
	}
}

// wait waits until there is something to do: a key, a new size, the end of the playing time d or the next second.
// next is the position of the next event.
func (p *Player) wait(ctx context.Context, d time.Duration, next time.Duration) error {
	var timer <-chan time.Time
	if !p.paused {
		timer = time.After(min(scaled(d, p.Speed), time.Second)) // the status line shows seconds
	}
	select {
	case <-timer:
	case keys, ok := <-p.Keys:
		return p.typed(keys, ok, next)
	case p.Window = <-p.Resized:
		p.shown, p.status = nil, ""
		_, err := io.WriteString(p.Out, "\x1b[m\x1b[2J")
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// typed carries out the commands of typed keys.
func (p *Player) typed(keys []byte, ok bool, next time.Duration) error {
	if !ok {
		p.Keys = nil // no more keys will come: the tape plays to its end
		return nil
	}
	was := p.now()
	for _, key := range p.keys.read(keys) {
		now := p.now()
		switch key {
		case "q":
			return errQuit
		case "^C":
			return ErrInterrupted
		case "^Z":
			if err := p.suspend(); err != nil {
				return err
			}
		case " ":
			p.base, p.wall, p.paused = now, time.Now(), !p.paused
		case "left":
			p.seek(now - seekStep)
		case "right":
			p.seek(now + seekStep)
		case ".":
			if p.paused {
				p.seek(next)
			}
		case "+", "=", "up":
			p.base, p.wall, p.Speed = now, time.Now(), min(p.Speed*2, fastest)
		case "-", "down":
			p.base, p.wall, p.Speed = now, time.Now(), max(p.Speed/2, slowest)
		default:
			if len(key) == 1 && key[0] >= '0' && key[0] <= '9' {
				p.seek(p.Tape.Duration * time.Duration(key[0]-'0') / 10)
			}
		}
	}
	if p.now() < was {
		return errBack
	}
	return nil
}

// suspend gives the terminal back while this process is stopped. The tape stays at its position.
func (p *Player) suspend() error {
	if p.Suspend == nil {
		return nil
	}
	p.base = p.now()
	_, err := io.WriteString(p.Out, leaveScreen)
	if err = errors.Join(err, p.Suspend()); err == nil {
		_, err = io.WriteString(p.Out, enterScreen)
	}
	p.wall, p.shown, p.status = time.Now(), nil, ""
	return err
}

// paint draws the picture of the tape on the terminal, as much of it as fits.
func (p *Player) paint() error {
	rows := p.Window.Rows
	spare := rows > p.Tape.Largest.Rows
	if spare {
		rows--
	}
	view := screen.View{Last: screen.MaxRows, Unfinished: p.frame.overdue(p.terminal, p.now())}
	s := p.terminal.Snapshot(screen.View{Last: -1})
	if below := s.Cursor.Row - rows + 1; below > 0 && !s.Modes.Alternate {
		view.First = below // a person looks at the row with the cursor
	}
	s = p.terminal.Snapshot(view)
	if p.shown == nil || s.Hash() != p.shown.Hash() || s.First != p.shown.First {
		if err := render.Repaint(p.Out, p.shown, s, p.Window.Cols, rows); err != nil {
			return err
		}
		p.shown = s
	}
	p.painted = time.Now()
	if spare {
		return p.showStatus()
	}
	return nil
}

// showStatus writes the position of the tape into the last row.
func (p *Player) showStatus() error {
	sign := "playing"
	if p.paused {
		sign = "paused"
	}
	text := fmt.Sprintf("%s %s/%s %gx  space . arrows + - 0-9 q", sign, clock(p.now()), clock(p.Tape.Duration), p.Speed)
	if text = text[:min(len(text), p.Window.Cols)]; text == p.status {
		return nil
	}
	p.status = text
	_, err := fmt.Fprintf(p.Out, "\x1b7\x1b[%d;1H\x1b[m\x1b[2K\x1b[7m%s\x1b[m\x1b8", p.Window.Rows, text)
	return err
}

// clock formats a position of a tape as 1:02 or 1:02:03.
func clock(d time.Duration) string {
	s := int(d / time.Second)
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// A keyReader splits typed bytes into keys. The bytes of one key may come in pieces.
type keyReader struct{ rest string }

// keyNames maps the sequences of the keys with a function to names (xterm ctlseqs, PC-style function keys).
var keyNames = []struct{ sequence, name string }{
	{"\x1b[A", "up"},
	{"\x1b[B", "down"},
	{"\x1b[C", "right"},
	{"\x1b[D", "left"},
	{"\x1bOA", "up"},
	{"\x1bOB", "down"},
	{"\x1bOC", "right"},
	{"\x1bOD", "left"},
	{"\x03", "^C"},
	{"\x1a", "^Z"},
}

// read returns the keys in typed. It leaves out the sequences of other keys.
func (k *keyReader) read(typed []byte) (keys []string) {
	text := k.rest + string(typed)
	k.rest = ""
next:
	for text != "" {
		for _, known := range keyNames {
			if strings.HasPrefix(text, known.sequence) {
				keys = append(keys, known.name)
				text = text[len(known.sequence):]
				continue next
			}
		}
		if text[0] != 0x1b {
			keys = append(keys, text[:1])
			text = text[1:]
			continue
		}
		if len(text) == 1 {
			k.rest = text
			return keys
		}
		n := 1
		if text[1] == '[' || text[1] == 'O' {
			for n = 2; n < len(text) && (text[n] < 0x40 || text[n] > 0x7e); n++ {
			}
			if n == len(text) && n < 16 {
				k.rest = text
				return keys
			}
			n = min(n+1, len(text))
		}
		text = text[n:]
	}
	return keys
}

// A crlf writes to a raw terminal, where a line feed alone does not return to the first column.
type crlf struct{ w io.Writer }

func (c crlf) Write(p []byte) (int, error) {
	_, err := io.WriteString(c.w, strings.ReplaceAll(string(p), "\n", "\r\n"))
	return len(p), err
}
