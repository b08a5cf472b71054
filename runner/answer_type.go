package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"devtools/runner/prompt"
	"devtools/runner/wire"
)

// An AnswerReport says what became of an Answer.
type AnswerReport struct {
	Pattern  string `json:"pattern"`
	Question string `json:"question"` // question at which it was typed or withheld; "": none matched
	Typed    bool   `json:"typed"`
	Entered  bool   `json:"entered"`         // an Enter was typed after it
	Reason   string `json:"reason,omitzero"` // why it was not typed, or typed without Enter
}

// Why an answer was not typed, or typed without Enter.
const (
	noQuestion   = "no question matched"
	takesKeys    = `the program draws its screen and takes keys; TEXT\c types TEXT without Enter`
	wantedBare   = `it ends with \c`
	readsKeys    = "the program reads single keys"
	wentOn       = "the program went on without Enter"
	wentOnEarly  = "the program went on at its first character, and the rest was not typed"
	fieldDiffers = "the question is still there, but its field shows something else"
	fieldTaken   = "an earlier answer stands in the field without Enter"
	unknownField = "what became of the question is not known"
	waitEnded    = "the wait ended before the program asked again"
)

// An answerLog holds the reports. Typing an answer holds its lock, so that reports waits for it.
type answerLog struct {
	mu   sync.Mutex
	list []AnswerReport
}

func newAnswerLog(answers []Answer) *answerLog {
	l := &answerLog{list: []AnswerReport{}}
	for _, answer := range answers {
		l.list = append(l.list, AnswerReport{Pattern: answer.Pattern.String(), Reason: noQuestion})
	}
	return l
}

// reports returns the reports as they are now. A command that has ended has taken the typed text.
func (l *answerLog) reports(ended bool) []AnswerReport {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := slices.Clone(l.list)
	for i := range all {
		if ended && all[i].Reason == waitEnded {
			all[i].Reason = wentOn
		}
	}
	return all
}

// answer types what the question needs next: the rest of the last answer, the Enter after it, or the first answer that
// matches. It reports whether it typed something. The error is ErrAnswered when another client was faster, or the reason
// why the answer cannot be typed.
func (a *answerer) answer(ctx context.Context, q question) (bool, error) {
	a.log.mu.Lock()
	defer a.log.mu.Unlock()
	switch a.checkLast(q); {
	case a.last.number == 0 || a.last.left:
	case a.last.stands:
		a.withholdOthers(q)
		return false, nil
	case a.last.rest != "":
		return a.typeRest(ctx, q)
	default:
		return a.typeEnter(ctx, q)
	}
	if q.above {
		return false, nil
	}
	asked := cmp.Or(q.asked, q.Waiting.Prompt)
	for i, answer := range a.opts.Answers {
		r := &a.log.list[i]
		text, bare := strings.CutSuffix(answer.Text, noEnter)
		if r.Typed || !answer.Pattern.MatchString(asked) {
			continue
		}
		r.Question = asked
		switch {
		case q.Waiting.Drawn && !bare: // an Enter would press a button
			r.Reason = takesKeys
			continue
		case !wire.AtLeast(q.Waiting.Confidence, a.opts.Proof):
			r.Reason = fmt.Sprintf("the confidence is only %s; --min-confidence %[1]s types it", q.Waiting.Confidence)
			return false, fmt.Errorf("an answer matches, but is not typed: %s", r.Reason)
		}
		return a.typeFirst(ctx, q, i, text, bare)
	}
	return false, nil
}

// withholdOthers notes for the other matching answers why they are not typed.
func (a *answerer) withholdOthers(q question) {
	for i, answer := range a.opts.Answers {
		if r := &a.log.list[i]; !r.Typed && answer.Pattern.MatchString(q.Waiting.Prompt) {
			r.Question, r.Reason = q.Waiting.Prompt, fieldTaken
		}
	}
}

// typeFirst types answer i. The Enter follows at once only if it certainly belongs to the answer. Where one key may be
// the whole answer, typeFirst types only the first character.
func (a *answerer) typeFirst(ctx context.Context, q question, i int, text string, bare bool) (bool, error) {
	enter := !bare && (text == "" || q.Waiting.Canonical)
	rest := ""
	if kind := prompt.Kind(q.Waiting.Kind); !enter && !bare && (kind == prompt.Confirm || kind == prompt.Key || q.Waiting.Echo) {
		_, n := utf8.DecodeRuneInString(text)
		text, rest = text[:n], text[n:]
	}
	r := &a.log.list[i]
	if err := a.typeText(ctx, r, wire.TypeRequest{Keys: wire.Keys{Enter: enter}, Question: q.number}, text); err != nil {
		return false, err
	}
	a.last = typedText{}
	r.Typed, r.Entered, r.Reason = true, enter, ""
	switch {
	case bare:
		r.Reason = wantedBare
	case !enter:
		r.Reason, a.last = waitEnded, typedText{answer: i, number: q.number, rest: rest}
	}
	return true, nil
}

// checkLast notes what became of the last answer's question. While that question stands, no other answer is typed.
func (a *answerer) checkLast(q question) {
	if a.last.number == 0 || a.last.left {
		return
	}
	if a.last.stands {
		a.last.left = q.field == prompt.Left // somebody has answered the question
		return
	}
	reason := ""
	switch {
	case q.field == prompt.Left && a.last.rest != "":
		reason, a.last.left = wentOnEarly, true
	case q.field == prompt.Left:
		reason, a.last.left = wentOn, true
	case q.field == "": // another client has typed an answer, or the holder is older
		reason = unknownField
	// A line editor shows typed text by itself.
	case a.last.rest == "" && (q.Waiting.Echo || q.Waiting.Kind == string(prompt.Key)):
		reason = readsKeys
	case q.field == prompt.Stands:
		reason = fieldDiffers
	}
	if reason != "" {
		a.last.stands, a.log.list[a.last.answer].Reason = !a.last.left, reason
	}
}

// typeRest types the rest of an answer after the field has shown its first character.
func (a *answerer) typeRest(ctx context.Context, q question) (bool, error) {
	req := wire.TypeRequest{Question: q.number, GoesOn: a.last.number}
	if err := a.typeText(ctx, &a.log.list[a.last.answer], req, a.last.rest); err != nil {
		return false, err
	}
	a.last.number, a.last.rest = q.number, ""
	return true, nil
}

// typeEnter types the Enter after the last answer.
func (a *answerer) typeEnter(ctx context.Context, q question) (bool, error) {
	r := &a.log.list[a.last.answer]
	if err := a.typeText(ctx, r, wire.TypeRequest{Keys: wire.Keys{Enter: true}, Question: q.number}, ""); err != nil {
		return false, err
	}
	a.last = typedText{}
	r.Entered, r.Reason = true, ""
	return true, nil
}

// typeText types text if the question still stands, and notes an error in the report. It does not wait until the
// program reads: the next question shows what became of the text.
func (a *answerer) typeText(ctx context.Context, r *AnswerReport, req wire.TypeRequest, text string) error {
	req.Form, req.Args, req.NoWait = wire.Literal, [][]byte{[]byte(text)}, true
	_, err := a.client.Await(ctx, a.client.Send(wire.Request{Op: wire.OpType, Type: &req}))
	switch {
	case ctx.Err() != nil:
		r.Reason = "the wait ended while it was typed"
	case errors.Is(err, wire.ErrAnswered):
		r.Reason = wire.ErrAnswered.Error()
	case err != nil:
		r.Reason = err.Error()
	}
	return err
}
