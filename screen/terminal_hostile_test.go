package screen

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"
)

// A pick returns a number from 0 to n-1.
type pick func(n int) int

func (p pick) of(s ...string) string { return s[p(len(s))] }

// hostileStream returns the output of a broken or hostile program: about n pieces of text, controls,
// sequences and strings, most of them nonsense.
func hostileStream(p pick, n int) []byte {
	var b bytes.Buffer
	b.WriteString(p.of("", vt420, vt420))
	for range n {
		switch p(16) {
		case 0, 1, 2:
			b.WriteString(hostileText(p))
		case 3, 4:
			b.WriteByte(byte(p(0x20)))
		case 5, 6, 7:
			b.WriteString(hostileSequence(p))
		case 8, 9, 10:
			// A valid sequence: a known final byte, and numbers around the size.
			fmt.Fprintf(&b, "\x1b[%d;%d%s", p(30), p(90), p.of("@", "A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K", "L", "M",
				"P", "S", "T", "X", "Z", "`", "a", "b", "d", "e", "f", "g", "m", "r", "s", "u", "'}", "'~", " @", " A", "\"q", " q"))
		case 11:
			fmt.Fprintf(&b, "\x1b[?%s%s", p.of("1", "5", "6", "7", "25", "45", "47", "69", "1047", "1048", "1049", "2004", "2026", "2027", "1000;1006"), p.of("h", "l", "h", "l", "s", "r", "$p"))
		case 12:
			fmt.Fprintf(&b, "\x1b[%s;%d;%d;%d;%d%s", p.of("", "1", "42", "65535"), p(9), p(30), p(12), p(90), p.of("$x", "$z", "${", "$v", ";9;9;1$v", "*y", "$r", "$t"))
		case 13:
			b.WriteString("\x1b" + p.of("", "(", ")", "*", "+", "#", "%", " ") + string(rune(0x30+p(0x4f))))
		case 14:
			b.WriteString(hostileString(p))
		case 15:
			b.WriteString(p.of("\x1b[4h", "\x1b[4l", "\x1b[20h", "\x1b[20l", "\x1b7", "\x1b8", "\x1bc", "\x1b[!p", "\x1b6", "\x1b9", "\x1bM", "\x1bD", "\x1b[3J", "\x1b[c", "\x1b[>5u"))
		}
	}
	return b.Bytes()
}

func hostileText(p pick) string {
	s := p.of("a", "word ", "a longer line of text that wraps ", "日本語", "世", "e\u0301", "\u0301\u0302\u0323", "👩\u200d👩\u200d👧", "🇨🇦🇩", "❤\ufe0f", "👍🏽",
		"\u200b\u200e\u202e\ufeff", "กำลัง", "\u1112\u1161\u11ab", "\uffff\U0010ffff", "\xff\xfe", "\xe4\xb8", "\xf0\x9f\x98", "\xc3", "\xed\xa0\x80", "\xc2\x9b1m", "\x7f")
	return strings.Repeat(s, 1+p(4)*p(4))
}

func hostileSequence(p pick) string {
	b := []byte("\x1b[")
	if p(3) == 0 {
		b = append(b, "?><=!"[p(5)])
	}
	for range p(2 + p(6)) {
		b = append(b, p.of("", "0", "1", "2", "3", "5", "8", "24", "80", "255", "-1", "65535", "65536", "2147483647", "4294967297", "9223372036854775807", "99999999999999999999")...)
		b = append(b, p.of(";", ";", ";", ":", "")...)
	}
	if p(40) == 0 {
		b = append(b, strings.Repeat(p.of(";", "1;", "1:", "9"), 200)...)
	}
	for range p(8) / 5 {
		b = append(b, byte(0x20+p(0x10)))
	}
	if p(20) == 0 {
		b = append(b, byte(p(0x100)))
	}
	return string(append(b, byte(0x40+p(0x3f))))
}

func hostileString(p pick) string {
	data := p.of("", "x", "größer", ";", "?", "1;?", "\x01\n\r", "\xff\xc3", "\u0085\u009d", fmt.Sprint(p(99)), "rgb:12/34/56", "#123456", strings.Repeat("x", 300))
	s := p.of("\x1b]0;", "\x1b]1;", "\x1b]2;", "\x1b]4;7;", "\x1b]4;300;", "\x1b]7;file://", "\x1b]8;;http://", "\x1b]8;id=1;http://", "\x1b]8;id=\u0085;"+strings.Repeat("x", p(5)*p(5)*200), "\x1b]8;;", "\x1b]10;",
		"\x1b]11;", "\x1b]12;", "\x1b]52;c;", "\x1b]104;", "\x1b]110", "\x1b]133;A", "\x1b]133;B", "\x1b]133;D;", "\x1b]", "\x1bP$q", "\x1bP+q", "\x1bP1;2q", "\x1b_", "\x1b^", "\x1bX", "\x1bk")
	return s + data + p.of("\a", "\a", "\x1b\\", "\x1b\\", "\x1b\\", "", "\x18", "\x1a", "\x1b", "\u009c")
}

// An event is a change from outside, before byte at of the stream.
type event struct{ at, cols, rows, scrollback int }

