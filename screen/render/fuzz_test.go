package render

import (
	"encoding/xml"
	"io"
	"regexp"
	"strings"
	"testing"

	"devtools/screen"
)

// element matches the elements of our pages.
var element = regexp.MustCompile(`</?(a|i|span|pre|body|html)( class="(s[0-9]+|w)")?( href="[^"<>]*" rel="noopener noreferrer")?>`)

// Whatever a program writes, the SVG is well formed, the HTML has only our markup, and no renderer
// fails.
func FuzzRender(f *testing.F) {
	for _, text := range samples() {
		f.Add([]byte(text))
	}
	f.Add([]byte("\x1b]8;;javascript:alert(1)\x1b\\x\x1b]2;</title>\x07\ufffe\u0300\u200d"))
	f.Fuzz(func(t *testing.T, output []byte) {
		term := screen.New(20, 5, 10)
		term.Write(output)
		s := term.Snapshot(screen.View{First: -10, Last: screen.MaxRows})

		var svg, html strings.Builder
		if err := SVG(&svg, s); err != nil {
			t.Fatal(err)
		}
		d := xml.NewDecoder(strings.NewReader(svg.String()))
		for {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%v in\n%s", err, svg.String())
			}
		}
		if err := HTML(&html, s); err != nil {
			t.Fatal(err)
		}
		_, body, _ := strings.Cut(html.String(), "<pre>\n")
		if strings.ContainsAny(element.ReplaceAllString(body, ""), "<>\"") || strings.Contains(body, `href="javascript:`) {
			t.Fatalf("markup in %s", body)
		}
		if err := ANSI(io.Discard, s, TextOptions{Join: true, Numbers: true}); err != nil {
			t.Fatal(err)
		}
		if err := PNG(io.Discard, s); err != nil {
			t.Fatal(err)
		}
	})
}
