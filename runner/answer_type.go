package runner

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"devtools/runner/prompt"
)

// An AnswerReport tells what became of an Answer.
type AnswerReport struct {
	Pattern  string `json:"pattern"`
	Question string `json:"question"` // at which it was typed, or withheld; "" where none matched
	Typed    bool   `json:"typed"`
	Entered  bool   `json:"entered"`         // an Enter was typed after it
	Reason   string `json:"reason,omitzero"` // why it was not typed, or without Enter
}

// Why an answer was not typed, or no Enter after it.
const (
	noQuestion  = "no question matched"
	takesKeys   = `the program draws its screen and takes keys; TEXT\c types TEXT without Enter`
	wantedBare  = `it ends with \c`
	readsKeys   = "the program reads single keys"
	wentOn      = "the program went on without one"
	fieldDiffer = "the question stands, and its field does not show exactly the answer"
)

// An answerSheet has the reports. Its lock is held while an answer is typed, so that who reads them knows the end of it.
type answerSheet struct {
	mu   sync.Mutex
	list []AnswerReport
}

func newAnswerSheet(answers []Answer) *answerSheet {
	s := &answerSheet{list: []AnswerReport{}}
	for _, answer := range answers {
		s.list = append(s.list, AnswerReport{Pattern: answer.Pattern.String(), Reason: noQuestion})
	}
	return s
}

// reports returns what is known by now.
func (s *answerSheet) reports() []AnswerReport {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.list)
}

// answer types what the question lacks: the Enter of the answer before, or the first answer that matches. It reports
// whether there is any. The error is ErrAnswered when somebody else was faster, or why it cannot be typed.
func (a *answerer) answer(ctx context.Context, q question) (bool, error) {
	a.sheet.mu.Lock()
	defer a.sheet.mu.Unlock()
	if standing := a.judge(q); standing {
		if a.last.stands {
			return false, nil
		}
		return a.enter(ctx, q)
	}
	if q.above {
		return false, nil
	}
	asked := cmp.Or(q.asked, q.Waiting.Prompt)
	for i, answer := range a.opts.Answers {
		r := &a.sheet.list[i]
		text, bare := strings.CutSuffix(answer.Text, noEnter)
		if r.Typed || !answer.Pattern.MatchString(asked) {
			continue
		}
		r.Question = asked
		switch {
		case q.Waiting.Drawn && !bare: // a button would be pressed
			r.Reason = takesKeys
			continue
		case !atLeast(q.Waiting.Confidence, a.opts.Proof):
			r.Reason = "that it is asked for is only " + q.Waiting.Confidence
			return false, fmt.Errorf("an answer matches, but is not typed: %s", r.Reason)
		}
		enter := !bare && (text == "" || q.Waiting.Canonical)
		if err := a.typeText(ctx, text, q.number, enter); err != nil {
			r.Reason = err.Error()
			return false, err
		}
		a.last = typedText{}
		r.Typed, r.Entered, r.Reason = true, enter, ""
		switch {
		case bare:
			r.Reason = wantedBare
		case !enter:
			r.Reason, a.last = wentOn, typedText{answer: i, number: q.number}
		}
		return true, nil
	}
	return false, nil
}

// judge reports whether the question is still the one of the last answer, to which no other is to be typed then. Its
// field shows the answer, unless a.last.stands.
func (a *answerer) judge(q question) bool {
	switch {
	case a.last.number == 0 || a.last.left:
		return false
	case q.field != prompt.Shows && q.field != prompt.Stands:
		a.last.left, a.sheet.list[a.last.answer].Reason = true, wentOn
		return false
	case a.last.stands:
		return true
	}
	reason := fieldDiffer
	if q.Waiting.Echo || q.Waiting.Kind == string(prompt.Key) { // a line editor shows what is typed by itself
		reason = readsKeys
	}
	if a.last.stands = q.field != prompt.Shows || reason == readsKeys; a.last.stands {
		a.sheet.list[a.last.answer].Reason = reason
	}
	return true
}

// enter types the Enter after the last answer.
func (a *answerer) enter(ctx context.Context, q question) (bool, error) {
	r := &a.sheet.list[a.last.answer]
	if err := a.typeText(ctx, "", q.number, true); err != nil {
		r.Reason = err.Error()
		return false, err
	}
	a.last = typedText{}
	r.Entered, r.Reason = true, ""
	return true, nil
}

// typeText types text at the question with a number, if it still stands. Nothing is to be known of what the program
// does with it: the next question tells.
func (a *answerer) typeText(ctx context.Context, text string, number int, enter bool) error {
	req := &typeRequest{Keys: Keys{Form: Literal, Enter: enter}, Args: [][]byte{[]byte(text)}, NoWait: true, Question: number}
	_, err := a.client.await(ctx, a.client.ask(request{Op: opType, Type: req}))
	return err
}
