package runner

import (
	"strings"
	"unicode/utf8"

	"devtools/runner/prompt"
)

// A typingPhase is how far the typing of an answer has come.
type typingPhase int

const (
	nothingTyped typingPhase = iota // no answer is being typed
	restPending                     // its first character is typed; the rest may follow
	enterPending                    // its text is typed; an Enter may follow
	textPending                     // its text is erased, with a default in front of it; the text may follow again
	fieldTaken                      // its text stands in the field, and nothing follows it
)

// A typingState is the state of an answerer between two questions. It says what was typed of the last answer that got no
// Enter at once. The zero value means that there is no such answer. The next question decides how it goes on:
//
//	phase         field shows the text             program went on   otherwise
//	nothingTyped  type an answer -> restPending or enterPending (there is no field yet)
//	restPending   type the rest  -> enterPending   -> nothingTyped   -> fieldTaken
//	enterPending  type the Enter -> nothingTyped   -> nothingTyped   -> fieldTaken, or erase a default -> textPending
//	textPending   (no text is there to show)       -> nothingTyped   -> fieldTaken, or type the text -> enterPending
//	fieldTaken    -> fieldTaken                    -> nothingTyped   -> fieldTaken
type typingState struct {
	phase  typingPhase
	answer int    // index of the answer
	number int    // number of its question; the holder compares that question with the next one, in nothingTyped too
	text   string // in restPending the rest of its text; later the whole text, or "" if it was typed in two parts or is typed again
}

// An action is what an answerer does at a question.
type action int

const (
	chooseAnswer   action = iota // type the first answer that matches
	withholdOthers               // type no other answer, because the field is not free
	typeRest                     // type the rest of the answer
	eraseField                   // erase the answer and the default in front of it
	typeEnter                    // type the Enter after the answer
)

// next returns what to do at a question, and the state after it. If typing fails, the state stays as it was. The reason,
// if any, is why the answer has got no rest or no Enter.
func (s typingState) next(q question) (do action, after typingState, reason string) {
	free := typingState{nothingTyped, s.answer, s.number, ""}
	taken := typingState{fieldTaken, s.answer, s.number, ""}
	switch {
	case s.phase == nothingTyped:
		return chooseAnswer, s, ""
	case s.phase == fieldTaken && q.field == prompt.Left: // somebody has answered the question
		return chooseAnswer, free, ""
	case s.phase == fieldTaken:
		return withholdOthers, s, ""
	case q.field == prompt.Left && s.phase == restPending:
		return chooseAnswer, free, wentOnEarly
	case q.field == prompt.Left:
		return chooseAnswer, free, WentOn
	case q.field == "": // another client has typed an answer, or the holder is older
		return withholdOthers, taken, unknownField
	case s.phase == enterPending && s.readsKeys(q):
		return withholdOthers, taken, readsKeys
	case s.phase == enterPending && q.erase > 0 && s.text != "":
		return eraseField, typingState{textPending, s.answer, q.number, s.text}, ""
	case s.phase == textPending && q.erased:
		return typeRest, typingState{enterPending, s.answer, q.number, ""}, ""
	case q.field == prompt.Stands && s.text != "" && q.Waiting.Confidence == "heuristic" && strings.HasSuffix(strings.TrimRight(q.Waiting.Prompt, " "), " "+s.text):
		return withholdOthers, taken, mayBeTaken
	case q.field == prompt.Stands:
		return withholdOthers, taken, fieldDiffers
	case s.phase == restPending:
		return typeRest, typingState{enterPending, s.answer, q.number, ""}, ""
	}
	return typeEnter, typingState{}, ""
}

// readsKeys reports whether the program seems to read single keys: a line editor needs no echo. After several characters that
// were typed in one piece, a question for a key is only the blank row behind a full one.
func (s typingState) readsKeys(q question) bool {
	return q.Waiting.Echo || q.Waiting.Kind == string(prompt.Key) && utf8.RuneCountInString(s.text) < 2
}

// A beginning is what an answerer types first of an answer.
type beginning struct {
	text   string
	enter  bool        // the Enter follows at once
	after  typingState // state once this is typed
	reason string      // why there is no Enter
}

// begin returns what to type first of an answer. The Enter follows at once only if it certainly belongs to the answer.
// Where one key may be the whole answer, begin returns only the first character. A bare answer gets no Enter at all.
func begin(q question, answer int, text string, bare bool) beginning {
	switch {
	case bare:
		return beginning{text: text, reason: wantedBare}
	case text == "" || q.Waiting.Canonical:
		return beginning{text: text, enter: true}
	}
	rest := ""
	if kind := prompt.Kind(q.Waiting.Kind); kind == prompt.Confirm || kind == prompt.Key || q.Waiting.Echo {
		_, n := utf8.DecodeRuneInString(text)
		text, rest = text[:n], text[n:]
	}
	after := typingState{enterPending, answer, q.number, text}
	if rest != "" {
		after.phase, after.text = restPending, rest
	}
	return beginning{text: text, after: after, reason: waitEnded}
}
