package prompt

import (
	"slices"
	"strings"
)

// statusLine returns what a pager shows in the line of the cursor, or else in the last line with text.
func (r *reading) statusLine() string {
	if r.first >= 0 && r.last >= r.row {
		return strings.TrimRight(r.line, " ")
	}
	for row := len(r.rows) - 1; row >= 0; row-- {
		if !r.blank(row) {
			return r.text(row)
		}
	}
	return ""
}

// editing returns the question of an editor. An editor mostly asks nothing, but its message line may ask something.
func (r *reading) editing() Question {
	below := len(r.rows) - 1 - r.row
	if r.last >= r.row && (!r.alternate() || below == 0 || below == 2 && strings.HasSuffix(r.Command, "nano")) {
		switch kind := r.told(); kind {
		case Confirm, Key, Password:
			return Question{Kind: kind, Text: r.line, Known: true}
		case Choice:
			return Question{Kind: kind, Text: r.withReason(), Known: true}
		}
	}
	q := Question{Kind: Editor, Text: r.heading(), Known: true}
	for row := len(r.rows) - 1; row >= 0 && q.Text == ""; row-- {
		q.Text = undrawn(r.text(row))
	}
	return q
}

// heading returns the title of the terminal and the first rows of the screen.
func (r *reading) heading() string {
	if len(r.rows) == 0 {
		return ""
	}
	text := r.tidy(0, len(r.rows)-1, paragraph)
	if title := strings.TrimSpace(r.Picture.Title); title != "" {
		return title + "\n" + r.tidy(0, len(r.rows)-1, paragraph-1)
	}
	return text
}

// page returns the heading of a screen. If the line that asks names the key for leaving the page, page adds that line.
func (r *reading) page() string {
	text := r.heading()
	if r.first < 0 || r.row-r.last > 1 || strings.Contains(text, r.line) || !r.nothingBelow() || !keyPrompt.find(r.line) {
		return text
	}
	if lines := strings.Split(text, "\n"); len(lines) == paragraph {
		text = strings.Join(lines[:paragraph-1], "\n")
	}
	return text + "\n" + undrawn(r.line)
}

// pages reports whether BusyBox, which has one name for all its programs, shows text page by page. The last row is then
// the status of a pager, or the name of the file. It is neither the prompt of BusyBox's shell nor a question.
func (r *reading) pages() bool {
	if r.Command != "busybox" || r.row != len(r.rows)-1 || r.first < 0 || shellLine(r.before) {
		return false
	}
	line := strings.TrimSpace(r.line)
	return pagerStatus.find(line) || !ends(line, ":?>)]") && r.told() == ""
}

// nothingBelow reports whether the rows below the cursor are blank.
func (v *view) nothingBelow() bool {
	for row := v.row + 1; row < len(v.rows); row++ {
		if !v.blank(row) {
			return false
		}
	}
	return true
}

// drawing returns the question of a program that draws the whole screen.
func (r *reading) drawing() Question {
	if q, ok := r.dialog(); ok {
		return q
	}
	if r.Command == "busybox" && editorStatus.find(r.text(len(r.rows)-1)) {
		return Question{Kind: Editor, Text: r.heading(), Known: true}
	}
	if r.role != fullscreen && r.first >= 0 && r.last >= r.row {
		if kind := r.told(); r.visible() && (kind == Confirm || kind == Password || kind == Key) {
			return Question{Kind: kind, Text: r.line, Known: true}
		}
		if r.row == len(r.rows)-1 && pagerStatus.find(strings.TrimSpace(r.line)) {
			return Question{Kind: Pager, Text: r.statusLine(), Known: true}
		}
	}
	return Question{Kind: TUI, Text: r.page(), Known: r.role == fullscreen}
}

// block returns what a program has drawn around the cursor on the main screen.
func (r *reading) block() string {
	last := len(r.rows) - 1
	for last > r.row && r.blank(last) {
		last--
	}
	first := last
	for rows := 0; first >= r.top && first > last-menuRows && rows < paragraph; first-- {
		if !r.blank(first) {
			rows++
		}
	}
	return r.tidy(first+1, last, paragraph)
}

// A box is a frame on the screen, including its border.
type box struct{ top, left, bottom, right int }

// dialog returns the question of a box with buttons.
func (r *reading) dialog() (q Question, ok bool) {
	g := r.grid()
	boxes := g.boxes()
	b, buttons := g.smallestDialog(boxes)
	if buttons == "" {
		return q, false
	}
	text := g.inside(b)
	q = Question{Kind: Key, Text: dialogText(text, buttons), Known: true, Drawn: true}
	entry := strings.Contains(text, "____") || r.cursorInField(g, b, buttons) || r.cursorInFrame(boxes, b)
	switch {
	case yesAndNo.find(buttons):
		q.Kind = Confirm
	case entry && secretWord.find(text):
		q.Kind = Password
	case entry:
		q.Kind = Line
	case len(dialogButton.regexp().FindAllStringIndex(buttons, 2)) > 1, strings.Contains(text, "[ ]"), strings.Contains(text, "( )"):
		q.Kind = Choice
	}
	return q, true
}

