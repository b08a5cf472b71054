package hold

import (
	"fmt"
	"strings"

	"devtools/runner/blocked"
	"devtools/runner/wire"
)

// check refuses keys that cannot arrive whole, before any text of them is written. A program that reads lines gets
// only as much of a long line as the terminal has room for.
func (t *inputWriter) check(ask *typed, i int) error {
	m, err := t.tty.Modes()
	if err != nil || !m.Canonical || ask.checked {
		return err
	}
	ask.checked = true
	length := t.partial
	for _, p := range ask.pieces[i:] {
		for _, b := range p.Data {
			if length++; length > queueBytes {
				return fmt.Errorf("%w: a line of more than %d bytes: its program reads whole lines, and the terminal would drop the rest", wire.ErrNotTyped, queueBytes)
			}
			if strings.IndexByte(lineEnds, b) >= 0 {
				length = 0
			}
		}
	}
	return nil
}

// checkQuestion refuses an answer if the program no longer waits for it, and notes it otherwise. The program may ask
// something else by now.
func (t *inputWriter) checkQuestion(ask *typed) (err error) {
	n := ask.req.Type.Question
	switch {
	case n == 0:
		return nil
	case !t.input.caughtUp():
		return wire.ErrAnswered
	}
	asked := make(chan *openQuestion, 1)
	var last typedAnswer
	t.input.done <- func() {
		q := t.input.questions.standing(n)
		if last = t.input.questions.answer; q != nil {
			t.input.questions.noteAnswer(q, ask.req.Type)
		}
		asked <- q
	}
	defer func() {
		if err != nil {
			t.input.done <- func() { t.input.questions.answer = last }
		}
	}()
	q := <-asked
	m, err := t.tty.Modes()
	if q == nil || err != nil || !q.nested && (m.Canonical != q.Waiting.Canonical || m.Echo != q.Waiting.Echo) {
		return wire.ErrAnswered
	}
	block, ok := t.watch.Blocked()
	if number := block.Number(); q.block != 0 && (!ok || blocked.SameThread(number, q.block) && number != q.block) {
		return wire.ErrAnswered // the reader has run since
	}
	if t.partial > 0 && m.Echo {
		return fmt.Errorf("%w: somebody has typed half a line", wire.ErrNotTyped)
	}
	if t.partial > 0 { // no person sees it, and the program may have discarded it
		t.partial = 0
		return t.tty.Write([]byte{killLine})
	}
	return nil
}

// killLine discards half a line: VKILL of termios(3), unless the program has chosen another character.
const killLine = 0x15

// tooLate returns the error for a request that has waited too long behind others.
func (in *input) tooLate(t *typed) error {
	if in.program.Input == nil {
		return fmt.Errorf("%w: %w for %v, and other keys wait before these", wire.ErrWithheld, errNotReading, t.limit)
	}
	in.closing = in.closing && !t.req.Type.EOF
	return fmt.Errorf("%w: other input was still being written after %v%s", wire.ErrInputFull, t.limit, t.writtenText(0))
}
