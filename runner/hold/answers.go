package hold

import (
	"time"
	"unicode/utf8"

	"devtools/ledger/transcript"
	"devtools/runner/prompt"
	"devtools/runner/wire"
)

// A typedAnswer is an answer that was typed without an Enter, or its beginning. The program then shows which
// input must follow.
type typedAnswer struct {
	question openQuestion // the question as it was asked
	number   int          // of the question, when the text was typed
	text     string
	at       time.Time // when the first of it was typed
}

// noteAnswer remembers the text typed at a question, to tell later what has become of its field. If the
// request says so, the text continues that of the answer before.
func (qs *questions) noteAnswer(q *openQuestion, req *wire.TypeRequest) {
	if req.Enter || len(req.Keys.Args) == 0 {
		return
	}
	text := req.Keys.Args[0]
	if n := qs.answer.number; n != 0 && req.GoesOn == n {
		qs.answer.number, qs.answer.text = q.number, qs.answer.text+text
		return
	}
	qs.answer = typedAnswer{question: *q, number: q.number, text: text, at: time.Now()}
}

// fieldOf tells what has become of a question after a text was typed at it. number is the number that the
// question had then. The program waits again, and the probe result has the picture. asked is as in
// prompt.AfterAnswer.
func (qs *questions) fieldOf(number int, s probeResult) (f prompt.Field, asked string) {
	q := qs.answer.question
	if number == 0 || qs.answer.number != number {
		return "", ""
	}
	if s.waiting.PID != q.Waiting.PID || s.waiting.Command != q.Waiting.Command || qs.program.Tty.Settings() != q.settings {
		return prompt.Left, ""
	}
	before, after := q.picture.shot(), s.picture.shot()
	kind := prompt.Kind(q.Waiting.Kind)
	answer := prompt.TypedAnswer{
		Text: qs.answer.text, Kind: kind, Secret: q.Waiting.Secret || kind == prompt.Line && prompt.MentionsSecret(q.Waiting.Prompt),
		Output: qs.outputBetween(q.offset, s.picture.Offset),
	}
	f, asked = prompt.AfterAnswer(before, after, answer)
	if f == prompt.Shows && !wire.AtLeast(s.waiting.Confidence, q.Waiting.Confidence) && !qs.answer.believed(time.Now()) {
		return prompt.Stands, ""
	}
	return f, asked
}

// shot returns a frame for the comparison with another one.
func (f frame) shot() prompt.Shot {
	return prompt.Shot{Picture: f.Snapshot, First: f.scrolled, Blink: f.caret, Since: f.since}
}

// maxRedrawn is how many bytes of output after an answer are looked at.
const maxRedrawn = 64 << 10

// outputBetween returns the output between two offsets. It returns less if there is more than maxRedrawn
// bytes, or if the output is not on disk.
func (qs *questions) outputBetween(from, to int64) string {
	reader := transcript.Open(qs.dir.SessionFolder(qs.session.ID))
	defer reader.Close()
	output := make([]byte, min(max(to-from, 0), maxRedrawn))
	n, _, err := reader.ReadAt(output, from)
	if err != nil {
		n = 0
	}
	return string(output[:n])
}

// fieldDoubt is how long the holder waits before it believes a field, if a timer could wake the program. A program
// that shows the key and goes on by a timer waits in this way. So does Node.js: its V8 frees memory by a timer of
// 8.1 s, several times (kLongDelayMs in its heap/memory-reducer.h). With 2 s here, 19 of 64 dialogues with
// prompts, under load, got no Enter.
const fieldDoubt = 20 * time.Second

// believed reports whether the field has shown the answer for so long that the program waits for its Enter, although a
// timer could wake it. A single character is never believed: the program may show the key that it has taken.
func (a typedAnswer) believed(now time.Time) bool {
	kind := prompt.Kind(a.question.Waiting.Kind)
	return now.Sub(a.at) >= fieldDoubt && (kind == prompt.Line || kind == prompt.Password) && utf8.RuneCountInString(a.text) > 1
}

// doubtful reports whether a later look may tell more about the question at which a text was typed.
func (qs *questions) doubtful(number int, f prompt.Field, s probeResult) bool {
	q := qs.answer.question
	return f == prompt.Stands && number == qs.answer.number && time.Since(qs.answer.at) < fieldDoubt && !wire.AtLeast(s.waiting.Confidence, q.Waiting.Confidence)
}