// smallestDialog returns the box with buttons that has the fewest rows, and its row of buttons.
func (g grid) smallestDialog(boxes []box) (smallest box, buttons string) {
	for _, b := range boxes {
		row := g.buttons(b)
		if row != "" && (buttons == "" || b.bottom-b.top < smallest.bottom-smallest.top) {
			smallest, buttons = b, row
		}
	}
	return smallest, buttons
}

// cursorInField reports whether the cursor stands in the box b where nothing is behind it, and not at a button.
func (r *reading) cursorInField(g grid, b box, buttons string) bool {
	return r.visible() && r.row > b.top && r.row < b.bottom &&
		g.line(b, r.row) != buttons && g.line(box{left: max(r.col-1, b.left), right: b.right}, r.row) == ""
}

// cursorInFrame reports whether the cursor stands in a frame of one row within the box b, as dialog(1) draws it around
// a field.
func (r *reading) cursorInFrame(boxes []box, b box) bool {
	return slices.ContainsFunc(boxes, func(frame box) bool {
		return frame.bottom-frame.top == 2 && frame.top > b.top && frame.bottom < b.bottom && r.row == frame.top+1
	})
}

// dialogText returns the text of a dialog without empty fields, with its buttons in the last line.
func dialogText(text, buttons string) string {
	lines := slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool {
		return strings.Trim(line, "_ ") == "" || line == buttons
	})
	return strings.Join(append(lines[:min(len(lines), menuRows)], labels(buttons)), "\n")
}

// labels returns a row of buttons with one blank between them and none inside them.
func labels(buttons string) string {
	all := dialogButton.regexp().FindAllString(buttons, -1)
	for i, b := range all {
		first, last := b[:1], b[len(b)-1:]
		all[i] = first + strings.Trim(b, "<>[] ^") + last
	}
	return strings.Join(all, " ")
}

// A grid is the characters of a screen by row and column. A column without a character is a blank.
type grid [][]rune

// grid returns the characters of the picture.
func (v *view) grid() grid {
	g := make(grid, min(len(v.rows), 200))
	for row := range g {
		for c := range v.Picture.Cells(row) {
			for len(g[row]) < c.Col {
				g[row] = append(g[row], ' ')
			}
			char := ' '
			for _, char = range c.Text {
				break
			}
			g[row] = append(g[row], char)
		}
	}
	return g
}

// at returns the character in a cell.
func (g grid) at(row, col int) rune {
	if row < len(g) && col < len(g[row]) {
		return g[row][col]
	}
	return ' '
}

// boxes returns the frames on the screen. It returns at most 32, because a picture can be full of corners.
func (g grid) boxes() []box {
	var found []box
	for row := range g {
		for col, c := range g[row] {
			if !strings.ContainsRune("┌╔╭┏", c) {
				continue
			}
			if b := g.frame(row, col); b.bottom > row+1 {
				if found = append(found, b); len(found) == 32 {
					return found
				}
			}
		}
	}
	return found
}

// frame returns the box whose upper left corner is in a cell.
func (g grid) frame(row, col int) box {
	b := box{top: row, left: col}
	for right := col + 1; right < len(g[row]) && b.right == 0; right++ {
		switch c := g[row][right]; {
		case strings.ContainsRune("┐╗╮┓", c):
			b.right = right
		case strings.ContainsRune("┌╔╭┏", c):
			return box{}
		}
	}
	for bottom := row + 1; bottom < len(g) && b.right > 0; bottom++ {
		switch c := g.at(bottom, col); {
		case strings.ContainsRune("└╚╰┗", c):
			b.bottom = bottom
			return b
		case !strings.ContainsRune("│┃║├╠┤╣┣┫", c):
			return box{}
		}
	}
	return box{}
}

// line returns what a row shows inside a box.
func (g grid) line(b box, row int) string {
	if row >= len(g) || b.left+1 >= len(g[row]) {
		return ""
	}
	return undrawn(string(g[row][b.left+1 : min(b.right, len(g[row]))]))
}

// buttons returns the row of buttons in a box, or "".
func (g grid) buttons(b box) string {
	for row := b.bottom - 1; row > max(b.top, b.bottom-4); row-- {
		if line := g.line(b, row); dialogButton.find(line) {
			return line
		}
	}
	return ""
}

// inside returns the text of a box, its title first.
func (g grid) inside(b box) string {
	var lines []string
	for row := b.top; row < b.bottom; row++ {
		line := g.line(b, row)
		if row == b.top {
			line = strings.Trim(line, "| ") // borders around the title
		}
		if line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}
