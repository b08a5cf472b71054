package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"devtools/ledger/transcript"
	"devtools/runner/wire"
)

// An AnswerReport says what became of an answer.
type AnswerReport struct {
	Pattern  string `json:"pattern"`         // expression of the answer
	Question string `json:"question"`        // question at which it was typed or withheld; "": none matched
	Typed    bool   `json:"typed"`           // the text was typed, or the keys
	Entered  bool   `json:"entered"`         // an Enter was typed after it
	Keys     bool   `json:"keys"`            // the answer names keys, to which no Enter is added
	Times    int    `json:"times"`           // how often it was typed
	Reason   string `json:"reason,omitzero"` // why it was not typed, or typed without Enter
}

// Why an answer was not typed, or typed without Enter.
const (
	NoQuestion   = "no question matched"
	takesKeys    = `the program draws its screen and takes keys: name them, as in keys:Down Enter`
	wantedBare   = `it ends with \c`
	readsKeys    = "the program reads single keys"
	WentOn       = "the program went on without Enter"
	wentOnEarly  = "the program went on at its first character, and the rest was not typed"
	fieldDiffers = "the question is still there, but its field shows something else"
	mayBeTaken   = "the field shows it, but whether the program waits for Enter or has taken the key is not known"
	fieldIsTaken = "an earlier answer stands in the field without Enter"
	mayBeOld     = "the text stands above the place where it is to be typed, and may be older"
	unknownField = "what became of the question is not known"
	waitEnded    = "the wait ended before the program asked again"
	UsedUp       = "it was typed once, and a question that it matches came again"
)

// An answerLog holds the reports. Typing an answer holds its lock, so that reports waits for it.
type answerLog struct {
	mu     sync.Mutex
	list   []AnswerReport
	rounds []round // of each answer
}

