package screen

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// state returns all state of a terminal that Redraw carries over, for comparison.
func (t *Terminal) state() string {
	var b strings.Builder
	s := t.Snapshot(View{Last: MaxRows, Unfinished: true})
	for i := range s.Lines {
		fmt.Fprintf(&b, "%2d", i)
		for r := range s.Runs(i) {
			link, _ := s.Link(r.Style)
			r.Style.link = 0
			if text := strings.TrimRight(r.Text, " "); text != "" || !invisibleBlank(r.Style) {
				fmt.Fprintf(&b, " %d:%q%v%v", r.Col, text, r.Style, link)
			}
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "%+v %q %q %q\n%+v %v\n", s.Cursor, s.Title, s.Icon, s.Cwd, s.Modes, s.Palette)
	other := t.Snapshot(View{Last: MaxRows, Other: true})
	for i := range other.Lines {
		if t.page == &t.alt { // otherwise it is never seen again
			fmt.Fprintf(&b, "%q\n", other.Text(i, false))
		}
	}
	pen := t.style
	pen.link = 0
	fmt.Fprintf(&b, "%+v %v margins %d %d %d %d %v\n", pen, t.links.at(t.style.link), t.top, t.bottom, t.left, t.right, t.origin)
	sets := t.charsets
	for i, set := range sets.set {
		if set == 'B' {
			sets.set[i] = 0
		}
	}
	fmt.Fprintf(&b, "%+v %v\n%v %v %v\n", sets, t.tabs[:t.cols], t.level, t.modes&^mode132, t.titles)
	if at := t.page.saved; at.kept {
		at.style.link, at.pen, at.charsets = 0, 0, charsets{gl: at.charsets.gl}
		fmt.Fprintf(&b, "saved %+v\n", at)
	}
	return b.String()
}

func invisibleBlank(s Style) bool {
	return s.Background.IsDefault() && s.Underline == NoUnderline && s.Attributes&(Reverse|Strike|Overline) == 0
}

// difference returns the lines of two texts that differ, or "".
func difference(got, want string) string {
	var b strings.Builder
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(g), len(w)) {
		var x, y string
		if i < len(g) {
			x = g[i]
		}
		if i < len(w) {
			y = w[i]
		}
		if x != y && strings.Count(b.String(), "\n") < 12 {
			fmt.Fprintf(&b, " got %s\nwant %s\n", x, y)
		}
	}
	return b.String()
}

// join gives t's picture to a new terminal, and the end of given that is not a complete sequence
// yet.
func (t *Terminal) join(given []byte) *Terminal {
	output, unread := t.Redraw()
	other := New(t.cols, t.rows, 0)
	other.Write(output)
	other.Write(given[len(given)-unread:])
	return other
}

// TestRedrawPrograms cuts the output of programs at random places. A terminal that gets the picture
// at the cut and the rest of the output shows the same as one that got all of it.
func TestRedrawPrograms(t *testing.T) {
	files, err := filepath.Glob("testdata/programs/*.json.gz")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d recordings, %v", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json.gz")
		t.Run(name, func(t *testing.T) {
			var p program
			if err := json.Unmarshal(gunzip(t, file), &p); err != nil {
				t.Fatal(err)
			}
			var parts [][]byte // the output at one size
			sizes := [][]int{{p.Cols, p.Rows}}
			parts = append(parts, nil)
			for _, step := range p.Steps {
				parts[len(parts)-1] = append(parts[len(parts)-1], step.Write...)
				if step.Resize != nil {
					parts, sizes = append(parts, nil), append(sizes, step.Resize)
				}
			}
			r := rand.New(rand.NewPCG(1, uint64(len(name))))
			for i, part := range parts {
				if len(part) == 0 {
					continue
				}
				cuts := []int{1, len(part)}
				for range 25 {
					cuts = append(cuts, 1+r.IntN(len(part)))
				}
				for _, cut := range cuts {
					all := New(p.Cols, p.Rows, 0)
					for j := range i {
						all.Write(parts[j])
						all.Resize(sizes[j+1][0], sizes[j+1][1])
					}
					all.Write(part[:cut])
					given := slices.Concat(append(slices.Clone(parts[:i]), part[:cut])...)
					joined := all.join(given)
					if d := difference(joined.state(), all.state()); d != "" {
						t.Fatalf("at %d of %d of part %d:\n%s", cut, len(part), i, d)
					}
					all.Write(part[cut:])
					joined.Write(part[cut:])
					if d := difference(joined.state(), all.state()); d != "" {
						t.Fatalf("from %d of %d of part %d to its end:\n%s", cut, len(part), i, d)
					}
				}
			}
		})
	}
}

