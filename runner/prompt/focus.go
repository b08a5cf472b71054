package prompt

import "strings"

// focusBar marks the rows of the field that has the focus, where a form shows several fields at once (huh).
const focusBar = "┃"

// focused returns the question of a menu, or of a yes or no, that has the focus in a form with a hidden cursor. The keys go
// to it, not to a field below it that looks as if it could be typed into.
func (r *reading) focused() (q Question, ok bool) {
	if r.visible() || r.at.drawn || r.Canonical {
		return q, false
	}
	first, last := -1, -1
	for row := range r.rows {
		if strings.HasPrefix(r.text(row), focusBar) {
			if first < 0 {
				first = row
			}
			last = row
		}
	}
	if last <= first {
		return q, false
	}
	q = Question{Kind: Choice, Text: r.tidy(first, last, menuRows), Drawn: true, Known: true}
	for row := first + 1; row <= last; row++ {
		if yesAndNo.find(strings.TrimLeft(r.text(row), focusBar+" ")) {
			q.Kind, q.Drawn = Confirm, false
		}
	}
	return q, q.Kind == Confirm || last >= first+2
}

// focus returns the text of the yes or no that has the focus in a form, or "".
func (s Shot) focus() string {
	r := reading{view: look(Scene{Picture: s.Picture, Since: s.Since, Blink: s.Blink})}
	if q, ok := r.focused(); ok && q.Kind == Confirm {
		return q.Text
	}
	return ""
}