// hostileEvents returns up to two events for a stream of n bytes.
func hostileEvents(p pick, n int) (events []event) {
	for at := 0; len(events) < 2 && p(3) > 0; {
		at += p(n - at + 1)
		e := event{at, 1 + p(40), 1 + p(15), p(60)}
		switch p(24) {
		case 0:
			e.cols, e.rows = 10000, 10000
		case 1:
			e.cols, e.rows = 1, 1
		case 2:
			e.cols, e.rows, e.scrollback = -1, 0, -1
		}
		events = append(events, e)
	}
	return events
}

// A played is a terminal after a stream, with its history.
type played struct {
	*Terminal
	scrollback int
	replies    []byte
	between    *Snapshot // taken in the middle
	seen       string    // its dump at that time
}

// play writes the stream in steps of the length that step returns.
func play(t testing.TB, stream []byte, cols, rows int, events []event, step func() int) *played {
	const scrollback = 30
	term := &played{Terminal: New(cols, rows, scrollback), scrollback: scrollback}
	if cols%2 == 0 { // as if every count were large
		term.styles.max, term.clusters.max, term.links.max = 12, 12, 4
	}
	term.OnReply(func(answer []byte) {
		if !wellFormed.Match(answer) {
			t.Errorf("%q: the answer %q could be taken for something else", stream, answer)
		}
		term.replies = append(term.replies, answer...)
	})
	for at := 0; ; {
		for len(events) > 0 && events[0].at <= at {
			term.Resize(events[0].cols, events[0].rows)
			term.SetScrollback(events[0].scrollback)
			term.scrollback = max(events[0].scrollback, 0)
			events = events[1:]
		}
		if at >= len(stream)/2 && term.between == nil {
			term.between = term.Snapshot(everything)
			term.seen = dump(term.between)
		}
		if at == len(stream) {
			return term
		}
		next := min(at+max(step(), 1), len(stream))
		if len(events) > 0 {
			next = min(next, max(events[0].at, at))
		}
		if n, err := term.Write(stream[at:next]); n != next-at || err != nil {
			t.Fatalf("%q: Write returns %d, %v for %d bytes", stream, n, err, next-at)
		}
		at = next
	}
}

// wellFormed matches the answers that a program may get: sequences and strings without a control
// inside, which no shell runs when it reads them.
var wellFormed = regexp.MustCompile(`^(?:\x1b\[[<-?]?[0-9;:]*[ -/]*[@-~]|\x1b[P\]][^\x00-\x1f\x7f-\x{9f}\x{fffd}]*(?:\x1b\\|\x07))+$`)

// picture returns everything that a terminal can tell.
func (p *played) picture() string {
	var b strings.Builder
	for _, v := range []View{everything, {First: 0, Last: MaxRows, Unfinished: true}, {First: 0, Last: MaxRows, Other: true}} {
		b.WriteString(dump(p.Snapshot(v)) + "\n")
	}
	fmt.Fprintf(&b, "%q", p.replies)
	return b.String()
}

// checkHostile plays a stream in several ways. The picture must be the same and valid, answers must
// be few, and snapshots must not change.
func checkHostile(t testing.TB, stream []byte, cols, rows int, events []event, steps pick) {
	whole := play(t, stream, cols, rows, events, func() int { return len(stream) })
	want := whole.picture()
	for _, v := range []View{everything, {First: -MaxScrollback, Last: MaxRows, Unfinished: true}, {First: -MaxScrollback, Last: MaxRows, Other: true}} {
		s := whole.Snapshot(v)
		if v.Other && len(s.Lines) == 0 { // it was never used
			continue
		}
		if err := checkSnapshot(s, whole.scrollback); err != nil {
			t.Errorf("%q on %dx%d, %+v, view %+v: %v", stream, cols, rows, events, v, err)
		}
	}
	if n := len(whole.replies); n > 16*len(stream)+4096 {
		t.Errorf("%d bytes of answers to %d", n, len(stream))
	}
	for _, step := range []func() int{func() int { return 1 }, func() int { return 1 + steps(40) }} {
		split := play(t, stream, cols, rows, events, step)
		if got := split.picture(); got != want {
			t.Errorf("%q on %dx%d, %+v: in pieces\n%s\nat once\n%s", stream, cols, rows, events, got, want)
		}
		if now := dump(split.between); now != split.seen {
			t.Errorf("%q on %dx%d, %+v: a snapshot changed from\n%s\nto\n%s", stream, cols, rows, events, split.seen, now)
		}
	}
}

// No output of a program makes a terminal panic, hang or show an impossible picture.
// DEVTOOLS_STRESS=1 tries 200 times as much.
func TestStressHostile(t *testing.T) {
	runs := 2000
	if os.Getenv("DEVTOOLS_STRESS") == "1" {
		runs *= 200
	}
	total := 0
	for seed := range uint64(runs) {
		rng := rand.New(rand.NewPCG(seed, 1))
		stream := hostileStream(rng.IntN, 2+rng.IntN(40))
		total += len(stream)
		cols, rows := 1+rng.IntN(30), 1+rng.IntN(10)
		if seed%50 == 0 {
			cols, rows = 80, 24
		}
		checkHostile(t, stream, cols, rows, hostileEvents(rng.IntN, len(stream)), rng.IntN)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	t.Logf("%d streams of %d KiB, each written in three ways", runs, total>>10)
}
