package render

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/xml"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/png"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"devtools/screen"
	"devtools/screen/render/glyph"
)

// scenes are the outputs for the animations of the tests, with one frame after each.
func scenes() []string {
	list := []string{
		"$ ", "l", "s", "\r\n\x1b[34mdir\x1b[m file\r\n$ ", "\x1b[?25l", "\x1b[?25h\x1b[3 q", "\x1b[5 q\x1b[H", "",
		"\x1b[2J\x1b[H", "日本 🚀 Ågj|", "\x1b[3;1H\x1b[41;1;4;9mstyled\x1b[m", "\x1b[2;1H\x1b[53mÅÅÅ\x1b[m", "\x1b[2;2H\x1b[X",
		"\x1b[?5h", "\x1b[?5l", "\x1b]11;#102030\x07", "\x1b[?1049h\x1b[Hother", "\x1b[?1049l", "\x1b]12;#ff0000\x07\x1b[2 q",
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		var b strings.Builder
		for range 1 + r.IntN(4) {
			fmt.Fprintf(&b, "\x1b[%d;%dH\x1b[%d;38;5;%dm%s", 1+r.IntN(6), 1+r.IntN(30), r.IntN(10), r.IntN(256), []string{"Ågj", "世界", "┃█▒", "   ", "x\x1b[K", "\n\n"}[r.IntN(6)])
		}
		list = append(list, b.String())
	}
	return list
}

// picture returns the picture of a screen as PNG has it, on a canvas.
func picture(t testing.TB, s *screen.Snapshot, size image.Point) *image.RGBA {
	t.Helper()
	var b bytes.Buffer
	if err := PNG(&b, s); err != nil {
		t.Fatal(err)
	}
	decoded, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	v := viewOf(s)
	canvas := image.NewRGBA(image.Rectangle{Max: size})
	draw.Draw(canvas, canvas.Rect, image.NewUniform(rgba(v.background)), image.Point{}, draw.Src)
	draw.Draw(canvas, decoded.Bounds(), decoded, image.Point{}, draw.Src)
	return canvas
}

// filmed plays the scenes, and returns the pictures that an animation should have, with their times.
func filmed(t testing.TB, frame func(s *screen.Snapshot, at time.Duration) error) (want []*image.RGBA, times []time.Duration) {
	t.Helper()
	const cols, rows = 32, 7
	terminal := screen.New(30, 6, 0)
	for i, scene := range scenes() {
		if i == 40 {
			terminal.Resize(cols, rows)
		}
		_, _ = terminal.Write([]byte(scene))
		s := terminal.Snapshot(screen.Visible())
		at := time.Duration(i) * 70 * time.Millisecond
		if err := frame(s, at); err != nil {
			t.Fatal(err)
		}
		p := picture(t, s, image.Pt(cols*glyph.Width, rows*glyph.Height))
		if n := len(want); n == 0 || !bytes.Equal(want[n-1].Pix, p.Pix) {
			want, times = append(want, p), append(times, at)
		}
	}
	return want, times
}

// samePicture reports the first pixel in which two pictures differ.
func samePicture(t *testing.T, what string, got, want *image.RGBA) {
	t.Helper()
	if bytes.Equal(got.Pix, want.Pix) {
		return
	}
	for i := range want.Pix {
		if got.Pix[i] != want.Pix[i] {
			t.Fatalf("%s: pixel (%d, %d) is %v, want %v", what, i/4%want.Rect.Dx(), i/4/want.Rect.Dx(), got.Pix[i/4*4:i/4*4+4], want.Pix[i/4*4:i/4*4+4])
		}
	}
}

