package runner

import (
	"bufio"
	"context"
	"net"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"devtools/ledger"
	"devtools/runner/wire"
)

// A question that comes while another one stands is asked of a person in its place: the earlier request is not withdrawn before.
func TestAskPersonAnew(t *testing.T) {
	near, far := net.Pipe()
	defer far.Close()
	c := &Client{wire.NewConn(ledger.Dir{}, ledger.Session{Size: ledger.Size{Cols: 80, Rows: 24}}, near, bufio.NewReader(near), nil)}
	message := func(w wire.Waiting) string { return w.Prompt }
	c.watchInput(t.Context(), InputOptions{OnInput: OnInputAsk, Message: message}, 0)
	var asked []string
	for r := bufio.NewReader(far); len(asked) < 2; {
		var req wire.Request
		if err := wire.ReadLine(r, wire.MaxRequest, &req); err != nil {
			t.Fatal(err)
		}
		resp := wire.Response{V: wire.Version, ID: req.ID, Stands: true}
		switch req.Op {
		case wire.OpQuestion:
			resp.Question = req.Question + 1
			resp.InputState = &wire.InputState{Waiting: &wire.Waiting{Prompt: strconv.Itoa(resp.Question)}}
		case wire.OpAsk:
			if asked = append(asked, req.Message); !req.On {
				t.Error("the request stands beside the earlier one")
			}
			continue // a person has not been there yet
		case wire.OpWithdraw:
			t.Errorf("a request is withdrawn after %q", asked)
		}
		if err := wire.WriteResponse(far, resp); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(asked, []string{"1", "2"}) {
		t.Errorf("asked for %q", asked)
	}
}

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
