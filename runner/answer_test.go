package runner

import (
	"bufio"
	"context"
	"net"
	"regexp"
	"testing"

	"devtools/ledger"
	"devtools/runner/wire"
)

// An answer that ended the program is reported as typed and entered, even if the news of the end comes first.
func TestReportsOfFinishedCommand(t *testing.T) {
	near, far := net.Pipe()
	defer far.Close()
	c := &Client{wire.NewConn(ledger.Dir{}, ledger.Session{}, near, bufio.NewReader(near), nil)}
	ctx, cancel := context.WithCancel(t.Context())
	a := c.watchInput(ctx, InputOptions{Answers: []Answer{{Pattern: regexp.MustCompile("Name"), Text: "x"}}}, 0)
	go func() {
		_, err := a.answer(ctx, question{InputState: wire.InputState{Waiting: &wire.Waiting{Prompt: "Name? ", Canonical: true}}, number: 1})
		if err != nil {
			t.Error(err)
		}
	}()
	var req wire.Request
	if err := wire.ReadLine(bufio.NewReader(far), wire.MaxRequest, &req); err != nil || req.Op != wire.OpType {
		t.Fatalf("got %q, %v", req.Op, err)
	}
	stopped := make(chan struct{})
	reports := make(chan []AnswerReport)
	go func() { reports <- a.reports(func() { cancel(); close(stopped) }, true) }()
	go wire.WriteResponse(far, wire.Response{V: wire.Version, ID: req.ID, Receipt: &wire.Receipt{}})
	got := <-reports
	if len(got) != 1 || !got[0].Typed || !got[0].Entered || got[0].Reason != "" {
		t.Errorf("got %+v", got)
	}
	select {
	case <-stopped:
		t.Error("the watching was ended before its answer was there")
	default:
	}
}
