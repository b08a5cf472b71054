package runner

import (
	"testing"

	"devtools/runner/prompt"
	"devtools/runner/wire"
)

// asks returns a question of a program that reads single keys without echo.
func asks(number int, field prompt.Field, change func(*wire.Waiting)) question {
	w := &wire.Waiting{Kind: string(prompt.Line)}
	if change != nil {
		change(w)
	}
	return question{InputState: wire.InputState{Waiting: w}, number: number, field: field}
}

// The table of typingState: each phase with each thing that the field of the question may show.
func TestTypingStateNext(t *testing.T) {
	echo := func(w *wire.Waiting) { w.Echo = true }
	key := func(w *wire.Waiting) { w.Kind = string(prompt.Key) }
	rest, enter := typingState{restPending, 2, 7, "es"}, typingState{enterPending, 2, 7, "yes"}
	single := typingState{enterPending, 2, 7, "y"}
	taken, free := typingState{fieldTaken, 2, 7, ""}, typingState{nothingTyped, 2, 7, ""}
	for name, test := range map[string]struct {
		state  typingState
		field  prompt.Field
		change func(*wire.Waiting)
		do     action
		after  typingState
		reason string
	}{
		"nothing":               {typingState{}, "", nil, chooseAnswer, typingState{}, ""},
		"went on before":        {free, prompt.Shows, nil, chooseAnswer, free, ""},
		"rest, shows":           {rest, prompt.Shows, nil, typeRest, typingState{enterPending, 2, 8, ""}, ""},
		"rest, shows, echo":     {rest, prompt.Shows, echo, typeRest, typingState{enterPending, 2, 8, ""}, ""},
		"rest, went on":         {rest, prompt.Left, nil, chooseAnswer, free, wentOnEarly},
		"rest, differs":         {rest, prompt.Stands, nil, withholdOthers, taken, fieldDiffers},
		"rest, unknown":         {rest, "", nil, withholdOthers, taken, unknownField},
		"enter, shows":          {enter, prompt.Shows, nil, typeEnter, typingState{}, ""},
		"enter, shows, echo":    {enter, prompt.Shows, echo, withholdOthers, taken, readsKeys},
		"enter, shows, key":     {single, prompt.Shows, key, withholdOthers, taken, readsKeys},
		"enter, rest, key":      {typingState{enterPending, 2, 7, ""}, prompt.Shows, key, withholdOthers, taken, readsKeys},
		"enter, full row":       {enter, prompt.Shows, key, typeEnter, typingState{}, ""},
		"enter, went on":        {enter, prompt.Left, nil, chooseAnswer, free, WentOn},
		"enter, went on, key":   {enter, prompt.Left, key, chooseAnswer, free, WentOn},
		"enter, differs":        {enter, prompt.Stands, nil, withholdOthers, taken, fieldDiffers},
		"enter, may be taken":   {enter, prompt.Stands, func(w *wire.Waiting) { w.Prompt, w.Confidence = "Sure? yes ", "heuristic" }, withholdOthers, taken, mayBeTaken},
		"enter, differs, echo":  {enter, prompt.Stands, echo, withholdOthers, taken, readsKeys},
		"enter, unknown":        {enter, "", echo, withholdOthers, taken, unknownField},
		"taken, shows":          {taken, prompt.Shows, nil, withholdOthers, taken, ""},
		"taken, differs":        {taken, prompt.Stands, nil, withholdOthers, taken, ""},
		"taken, unknown":        {taken, "", nil, withholdOthers, taken, ""},
		"taken, others went on": {taken, prompt.Left, nil, chooseAnswer, free, ""},
	} {
		do, after, reason := test.state.next(asks(8, test.field, test.change))
		if do != test.do || after != test.after || reason != test.reason {
			t.Errorf("%s: got %d, %+v, %q, want %d, %+v, %q", name, do, after, reason, test.do, test.after, test.reason)
		}
	}
}

