package screen

import (
	"bytes"
	"io"
	"runtime"
	"strings"
	"testing"
)

func TestPlainCursor(t *testing.T) {
	for _, test := range []struct {
		in       string
		col, row int
	}{
		{"", 0, 0},
		{"abc", 3, 0},
		{"abc\r", 0, 0},
		{"abc\r\n", 0, 1},
		{"0123456789", 9, 0},
		{"0123456789a", 1, 1},
		{"日本", 4, 0},
		{"a\t", 8, 0},
		{"1\r\n2\r\n3\r\n4", 1, 2},
		{"\x1b[2;5H", 4, 1},
		{"\x1b[99;99H", 9, 2},
		{"\x1b[2;3r\x1b[?6h", 0, 0}, // in origin mode the report counts from the region
		{"ab\x1b[?1049h", 2, 0},
		{"ab\x1b[?1049h\x1b[3;3H\x1b[?1049l", 2, 0},
	} {
		for _, cells := range []bool{false, true} {
			if _, col, row := plainOf(10, 3, test.in, 1, cells); col != test.col || row != test.row {
				t.Errorf("%q, cells %v: got %d,%d, want %d,%d", test.in, cells, col, row, test.col, test.row)
			}
		}
	}
}

func TestPlainResize(t *testing.T) {
	for _, test := range []struct {
		name, before string
		cols, rows   int
		scrolled     string // written at once
		after, want  string
		col, row     int // of the cursor before after
	}{
		{"same", "a\r\nb", 10, 3, "", "c", "a\nbc", 1, 1},
		{"lower", "1\r\n2\r\n3", 10, 2, "1\n", "!", "1\n2\n3!", 1, 1},
		{"lower with cells", "1\r\n2\r\n3\bx", 10, 2, "1\n", "!", "1\n2\nx!", 1, 1},
		{"lower, blank below", "1\x1b[2;1H2\x1b[A", 10, 2, "", "!", "1!\n2", 1, 0},
		{"higher", "1\r\n2\r\n3\r\n4", 10, 5, "1\n", "\r\n5\r\n6\r\n7", "1\n2\n3\n4\n5\n6\n7", 1, 2},
		{"higher with cells", "1\r\n2\b\x1b[3;1H", 10, 5, "", "\x1b[9;1Hx", "1\n2\n\n\nx", 0, 2},
		{"narrower", "0123456789abc\r\nx", 5, 3, "01234", "y", "0123456789abc\nxy", 1, 2},
		{"narrower with cells", "0123456789\rx\r\n", 5, 3, "", "abcdefg", "x123456789\nabcdefg", 0, 2},
		{"narrower, erased", "0123456789\rx", 5, 3, "", "\r\x1b[Ky", "y\n56789", 1, 0},
		{"narrower, scrolls", "0123456789\rx\r\na\r\nb", 5, 3, "x1234", "c", "x123456789\na\nbc", 1, 2},
		{"wider again", "0123456789ab\bX", 20, 3, "", "c", "0123456789aXc", 12, 0},
		{"wider", "0123456789abc", 20, 3, "", "def", "0123456789abcdef", 13, 0},
		{"wider with tabs set", "\x1b[3g\x1b[2G\x1bH\r", 20, 3, "", "\ta\tb", "\ta\tb", 0, 0},
		{"alternate", "a\x1b[?1049h\x1b[3;3Hb", 10, 2, "", "\x1b[?1049lc", "ac", 3, 1},
		{"out of range", "a", 0, -1, "", "b", "ab", 0, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out bytes.Buffer
			p := NewPlain(&out, 10, 3)
			p.Write([]byte(test.before))
			p.Resize(test.cols, test.rows)
			if got := out.String(); got != test.scrolled {
				t.Errorf("%q scrolled off, want %q", got, test.scrolled)
			}
			if col, row := p.Cursor(); col != test.col || row != test.row {
				t.Errorf("cursor at %d,%d, want %d,%d", col, row, test.col, test.row)
			}
			p.Write([]byte(test.after))
			p.Close()
			if got := out.String(); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestPlainSizes(t *testing.T) {
	for _, size := range [][2]int{{-1, -1}, {0, 0}, {1, 1}, {1 << 30, 1 << 30}} {
		var out bytes.Buffer
		p := NewPlain(&out, size[0], size[1])
		p.Write([]byte("日本\r\n\tab\b\x1b[99A\x1b[99C\x1b[J\x1b[2@\x1b[L\x1b[?1049hx\x1b[?1049l"))
		col, row := p.Cursor()
		if col < 0 || col >= MaxCols || row < 0 || row >= MaxRows {
			t.Errorf("size %v: cursor at %d,%d", size, col, row)
		}
		if err := p.Close(); err != nil {
			t.Errorf("size %v: %v", size, err)
		}
	}
}

// Streams that make a careless terminal hold much or take long.
var hostile = map[string]string{
	"one line":        "x",
	"marks":           "\u0301",
	"marks in cells":  "\b\u0301",
	"marks all over":  "\x1b[7C\u0301\u0301\u0301\x1b[3G\u0302\r\n",
	"joiners":         "👩\u200d",
	"title":           "\x1b]0;",
	"string":          "\x1bP0q",
	"parameters":      "\x1b[1;2;3:",
	"malformed":       "\xf0\x9f",
	"repeat":          "x\x1b[65535b",
	"scroll":          "\x1b[65535S\x1b[65535T",
	"lines":           "\x1b[65535L\x1b[65535M\x1b[65535@\x1b[65535P\x1b[65535X",
	"tabs":            "\x1b[3g\r\t\t\u0301\x1b[65535I\x1b[65535Z",
	"alternate":       "\x1b[?1049hx\x1b[?1049l",
	"wiped":           "text\r    \r",
	"saved and moved": "\x1b7\x1b[99;99Hx\x1b8\r\n",
}

func TestPlainBoundsMemory(t *testing.T) {
	for name, unit := range hostile {
		t.Run(name, func(t *testing.T) {
			p := NewPlain(io.Discard, 80, 24)
			in := []byte(strings.Repeat(unit, 1+(256<<10)/len(unit)))
			if strings.Contains(unit, "65535") {
				in = in[:16<<10]
			}
			before := heap()
			p.Write(in)
			p.Write(in)
			if grown := heap() - before; grown > 2<<20 {
				t.Errorf("holds %d KiB after %d KiB", grown>>10, len(in)>>9)
			}
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// heap returns the number of bytes in use.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func TestPlainAllocatesNothing(t *testing.T) {
	for name, s := range streams() {
		p := NewPlain(io.Discard, 80, 24)
		chunk := []byte(s[:64<<10])
		p.Write(chunk)
		if n := testing.AllocsPerRun(10, func() { p.Write(chunk) }); n != 0 {
			t.Errorf("%s: %v allocations for %d KiB", name, n, len(chunk)>>10)
		}
	}
}