// Each frame of a GIF equals the picture of the screen in every pixel.
func TestGIF(t *testing.T) {
	var b bytes.Buffer
	g, err := NewGIF(&b, 32, 7)
	if err != nil {
		t.Fatal(err)
	}
	want, times := filmed(t, g.Frame)
	if err := g.Close(10 * time.Second); err != nil {
		t.Fatal(err)
	}
	decoded, err := gif.DecodeAll(bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if len(decoded.Image) != len(want) || decoded.LoopCount != 0 {
		t.Fatalf("%d frames, want %d, loop %d", len(decoded.Image), len(want), decoded.LoopCount)
	}
	canvas, at := image.NewRGBA(want[0].Rect), 0
	for i, frame := range decoded.Image {
		if at != hundredths(times[i]) {
			t.Errorf("frame %d is at %d, want %d", i, at, hundredths(times[i]))
		}
		at += decoded.Delay[i]
		draw.Draw(canvas, frame.Rect, frame, frame.Rect.Min, draw.Over)
		samePicture(t, fmt.Sprint("frame ", i), canvas, want[i])
	}
	if at != 1000 {
		t.Errorf("it ends at %d", at)
	}
}

// A pngFrame is one frame of an animated PNG.
type pngFrame struct {
	area  image.Rectangle
	delay time.Duration
	image *image.RGBA
}

// decodeAPNG decodes an animated PNG of ours, and checks all checksums and numbers.
func decodeAPNG(t *testing.T, data []byte) []pngFrame {
	t.Helper()
	rest, ok := bytes.CutPrefix(data, []byte("\x89PNG\r\n\x1a\n"))
	if !ok {
		t.Fatal("no PNG")
	}
	var frames []pngFrame
	count, sequence, ended := uint32(0), uint32(0), false
	number := func(n uint32) {
		if n != sequence {
			t.Fatalf("sequence %d, want %d", n, sequence)
		}
		sequence++
	}
	for len(rest) > 0 {
		n := binary.BigEndian.Uint32(rest)
		kind, body := string(rest[4:8]), rest[8:8+n]
		if crc32.ChecksumIEEE(rest[4:8+n]) != binary.BigEndian.Uint32(rest[8+n:]) {
			t.Fatalf("checksum of %s", kind)
		}
		rest = rest[12+n:]
		switch kind {
		case "IHDR":
		case "acTL":
			count = binary.BigEndian.Uint32(body)
		case "fcTL":
			var v [5]uint32
			for i := range v {
				v[i] = binary.BigEndian.Uint32(body[4*i:])
			}
			number(v[0])
			unit := time.Second / time.Duration(binary.BigEndian.Uint16(body[22:]))
			frames = append(frames, pngFrame{
				area:  image.Rect(0, 0, int(v[1]), int(v[2])).Add(image.Pt(int(v[3]), int(v[4]))),
				delay: time.Duration(binary.BigEndian.Uint16(body[20:])) * unit,
			})
		case "fdAT", "IDAT":
			if kind == "fdAT" {
				number(binary.BigEndian.Uint32(body))
				body = body[4:]
			}
			f := &frames[len(frames)-1]
			f.image = unzipped(t, body, f.area)
		case "IEND":
			ended = true
		default:
			t.Fatalf("chunk %q", kind)
		}
	}
	if int(count) != len(frames) || !ended {
		t.Fatalf("%d frames, it says %d; ended %v", len(frames), count, ended)
	}
	return frames
}

func unzipped(t *testing.T, body []byte, area image.Rectangle) *image.RGBA {
	t.Helper()
	r, err := zlib.NewReader(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r)
	if err != nil || len(data) != area.Dy()*(1+3*area.Dx()) {
		t.Fatalf("%d bytes for %v, %v", len(data), area, err)
	}
	m := image.NewRGBA(area)
	for y := range area.Dy() {
		row := data[y*(1+3*area.Dx()):]
		for x := range area.Dx() {
			m.SetRGBA(area.Min.X+x, area.Min.Y+y, color.RGBA{row[1+3*x], row[2+3*x], row[3+3*x], 255})
		}
	}
	return m
}

// Each frame of an animated PNG equals the picture of the screen in every pixel. The first one
// equals the ordinary PNG.
func TestAPNG(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.png")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	a, err := NewAPNG(file, 32, 7)
	if err != nil {
		t.Fatal(err)
	}
	want, times := filmed(t, a.Frame)
	if err := errors.Join(a.Close(100*time.Second), file.Close()); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	frames := decodeAPNG(t, data)
	if len(frames) != len(want) {
		t.Fatalf("%d frames, want %d", len(frames), len(want))
	}
	canvas, at := image.NewRGBA(want[0].Rect), time.Duration(0)
	for i, f := range frames {
		if at != times[i] {
			t.Errorf("frame %d is at %v, want %v", i, at, times[i])
		}
		at += f.delay
		draw.Draw(canvas, f.area, f.image, f.area.Min, draw.Src)
		samePicture(t, fmt.Sprint("frame ", i), canvas, want[i])
	}
	if at.Round(time.Second) != 100*time.Second {
		t.Errorf("it ends at %v", at)
	}
	first, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	still := image.NewRGBA(first.Bounds())
	draw.Draw(still, still.Rect, first, image.Point{}, draw.Src)
	samePicture(t, "the still picture", still, want[0])
}

// If there are more colours than in a palette, each pixel gets a similar one.
func TestGIFColours(t *testing.T) {
	var text strings.Builder
	for y := range 20 {
		for x := range 60 {
			fmt.Fprintf(&text, "\x1b[48;2;%d;%d;%dm ", 4*x, 12*y, 255-4*x)
		}
		text.WriteString("\r\n")
	}
	s := shot(60, 21, "\x1b[?25l"+text.String())
	var b bytes.Buffer
	g, err := NewGIF(&b, 60, 21)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(g.Frame(s, 0), g.Close(time.Second)); err != nil {
		t.Fatal(err)
	}
	decoded, err := gif.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	want := picture(t, s, decoded.Bounds().Size())
	total, worst := 0, 0
	for y := range want.Rect.Dy() {
		for x := range want.Rect.Dx() {
			got := color.RGBAModel.Convert(decoded.At(x, y)).(color.RGBA)
			exact := want.RGBAAt(x, y)
			for _, d := range []int{int(got.R) - int(exact.R), int(got.G) - int(exact.G), int(got.B) - int(exact.B)} {
				total += max(d, -d)
				worst = max(worst, d, -d)
			}
		}
	}
	if average := float64(total) / float64(3*len(want.Pix)/4); average > 6 || worst > 24 {
		t.Errorf("colours are %.1f off, and %d at the most", average, worst)
	}
}

func TestFilmTooLarge(t *testing.T) {
	if _, err := NewGIF(io.Discard, 1000, 500); !errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
	if _, err := NewAPNG(nil, 1000, 500); !errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
}

// An animated SVG is well formed. At each time, each of its rows is that of the screen at that time.
func TestSVGAnimation(t *testing.T) {
	var b bytes.Buffer
	a, err := NewSVGAnimation(&b, 32, 7, "a <title>")
	if err != nil {
		t.Fatal(err)
	}
	type moment struct {
		at time.Duration
		s  *screen.Snapshot
	}
	var moments []moment
	filmed(t, func(s *screen.Snapshot, at time.Duration) error {
		moments = append(moments, moment{at, s})
		return a.Frame(s, at)
	})
	known := len(a.ids)
	for _, m := range moments {
		for i := range a.rows {
			got := -2
			for _, change := range a.strips[i] {
				if change.at <= m.at {
					got = change.id
				}
			}
			want := -1
			if i < len(m.s.Lines) {
				want = a.row(m.s, i)
			}
			if got != want || len(a.ids) != known {
				t.Fatalf("row %d at %v is %d, want %d of %d", i, m.at, got, want, known)
			}
		}
	}
	if err := a.Close(10 * time.Second); err != nil {
		t.Fatal(err)
	}
	decoder := xml.NewDecoder(&b)
	used, defined, styles := 0, map[string]bool{}, ""
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.CharData:
			styles += string(token)
		case xml.StartElement:
			for _, attribute := range token.Attr {
				switch attribute.Name.Local {
				case "id":
					defined["#"+attribute.Value] = true
				case "href":
					if used++; !defined[attribute.Value] {
						t.Errorf("%s is not there", attribute.Value)
					}
				case "src", "onload":
					t.Errorf("attribute %v", attribute)
				}
			}
		}
	}
	if used == 0 || !strings.Contains(styles, "step-end infinite") || !strings.Contains(styles, "a <title>") {
		t.Errorf("%d elements are used, text %q", used, styles)
	}
}

// One frame in which a line is added, as most are.
func BenchmarkGIFFrame(b *testing.B) {
	g, err := NewGIF(io.Discard, 80, 24)
	if err != nil {
		b.Fatal(err)
	}
	terminal := screen.New(80, 24, 0)
	at := time.Duration(0)
	for b.Loop() {
		fmt.Fprintf(terminal, "\r\n\x1b[3%dmline %d of what a program prints", at/time.Second%8, at)
		at += time.Second / 30
		if err := g.Frame(terminal.Snapshot(screen.Visible()), at); err != nil {
			b.Fatal(err)
		}
	}
}
