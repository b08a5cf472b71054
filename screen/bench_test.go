package screen

import (
	"fmt"
	"io"
	"strings"
	"testing"
)

// streams returns outputs of about a megabyte each, as a terminal gets them.
func streams() map[string]string {
	var seq, base64, colour, utf8, redraw strings.Builder
	for i := 100000; seq.Len() < 1<<20; i++ {
		fmt.Fprintf(&seq, "%d\r\n", i)
	}
	for base64.Len() < 1<<20 {
		base64.WriteString(strings.Repeat("SGVsbG8sIHdvcmxkIQ+/", 4)[:76] + "\r\n")
	}
	for i := 0; colour.Len() < 1<<20; i++ {
		fmt.Fprintf(&colour, "\x1b[32m[%3d%%]\x1b[0m \x1b[1mBuilding CXX object\x1b[m src/unit%d.cc.o\x1b[K\r\n"+
			"src/unit%d.cc:%d:7: \x1b[01;35m\x1b[Kwarning: \x1b[m\x1b[Kunused variable [\x1b[01;35m\x1b[K-Wunused\x1b[m\x1b[K]\r\n", i%100, i, i, i%1000)
	}
	for i := 0; utf8.Len() < 1<<20; i++ {
		fmt.Fprintf(&utf8, "%d ✓ größer als naïve café, 日本語のテキスト, русский текст, ελληνικά 🚀 done\r\n", i)
	}
	for frame := 0; redraw.Len() < 1<<20; frame++ {
		redraw.WriteString("\x1b[H")
		for row := 1; row <= 24; row++ {
			fmt.Fprintf(&redraw, "\x1b[%d;1H\x1b[3%dm%5d root\x1b[m %6d.%02d  \x1b[7m%s\x1b[27m /usr/bin/program --flag\x1b[K",
				row, row%8, row*frame, frame, row, strings.Repeat("#", (row+frame)%20))
		}
	}
	return map[string]string{
		"seq":      seq.String(),
		"base64":   base64.String(),
		"giant":    strings.Repeat("0123456789abcdef", 1<<16),
		"colour":   colour.String(),
		"utf8":     utf8.String(),
		"redraw":   redraw.String(),
		"progress": strings.Repeat("\r\x1b[K   Compiling something v1.0.3\r\n    Building [=====>    ] 17/93: one, two, three", 10000),
	}
}

// BenchmarkPlainCells measures text while Plain holds the screen as cells, as it does for a while
// after a movement.
func BenchmarkPlainCells(b *testing.B) {
	for name, s := range streams() {
		b.Run(name, func(b *testing.B) {
			chunk := []byte(s)[:64<<10]
			p := NewPlain(io.Discard, 80, 24)
			p.Write([]byte("\x1b[1;23r"))
			b.SetBytes(int64(len(chunk)))
			b.ReportAllocs()
			for b.Loop() {
				p.Write(chunk)
			}
		})
	}
}

// BenchmarkPlainLines measures a write for each line, as a slow program causes.
func BenchmarkPlainLines(b *testing.B) {
	line := []byte("src/main.go:12:5: declared and not used: result\r\n")
	p := NewPlain(io.Discard, 80, 24)
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		p.Write(line)
	}
}

func BenchmarkPlain(b *testing.B) {
	for name, s := range streams() {
		b.Run(name, func(b *testing.B) {
			chunk := []byte(s)[:64<<10]
			p := NewPlain(io.Discard, 80, 24)
			p.Write(chunk)
			b.SetBytes(int64(len(chunk)))
			b.ReportAllocs()
			for b.Loop() {
				p.Write(chunk)
			}
		})
	}
}