// TestRedrawNoise does the same with sequences of all kinds, in random order.
func TestRedrawNoise(t *testing.T) {
	pieces := []string{
		"text", "a line that is longer than the screen is wide, by far", "\r\n", "\n", "\b", "\t", "世界", "e\u0301", "😀", "👩\u200d👧", "❤\ufe0f",
		"\x1b[5;10H", "\x1b[1;40H", "x\x1b[3b", "\x1b[31;1m", "\x1b[4:3;58:5:9m", "\x1b[48;2;1;2;3m", "\x1b[m", "\x1b[K", "\x1b[1J", "\x1b[3X", "\x1b[2@", "\x1b[2P",
		"\x1b[2L", "\x1b[3M", "\x1b[3;8r", "\x1b[r", "\x1b[?6h", "\x1b[?6l", "\x1b[?7l", "\x1b[?7h", "\x1b[4h", "\x1b[4l", "\x1b[?25l", "\x1b[?25h",
		"\x1b[?1049h", "\x1b[?1049l", "\x1b[?47h", "\x1b[?47l", "\x1b7", "\x1b8", "\x1b(0", "\x1b(B", "\x1b)0", "\x0e", "\x0f", "\x1bN", "\x1b[?1h", "\x1b=", "\x1b>",
		"\x1b[?1000h", "\x1b[?1002h", "\x1b[?1006h", "\x1b[?2004h", "\x1b[?1004h", "\x1b[>5u", "\x1b[<u", "\x1b[=3u", "\x1b[>4;2m", "\x1b[>4n", "\x1b[2 q", "\x1b[5 q",
		"\x1bH", "\x1b[3g", "\x1b[g", "\x1b]2;title\x07", "\x1b]1;icon\x1b\\", "\x1b[22t", "\x1b[23t", "\x1b]8;id=a;http://example.com/\x07", "\x1b]8;;\x07", "\x1b]4;3;#102030\x07",
		"\x1b]10;#ff0000\x07", "\x1b]110\x07", "\x1b[?2026h", "\x1b[?2026l", "\x1b[?2027h", "\x1b[?2027l", "\x1b[?5h", "\x1b[?5l", "\x1b[?45h", "\x1b[?1s", "\x1b[?1r", "\x1b[1\"q", "\x1b[0\"q",
		"\x1b[64;1\"p", "\x1b[?69h", "\x1b[5;30s", "\x1b[?69l", "\x1b[62\"p", "\x1bD", "\x1bM", "\x1bc", "\x1b[!p", "\x1b#8", "\x1bPq#0;2;0~-\x1b\\", "\x1b_Gf=1;AAAA\x1b\\", "\x1b[3\r1;2", "\x1b]2;t\x1b[2", "\x1b\n",
	}
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 7))
		var given []byte
		for range 1 + r.IntN(60) {
			given = append(given, pieces[r.IntN(len(pieces))]...)
		}
		given = given[:1+r.IntN(len(given))]
		all := New(40, 10, 0)
		all.Write(given)
		joined := all.join(given)
		if d := difference(joined.state(), all.state()); d != "" {
			t.Fatalf("seed %d: %q\n%s", seed, given, d)
		}
		for _, term := range []*Terminal{all, joined} {
			term.Write([]byte("5;3H*"))
		}
		if d := difference(joined.state(), all.state()); d != "" {
			t.Fatalf("seed %d: %q, gone on with\n%s", seed, given, d)
		}
	}
}

