package hold

import (
	"time"
	"unicode/utf8"

	"devtools/runner/blocked"
	"devtools/runner/prompt"
	"devtools/runner/pty"
	"devtools/runner/wire"
)

// A typedAnswer is an answer that was typed without an Enter, or its beginning. The program then shows which
// input must follow.
type typedAnswer struct {
	question openQuestion // the question as it was asked
	number   int          // of the question, when the text was typed
	text     string
	erasing  bool      // the client has erased the text, with what stood in the field before it
	erased   bool      // question shows the field after that
	open     bool      // nobody has typed anything since, and the rest of it or its Enter may follow
	at       time.Time // when the first of it was typed
}

// noteAnswer remembers the text typed at a question, to tell later what has become of its field. If the
// request says so, the text continues that of the answer before, or erases it.
func (qs *questions) noteAnswer(q *openQuestion, req *wire.TypeRequest) {
	if req.Enter || len(req.Keys.Args) == 0 {
		return
	}
	text, last := req.Keys.Args[0], &qs.answer
	switch goesOn := last.number != 0 && req.GoesOn == last.number; {
	case goesOn && req.Erases:
		last.number, last.erasing = q.number, true
	case goesOn && !last.erasing:
		last.number, last.text = q.number, last.text+text
	default:
		*last = typedAnswer{question: *q, number: q.number, text: text, erased: goesOn, at: time.Now()}
	}
}

// fieldOf puts into a response what has become of a question after a text was typed at it. number is the number that the
// question had then. The program waits again, and the probe result has the picture.
func (qs *questions) fieldOf(number int, s probeResult, resp *wire.Response) {
	q := qs.answer.question
	if number == 0 || qs.answer.number != number {
		return
	}
	if s.waiting.PID != q.Waiting.PID || s.waiting.Command != q.Waiting.Command || q.settingsChanged(s.verdict, qs.program.Tty) {
		resp.Field = prompt.Left
		return
	}
	doubt := !wire.AtLeast(s.waiting.Confidence, q.Waiting.Confidence) && !qs.answer.believed(time.Now())
	field, erased, erase := qs.field(s.picture)
	switch {
	case field == prompt.Shows && (doubt || s.verdict.Confidence == blocked.Heuristic && !qs.answer.aLine()):
		field = prompt.Stands
	case field == prompt.Stands && !doubt:
		resp.Erase, resp.Erased = erase, erased
	}
	resp.Field = field
}

// field compares the picture of the last answer's question with a later one. erased and erase are as in wire.Response.
func (qs *questions) field(pic frame) (f prompt.Field, erased bool, erase int) {
	q := qs.answer.question
	before, after := q.compared(pic)
	if qs.answer.erasing {
		f, erased = prompt.AfterErasing(before, after)
		return f, erased, 0
	}
	kind := prompt.Kind(q.Waiting.Kind)
	answer := prompt.TypedAnswer{
		Text: qs.answer.text, Question: q.Waiting.Prompt, Kind: kind, Secret: q.Waiting.Secret || mayBeSecret(kind) && prompt.MentionsSecret(q.Waiting.Prompt),
		Erased: qs.answer.erased, Output: qs.outputBetween(q.offset, pic.Offset),
	}
	if f = prompt.AfterAnswer(before, after, answer); f == prompt.Stands && !answer.Erased {
		erase = prompt.ToErase(before, after, answer)
	}
	return f, false, erase
}

// answering reports whether the program of a verdict still shows its question, with an answer that has got no Enter. If it waited
// before the answer, it does so now, whatever the line of the cursor looks like.
func (qs *questions) answering(v blocked.Verdict, pic frame) bool {
	q := &qs.answer.question
	if !qs.answer.open || v.PID != q.Waiting.PID {
		return false
	}
	v.Confidence = blocked.Confidence(q.Waiting.Confidence)
	if q.settingsChanged(v, qs.program.Tty) {
		return false
	}
	f, _, _ := qs.field(pic)
	return f != prompt.Left
}

// checkErasing refuses a key that erases the field of the last answer's question, if something else stands there now.
func (qs *questions) checkErasing(pic frame) error {
	q := &qs.answer.question
	if q.Waiting == nil || q.picture.Snapshot == nil {
		return wire.ErrAnswered
	}
	if before, now := q.compared(pic); !prompt.Erasing(before, now, qs.answer.text) {
		return wire.ErrAnswered
	}
	return nil
}

// compared returns the pictures of a question and of the terminal now, to be compared. A caret in a row that looks as before
// is still that of the question.
func (q *openQuestion) compared(now frame) (before, after prompt.Shot) {
	before, after = q.picture.shot(), now.shot()
	after.Since = before.Since
	return before, after
}

// settingsChanged reports whether the program has changed the settings of the terminal since a question. A program that polls may
// change them for each poll (Reline). Of such a program, only what was seen while it slept is compared: the line mode and the
// echo.
func (q *openQuestion) settingsChanged(v blocked.Verdict, tty *pty.Terminal) bool {
	return v.Canonical != q.Waiting.Canonical || (v.Echo && tty != nil) != q.Waiting.Echo || v.Confidence != blocked.Medium && terminalSettings(tty) != q.settings
}

// terminalSettings returns the settings of a terminal as text. A pipe has none.
func terminalSettings(tty *pty.Terminal) string {
	if tty == nil {
		return ""
	}
	return tty.Settings()
}

// mayBeSecret reports whether a question of a kind may ask for a secret. A secret over a mark looks as a REPL does.
func mayBeSecret(k prompt.Kind) bool { return k == prompt.Line || k == prompt.REPL }

// shot returns a frame for the comparison with another one.
func (f frame) shot() prompt.Shot {
	return prompt.Shot{Picture: f.Snapshot, First: f.scrolled, Blink: f.caret, Since: f.since}
}

// fieldDoubt is how long the holder waits before it believes a field, if a timer could wake the program. A program
// that shows the key and goes on by a timer waits in this way. So does Node.js: its V8 frees memory by a timer of
// 8.1 s, several times (kLongDelayMs in its heap/memory-reducer.h). With 2 s here, 19 of 64 dialogues with
// prompts, under load, got no Enter.
const fieldDoubt = 20 * time.Second

// believed reports whether the field has shown the answer for so long that the program waits for its Enter, although a
// timer could wake it. A single character is never believed: the program may show the key that it has taken.
func (a typedAnswer) believed(now time.Time) bool {
	return now.Sub(a.at) >= fieldDoubt && a.aLine() && utf8.RuneCountInString(a.text) > 1
}

// aLine reports whether the question asks for a line of text. Another one may have taken the key that its field shows.
func (a typedAnswer) aLine() bool {
	kind := prompt.Kind(a.question.Waiting.Kind)
	return kind == prompt.Line || kind == prompt.Password
}

// doubtful reports whether a later look may tell more about the question at which a text was typed.
func (qs *questions) doubtful(number int, f prompt.Field, s probeResult) bool {
	q := qs.answer.question
	return f == prompt.Stands && number == qs.answer.number && time.Since(qs.answer.at) < fieldDoubt && !wire.AtLeast(s.waiting.Confidence, q.Waiting.Confidence)
}
