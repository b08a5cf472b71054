package condition

import (
	"context"
	"strings"

	"devtools/screen"
)

// Changes reports whether the condition is about something new. The other conditions are about a state, which may
// be true from the start.
func (c Condition) Changes() bool { return c.Kind == UntilText || c.Kind == UntilChange }

// LogicalText returns the text of a picture from the line from on, in logical lines: it joins the rows that the
// terminal broke. If keep is not nil, a logical line counts only if keep accepts one of its rows. Rows have no blanks at
// their ends. When the cursor's row has some, as after a prompt, LogicalText returns the text twice: with them and
// without them.
func LogicalText(s *screen.Snapshot, from int, keep func(i int, row string) bool) []string {
	texts := []string{logicalLines(s, from, -1, keep)}
	if at := s.Cursor.Row - s.First; at >= from && at < len(s.Lines) && s.Text(at, true) != s.Text(at, false) {
		texts = append(texts, logicalLines(s, from, at, keep))
	}
	return texts
}

// logicalLines returns the text as LogicalText does, but keeps the blanks at the end of the line with the index blanks.
func logicalLines(s *screen.Snapshot, from, blanks int, keep func(i int, row string) bool) string {
	var text, line strings.Builder
	kept := keep == nil
	for i := from; i < len(s.Lines); i++ {
		wrapped := s.Lines[i].Wrapped && i < len(s.Lines)-1
		row := s.Text(i, wrapped || i == blanks)
		line.WriteString(row)
		if keep != nil && keep(i, row) {
			kept = true
		}
		if wrapped {
			continue
		}
		if kept {
			text.WriteString(line.String())
			text.WriteByte('\n')
		}
		line.Reset()
		kept = keep == nil
	}
	return text.String()
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

// AtLast reports whether the condition is true for a session that has ended with text on its screen.
func (c Condition) AtLast(text []string) (match string, met bool) {
	switch c.Kind {
	case UntilExit:
		return "", true
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
