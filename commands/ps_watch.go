package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

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
	out      *os.File
	keyboard *keyboard
	request  psRequest
	shown    psListing
	at       time.Time
	top      int // first row that is shown below the heading
}

// watchOnTerminal shows the table on the person's terminal, which is standard output. A key or the signal sig ends
// it. Afterwards the terminal is as before.
func watchOnTerminal(ctx context.Context, cmd *cli.Command, r psRequest) (sig os.Signal, err error) {
	out, ok := cmd.Root().Writer.(*os.File)
	if !ok {
		return nil, errors.New("standard output is not a terminal")
	}
	t := &liveTable{out: out, request: r}
	if t.shown, err = r.look(ctx, cmd, psListing{}); err != nil { // report an error here, where it stays readable
		return nil, err
	}
	t.at = time.Now()
	signals, stop := terminalSignals()
	defer stop()
	if t.keyboard, err = keyboardOf(cmd); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, t.giveBack()) }()
	if err := t.take(); err != nil {
		return nil, err
	}
	err = t.run(ctx, cmd, signals)
	if ended, ok := errors.AsType[*signalError](err); ok {
		return ended.signal, nil
	}
	if errors.Is(err, errQuitTable) {
		return nil, nil
	}
	return nil, err
}

// errQuitTable ends the table because the person has quit it.
var errQuitTable = errors.New("quit")

// take takes over the terminal.
func (t *liveTable) take() error { return errors.Join(t.keyboard.raw(), t.print(enterTable)) }

// giveBack undoes take.
func (t *liveTable) giveBack() error { return errors.Join(t.print(leaveTable), t.keyboard.restore()) }

// run keeps the table up to date until a key or a signal ends it.
func (t *liveTable) run(ctx context.Context, cmd *cli.Command, signals <-chan os.Signal) error {
	keys := t.keyboard.keys()
	tick := time.NewTicker(t.request.interval)
	defer tick.Stop()
	type look struct {
		listing psListing
		err     error
	}
	looks := make(chan look, 1)
	looking := false
	for {
		if err := t.draw(); err != nil {
			return err
		}
		var err error
		select {
		case <-tick.C:
			if looking { // a look may take longer than the interval, and must not delay keys
				continue
			}
			looking = true
			before := t.shown
			go func() {
				listing, err := t.request.look(ctx, cmd, before)
				looks <- look{listing, err}
			}()
		case l := <-looks:
			looking = false
			t.shown, t.at, err = l.listing, time.Now(), l.err
		case pressed, ok := <-keys:
			if !ok {
				keys = nil // the terminal is gone; a signal reports that
				continue
			}
			err = t.obey(string(pressed))
		case sig := <-signals:
			if endsTerminal(sig) {
				err = &signalError{sig}
			}
		case <-ctx.Done():
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
	}
}

// obey does what keys ask for. Its error ends the table.
func (t *liveTable) obey(keys string) error {
	switch t.typed(keys) {
	case quitTable:
		return errQuitTable
	case interruptTable:
		return exitCode(codeInterrupted)
	case suspendTable:
		if err := t.giveBack(); err != nil {
			return err
		}
		stopSelf()
		return t.take()
	}
	return nil
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
