package prompt

import (
	"slices"
	"strings"
	"unicode/utf8"

	"devtools/screen"
)

// A piece is a part of a row that shows a choice, from one column to another.
type piece struct {
	row, from, to int
	text          string
}

// drawnDetails finds the details of a question that the program draws: a box with buttons, yes and no side by side, or a menu.
func (r *reading) drawnDetails(q Question, d *Details) {
	g := r.grid()
	if b, buttons := g.smallestDialog(g.boxes()); buttons != "" {
		r.dialogDetails(g, b, buttons, q, d)
		return
	}
	head, list, _ := strings.Cut(q.Text, "\n")
	d.Question = askingLines(head, q.Kind)
	if row := r.yesNoRow(); q.Kind == Confirm && row >= 0 {
		d.Choices, _ = r.choicesFrom(g.pieces(row, 0, r.Picture.Cols, sideWord), screen.Style{}, false)
	}
	if q.Kind != Choice {
		return
	}
	begin := r.beginOf(q)
	first, last, ok := r.pointedRows()
	switch {
	case !ok: // no item is selected
		_, first = r.logical(begin)
		first, last = first+1, first+1+strings.Count(list, "\n")
	case r.at.drawn: // what is typed there only filters the menu
		first = max(first, r.row+1)
	}
	var items []piece
	for row := first; row <= min(last, first+maxOptions); row++ {
		items = append(items, g.pieces(row, 0, r.Picture.Cols, wholeRow)...)
	}
	unboxed := func(p piece) bool {
		return !tickBox.begins(strings.TrimSpace(strings.TrimPrefix(p.text, pointerMark(p.text))))
	}
	if n := len(items); n > 0 && !unboxed(items[n-1]) { // rows without a box are instructions (prompts)
		items = slices.DeleteFunc(items, unboxed)
	}
	help := r.joined(begin, min(begin+menuRows, len(r.rows)-1))
	d.Choices, d.Multiple = r.choicesFrom(items, screen.Style{}, toggleKey.regexp().MatchString(help))
}

// dialogDetails finds the details of a box with buttons. The choices are the items above the buttons if one of them is marked, or
// all have boxes to tick. Otherwise they are the buttons. A line of text is none of these, and has a field.
func (r *reading) dialogDetails(g grid, b box, buttons string, q Question, d *Details) {
	var lines []string
	var items []piece
	typed := q.Kind == Line || q.Kind == Password
	begin, ground, row := 0, fills(r.Picture, b.bottom)[b.left], b.top+1 // begin is that of the last paragraph
	for ; g.line(b, row) != buttons; row++ {
		line := g.line(b, row)
		shown := strings.Trim(line, "_ ")
		switch {
		case typed && r.visible() && row == r.row:
			d.Field = &shown
			continue
		case shown == "":
			continue
		case g.line(b, row-1) == "":
			begin = len(items)
		}
		lines, items = append(lines, line), append(items, g.pieces(row, b.left+1, b.right, wholeRow)...)
	}
	if !typed {
		d.Choices, _ = r.choicesFrom(g.pieces(row, b.left+1, b.right, dialogButton), ground, false)
	}
	listed, multiple := r.choicesFrom(items[begin:], ground, false)
	marked := slices.ContainsFunc(listed, func(o Option) bool { return o.Marked })
	if q.Kind == Choice && begin > 0 && (marked || multiple) {
		d.Choices, d.Multiple, lines = listed, multiple, lines[:begin]
	}
	d.Question = strings.Join(lines, "\n")
}

// pieces returns the parts of a row, between two columns, that a pattern matches.
func (g grid) pieces(row, left, right int, p pattern) (all []piece) {
	if row >= len(g) || left >= len(g[row]) {
		return nil
	}
	text := string(g[row][left:min(right, len(g[row]))])
	for _, m := range p.regexp().FindAllStringIndex(text, -1) {
		from := left + utf8.RuneCountInString(text[:m[0]])
		all = append(all, piece{row, from, from + utf8.RuneCountInString(text[m[0]:m[1]]), undrawn(text[m[0]:m[1]])})
	}
	return all
}

// choicesFrom returns the choices that pieces of the screen show, and whether several can be ticked. Marked is the only one with a
// pointer, with a fill that is not the ground and that no other has, or with a full box if that is round. help says that the screen
// names a key that ticks.
func (r *reading) choicesFrom(pieces []piece, ground screen.Style, help bool) (choices []Option, multiple bool) {
	var pointed, ticked, filled []int
	boxes, squares, owners := 0, 0, map[screen.Style][]int{}
	for i, p := range pieces {
		text := p.text
		if mark := pointerMark(text); mark != "" && mark != text {
			pointed, text = append(pointed, i), strings.TrimSpace(text[len(mark):])
		}
		o := Option{Text: strings.Trim(text, "<>[]^ ")}
		box := tickBox.regexp().FindString(text)
		if box != "" {
			boxes, squares = boxes+1, squares+strings.Count("[□◻☐◼☑☒■", string([]rune(box)[:1]))
			if o = (Option{Text: text[len(box):], Ticked: strings.ContainsAny(box, "xX*✓✔◉●◼☑☒■⬢")}); o.Ticked {
				ticked = append(ticked, i)
			}
		}
		if keyed, _ := keyedChoices(o.Text, Choice); len(keyed) == 1 && menuItem.begins(o.Text) {
			o = keyed[0]
		}
		choices = append(choices, o)
		for _, fill := range fills(r.Picture, p.row)[min(p.from, r.Picture.Cols):min(p.to, r.Picture.Cols)] {
			owners[fill] = append(owners[fill], i)
		}
	}
	for fill, of := range owners {
		if of = slices.Compact(of); fill != ground && len(of) == 1 && !slices.Contains(filled, of[0]) {
			filled = append(filled, of[0])
		}
	}
	apart := len(pointed) == 1 && !slices.Equal(pointed, ticked) // the pointer is not the box
	multiple = boxes > 1 && boxes == len(pieces) && (squares == boxes || help || apart || len(ticked) > 1)
	if multiple || boxes < len(pieces) {
		ticked = nil
	}
	for _, one := range [][]int{pointed, filled, ticked} {
		if len(one) == 1 {
			choices[one[0]].Marked = true
			break
		}
	}
	return choices, multiple
}
