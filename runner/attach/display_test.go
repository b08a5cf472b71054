package attach

import (
	"fmt"
	"strings"
	"testing"

	"devtools/ledger"
	"devtools/screen"
)

// picture returns what a terminal of 40x10 shows after the output.
func picture(output string) *screen.Snapshot {
	session := screen.New(40, 10, 0)
	_, _ = session.Write([]byte(output))
	return session.Snapshot(screen.Visible())
}

// shown returns the rows of a terminal without blanks at their ends, and without blank rows at the end.
func shown(t *screen.Terminal) string {
	s := t.Snapshot(screen.Visible())
	var rows []string
	for row := range s.Rows {
		rows = append(rows, strings.TrimRight(s.Text(row, false), " "))
	}
	return strings.TrimRight(strings.Join(rows, "\n"), "\n")
}

// A painter fits the picture into windows of several sizes, and follows the cursor there.
func TestPainterWindows(t *testing.T) {
	for _, test := range []struct {
		cols, rows int
		output     string
		want       string
	}{
		{60, 20, "hello\r\nworld", "hello\nworld"},
		{3, 20, "hello\r\nworld\x1b[H", "hel\nwor"},
		{40, 1, "hello\r\nworld", "world"},
		{3, 1, "hello\r\nworld\x1b[2;5H", "rld"},
	} {
		window := screen.New(test.cols, test.rows, 0)
		p := newPainter()
		_, _ = window.Write(p.draw(picture(test.output), ledger.Size{Cols: test.cols, Rows: test.rows}, nil))
		if got := shown(window); got != test.want {
			t.Errorf("%dx%d: got\n%s\nwant\n%s", test.cols, test.rows, got, test.want)
		}
	}
}

// A painter draws only the rows that differ from the last picture, and all rows after forget.
func TestPainterDrawsChanges(t *testing.T) {
	size := ledger.Size{Cols: 20, Rows: 5}
	window := screen.New(size.Cols, size.Rows, 0)
	p := newPainter()
	draw := func(output string) string {
		out := p.draw(picture(output), size, nil)
		_, _ = window.Write(out)
		return string(out)
	}
	draw("one\r\ntwo\x1b]2;title\x1b\\")
	out := draw("one\r\nTWO\x1b]2;title\x1b\\")
	if strings.Contains(out, "one") || !strings.Contains(out, "TWO") || strings.Contains(out, "title") {
		t.Errorf("a changed row: %q", out)
	}
	if got := shown(window); got != "one\nTWO" {
		t.Errorf("the window shows\n%s", got)
	}
	p.forget()
	if out := draw("one\r\nTWO"); !strings.Contains(out, "one") || !strings.Contains(out, "\x1b]2;\x1b\\") {
		t.Errorf("after forget: %q", out)
	}
}

// A mouse report would name another cell where the window does not begin at the session's first cell.
func TestPainterMouse(t *testing.T) {
	for output, want := range map[string]screen.Mouse{"\x1b[?1000h": screen.MouseNormal, "\x1b[?1000h\x1b[10;1H": screen.NoMouse} {
		p := newPainter()
		window := screen.New(20, 5, 0)
		_, _ = window.Write(p.draw(picture(output), ledger.Size{Cols: 20, Rows: 5}, nil))
		if got := window.Snapshot(screen.Visible()).Modes.Mouse; got != want {
			t.Errorf("%q: mouse mode %d, want %d", output, got, want)
		}
	}
}

// A display writes long output in pieces, and its model has all of it.
func TestDisplayPrint(t *testing.T) {
	var sizes []int
	d := display{model: screen.New(80, 24, 0), write: func(p []byte) error { sizes = append(sizes, len(p)); return nil }}
	if err := d.print([]byte(strings.Repeat("a", outPiece) + "\r\nlast")); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(sizes); got != fmt.Sprint([]int{outPiece, 6}) {
		t.Errorf("pieces of %s bytes", got)
	}
	if got := shown(d.model); !strings.HasSuffix(got, "\nlast") {
		t.Errorf("the model shows\n%s", got)
	}
}
