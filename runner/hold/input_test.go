package hold

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"devtools/ledger/transcript"
	"devtools/runner/pty"
	"devtools/runner/wire"
)

func newInput(t *testing.T) *input {
	t.Helper()
	ws := newWaits(t)
	return &input{
		core: ws.core, display: ws.display, shell: ws.shell, probing: ws.probing, questions: ws.questions, waits: ws, masking: &masking{core: ws.core},
		keys: make(chan keystrokes), early: make(chan keystrokes), urgent: make(chan keystrokes),
	}
}

// Bytes of a client are answered when they are typed, or with the reason why not.
func TestInputBytes(t *testing.T) {
	in, l := newInput(t), newClient()
	if keys, _ := in.next(); keys != nil {
		t.Error("something is to be typed")
	}
	in.typeBytes(l, &wire.Request{ID: 1, Data: []byte("ls\n")}, wire.ByAttach)
	in.typeBytes(l, &wire.Request{ID: 2, Data: []byte("pwd\n")}, wire.ByAttach)
	in.typeBytes(l, &wire.Request{ID: 3, Data: make([]byte, wire.MaxInput+1)}, wire.ByAttach)
	sameIDs(t, "too much at once", l.answered(), 3)
	for id := 1; id <= 2; id++ {
		keys, k := in.next()
		if keys == nil || k.id != id {
			t.Fatalf("the next keys are of request %d", k.id)
		}
		in.queue.take()
		in.written(k, wire.Receipt{}, nil)
		sameIDs(t, "typed", l.answered(), id)
	}
	if !in.queue.idle() || in.queue.open != 0 {
		t.Errorf("%d are open", in.queue.open)
	}
}

// At the end of the program what was not typed is answered. A client that is gone gets nothing, and keys of the holder's own
// report why they were not typed.
func TestInputAtEnd(t *testing.T) {
	in, l, gone := newInput(t), newClient(), newClient()
	in.typeBytes(l, &wire.Request{ID: 1, Data: []byte("x")}, wire.ByAttach)
	in.typeBytes(gone, &wire.Request{ID: 2, Data: []byte("x")}, wire.ByAttach)
	var failed error
	if err := in.add(keystrokes{data: []byte("x"), still: func() bool { return true }, failed: func(err error) { failed = err }}); err != nil {
		t.Fatal(err)
	}
	gone.gone = true
	in.ended.Store(true)
	in.drop()
	if got := l.answered(); len(got) != 1 || got[0].Error == nil || !errors.Is(got[0].Error.Err(), wire.ErrEnded) {
		t.Errorf("%+v", got)
	}
	sameIDs(t, "a client that is gone", gone.answered())
	if !errors.Is(failed, wire.ErrEnded) || !strings.Contains(failed.Error(), "web") {
		t.Errorf("the holder's own keys: %v", failed)
	}
	if in.queue.open != 0 {
		t.Errorf("%d are open", in.queue.open)
	}
}

// A request that has waited too long behind others is answered, and is not typed later.
func TestInputGivenUp(t *testing.T) {
	in, l := newInput(t), newClient()
	now := time.Now()
	request := &typed{link: l, req: &wire.Request{ID: 1, Type: &wire.TypeRequest{}}, begun: now, limit: typePatience}
	if err := in.enqueue(request); err != nil {
		t.Fatal(err)
	}
	at := in.deadline()
	if !at.Equal(now.Add(typePatience)) {
		t.Errorf("deadline after %v", at.Sub(now))
	}
	in.tick(at.Add(-1))
	sameIDs(t, "too early", l.answered())
	in.tick(at)
	got := l.answered()
	if len(got) != 1 || got[0].Error == nil || !errors.Is(got[0].Error.Err(), wire.ErrWithheld) {
		t.Errorf("%+v", got)
	}
	if keys, _ := in.next(); keys != nil || !in.deadline().IsZero() {
		t.Error("it is still to be typed")
	}
}

// The transcript has the text of input where the terminal has echoed it. The program may turn the echo off while it is typed.
func TestInputNoted(t *testing.T) {
	echo, secret := pty.Modes{Canonical: true, Echo: true}, pty.Modes{Canonical: true}
	for _, c := range []struct {
		name    string
		modes   pty.Modes
		typed   []string
		outputs []string
		want    string
	}{
		{"an echo", echo, []string{"name\r"}, []string{"name\r\n", "Hello"}, `["name\r"]`},
		{"echoes in one output", echo, []string{"na", "me", "\r", "x", "\r"}, []string{"name\r\nx\r\n"}, `["na" "me" "\r" "x" "\r"]`},
		{"an echo in two outputs", echo, []string{"na", "me"}, []string{"na", "me"}, `["na" "me"]`},
		{"a line and keys that edit it", echo, []string{"nb\x7fame\r"}, []string{"nb\b \bame\r\n"}, `["nb\x7fame\r"]`},
		{"no echo", secret, []string{"secret", "\r"}, nil, `["" ""]`},
		{"an echo that is turned off", echo, []string{"secret", "\r"}, nil, `["" "\r"]`},
		{"the question after it", echo, []string{"w"}, []string{"Password: "}, `[""]`},
	} {
		in := newInput(t)
		for _, data := range c.typed {
			in.noteInput(takenInput{data: []byte(data), at: time.Now()}, c.modes)
		}
		for _, output := range c.outputs {
			in.noteEchoed([]byte(output))
			in.log.Append([]byte(output), transcript.Output, 0)
		}
		in.tick(time.Now().Add(echoPatience))
		in.log.Flush()
		entries, err := transcript.OpenEntries(in.log.Place(), 0)
		if err != nil {
			t.Fatal(err)
		}
		defer entries.Close()
		var got []string
		e, err := entries.Next()
		for ; err == nil; e, err = entries.Next() {
			if e.Kind == transcript.Input {
				got = append(got, e.Text)
				if e.Text == "" && e.Bytes == 0 {
					t.Errorf("%s: neither text nor bytes", c.name)
				}
			}
		}
		if text := fmt.Sprintf("%q", got); err != io.EOF || text != c.want {
			t.Errorf("%s: %s, %v, want %s", c.name, text, err, c.want)
		}
	}
}

// An answer to a question that does not stand any more is refused.
func TestInputAnswered(t *testing.T) {
	in, l := newInput(t), newClient()
	err := in.enqueue(&typed{link: l, req: &wire.Request{ID: 1, Type: &wire.TypeRequest{Question: 3}}})
	if !errors.Is(err, wire.ErrAnswered) || in.queue.open != 0 {
		t.Errorf("%v, %d open", err, in.queue.open)
	}
}

// The terminal's answers are for a program that has a terminal.
func TestInputReplyWithoutTerminal(t *testing.T) {
	in := newInput(t)
	in.reply([]byte("\x1b[1;1R"), 0)
	if len(in.done) > 0 || in.queue.open > 0 {
		t.Error("it waits to be typed")
	}
}

// While other input waits, an answer is refused: the question may get that input.
func TestInputAnswerBehindOthers(t *testing.T) {
	in, l := newInput(t), newClient()
	in.questions.put(asked(in.core, "Name?"))
	in.typeBytes(l, &wire.Request{ID: 1, Data: []byte("x")}, wire.ByAttach)
	err := in.enqueue(&typed{link: l, req: &wire.Request{ID: 2, Type: &wire.TypeRequest{Question: in.questions.question.number}}})
	if !errors.Is(err, wire.ErrAnswered) || in.queue.open != 1 {
		t.Errorf("%v, %d open", err, in.queue.open)
	}
}
