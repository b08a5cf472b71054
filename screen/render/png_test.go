package render

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"

	"devtools/screen"
	"devtools/screen/render/glyph"
)

var (
	black = color.RGBA{0, 0, 0, 255}
	white = color.RGBA{0xe5, 0xe5, 0xe5, 255} // the default foreground
	red   = color.RGBA{0xcd, 0x31, 0x31, 255}
)

// pictureFrom returns the PNG of a terminal of 10 columns and 3 rows after text.
func pictureFrom(t *testing.T, text string) image.Image {
	t.Helper()
	var b bytes.Buffer
	if err := PNG(&b, shot(10, 3, "\x1b[?25l"+text)); err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	if size := picture.Bounds().Size(); size != image.Pt(100, 60) {
		t.Fatalf("%v pixels", size)
	}
	return picture
}

// count returns how many pixels of a colour are in columns of a row.
func count(picture image.Image, row, col, columns int, want color.RGBA) int {
	n := 0
	for y := row * glyph.Height; y < (row+1)*glyph.Height; y++ {
		for x := col * glyph.Width; x < (col+columns)*glyph.Width; x++ {
			if color.RGBAModel.Convert(picture.At(x, y)) == want {
				n++
			}
		}
	}
	return n
}

func TestPNG(t *testing.T) {
	const cell = glyph.Width * glyph.Height
	for _, test := range []struct {
		name, text        string
		row, col, columns int
		color             color.RGBA
		least, most       int // pixels
	}{
		{"nothing", "", 0, 0, 10, black, 10 * cell, 10 * cell},
		{"letter", "A", 0, 0, 1, black, cell / 3, cell - 20},
		{"letter", "A", 0, 0, 1, white, 5, cell / 3},
		{"letter beside", "A", 0, 1, 1, black, cell - 3, cell},
		{"background", "\x1b[41m ab ", 0, 0, 1, red, cell, cell},
		{"erased", "\x1b[41m\x1b[K", 0, 0, 10, red, 10 * cell, 10 * cell},
		{"reverse", "\x1b[7m ", 0, 0, 1, white, cell, cell},
		{"screen in reverse", "\x1b[?5h", 0, 0, 10, white, 10 * cell, 10 * cell},
		{"hidden", "\x1b[8mA", 0, 0, 1, black, cell, cell},
		{"full block", "\x1b[31m█", 0, 0, 1, red, cell, cell},
		{"half block", "\x1b[31m▄", 0, 0, 1, red, cell / 2, cell / 2},
		{"shade", "\x1b[38;2;200;0;0m▒", 0, 0, 1, color.RGBA{100, 0, 0, 255}, cell, cell},
		{"wide, left half", "日", 0, 0, 1, white, 10, cell / 2},
		{"wide, right half", "日", 0, 1, 1, white, 10, cell / 2},
		{"emoji", "🚀", 0, 0, 2, white, 20, cell},
		{"underline", "\x1b[4;58:5:1m   ", 0, 0, 3, red, 30, 30},
		{"double underline", "\x1b[4:2;58:5:1m   ", 0, 0, 3, red, 60, 60},
		{"curly underline", "\x1b[4:3;58:5:1m   ", 0, 0, 3, black, 3*cell - 100, 3*cell - 30},
		{"dotted underline", "\x1b[4:4;58:5:1m  ", 0, 0, 2, red, 10, 10},
		{"dashed underline", "\x1b[4:5;58:5:1m    ", 0, 0, 4, red, 25, 25},
		{"strike", "\x1b[31;9m   ", 0, 0, 3, red, 30, 30},
		{"overline", "\x1b[31;53m   ", 0, 0, 3, red, 30, 30},
		{"palette", "\x1b]4;3;rgb:cd/31/31\x07\x1b[43m ", 0, 0, 1, red, cell, cell},
		{"block cursor", "\x1b[?25h\x1b[2;5H", 1, 4, 1, white, cell, cell},
		{"block cursor over text", "A\x1b[?25h\x1b[H", 0, 0, 1, white, cell / 3, cell - 20},
		{"block cursor over a wide character", "日\x1b[?25h\x1b[1;2H", 0, 0, 2, white, cell, 2*cell - 20},
		{"cursor's colour", "\x1b[?25h\x1b]12;#cd3131\x07", 0, 0, 1, red, cell, cell},
		{"underline cursor", "\x1b[?25h\x1b[3 q", 0, 0, 1, white, 20, 20},
		{"bar cursor", "\x1b[?25h\x1b[5 q", 0, 0, 1, white, 40, 40},
	} {
		got := count(pictureFrom(t, test.text), test.row, test.col, test.columns, test.color)
		if got < test.least || got > test.most {
			t.Errorf("%s: %d pixels of %v, want %d to %d", test.name, got, test.color, test.least, test.most)
		}
	}
}

// Lines continue from cell to cell, and from row to row.
func TestPNGLinesJoin(t *testing.T) {
	for _, text := range []string{
		"┌──┬──┐\n│  │  │\n└──┴──┘", "┏━━┳━━┓\n┃  ┃  ┃\n┗━━┻━━┛", "╭──┬──╮\n│  │  │\n╰──┴──╯",
	} {
		picture := pictureFrom(t, text)
		for x := 10; x < 60; x++ {
			for _, y := range []int{9, 49} {
				if picture.At(x, y) != white {
					t.Errorf("%s: a gap at %d, %d", text, x, y)
				}
			}
		}
		for y := 20; y < 40; y++ {
			for _, x := range []int{4, 34, 64} {
				if picture.At(x, y) != white {
					t.Errorf("%s: a gap at %d, %d", text, x, y)
				}
			}
		}
	}
}

// A picture with few colours has a palette. A picture with many has none and is the same otherwise.
func TestPNGColours(t *testing.T) {
	if _, few := pictureFrom(t, "\x1b[31mred\x1b[m, bold \x1b[1mword").(*image.Paletted); !few {
		t.Error("a picture of few colours has no palette")
	}
	var text strings.Builder
	for i := range 30 {
		fmt.Fprintf(&text, "\x1b[38;2;%d;255;0;48;2;0;%[1]d;255mA", 8*i)
	}
	picture := pictureFrom(t, text.String())
	if _, few := picture.(*image.Paletted); few {
		t.Error("a picture of many colours has a palette")
	}
	for i := range 30 {
		at := image.Pt(i%10*glyph.Width, i/10*glyph.Height)
		if got, want := picture.At(at.X, at.Y), (color.RGBA{0, uint8(8 * i), 255, 255}); got != want {
			t.Errorf("cell %d is %v, want %v", i, got, want)
		}
	}
}

func TestPNGIsDeterministic(t *testing.T) {
	for name, text := range samples() {
		s := shot(40, 12, text)
		var first, second bytes.Buffer
		if err := PNG(&first, s); err != nil {
			t.Fatal(err)
		}
		if err := PNG(&second, s); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Errorf("%s: two pictures differ", name)
		}
	}
}

func TestNothing(t *testing.T) {
	s := &screen.Snapshot{}
	var b bytes.Buffer
	if err := PNG(&b, s); err != nil {
		t.Error(err)
	}
	if _, err := png.Decode(&b); err != nil {
		t.Error(err)
	}
	drawingOf(t, s)
	pageOf(t, s)
}
