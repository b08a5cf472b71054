package keys

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// longestName is longer than any spelling of a key's name.
const longestName = 40

// A NotationError says why text is not the notation of keys, and how to write it as text.
type NotationError struct{ message string }

func notation(format string, args ...any) error {
	return &NotationError{fmt.Sprintf(format, args...)}
}

func (e *NotationError) Error() string { return e.With("-l") }

// With returns the message, in which way is how to type text without notation.
func (e *NotationError) With(way string) string { return e.message + " " + way }

// capitalModifier returns how to write the key for c-x and m-x, which tmux takes for C-x and M-x, and for A-x; "" for all else.
func capitalModifier(arg string) string {
	if len(arg) != 3 || arg[1] != '-' || arg[2]|0x20 < 'a' || arg[2]|0x20 > 'z' {
		return ""
	}
	switch arg[0] {
	case 'c':
		return "C" + arg[1:]
	case 'm', 'A':
		return "M" + arg[1:]
	}
	return ""
}

// nameLike reports whether a person may have meant a key by s: words of letters and digits.
func nameLike(s string) bool {
	if s == "" || len(s) > longestName || s[len(s)-1] == ' ' {
		return false
	}
	for i, c := range []byte(s) {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && (i == 0 || !(c >= '0' && c <= '9') && !strings.ContainsRune(" _+-", rune(c))) {
			return false
		}
	}
	return true
}

// nearest returns the names of keys that are similar to name, for an error: " (nearest: Up, PgUp)".
func nearest(name string, m mods) string {
	type candidate struct {
		name     string
		distance int
	}
	folded := fold(name)
	var found []candidate
	consider := func(name string) {
		d := distance(folded, strings.ToLower(name))
		if strings.HasPrefix(strings.ToLower(name), folded) && len(folded) > 1 {
			d = min(d, 1)
		}
		if d <= (len(folded)+4)/5 && d < len(folded) {
			found = append(found, candidate{name, d})
		}
	}
	for _, n := range names {
		for one := range strings.SplitSeq(n.list, " ") {
			consider(one)
		}
	}
	consider("BTab")
	if len(folded) > 1 && folded[0] == 'f' {
		for k := f1; k <= f24; k++ {
			consider(k.name())
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return a.distance - b.distance })
	if len(found) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(" (nearest: ")
	for i, c := range found[:min(len(found), 3)] {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(m.String() + c.name)
	}
	b.WriteString(")")
	return b.String()
}

// slipOf returns the name of a key that a person may have misspelt as the whole argument arg, or "". Text is far more frequent
// than a slip, so arg is a slip only if it has the capital of the name, and a letter is missing or too many, or two are in the
// wrong order: Entr, Eneter, Enetr. Dawn and Spare are words, and so are Enters and Deleted.
func slipOf(arg string) string {
	if len(arg) < 4 {
		return ""
	}
	for _, n := range names {
		for name := range strings.SplitSeq(n.list, " ") {
			longer := len(arg) - len(name)
			slip := longer*longer == 1 && !strings.HasPrefix(arg, name) || longer == 0 && sameLetters(arg, name)
			if slip && arg[0] == name[0] && distance(arg, name) == 1 {
				return name
			}
		}
	}
	return ""
}

// sameLetters reports whether a and b have the same letters, in any order.
func sameLetters(a, b string) bool {
	x, y := []byte(a), []byte(b)
	slices.Sort(x)
	slices.Sort(y)
	return slices.Equal(x, y)
}

// distance is how many letters of a have to be changed, inserted, deleted or swapped with the next
// to get b (optimal string alignment).
func distance(a, b string) int {
	var before, last []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j]+cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}

// visible returns a character for an error.
func visible(r rune) string {
	if unicode.IsPrint(r) {
		return string(r)
	}
	return fmt.Sprintf("%U", r)
}

// shorten cuts a long s for an error.
func shorten(s string) string {
	if len(s) > longestName {
		return strings.ToValidUTF8(s[:longestName], "") + "…"
	}
	return s
}
