package hold

import (
	"strings"
	"testing"
	"time"

	"devtools/ledger/transcript"
	"devtools/runner/blocked"
	"devtools/runner/wire"
)

// An asker hears results from after it has asked, and at the latest when its time is over.
func TestAskers(t *testing.T) {
	p := &probing{core: newCore(t)}
	now := time.Now()
	var heard []probeResult
	var last []bool
	a := &asker{since: now, until: now.Add(time.Second), heard: func(s probeResult, l bool) bool {
		heard, last = append(heard, s), append(last, l)
		return l
	}}
	p.askers = []*asker{a}
	p.result = probeResult{at: now.Add(-time.Second)}
	p.tell(now, func(*asker) bool { return true })
	p.result = probeResult{at: now.Add(time.Millisecond)}
	p.tell(now, func(*asker) bool { return true })
	if len(heard) != 2 || !heard[0].at.IsZero() || heard[1].at.IsZero() || last[0] || last[1] {
		t.Errorf("heard %v, last %v", heard, last)
	}
	p.ended.Store(true) // no glance
	if at := p.deadline(); !at.Equal(a.until) {
		t.Errorf("deadline after %v", at.Sub(now))
	}
	if p.tick(a.until); len(heard) != 3 || !last[2] || len(p.askers) > 0 {
		t.Errorf("heard %d, %d askers", len(heard), len(p.askers))
	}
}

// The end of the program ends all askers. A client that is gone has none.
func TestAskersEnd(t *testing.T) {
	p := &probing{core: newCore(t)}
	l, gone := newClient(), newClient()
	ended := 0
	never := func(probeResult, bool) bool { return false }
	p.askers = []*asker{{link: l, heard: never, ended: func(error) { ended++ }}, {link: gone, heard: never}, {heard: never}}
	if p.waiting(l) != 1 || p.waiting(gone) != 1 {
		t.Errorf("%d and %d wait", p.waiting(l), p.waiting(gone))
	}
	if p.dropped(gone); len(p.askers) != 2 {
		t.Errorf("%d askers", len(p.askers))
	}
	if p.end(nil); ended != 1 || len(p.askers) > 0 {
		t.Errorf("%d have heard of the end, %d askers", ended, len(p.askers))
	}
}

// A result does not hold when the program has printed, was typed at, or has ended since.
func TestResultHolds(t *testing.T) {
	idle := true
	p := &probing{core: newCore(t), inputIdle: func() bool { return idle }}
	s := probeResult{picture: frame{Picture: wire.Picture{Offset: p.log.Next()}}}
	if !p.holds(s) {
		t.Error("nothing has happened")
	}
	if idle = false; p.holds(s) {
		t.Error("something waits to be typed")
	}
	idle = true
	p.typed.Store(&typedAt{})
	if p.holds(s) {
		t.Error("something was typed")
	}
	s.typed = p.typed.Load()
	if !p.holds(s) {
		t.Error("the result is from after that")
	}
	if p.log.Append([]byte("x"), transcript.Output, 0); p.holds(s) {
		t.Error("something was printed")
	}
}

// A program that has asked the terminal something waits for the terminal, until the answer or for a moment.
func TestAsksTerminal(t *testing.T) {
	p := &probing{core: newCore(t)}
	print := func(text string) {
		p.keepTail([]byte(text))
		p.lastBytes = time.Now()
		p.printedAt.Store(p.lastBytes.UnixNano())
	}
	print("name? ")
	if p.asksTerminal() {
		t.Error("a question to a person")
	}
	print(strings.Repeat("x", 3*tailBytes) + "\x1b[6")
	if len(p.tail) != tailBytes {
		t.Errorf("%d bytes are kept", len(p.tail))
	}
	print("n")
	p.lastBytes = p.lastBytes.Add(time.Hour) // the test may be slow
	if !p.asksTerminal() {
		t.Error("a query in two pieces")
	}
	p.repliedAt.Store(time.Now().UnixNano())
	if p.asksTerminal() {
		t.Error("the query is answered")
	}
	print("\x1b[c")
	p.lastBytes = p.lastBytes.Add(-queryQuiet)
	if p.asksTerminal() {
		t.Error("nobody answers")
	}
}

// The input state says what a result means for input.
func TestInputState(t *testing.T) {
	now := time.Now()
	waiting := &wire.Waiting{Prompt: "Name?"}
	for name, test := range map[string]struct {
		result  probeResult
		accepts bool
		waiting *wire.Waiting
		reason  string
	}{
		"no look":     {probeResult{verdict: blocked.Verdict{State: blocked.Waiting}, confirmed: true}, false, nil, ""},
		"not reading": {probeResult{at: now, verdict: blocked.Verdict{State: blocked.NotWaiting}}, false, nil, "not_reading"},
		"unconfirmed": {probeResult{at: now, verdict: blocked.Verdict{State: blocked.Waiting}, waiting: waiting}, true, nil, ""},
		"waiting":     {probeResult{at: now, verdict: blocked.Verdict{State: blocked.Waiting}, confirmed: true, waiting: waiting}, true, waiting, ""},
	} {
		got := test.result.inputState()
		if got.AcceptsInput != test.accepts || got.Waiting != test.waiting || got.Reason != test.reason {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
