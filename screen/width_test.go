package screen

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestRuneWidth(t *testing.T) {
	for r, want := range map[rune]int{
		'a': 1, 'é': 1, '─': 1, 'я': 1, '\u00ad': 1, '\ue0b0': 1, '\U0001F1E9': 1, '\uFFFD': 1, '\u0600': 1,
		'日': 2, '한': 2, 'カ': 2, 'Ａ': 2, '🚀': 2, '\U0001F3FD': 2, '\U00020000': 2, '⌚': 2,
		'\u0301': 0, '\u200d': 0, '\ufe0f': 0, '\u1160': 0, '\u20dd': 0, '\U000E0100': 0,
		// Emoji that are text by default. East Asian ones are wide all the same.
		'❤': 1, '☝': 1, '1': 1, '〰': 2, '〽': 2, '㊗': 2, '㊙': 2, '🈂': 2, '🈷': 2, '\U0001F260': 2, '\U0001F265': 2,
		// Long dashes take one column like the others.
		'⸺': 1, '⸻': 1,
		// Hangul vowels and finals of old letters.
		'\ud7b0': 0, '\ud7c6': 0, '\ud7cb': 0, '\ud7fb': 0,
		// Wide since Unicode 16.
		'\U0001FAE9': 2, '\U0001FAC6': 2, '\U0001FABE': 2, '\U0001FADC': 2, '\U0001FA89': 2, '\U0001FA8F': 2, '\U0001FADF': 2,
		'☰': 2, '☷': 2, '\u268a': 2, '\u268f': 2, '\u31e4': 2, '\u31e5': 2, '䷀': 2, '䷿': 2,
		// Invisible characters. The filler of an initial takes the place of the initial.
		'\u115f': 2, '\u3164': 0, '\uffa0': 0, '\U000E0FFF': 0,
		// Unassigned code points, in planes of ideographs and elsewhere, and numbers outside Unicode.
		'\U0002FFFD': 2, '\U0003FFFD': 2, '\u0378': 1, '\U0010FFFD': 1, -1: 1, 0x110000: 1,
	} {
		if got := runeWidth(r); got != want {
			t.Errorf("width of %q (%U): got %d, want %d", r, r, got, want)
		}
	}
}

// A widthRange is a range of code points with the text of a file about it.
type widthRange struct {
	first, last rune
	widths      []int
}

// widthRanges returns the ranges of a file by the program in the line above them, as in "glibc:
// reason". The program is "" if there is none. It skips all other text.
func widthRanges(t *testing.T, name string) map[string][]widthRange {
	b, err := os.ReadFile(filepath.Join("testdata", "widths", name))
	if err != nil {
		t.Fatal(err)
	}
	ranges, program := map[string][]widthRange{}, ""
	for line := range strings.Lines(string(b)) {
		if above, _, ok := strings.Cut(line, ": "); ok && line[0] != '#' {
			program = above
		}
		first, rest, ok := strings.Cut(line, "..")
		if !ok {
			continue
		}
		fields := strings.Fields(rest)
		from, err := strconv.ParseInt(first, 16, 32)
		to, err2 := strconv.ParseInt(fields[0], 16, 32)
		if err != nil || err2 != nil || to < from || to > utf8.MaxRune {
			t.Fatalf("%s: %q is no range", name, line)
		}
		r := widthRange{first: rune(from), last: rune(to)}
		for _, field := range fields[1:] {
			n, err := strconv.Atoi(field)
			if err != nil {
				t.Fatalf("%s: %q: %v", name, line, err)
			}
			r.widths = append(r.widths, n)
		}
		ranges[program] = append(ranges[program], r)
	}
	return ranges
}

// The table agrees with glibc and with Python's wcwidth, except for the listed differences.
func TestWidthsOfOthers(t *testing.T) {
	differences := widthRanges(t, "differences.txt")
	for _, program := range []string{"glibc", "wcwidth"} {
		theirs := make([]int8, utf8.MaxRune+1)
		for i := range theirs {
			theirs[i] = 1
		}
		for _, s := range widthRanges(t, program+".txt")[""] {
			for r := s.first; r <= s.last; r++ {
				theirs[r] = int8(s.widths[0])
			}
		}
		type difference struct{ ours, theirs int } // the zero value means no difference
		listed := map[rune]difference{}
		for _, d := range differences[program] {
			for r := d.first; r <= d.last; r++ {
				listed[r] = difference{d.widths[0], d.widths[1]}
			}
		}
		if theirs['日'] != 2 || len(listed) == 0 {
			t.Errorf("%s: the files have no widths or no differences", program)
		}
		var reported [2]difference
		for r := rune(' '); r <= utf8.MaxRune; r++ {
			if r >= 0x7f && r < 0xa0 || !utf8.ValidRune(r) {
				continue
			}
			found := difference{runeWidth(r), int(theirs[r])}
			if found.ours == found.theirs || found.theirs < 0 {
				found = difference{}
			}
			both := [2]difference{found, listed[r]}
			if found != listed[r] && both != reported { // the first of a range is enough
				t.Errorf("%s: from %U: widths here and there %d, listed %d", program, r, found, listed[r])
			}
			reported = both
		}
	}
}

func BenchmarkWidth(b *testing.B) {
	for _, bench := range []struct{ name, text string }{
		{"ASCII", "The quick brown fox jumps over the lazy dog."},
		{"Cyrillic", "Съешь же ещё этих мягких французских булок."},
		{"CJK", "日本語のテキストと한국어텍스트"},
		{"boxes and emoji", "┌──┐│✓│🚀│👩\u200d🚀│└──┘"},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.SetBytes(int64(len(bench.text)))
			for b.Loop() {
				Width(bench.text)
			}
		})
	}
}