// TestLeave checks that Leave restores a terminal, whatever a program was doing.
func TestLeave(t *testing.T) {
	for name, given := range map[string]string{
		"nothing":     "",
		"text":        "a\r\nb",
		"full":        strings.Repeat("line\r\n", 20) + "end",
		"vim":         "$ vim\r\n\x1b[?1049h\x1b[?1h\x1b=\x1b[?2004h\x1b[>4;2m\x1b[?1006;1000h\x1b[2;5r\x1b[?25l\x1b[3;1Htext\x1b[31m\x1b[5 q",
		"kitty":       "\x1b[>1u\x1b[>3u\x1b[?1049h\x1b[>5u",
		"in a title":  "\x1b]2;half a tit",
		"in a string": "\x1b_Gf=100;AAAA",
		"in a number": "\x1b[12;3",
		"colours":     "\x1b]4;1;#123456\x07\x1b]11;#ffffff\x07\x1b[1;44m\x1b[1\"q",
		"charset":     "\x1b(0\x1b)0\x0eqqq",
		"tabs":        "\x1b[3g\x1b[4G\x1bH",
		"margins":     "\x1b[64;1\"p\x1b[?69h\x1b[5;10s\x1b[2;5r\x1b[?6h",
		"others":      "\x1b[?5h\x1b[4h\x1b[20h\x1b[?7l\x1b[?1004h\x1b[?2026hx\x1b[?2027h\x1b[?45h",
		"saved":       "\x1b[1\"q\x1b]8;;http://example.com\x07\x1b*0\x1b[31m\x1b7\x1b[m\x1b[0\"q\x1b]8;;\x07\x1b*B\x1b[?1049hx",
		"link":        "\x1b]8;;http://example.com\x07here",
		"titles":      "\x1b]2;first\x07\x1b[22;0t\x1b]2;second\x07",
	} {
		term := New(20, 6, 100)
		term.Write([]byte("\x1b]2;own\a\x1b[22;2t" + given))
		term.Write(term.Leave())
		got := term.Snapshot(Visible())
		want := New(20, 6, 0).Snapshot(Visible()).Modes
		if got.Modes != want || !got.Cursor.Visible || got.Cursor.Shape != Block {
			t.Errorf("%s: modes %+v, cursor %+v", name, got.Modes, got.Cursor)
		}
		if got.Title != "own" || len(term.titles) > 0 {
			t.Errorf("%s: the title is %q, and %d are saved", name, got.Title, len(term.titles))
		}
		if term.style != (Style{}) || term.top != 0 || term.bottom != 5 || term.right != 19 || term.charsets.gl != 0 || slices.Contains(term.charsets.set[:], '0') || !term.parser.idle() || term.keyboard != [2]keyboard{} && (term.keyboard[0].n > 0 || term.keyboard[1].n > 0) {
			t.Errorf("%s: %s", name, term.state())
		}
		if len(term.palette.entries) > 0 || !term.palette.Background.IsDefault() || !slices.Equal(term.tabs, defaultTabs(20)) {
			t.Errorf("%s: colours or tabs are left", name)
		}
		if got.Cursor.Col != 0 || got.Text(got.Cursor.Row, false) != "" {
			t.Errorf("%s: the cursor is at %d,%d, in %q", name, got.Cursor.Col, got.Cursor.Row, got.Text(got.Cursor.Row, false))
		}
	}
}

// FuzzRedraw does the same as TestRedrawNoise with any input.
func FuzzRedraw(f *testing.F) {
	f.Add([]byte("text\x1b[31m\x1b[?1049h\x1b[2;5r\x1b[?6h\x1b(0qq"))
	f.Add([]byte("\x1b[3\r1;2:4"))
	f.Add([]byte("世界\x1b[?2027h👩\u200d👧\x1b7\x1b]8;;http://e\a\x1b[1;20Hlink that wraps\xe4\xb8"))
	f.Fuzz(func(t *testing.T, given []byte) {
		all := New(24, 6, 0)
		all.Write(given)
		joined := all.join(given)
		if d := difference(joined.state(), all.state()); d != "" {
			t.Fatalf("%q\n%s", given, d)
		}
	})
}
