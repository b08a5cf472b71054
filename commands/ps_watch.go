package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/urfave/cli/v3"
	"golang.org/x/term"

	"devtools/ledger"
)

// The sequences with which a live table takes over and gives back the terminal: alternate screen, no wrapping, no
// cursor.
const (
	enterTable = "\x1b[?1049h\x1b[?7l\x1b[?25l"
	leaveTable = "\x1b[m\x1b[?7h\x1b[?25h\x1b[?1049l"
)

// A liveTable shows a listing on a person's terminal.
type liveTable struct {
	out     *os.File
	request psRequest
	shown   psListing
	at      time.Time
	top     int // first row that is shown below the heading
}

// watchOnTerminal shows the table on the person's terminal, which is standard output. A key or the signal sig ends
// it. Afterwards the terminal is as before.
func watchOnTerminal(ctx context.Context, cmd *cli.Command, r psRequest) (sig os.Signal, err error) {
	out, ok := cmd.Root().Writer.(*os.File)
	if !ok {
		return nil, errors.New("standard output is no terminal")
	}
	t := &liveTable{out: out, request: r}
	if t.shown, err = r.look(ctx, cmd, psListing{}); err != nil { // report an error here, where it stays readable
		return nil, err
	}
	t.at = time.Now()
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, append(windowSignals(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)...)
	defer signal.Stop(signals)
	raw, keys := func() error { return nil }, (<-chan []byte)(nil)
	cooked := raw
	if in, ok := cmd.Root().Reader.(*os.File); ok && term.IsTerminal(int(in.Fd())) {
		saved, err := term.GetState(int(in.Fd()))
		if err != nil {
			return nil, err
		}
		raw = func() error { _, err := term.MakeRaw(int(in.Fd())); return err }
		cooked = func() error { return term.Restore(int(in.Fd()), saved) }
		keys = readKeys(in)
	}
	take := func() error { return errors.Join(raw(), t.print(enterTable)) }
	giveBack := func() error { return errors.Join(t.print(leaveTable), cooked()) }
	defer func() { err = errors.Join(err, giveBack()) }()
	if err := take(); err != nil {
		return nil, err
	}
	tick := time.NewTicker(r.interval)
	defer tick.Stop()
	looks := make(chan func() error, 1)
	looking := false
	for {
		if err := t.draw(); err != nil {
			return nil, err
		}
		select {
		case <-tick.C:
			if looking { // a look may take longer than the interval, and must not delay keys
				continue
			}
			looking = true
			before := t.shown
			go func() {
				listing, err := r.look(ctx, cmd, before)
				looks <- func() error {
					t.shown, t.at = listing, time.Now()
					return err
				}
			}()
		case take := <-looks:
			looking = false
			if err := take(); err != nil {
				return nil, err
			}
		case pressed, ok := <-keys:
			if !ok {
				keys = nil // the terminal is gone; a signal reports that
				continue
			}
			switch t.typed(string(pressed)) {
			case quitTable:
				return nil, nil
			case interruptTable:
				return nil, exitCode(codeInterrupted)
			case suspendTable:
				if err := giveBack(); err != nil {
					return nil, err
				}
				stopSelf()
				if err := take(); err != nil {
					return nil, err
				}
			}
		case s := <-signals:
			if s == os.Interrupt || s == syscall.SIGTERM || s == syscall.SIGHUP {
				return s, nil
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// What a key asks the program around the table to do.
const (
	stayTable = iota
	quitTable
	interruptTable
	suspendTable
)

// scrolls lists the keys that scroll the table, and by how much.
var scrolls = []struct {
	key         string
	rows, pages int
}{
	{"\x1b[B", 1, 0},
	{"\x1bOB", 1, 0},
	{"j", 1, 0},
	{"\x1b[A", -1, 0},
	{"\x1bOA", -1, 0},
	{"k", -1, 0},
	{"\x1b[6~", 0, 1},
	{" ", 0, 1},
	{"\x1b[5~", 0, -1},
	{"b", 0, -1},
}

// typed applies scroll keys to the table. It returns what other keys ask for.
func (t *liveTable) typed(keys string) int {
	page := max(1, t.window().Rows-3)
keys:
	for keys != "" {
		for _, s := range scrolls {
			if rest, ok := strings.CutPrefix(keys, s.key); ok {
				t.top, keys = max(0, t.top+s.rows+s.pages*page), rest
				continue keys
			}
		}
		switch keys[0] {
		case 'q', 'Q', 'D' & 0x1f:
			return quitTable
		case 'C' & 0x1f:
			return interruptTable
		case 'Z' & 0x1f:
			return suspendTable
		}
		keys = keys[1:]
	}
	return stayTable
}

func (t *liveTable) window() ledger.Size {
	size, err := windowSize(t.out)
	if err != nil {
		size = ledger.Size{Cols: 80, Rows: 24}
	}
	return size
}

// draw draws the table in one write, so that it does not flicker.
func (t *liveTable) draw() error {
	size := t.window()
	v := t.request.view
	v.width = size.Cols
	lines := v.lines(t.shown)
	head := []string{clip(fmt.Sprintf("devtools ps  %s  every %v  %s  q quits", t.at.Format(time.TimeOnly), t.request.interval, counts(t.shown)), size.Cols), ""}
	if len(lines) > 0 {
		head, lines = append(head, lines[0]), lines[1:]
	}
	room := max(0, size.Rows-len(head))
	t.top = max(0, min(t.top, len(lines)-room))
	lines = lines[t.top:]
	if over := len(lines) - room; over > 0 && room > 0 {
		lines = append(lines[:room-1:room-1], clip(fmt.Sprintf("… %d more rows: j and k scroll", over+1), size.Cols))
	}
	lines = append(head, lines...)
	var text strings.Builder
	text.WriteString("\x1b[H")
	for i, line := range lines[:min(len(lines), size.Rows)] {
		if i > 0 {
			text.WriteString("\r\n")
		}
		text.WriteString("\x1b[K" + line + "\x1b[m") // erase first: after a full row it would erase the last character
	}
	if len(lines) < size.Rows {
		text.WriteString("\r\n\x1b[J")
	}
	return t.print(text.String())
}

// counts returns the numbers of sessions and processes.
func counts(l psListing) string {
	sessions, processes := len(l.Sessions), len(l.Active)+len(l.Orphaned)
	text := fmt.Sprintf("%d %s, %d %s", sessions, plural(sessions, "session", "sessions"), processes, plural(processes, "process", "processes"))
	if len(l.Orphaned) > 0 {
		text += fmt.Sprintf(", %d of them orphaned", len(l.Orphaned))
	}
	return text
}

func (t *liveTable) print(text string) error {
	_, err := io.WriteString(t.out, text)
	return err
}
