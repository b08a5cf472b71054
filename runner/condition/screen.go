package condition

import (
	"context"
	"slices"
	"strings"

	"devtools/screen"
)

// Changes reports whether the condition is about something new. The other conditions are about a state, which may
// be true from the start.
func (c Condition) Changes() bool { return c.Kind == UntilText || c.Kind == UntilChange }

// LogicalText returns the text of a picture from the line from on, in logical lines: it joins the rows that the
// terminal broke. Rows have no blanks at their ends. When the cursor's row has some, as after a prompt, LogicalText returns the
// text twice: without them and with them.
func LogicalText(s *screen.Snapshot, from int) []string {
	texts := []string{logicalLines(s, from, -1)}
	if at := s.Cursor.Row - s.First; at >= from && at < len(s.Lines) && s.Text(at, true) != s.Text(at, false) {
		texts = append(texts, logicalLines(s, from, at))
	}
	return texts
}

// logicalLines returns the text as LogicalText does, but keeps the blanks at the end of the line with the index blanks.
func logicalLines(s *screen.Snapshot, from, blanks int) string {
	var text strings.Builder
	for i := from; i < len(s.Lines); i++ {
		wrapped := s.Lines[i].Wrapped && i < len(s.Lines)-1
		text.WriteString(s.Text(i, wrapped || i == blanks))
		if !wrapped {
			text.WriteByte('\n')
		}
	}
	return text.String()
}

// FindNew returns the first match of c's pattern in a picture from the line from on, of which at least one character is not
// old: see [screen.Terminal.MarkOld].
func (c Condition) FindNew(s *screen.Snapshot, from int) (match string, found bool) {
	blanks := []int{-1, s.Cursor.Row - s.First}
	for i, text := range LogicalText(s, from) {
		old := logicalOld(s, from, blanks[i])
		for _, at := range c.Pattern.FindAllStringIndex(text, -1) {
			if slices.Contains(old[at[0]:at[1]], false) {
				return text[at[0]:at[1]], true
			}
		}
	}
	return "", false
}

// logicalOld reports of each byte that logicalLines returns whether it is old.
func logicalOld(s *screen.Snapshot, from, blanks int) (old []bool) {
	for i := from; i < len(s.Lines); i++ {
		wrapped := s.Lines[i].Wrapped && i < len(s.Lines)-1
		old = append(old, s.Old(i)[:len(s.Text(i, wrapped || i == blanks))]...)
		if !wrapped {
			old = append(old, true) // the line feed
		}
	}
	return old
}

// Find returns the first match of c's pattern in one of the texts.
func (c Condition) Find(texts []string) (match string, found bool) {
	for _, text := range texts {
		if at := c.Pattern.FindStringIndex(text); at != nil {
			return text[at[0]:at[1]], true
		}
	}
	return "", false
}

// AtLast reports whether the condition is true for a session that has ended with text on its screen. The exit code of its
// command is nil if nobody knows it.
func (c Condition) AtLast(text []string, code *int) (match string, met bool) {
	switch c.Kind {
	case UntilExit:
		return "", c.Exited(code)
	case UntilText:
		return c.Find(text)
	case UntilGone:
		_, there := c.Find(text)
		return "", !there
	case UntilFile:
		_, met = c.look(context.Background(), nil)
	}
	return "", met
}
