package hold

import (
	"errors"
	"strings"
	"testing"
	"time"

	"devtools/runner/pty"
	"devtools/runner/wire"
)

// After a request that closes the pipe there are no others. When its text could not be written, the pipe stays open.
func TestPipeClosing(t *testing.T) {
	in := newInput(t)
	in.program.Input = &pty.InputPipe{}
	request := func(eof bool) *typed {
		return &typed{
			link: newClient(), req: &wire.Request{Type: &wire.TypeRequest{EOF: eof}}, begun: time.Now(), limit: time.Second, size: 3,
		}
	}
	text, last := request(false), request(true)
	for _, r := range []*typed{text, last} {
		if err := in.enqueuePipe(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := in.enqueuePipe(request(false)); !errors.Is(err, wire.ErrInputClosed) {
		t.Errorf("after the end: %v", err)
	}
	if err := in.tooLate(text); !in.closing || !errors.Is(err, wire.ErrInputFull) {
		t.Errorf("the text is given up: closing %v, %v", in.closing, err)
	}
	if err := in.tooLate(last); in.closing || !strings.Contains(err.Error(), "other input was still being written after 1s; 0 of 3 bytes") {
		t.Errorf("the end is given up: closing %v, %v", in.closing, err)
	}
	if err := in.enqueuePipe(request(false)); err != nil {
		t.Errorf("it is open again: %v", err)
	}
	if in.closePipe(); !in.closing {
		t.Error("it is open after the end of the program")
	}
}
