package render

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"devtools/screen"
)

// fullScreen returns a screen of 80 x 24 like that of an editor.
func fullScreen() *screen.Snapshot {
	var b strings.Builder
	b.WriteString("\x1b[44;37;1m\x1b[K File  Edit  View\x1b[m\n")
	for i := range 22 {
		fmt.Fprintf(&b, "\x1b[33m%4d \x1b[36m│\x1b[m func \x1b[1mname%d\x1b[m(s \x1b[32mstring\x1b[m) error { \x1b[90m// ├── größer 日本語 %d\x1b[m\n", i, i, i*i)
	}
	return shot(80, 24, b.String()+"\x1b[7m-- INSERT --\x1b[K")
}

func BenchmarkRender(b *testing.B) {
	s := fullScreen()
	for _, format := range []struct {
		name  string
		write func(io.Writer, *screen.Snapshot) error
	}{
		{"PNG", PNG},
		{"SVG", SVG},
		{"HTML", HTML},
		{"ANSI", func(w io.Writer, s *screen.Snapshot) error { return ANSI(w, s, TextOptions{}) }},
		{"Text", func(w io.Writer, s *screen.Snapshot) error { return Text(w, s, TextOptions{}) }},
	} {
		b.Run(format.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := format.write(io.Discard, s); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
