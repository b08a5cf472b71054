package prompt

import (
	"cmp"
	"strings"
	"unicode/utf8"
)

// Details are what the screen says about the answer to a question. What is not known is absent.
type Details struct {
	Question string    `json:"question,omitzero"` // lines of the prompt that ask, without lists of choices and help for keys
	Choices  []Option  `json:"choices,omitempty"` // answers that the screen shows, at most 40
	Default  string    `json:"default,omitzero"`  // answer that counts if only Enter is typed
	Field    *string   `json:"field,omitempty"`   // text that stands in the field now
	Cursor   *Position `json:"cursor,omitempty"`  // cursor, or the caret that the program draws
	Multiple bool      `json:"multiple,omitzero"` // several choices can be ticked
}

// An Option is one of the choices.
type Option struct {
	Text   string `json:"text"`            // its text, at most 100 characters
	Key    string `json:"key,omitzero"`    // letters or number to type for it, as the screen shows them
	Marked bool   `json:"marked,omitzero"` // the program points at it: the next Space or Enter is about it
	Ticked bool   `json:"ticked,omitzero"` // its box is ticked
}

// A Position is a place on the screen.
type Position struct {
	Row int `json:"row"` // its row; 0 is the top one
	Col int `json:"col"` // its column; 0 is the left one
}

// maxOptions and maxOption bound the choices: how many there are, and the characters of each.
const maxOptions, maxOption = 40, 100

// Details returns what the screen says about the answer to the question q of the scene.
func (b *Book) Details(s Scene, q Question) (d Details) {
	r := reading{view: look(s), role: roleOf(s.Command)}
	if r.visible() {
		d.Cursor = &Position{r.row, r.col}
	}
	switch inLine := r.visible() && r.last >= r.row && strings.HasSuffix(q.Text, r.line); {
	case len(r.rows) == 0, q.Above, q.Kind == REPL, q.Kind == Pager, q.Kind == Editor, q.Kind == TUI:
		return d
	case !inLine && (q.Drawn || q.Kind == Confirm && r.yesNoRow() >= 0):
		r.drawnDetails(q, &d)
	default:
		text := q.Text
		if inLine && q.Kind != Key && strings.TrimSpace(r.after) == "" {
			if text, d.Field = r.splitField(q); d.Field != nil && *d.Field != "" && r.greyedBefore() {
				d.Default, d.Field = *d.Field, nil
			}
		} else if mark := fieldMark(r.before); r.at.drawn && mark != "" {
			field := undrawn(r.before[len(mark):] + r.after)
			d.Field = &field
		}
		choices, preset := choicesIn(text, q.Kind)
		d.Choices, d.Question = choices, askingLines(text, q.Kind)
		d.Default = cmp.Or(d.Default, preset, defaultOf(text, q.Kind, choices))
	}
	d.Choices = distinct(d.Choices)
	if q.Secret || q.Kind == Password {
		d.Field, d.Default = nil, ""
	}
	return d
}

// splitField returns the text of a question, and apart from it what stands in its field, if it is sure where that begins: behind
// the only mark of the line. The field is empty if the cursor stands behind such a mark.
func (r *reading) splitField(q Question) (text string, field *string) {
	line, typed := lastLine(q.Text), ""
	if ends(line, ":?>›❯»‣：？)]") {
		if !hasDefault(strings.TrimRight(line, " "), strings.HasSuffix(line, " ")) {
			field = &typed
		}
		return q.Text, field
	}
	begin := len(inField().decoration.FindString(line))
	marks := inField().marks.FindAllStringIndex(line[begin:], 2)
	if q.Kind != Line || len(marks) != 1 || r.Canonical && r.Typed == nil { // the program has printed it all
		return q.Text, nil
	}
	typed = line[begin+marks[0][1]:]
	text, typed = strings.TrimSuffix(q.Text, typed), strings.TrimSpace(typed)
	return text, &typed
}

// greyedBefore reports whether the text that ends at the cursor is grey: it is only shown until something is typed (prompts).
func (r *reading) greyedBefore() (greyed bool) {
	for c := range r.Picture.Cells(r.row) {
		if c.Col < r.col && strings.TrimSpace(c.Text) != "" {
			greyed = grey(c.Style)
		}
	}
	return greyed
}

// lastLine returns the last line of a text.
func lastLine(text string) string { return text[strings.LastIndexByte(text, '\n')+1:] }

// askingLines returns the lines of a text without a list of choices, help for keys, and the marks that a library draws around a question.
func askingLines(text string, kind Kind) string {
	var kept []string
	for line := range strings.SplitSeq(keyRemark.regexp().ReplaceAllString(text, " "), "\n") {
		if sign := libraryQuestion.regexp().FindString(line); sign != "" {
			line = line[strings.LastIndexByte(sign, ' ')+1:]
		}
		line = strings.TrimRight(strings.TrimSpace(line), " ›»…")
		if strings.ContainsFunc(line, wordCharacter) && !(kind == Choice && (menuItem.begins(line) || widgetKeys.find(line))) {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

// distinct returns the choices if each can be told from the others, and bounds them.
func distinct(all []Option) []Option {
	for i, o := range all {
		if o.Text = strings.TrimSpace(o.Text); utf8.RuneCountInString(o.Text) > maxOption {
			o.Text = string([]rune(o.Text)[:maxOption-1]) + "…"
		}
		if all[i] = o; o.Text == "" || o.Key != "" && hasKey(all[:i], o.Key) {
			return nil
		}
	}
	return all[:min(len(all), maxOptions)]
}

// Mask passes all texts through a function.
func (d *Details) Mask(masked func(string) string) {
	d.Question, d.Default = masked(d.Question), masked(d.Default)
	if d.Field != nil {
		*d.Field = masked(*d.Field)
	}
	for i := range d.Choices {
		d.Choices[i].Text, d.Choices[i].Key = masked(d.Choices[i].Text), masked(d.Choices[i].Key)
	}
}
