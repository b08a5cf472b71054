package glyph

import (
	"slices"
	"strings"
	"testing"
)

// bounds returns the corners of the area of a path, and of its control points.
func bounds(p Path) (topLeft, bottomRight Point) {
	topLeft, bottomRight = Point{1e6, 1e6}, Point{-1e6, -1e6}
	for _, s := range p {
		points := []Point{s.To}
		if s.Op == Quad {
			points = append(points, s.Control)
		}
		for _, at := range points {
			topLeft = Point{min(topLeft.X, at.X), min(topLeft.Y, at.Y)}
			bottomRight = Point{max(bottomRight.X, at.X), max(bottomRight.Y, at.Y)}
		}
	}
	return topLeft, bottomRight
}

// image returns the bitmap of r as text.
func image(r rune) string {
	var b strings.Builder
	bitmap := bitmapOf(r)
	for _, row := range bitmap.rows() {
		for x := range len(bitmap) / 2 {
			b.WriteByte(".#"[row>>(31-x)&1])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestBitmap(t *testing.T) {
	const sun = `
................
...#########....
...#.......#....
...#.......#....
...#.......#....
...#.......#....
...#.......#....
...#########....
...#.......#....
...#.......#....
...#.......#....
...#.......#....
...#.......#....
...#.......#....
...#########....
...#.......#....
`
	if got := image('日'); got != sun[1:] {
		t.Errorf("日 is\n%s", got)
	}
	for r, size := range map[rune]int{
		'A': narrowBitmap, '日': wideBitmap, '한': wideBitmap, 0x1f680: wideBitmap, 'ก': narrowBitmap,
		0x3400: wideBitmap, 0xfffd: narrowBitmap, 0x10ffff: 0, ' ': 0, 0x378: 0, 0xe000: 0, '─': 0, -1: 0,
	} {
		if got := len(bitmapOf(r)); got != size {
			t.Errorf("%U has %d bytes, want %d", r, got, size)
		}
	}
}

func TestOf(t *testing.T) {
	for _, test := range []struct {
		text        string
		columns     int
		left, right float32 // where the path may be
	}{
		{"A", 1, 0, 10},
		{"W", 1, -0.2, 10.2},
		{"é", 1, 0, 10},
		{"e\u0301", 1, 0, 10},
		{"日", 2, 2, 18},
		{"한", 2, 2, 18},
		{"\u1112\u1161\u11ab", 2, 2, 18},
		{"🚀", 2, 2, 18},
		{"👩\u200d💻", 2, 2, 18},
		{"❤\ufe0f", 2, 2, 18},
		{"①", 1, 0, 10},
		{"\ue000", 1, 1, 9}, // no font has it
		{"\U000f0001", 2, 1, 19},
		{"\xff", 1, 0, 10},
	} {
		g := Of(test.text, test.columns, false, false)
		from, to := bounds(g.Path)
		if len(g.Path) == 0 || g.Opacity != 1 || from.X < test.left || to.X > test.right || from.Y < 0 || to.Y > Height {
			t.Errorf("%q: %d segments from %v to %v", test.text, len(g.Path), from, to)
		}
	}
	for _, blank := range []string{"", " ", "\u00a0", "\u3000"} {
		if g := Of(blank, 1, true, true); g.Path != nil {
			t.Errorf("%q: %v", blank, g)
		}
	}
}

func TestStyles(t *testing.T) {
	for _, text := range []string{"a", "日"} {
		plain := Of(text, 2, false, false).Path
		if slices.Equal(plain, Of(text, 2, true, false).Path) {
			t.Errorf("%s: bold is as plain", text)
		}
		if slices.Equal(plain, Of(text, 2, false, true).Path) {
			t.Errorf("%s: italic is as plain", text)
		}
	}
	if !slices.Equal(Of("┼", 1, false, false).Path, Of("┼", 1, true, true).Path) {
		t.Error("a line changes when it is bold and italic")
	}
}

func TestHangul(t *testing.T) {
	for text, want := range map[string]string{
		"\u1100\u1161":             "가",
		"\u1112\u1161\u11ab":       "한",
		"\u1112\u1175\u11c2\u0301": "힣\u0301",
		"\u1112":                   "\u1112",
		"a\u1161":                  "a\u1161",
		"가\u11ab":                  "가\u11ab",
	} {
		base, rest := composeHangul([]rune(text)[0], string([]rune(text)[1:]))
		if got := string(base) + rest; got != want {
			t.Errorf("%+q: %+q, want %+q", text, got, want)
		}
	}
}

// Geometry stays in its cell, except the ends of diagonals.
func TestGeometry(t *testing.T) {
	for _, span := range [][2]rune{
		{0x2500, 0x259f},
		{0x2801, 0x28ff},
		{0x23ba, 0x23bd},
		{0xe0a0, 0xe0a0},
		{0xe0b0, 0xe0b3},
		{0x1fb00, 0x1fb3b},
		{0x1fb70, 0x1fb8b},
	} {
		for r := span[0]; r <= span[1]; r++ {
			g, ok := geometry(r)
			from, to := bounds(g.Path)
			const beyond = 0.6
			if !ok || len(g.Path) == 0 || from.X < -beyond || from.Y < 0 || to.X > Width+beyond || to.Y > Height {
				t.Errorf("%U %c: %d segments from %v to %v", r, r, len(g.Path), from, to)
			}
		}
	}
}

// covers reports whether a path of rectangles covers a point.
func covers(p Path, x, y float32) bool {
	for i := 0; i+3 < len(p); i += 4 {
		if from, to := bounds(p[i : i+4]); from.X <= x && x < to.X && from.Y <= y && y < to.Y {
			return true
		}
	}
	return false
}

// A line reaches the edge of the cell on each side with an arm.
func TestBoxes(t *testing.T) {
	sides := [4]Point{{middleX, 0}, {Width - 0.5, middleY}, {middleX, Height - 0.5}, {0, middleY}}
	for i := range 0x80 {
		weights := boxes[5*i:][:4]
		if weights == "0000" {
			continue
		}
		p := box(rune(0x2500 + i))
		for side, at := range sides {
			for _, across := range []float32{-1, 0, 1} { // beside the middle
				x, y := at.X, at.Y
				if side%2 == 0 {
					x += across
				} else {
					y += across
				}
				want := weights[side] == '2' || weights[side] == '1' && across == 0 || weights[side] == '3' && across != 0
				if covers(p, x, y) != want {
					t.Errorf("%c at %v, %v: %v, want %v", 0x2500+i, x, y, !want, want)
				}
			}
		}
	}
}

func TestSextants(t *testing.T) {
	// The first and the last character, and those beside the halves, which Unicode leaves out.
	for r, want := range map[rune]string{
		0x1fb00: "#.....", 0x1fb13: "..#.#.", 0x1fb14: ".##.#.", 0x1fb27: "#..#.#", 0x1fb28: "##.#.#", 0x1fb3b: ".#####",
	} {
		got := ""
		for i := range 6 {
			if covers(sextants(int(r-0x1fb00)), float32(i%2*5+2), float32(i/2*7+2)) {
				got += "#"
			} else {
				got += "."
			}
		}
		if got != want {
			t.Errorf("%U is %s, want %s", r, got, want)
		}
	}
}

func BenchmarkOf(b *testing.B) {
	for _, text := range []string{"a", "日", "┼"} {
		b.Run(text, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Of(text, 1, false, false)
			}
		})
	}
}

// BenchmarkUnpack measures what the first glyph of each kind costs.
func BenchmarkUnpack(b *testing.B) {
	b.Run("outlines", func(b *testing.B) {
		for b.Loop() {
			readOutlines(regularData)
		}
	})
}
