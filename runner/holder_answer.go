package runner

import "devtools/runner/prompt"

// A typedAnswer is an answer whose text was typed without an Enter: whether one belongs to it the program shows.
type typedAnswer struct {
	question question
	text     string
}

// noteAnswer remembers what is typed at a question, to tell later what has become of its field.
func (h *holder) noteAnswer(q *question, req *typeRequest) {
	if !req.Enter && len(req.Keys.Args) > 0 {
		h.answer = typedAnswer{*q, req.Keys.Args[0]}
	}
}

// fieldOf tells what has become of the question with a number since the text of its answer was typed: the program
// waits again, and the sounding has the picture. Asked is as in prompt.AfterAnswer.
func (h *holder) fieldOf(number int, s sounding) (f prompt.Field, asked string) {
	q := h.answer.question
	if number == 0 || q.number != number {
		return "", ""
	}
	if w := s.waiting; w.PID != q.Waiting.PID || w.Canonical != q.Waiting.Canonical || w.Echo != q.Waiting.Echo {
		return prompt.Left, ""
	}
	before := prompt.Shot{Picture: q.picture.Snapshot, First: q.picture.scrolled}
	after := prompt.Shot{Picture: s.picture.Snapshot, First: s.picture.scrolled}
	return prompt.AfterAnswer(before, after, h.answer.text, q.Waiting.Secret)
}
