package hold

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"devtools/ledger/transcript"
	"devtools/runner/condition"
	"devtools/runner/wire"
)

func newWaits(t *testing.T) *waits {
	t.Helper()
	d := newDisplay(t)
	c := d.core
	shell := &shell{core: c}
	probing := &probing{core: c}
	return &waits{
		core: c, completion: &completion{core: c, outputs: 1}, display: d, shell: shell, probing: probing,
		questions: &questions{core: c, probing: probing, shell: shell},
	}
}

// ask makes a client wait, and returns it.
func (ws *waits) ask(req *wire.WaitRequest) *link {
	l := newClient()
	ws.serve(l, &wire.Request{ID: 1, Wait: req})
	return l
}

// answer returns the answer that the client gets.
func (l *link) waitAnswer(t *testing.T, ws *waits, what string) *wire.WaitAnswer {
	t.Helper()
	ws.until(t, what, func() bool { return len(l.send) > 0 })
	resp := <-l.send
	if resp.Error != nil || resp.Wait == nil {
		t.Fatalf("%s: %+v", what, resp.Error)
	}
	return resp.Wait
}

// A text that is printed ends the wait for it, and says what has matched.
func TestWaitForText(t *testing.T) {
	ws := newWaits(t)
	ready := ws.ask(&wire.WaitRequest{Until: []string{"text:ready in [0-9]+"}})
	failed := ws.ask(&wire.WaitRequest{Until: []string{"text:ready in never"}, Fail: []string{"text:panic"}})
	ws.display.print("starting\r\nready in 12 ms\r\n")
	if got := ready.waitAnswer(t, ws, "the text"); len(got.Met) != 1 || got.Match != "ready in 12" {
		t.Errorf("%+v", got)
	}
	ws.display.print("panic: no\r\n")
	if got := failed.waitAnswer(t, ws, "the failure"); got.Failed != "text:panic" || got.Match != "panic" {
		t.Errorf("%+v", got)
	}
	if len(ws.list) > 0 {
		t.Errorf("%d still wait", len(ws.list))
	}
}

// Of several conditions one suffices, or with all every one of them.
func TestWaitForAll(t *testing.T) {
	ws := newWaits(t)
	first, second := filepath.Join(t.TempDir(), "first"), filepath.Join(t.TempDir(), "second")
	write := func(name string) {
		t.Helper()
		if err := os.WriteFile(name, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	files := []string{"file:" + first, "file:" + second}
	one, all := ws.ask(&wire.WaitRequest{Until: files}), ws.ask(&wire.WaitRequest{Until: files, All: true})
	write(first)
	if got := one.waitAnswer(t, ws, "the first file"); len(got.Met) != 1 {
		t.Errorf("%+v", got)
	}
	if len(all.send) > 0 {
		t.Error("one of two is enough")
	}
	write(second)
	if got := all.waitAnswer(t, ws, "both files"); len(got.Met) != 2 {
		t.Errorf("%+v", got)
	}
}

// A wait ends when its time is over, or when its client is gone.
func TestWaitTimesOut(t *testing.T) {
	ws := newWaits(t)
	begin := time.Now()
	l := ws.ask(&wire.WaitRequest{Until: []string{"text:never"}, TimeoutMs: 5000})
	gone := ws.ask(&wire.WaitRequest{Until: []string{"text:never"}})
	if ws.waiting(l) != 1 {
		t.Errorf("%d waits", ws.waiting(l))
	}
	at := ws.deadline()
	if d := at.Sub(begin); d < 5*time.Second || d > 5*time.Second+patience {
		t.Errorf("deadline after %v", d)
	}
	ws.tick(at.Add(-1))
	if len(l.send) > 0 {
		t.Error("it ends early")
	}
	ws.tick(at)
	if got := l.waitAnswer(t, ws, "the time"); !got.TimedOut {
		t.Errorf("%+v", got)
	}
	ctx := ws.list[0].ctx
	if ws.dropped(gone); len(ws.list) > 0 || ctx.Err() != context.Canceled {
		t.Errorf("%d wait for a client that is gone", len(ws.list))
	}
}

// After the end of the program its last picture still counts, and then nothing can come true any more. The end itself counts
// when the result is known.
func TestWaitForEnd(t *testing.T) {
	ws := newWaits(t)
	text := ws.ask(&wire.WaitRequest{Until: []string{"text:last words"}})
	never, exit := ws.ask(&wire.WaitRequest{Until: []string{"text:never"}}), ws.ask(&wire.WaitRequest{Until: []string{"exit"}})
	ws.log.Append([]byte("last words"), transcript.Output, 0)
	ws.ended.Store(true)
	ws.display.feed.grown(ws.log.Next())
	ws.completion.outputEnded()
	ws.tick(time.Now())
	if got := text.waitAnswer(t, ws, "the last words"); len(got.Met) != 1 {
		t.Errorf("%+v", got)
	}
	if got := never.waitAnswer(t, ws, "the end"); !got.Ended {
		t.Errorf("%+v", got)
	}
	ws.until(t, "the last look", ws.allLooked)
	if len(exit.send) > 0 {
		t.Error("the exit counts before the result is known")
	}
	ws.completion.complete = true
	ws.finish()
	if got := exit.waitAnswer(t, ws, "the result"); len(got.Met) != 1 {
		t.Errorf("%+v", got)
	}
}

// What cannot be waited for is refused.
func TestWaitRefuses(t *testing.T) {
	ws := newWaits(t)
	for name, req := range map[string]*wire.WaitRequest{
		"nothing":            nil,
		"no condition":       {},
		"a bad condition":    {Until: []string{"textt:x"}},
		"too many":           {Until: make([]string, condition.Most+1)},
		"input, no terminal": {Until: []string{"input"}},
	} {
		if l := ws.ask(req); len(l.send) != 1 || (<-l.send).Error == nil {
			t.Errorf("%s: not refused", name)
		}
	}
	if len(ws.list) > 0 {
		t.Errorf("%d wait", len(ws.list))
	}
}