// A default in front of the text is erased once, with the text, which is then typed again.
func TestTypingStateErases(t *testing.T) {
	enter, text := typingState{enterPending, 2, 7, "yes"}, typingState{textPending, 2, 7, "yes"}
	taken := typingState{fieldTaken, 2, 7, ""}
	for name, test := range map[string]struct {
		state  typingState
		erase  int
		erased bool
		do     action
		after  typingState
		reason string
	}{
		"a default":       {enter, 9, false, eraseField, typingState{textPending, 2, 8, "yes"}, ""},
		"another default": {typingState{enterPending, 2, 7, ""}, 9, false, withholdOthers, taken, fieldDiffers},
		"a rest":          {typingState{restPending, 2, 7, "es"}, 9, false, withholdOthers, taken, fieldDiffers},
		"empty":           {text, 0, true, typeRest, typingState{enterPending, 2, 8, ""}, ""},
		"not empty":       {text, 0, false, withholdOthers, taken, fieldDiffers},
	} {
		q := asks(8, prompt.Stands, nil)
		q.erase, q.erased = test.erase, test.erased
		do, after, reason := test.state.next(q)
		if do != test.do || after != test.after || reason != test.reason {
			t.Errorf("%s: got %d, %+v, %q, want %d, %+v, %q", name, do, after, reason, test.do, test.after, test.reason)
		}
	}
}

// The Enter follows at once only where a program reads lines. The rest waits only where one key may be the whole
// answer.
func TestBegin(t *testing.T) {
	kind := func(k prompt.Kind) func(*wire.Waiting) { return func(w *wire.Waiting) { w.Kind = string(k) } }
	canonical := func(w *wire.Waiting) { w.Canonical, w.Kind = true, string(prompt.Confirm) }
	waiting := func(phase typingPhase, rest string) typingState { return typingState{phase, 1, 8, rest} }
	for name, test := range map[string]struct {
		change func(*wire.Waiting)
		text   string
		bare   bool
		want   beginning
	}{
		"lines":             {canonical, "yes", false, beginning{text: "yes", enter: true}},
		"lines, bare":       {canonical, "yes", true, beginning{text: "yes", reason: wantedBare}},
		"Enter alone":       {kind(prompt.Key), "", false, beginning{enter: true}},
		"nothing":           {kind(prompt.Key), "", true, beginning{reason: wantedBare}},
		"keys, a line":      {nil, "yes", false, beginning{"yes", false, waiting(enterPending, "yes"), waitEnded}},
		"keys, a choice":    {kind(prompt.Choice), "12", false, beginning{"12", false, waiting(enterPending, "12"), waitEnded}},
		"keys, yes or no":   {kind(prompt.Confirm), "yes", false, beginning{"y", false, waiting(restPending, "es"), waitEnded}},
		"keys, a key":       {kind(prompt.Key), "äb", false, beginning{"ä", false, waiting(restPending, "b"), waitEnded}},
		"keys, one key":     {kind(prompt.Key), "y", false, beginning{"y", false, waiting(enterPending, "y"), waitEnded}},
		"keys, with echo":   {func(w *wire.Waiting) { w.Echo = true }, "yes", false, beginning{"y", false, waiting(restPending, "es"), waitEnded}},
		"keys, a key, bare": {kind(prompt.Key), "yes", true, beginning{text: "yes", reason: wantedBare}},
	} {
		if got := begin(asks(8, "", test.change), 1, test.text, test.bare); got != test.want {
			t.Errorf("%s: got %+v, want %+v", name, got, test.want)
		}
	}
}

// Refusals are counted for one question at a time.
func TestRefusals(t *testing.T) {
	var r refusals
	for i, test := range []struct{ number, want int }{{1, 1}, {1, 2}, {2, 1}, {2, 2}, {1, 1}} {
		if got := r.add(test.number); got != test.want {
			t.Errorf("refusal %d, of question %d: got %d, want %d", i, test.number, got, test.want)
		}
	}
}
