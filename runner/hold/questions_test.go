package hold

import (
	"testing"
	"time"

	"devtools/ledger"
	"devtools/ledger/transcript"
	"devtools/runner/blocked"
	"devtools/runner/prompt"
	"devtools/runner/pty"
	"devtools/runner/wire"
	"devtools/screen"
)

// asked returns a result that shows a question.
func asked(c *core, text string) probeResult {
	return probeResult{
		at: time.Now(), confirmed: true, typed: c.typed.Load(),
		waiting: &wire.Waiting{PID: 7, Kind: string(prompt.Line), Prompt: text, Confidence: "certain"},
		picture: frame{Picture: wire.Picture{Offset: c.log.Next()}},
	}
}

// put makes the question of a result the open one, as found does.
func (qs *questions) put(s probeResult) {
	if !qs.same(s) {
		qs.question.number++
	}
	qs.question.Waiting, qs.question.offset, qs.questioned = s.waiting, s.picture.Offset, s.typed
}

// A question is the same one as long as the same program shows the same text and nothing was typed that it could read.
func TestSameQuestion(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*questions, *probeResult)
		want   bool
	}{
		{"nothing", func(*questions, *probeResult) {}, true},
		{"another program", func(_ *questions, s *probeResult) { s.waiting.PID = 8 }, false},
		{"another kind", func(_ *questions, s *probeResult) { s.waiting.Kind = string(prompt.Confirm) }, false},
		{"another text", func(_ *questions, s *probeResult) { s.waiting.Prompt = "Age?" }, false},
		{"half a line was typed", func(_ *questions, s *probeResult) { s.typed = &typedAt{inputs: 0} }, true},
		{"a line was typed", func(_ *questions, s *probeResult) { s.typed = &typedAt{inputs: 1} }, false},
		{"less is known about it", func(_ *questions, s *probeResult) { s.waiting.Confidence = "medium" }, true},
		{"more is known about it", func(qs *questions, _ *probeResult) { qs.question.Waiting.Confidence = "medium" }, false},
		{"the screen was redrawn", func(qs *questions, s *probeResult) {
			qs.question.Waiting.Drawn = true
			s.waiting.Prompt = "another"
		}, true},
	} {
		c := newCore(t)
		qs := &questions{core: c}
		qs.put(asked(c, "Name?"))
		s := asked(c, "Name?")
		test.change(qs, &s)
		if got := qs.same(s); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}

// The confidence of a question stays the best with which it was seen, as long as the same program shows it in the same row and
// nothing is typed.
func TestConfidenceStays(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*probeResult)
		want   string
	}{
		{"nothing", func(*probeResult) {}, "medium"},
		{"another program", func(s *probeResult) { s.waiting.PID = 8 }, "heuristic"},
		{"another program in the process", func(s *probeResult) { s.waiting.Command = "cat" }, "heuristic"},
		{"another text", func(s *probeResult) { s.waiting.Prompt = "Name? x" }, "heuristic"},
		{"another row", func(s *probeResult) { s.picture.scrolled++ }, "heuristic"},
		{"the echo", func(s *probeResult) { s.waiting.Echo = true }, "heuristic"},
		{"half a line was typed", func(s *probeResult) { s.typed = &typedAt{inputs: 0} }, "heuristic"},
		{"a line was typed", func(s *probeResult) { s.typed = &typedAt{inputs: 1} }, "heuristic"},
	} {
		c := newCore(t)
		c.program = &pty.Program{}
		qs := &questions{core: c}
		seen := func(confidence blocked.Confidence) *probeResult {
			s := asked(c, "Name?")
			s.verdict.State, s.verdict.Confidence, s.waiting.Confidence = blocked.Waiting, confidence, string(confidence)
			s.picture.Snapshot = wire.NewTerminal(ledger.Size{Cols: 80, Rows: 24}, 0).Snapshot(screen.Visible())
			return &s
		}
		qs.found(seen(blocked.Medium))
		s := seen(blocked.Heuristic)
		test.change(s)
		if qs.found(s); s.waiting.Confidence != test.want || qs.question.Waiting.Confidence != test.want {
			t.Errorf("%s: %s", test.name, s.waiting.Confidence)
		}
		if s.verdict.Confidence != blocked.Heuristic {
			t.Errorf("%s: the verdict became %s", test.name, s.verdict.Confidence)
		}
	}
}

// A question stands until something is typed or printed, another one is asked, or the program ends.
func TestStanding(t *testing.T) {
	for name, happens := range map[string]func(*core, *questions){
		"typed":   func(c *core, _ *questions) { c.typed.Store(&typedAt{}) },
		"printed": func(c *core, _ *questions) { c.log.Append([]byte("x"), transcript.Output, 0) },
		"another": func(c *core, qs *questions) { qs.put(asked(c, "Age?")) },
		"ended":   func(c *core, _ *questions) { c.ended.Store(true) },
	} {
		c := newCore(t)
		qs := &questions{core: c}
		qs.put(asked(c, "Name?"))
		number := qs.question.number
		if q := qs.standing(number); q == nil || q.Waiting.Prompt != "Name?" {
			t.Errorf("%s: it does not stand before", name)
		}
		if happens(c, qs); qs.standing(number) != nil {
			t.Errorf("%s: it still stands", name)
		}
	}
}

// The text typed at a question is remembered until another answer is typed. An answer may come in two texts.
func TestNoteAnswer(t *testing.T) {
	qs := &questions{core: newCore(t)}
	q := func(number int) *openQuestion { return &openQuestion{number: number} }
	typed := func(text string, goesOn int, enter bool) *wire.TypeRequest {
		return &wire.TypeRequest{Keys: wire.Keys{Args: []string{text}, Enter: enter}, GoesOn: goesOn}
	}
	qs.noteAnswer(q(1), typed("b", 0, false))
	qs.noteAnswer(q(2), typed("lue", 1, false))
	if qs.answer.text != "blue" || qs.answer.number != 2 {
		t.Errorf("%+v", qs.answer)
	}
	qs.noteAnswer(q(3), typed("whole", 0, true)) // with its Enter it needs no second look
	if qs.answer.text != "blue" {
		t.Errorf("%+v", qs.answer)
	}
	erase := typed("Backspace", 2, false)
	erase.Erases = true
	qs.noteAnswer(q(3), erase)
	if qs.answer.text != "blue" || qs.answer.number != 3 || !qs.answer.erasing {
		t.Errorf("%+v", qs.answer)
	}
	qs.noteAnswer(q(4), typed("blue", 3, false)) // typed again at the empty field
	if qs.answer.text != "blue" || qs.answer.question.number != 4 || qs.answer.erasing || !qs.answer.erased {
		t.Errorf("%+v", qs.answer)
	}
	qs.noteAnswer(q(4), typed("red", 1, false)) // it goes on with an answer that is not the last
	if qs.answer.text != "red" || qs.answer.number != 4 {
		t.Errorf("%+v", qs.answer)
	}
}
