package hold

import (
	"testing"

	"devtools/runner/wire"
)

// A client in a sandbox may read. What it may do is listed, so that it may not do what is new.
func TestReads(t *testing.T) {
	for _, test := range []struct {
		req  wire.Request
		want bool
	}{
		{wire.Request{Op: wire.OpFollow}, true},
		{wire.Request{Op: wire.OpScreen}, true},
		{wire.Request{Op: wire.OpState}, true},
		{wire.Request{Op: wire.OpState, On: true}, false},
		{wire.Request{Op: wire.OpCapture, Capture: &wire.CaptureRequest{Action: wire.CaptureList}}, true},
		{wire.Request{Op: wire.OpCapture, Capture: &wire.CaptureRequest{Action: wire.CaptureStart}}, false},
		{wire.Request{Op: wire.OpCapture}, false},
		{wire.Request{Op: wire.OpWait, Wait: &wire.WaitRequest{Until: []string{"text:http:", "exit"}, Fail: []string{"port:80"}}}, true},
		{wire.Request{Op: wire.OpWait, Wait: &wire.WaitRequest{Until: []string{"exit"}, Fail: []string{"http:http://127.0.0.1"}}}, false},
		{wire.Request{Op: wire.OpWait, Wait: &wire.WaitRequest{Until: []string{"file:/etc/passwd"}}}, false},
		{wire.Request{Op: wire.OpWait}, false},
		{wire.Request{Op: wire.OpType}, false},
		{wire.Request{Op: wire.OpInput}, false},
		{wire.Request{Op: wire.OpShell}, false},
		{wire.Request{Op: wire.OpAttach, ReadOnly: true}, false},
		{wire.Request{Op: wire.OpMoveIn}, false},
		{wire.Request{Op: wire.OpKill}, false},
		{wire.Request{Op: "of the future"}, false},
	} {
		if got := reads(&test.req); got != test.want {
			t.Errorf("%+v: %v", test.req, got)
		}
	}
}
