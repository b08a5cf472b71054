package attach

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"devtools/screen"
)

// A place is a row and a column of a picture. Rows count from 0, the oldest one.
type place struct{ row, col int }

// before reports whether p comes before q in the text.
func (p place) before(q place) bool { return p.row < q.row || p.row == q.row && p.col < q.col }

// A finder searches the text of a picture in copy mode.
type finder struct {
	prompting bool   // a person types what to search for
	typed     string // so far
	upwards   bool   // the search goes towards the oldest row

	text    string // what is searched for
	pattern *regexp.Regexp
	failed  bool // the last search found nothing
}

// prompt returns the line in which a person types.
func (f *finder) prompt() string {
	if f.upwards {
		return "(search up) " + f.typed
	}
	return "(search down) " + f.typed
}

// key returns what decides which text is highlighted.
func (f *finder) key() string {
	if f.prompting {
		return f.text + " " // the prompt covers a row
	}
	return f.text
}

// do does what a key stands for. found says that the cursor goes from the place from to another one.
func (f *finder) do(a copyAction, pic *screen.Snapshot, from place) (to place, found bool) {
	switch a.do {
	case askForward, askBackward:
		f.prompting, f.typed, f.upwards = true, "", a.do == askBackward
	case insertText:
		f.typed += a.text
	case eraseText:
		_, n := utf8.DecodeLastRuneInString(f.typed)
		f.typed = f.typed[:len(f.typed)-n]
	case clearText:
		f.typed = ""
	case dropText:
		f.prompting = false
	case search:
		f.prompting = false
		if f.typed != "" { // otherwise the last one again
			f.text, f.pattern = f.typed, compile(f.typed)
		}
		return f.next(pic, from, f.upwards)
	case searchAgain:
		return f.next(pic, from, f.upwards)
	case searchBack:
		return f.next(pic, from, !f.upwards)
	}
	return to, false
}

// compile returns the expression for what a person has typed: a regular expression, or a text if it is none. Without a capital
// letter it finds both cases.
func compile(typed string) *regexp.Regexp {
	flags := ""
	if !strings.ContainsFunc(typed, unicode.IsUpper) {
		flags = "(?i)"
	}
	pattern, err := regexp.Compile(flags + typed)
	if err != nil {
		pattern = regexp.MustCompile(flags + regexp.QuoteMeta(typed))
	}
	return pattern
}

// next returns the next match after the place from, or with upwards the one before it. After the last match comes the first.
func (f *finder) next(pic *screen.Snapshot, from place, upwards bool) (to place, found bool) {
	if f.pattern == nil {
		return to, false
	}
	rows := len(pic.Lines)
	for l := lineOf(pic, from.row); rows >= 0; {
		begins := f.matches(l)
		first := rows == len(pic.Lines) // the line of the cursor, from where the search starts
		if upwards {
			slices.Reverse(begins)
		}
		for _, at := range begins {
			if !first || upwards && at.before(from) || !upwards && from.before(at) {
				return at, true
			}
		}
		rows -= l.last - l.first + 1
		if upwards {
			l = lineOf(pic, (l.first-1+len(pic.Lines))%len(pic.Lines))
		} else {
			l = lineOf(pic, (l.last+1)%len(pic.Lines))
		}
	}
	f.failed = true
	return to, false
}

// A textLine is a line as the program wrote it: rows first to last of a picture.
type textLine struct {
	first, last int
	text        string
	places      []place // for each byte of the text
}

// lineOf returns the line that has a row.
func lineOf(pic *screen.Snapshot, row int) (l textLine) {
	l.first, l.last = row, row
	for l.first > 0 && pic.Lines[l.first-1].Wrapped {
		l.first--
	}
	for l.last < len(pic.Lines)-1 && pic.Lines[l.last].Wrapped {
		l.last++
	}
	var text strings.Builder
	for row := l.first; row <= l.last; row++ {
		for cell := range pic.Cells(row) {
			text.WriteString(cmp.Or(cell.Text, " "))
			for len(l.places) < text.Len() {
				l.places = append(l.places, place{row, cell.Col})
			}
		}
	}
	l.text = strings.TrimRight(text.String(), " ")
	return l
}

// matches returns where the matches in a line begin.
func (f *finder) matches(l textLine) (begins []place) {
	for _, m := range f.pattern.FindAllStringIndex(l.text, -1) {
		if m[1] > m[0] {
			begins = append(begins, l.places[m[0]])
		}
	}
	return begins
}

// highlight appends the matches in the part of the picture to the output.
func (f *finder) highlight(out []byte, pic *screen.Snapshot, part screen.Window) []byte {
	if f.pattern == nil {
		return out
	}
	end := min(part.Top+part.Rows, len(pic.Lines))
	for row := part.Top; row < end; {
		l := lineOf(pic, row)
		marked := map[place]bool{}
		for _, m := range f.pattern.FindAllStringIndex(l.text, -1) {
			for _, at := range l.places[m[0]:m[1]] {
				marked[at] = true
			}
		}
		for ; row < end && row <= l.last && len(marked) > 0; row++ {
			out = highlightRow(out, pic, row, part, marked)
		}
		row = l.last + 1
	}
	return out
}

// highlightRow appends the marked characters of a row to the output.
func highlightRow(out []byte, pic *screen.Snapshot, row int, part screen.Window, marked map[place]bool) []byte {
	out = append(out, matchStyle...)
	for cell := range pic.Cells(row) {
		if col := cell.Col - part.Left; marked[place{row, cell.Col}] && col >= 0 && col+cell.Width <= part.Cols {
			out = fmt.Appendf(out, "\x1b[%d;%dH%s", row-part.Top+1, col+1, cmp.Or(cell.Text, " "))
		}
	}
	return append(out, "\x1b[m"...)
}
