package prompt

import (
	"strings"

	"devtools/screen"
)

// An Offer is what a picture has that a person can act on.
type Offer uint8

const (
	Nothing Offer = iota
	Keys          // a program of the whole screen that names its keys: it takes them also while it works
	Answer        // a question, a field or a prompt at the cursor, or a marked line
	Command       // a yes or no, or the prompt of a console: no text that a program prints while it works
)

// Offers returns what the picture has that a person can act on now. Signs of progress from a question on say that it is past.
// Offers serves for a program that reads single keys and rests, but whose threads or timers could end its rest at any time.
func (b *Book) Offers(s Scene) Offer {
	if s.Picture == nil || len(s.Picture.Lines) == 0 {
		return Nothing
	}
	r := reading{view: look(s), role: roleOf(s.Command)}
	q := b.Read(s)
	switch {
	case q.Above:
		return Nothing
	case q.Kind == Pager, q.Kind == Editor: // their text may show anything
		if q.Known && !strings.HasPrefix(q.Text, "Waiting for data... (") { // less follows its file
			return Answer
		}
		return Nothing
	case q.Kind == TUI, !q.Known:
		return r.offersUnknown(b.AtPrompt(s, false) || r.askedAbove())
	case q.Kind == Line && !r.asksForLine(), q.Kind == Key && r.hints():
		return Nothing
	}
	first := r.beginOf(q)
	frame := first
	if !r.visible() { // all that was drawn since the cursor was hidden is one frame
		frame = max(min(first, r.Hidden-r.Picture.First), 0)
	}
	switch {
	case r.goesOn(first, busyWords), r.goesOn(frame, progress):
		return Nothing
	case q.Kind == REPL, q.Kind == Confirm:
		return Command
	}
	return Answer
}

// beginOf returns the row in which a question begins. Its other rows may be above or below the cursor.
func (r *reading) beginOf(q Question) int {
	head, _, _ := strings.Cut(q.Text, "\n")
	last := max(min(r.row, r.first), 0)
	for row := r.row; row >= 0 && head != ""; row-- {
		if strings.Contains(undrawn(r.text(row)), head) {
			return min(row, last)
		}
	}
	return max(last-strings.Count(q.Text, "\n"), 0)
}

// askedAbove reports whether the cursor stands in a blank row below a question.
func (r *reading) askedAbove() bool {
	asks := strings.ContainsAny(r.line, "?？") && ends(r.line, "?:？：") && !logLine.find(r.line) || passwordPrompt.find(r.line)
	return r.visible() && r.last < r.row && asks
}

// offersUnknown returns the offer of a picture in which no question is known. prompt says that the screen shows a prompt.
func (r *reading) offersUnknown(prompt bool) Offer {
	switch {
	case r.goesOn(0, busyWords):
		return Nothing
	case r.marked(), r.onWidget(), prompt && !r.goesOn(0, progress):
		return Answer
	case r.namesKeys() && !r.goesOn(0, progress):
		return Keys
	}
	return Nothing
}

// asksForLine reports whether the line that asks is drawn by a prompt library, or is not the line of a log.
func (r *reading) asksForLine() bool {
	return r.at.drawn || libraryQuestion.begins(r.line) || !logLine.find(r.line) && !spins(r.line)
}

// hints reports whether the line that asks is one of several that begin with the same arrow. They name the keys of a program
// that goes on without them (Jest).
func (r *reading) hints() bool {
	if r.first < 1 {
		return false
	}
	mark := pointerMark(r.text(r.first))
	return mark != "" && mark == pointerMark(r.text(r.first-1))
}

// goesOn reports whether a row from the given one on shows a sign that work goes on.
func (r *reading) goesOn(from int, sign pattern) bool {
	for row := from; row < len(r.rows); row++ {
		if sign.find(r.text(row)) {
			return true
		}
	}
	return false
}

// namesKeys reports whether a row names keys of the program. Servers and watchers on the main screen name theirs too, but
// go on without them: there only the keys count that move in a list or a field.
func (r *reading) namesKeys() bool {
	for row := range r.rows {
		if text := r.text(row); widgetKeys.find(text) || r.alternate() && screenKeys.find(text) {
			return true
		}
	}
	return false
}

// marked reports whether the program marks a row with a word in it: by cells that are reversed or have another background, other
// than the rows above and below. The first and the last row are for titles and keys. On the main screen the row must be in a
// paragraph that asks, or in the one below it: logs use such colors too.
func (r *reading) marked() bool {
	whole := r.alternate() || r.role == fullscreen
	asks, blanks := false, 0 // blanks is how many blank rows there were since the question
	above := fills(r.Picture, 0)
	for row := 1; row < len(r.rows)-1; row++ {
		if ends(r.text(row-1), "?:") {
			asks, blanks = true, 0
		}
		if r.blank(row) {
			blanks++
			asks = asks && blanks < 2
		}
		ours, below, words := fills(r.Picture, row), fills(r.Picture, row+1), 0
		for c := range r.Picture.Cells(row) {
			if ours[c.Col] != above[c.Col] && ours[c.Col] != below[c.Col] && strings.ContainsFunc(c.Text, wordCharacter) {
				words++
			}
		}
		if words > 1 && (whole || asks) {
			return true
		}
		above = ours
	}
	return false
}

// onWidget reports whether the visible cursor stands in a row that begins with a box to tick or a button.
func (r *reading) onWidget() bool {
	return r.visible() && widget.begins(undrawn(r.text(r.row)))
}

// fills returns what fills the cells of a row, by column: the background, or of a reversed cell the foreground.
func fills(p *screen.Snapshot, row int) []screen.Style {
	all := make([]screen.Style, p.Cols)
	for c := range p.Cells(row) {
		fill := screen.Style{Background: c.Style.Background}
		if c.Style.Has(screen.Reverse) {
			fill = screen.Style{Background: c.Style.Foreground, Attributes: screen.Reverse}
		}
		if c.Col < len(all) {
			all[c.Col] = fill
		}
	}
	return all
}