func newAnswerLog(answers []Answer) *answerLog {
	l := &answerLog{list: []AnswerReport{}, rounds: make([]round, len(answers))}
	for _, answer := range answers {
		l.list = append(l.list, AnswerReport{Pattern: answer.Pattern.String(), Keys: answer.Keys != nil, Reason: NoQuestion})
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
			all[i].Reason = WentOn
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
	do, after, reason := a.state.next(q)
	if reason != "" {
		a.log.list[a.state.answer].Reason = reason
	}
	switch do {
	case typeRest:
		return a.typeNext(ctx, wire.TypeRequest{Question: q.number, GoesOn: a.state.number}, a.state.text, after)
	case eraseField:
		req := wire.TypeRequest{Question: q.number, GoesOn: a.state.number, Erases: true}
		if err := a.press(ctx, &a.log.list[a.state.answer], req, slices.Repeat([]string{"Backspace"}, q.erase)); err != nil {
			return false, err
		}
		a.state = after
		return true, nil
	case typeEnter:
		return a.typeNext(ctx, wire.TypeRequest{Question: q.number, Keys: wire.Keys{Enter: true}}, "", after)
	case withholdOthers:
		a.state = after
		a.withhold(q, fieldIsTaken)
		return false, nil
	}
	a.state = after
	if q.above {
		a.withhold(q, mayBeOld)
		return false, nil
	}
	i, err := a.choose(q)
	if i < 0 {
		return false, err
	}
	return a.typeFirst(ctx, q, i)
}

// withhold notes for the matching answers why they are not typed.
func (a *answerer) withhold(q question, reason string) {
	for i, answer := range a.opts.Answers {
		if r := &a.log.list[i]; !r.Typed && answer.Pattern.MatchString(q.Waiting.Prompt) {
			r.Question, r.Reason = q.Waiting.Prompt, reason
		}
	}
}

// choose returns the index of the first answer that matches the question and may be typed. The index is -1 if there is none. An answer
// that matches but may not be typed gets its reason.
func (a *answerer) choose(q question) (int, error) {
	used := -1
	for i, answer := range a.opts.Answers {
		r := &a.log.list[i]
		if !answer.Pattern.MatchString(q.Waiting.Prompt) {
			continue
		}
		if r.Typed && !answer.Each {
			used = i
			continue
		}
		r.Question = q.Waiting.Prompt
		switch {
		case q.Waiting.Drawn && answer.Keys == nil && !strings.HasSuffix(answer.Text, noEnter): // an Enter would press a button
			r.Reason = takesKeys
		case !wire.AtLeast(q.Waiting.Confidence, a.opts.AnswerConfidence):
			r.Reason = fmt.Sprintf("the confidence is only %s; --min-confidence %[1]s types it", q.Waiting.Confidence)
			return -1, fmt.Errorf("an answer matches, but is not typed: %s", r.Reason)
		case answer.Each && a.goesRound(i, q):
			r.Reason = fmt.Sprintf("it was typed %d times, and the program only asks the same again", r.Times)
			return -1, fmt.Errorf("an answer matches, but is typed no more: %s", r.Reason)
		default:
			return i, nil
		}
	}
	if used >= 0 {
		a.log.list[used].Reason = UsedUp
	}
	return -1, nil
}

// A round is what was printed between two questions that one answer was typed at, and how often that came in succession.
type round struct {
	at     int64 // where the output ended when it was last typed
	output string
	same   int
}

// An answer for each question is typed no more when the output was repeated maxSame times, or after maxTimes: the program does not
// accept it. Of a round, only the beginning is compared.
const (
	maxSame  = 10
	maxTimes = 1000
	maxRound = 64 << 10
)

// goesRound notes that answer i matches a question again, and reports whether it must not be typed any more.
func (a *answerer) goesRound(i int, q question) bool {
	last := &a.log.rounds[i]
	if a.log.list[i].Times == 0 || q.offset == last.at {
		last.at = q.offset
		return false
	}
	reader := transcript.Open(a.client.Transcript())
	defer reader.Close()
	output := make([]byte, min(max(q.offset-last.at, 0), maxRound))
	n, _, _ := reader.ReadAt(output, last.at) // what cannot be read counts as the same
	next := round{at: q.offset, output: string(output[:n])}
	if next.output == last.output {
		next.same = last.same + 1
	}
	*last = next
	return next.same >= maxSame || a.log.list[i].Times >= maxTimes
}

// typeFirst types the beginning of answer i.
func (a *answerer) typeFirst(ctx context.Context, q question, i int) (bool, error) {
	if keys := a.opts.Answers[i].Keys; keys != nil {
		return a.typeKeys(ctx, q, i, keys)
	}
	text, bare := strings.CutSuffix(a.opts.Answers[i].Text, noEnter)
	b := begin(q, i, text, bare)
	r := &a.log.list[i]
	if err := a.typeText(ctx, r, wire.TypeRequest{Question: q.number, Whole: bare, Keys: wire.Keys{Enter: b.enter}}, b.text); err != nil {
		return false, err
	}
	a.state = b.after
	r.Typed, r.Entered, r.Reason = true, b.enter, b.reason
	r.Times++
	return true, nil
}

// typeKeys types the keys of answer i.
func (a *answerer) typeKeys(ctx context.Context, q question, i int, keys []string) (bool, error) {
	r := &a.log.list[i]
	if err := a.press(ctx, r, wire.TypeRequest{Question: q.number, Whole: true}, keys); err != nil {
		return r.Typed, err
	}
	a.state, r.Reason = typingState{}, ""
	r.Times++
	return true, nil
}

// press types keys for an answer. Each key waits until the program has taken the key before it: some programs discard what
// was typed before they read again (inquirer for Python), or take several keys in one piece for text (pterm).
func (a *answerer) press(ctx context.Context, r *AnswerReport, req wire.TypeRequest, keys []string) error {
	req.Form = wire.Notation
	for _, key := range keys {
		if err := a.request(ctx, r, req, key); err != nil {
			return err
		}
		r.Typed, req.Question = true, 0
	}
	return nil
}

// typeNext types what follows the beginning of the last answer.
func (a *answerer) typeNext(ctx context.Context, req wire.TypeRequest, text string, after typingState) (bool, error) {
	r := &a.log.list[a.state.answer]
	if err := a.typeText(ctx, r, req, text); err != nil {
		return false, err
	}
	if a.state = after; req.Enter {
		r.Entered, r.Reason = true, ""
	}
	return true, nil
}

// typeText types a text as it is. It does not wait until the program reads: the next question shows what became of it.
func (a *answerer) typeText(ctx context.Context, r *AnswerReport, req wire.TypeRequest, text string) error {
	req.Form, req.NoWait = wire.Literal, true
	return a.request(ctx, r, req, text)
}

// request types what arg names if the question of the request still stands, and notes an error in the report.
func (a *answerer) request(ctx context.Context, r *AnswerReport, req wire.TypeRequest, arg string) error {
	req.Args, req.By = [][]byte{[]byte(arg)}, wire.ByAnswer
	resp, err := a.client.Await(ctx, a.client.Send(wire.Request{Op: wire.OpType, Type: &req}))
	if err == nil && resp.Receipt != nil && resp.Receipt.Delivery.Lost() {
		err = fmt.Errorf("%w: %s", wire.ErrNotRead, resp.Receipt.Reason)
	}
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
