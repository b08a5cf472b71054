package hold

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"syscall"
	"time"

	"devtools/ledger/transcript"
	"devtools/runner/blocked"
	"devtools/runner/prompt"
	"devtools/runner/pty"
	"devtools/runner/wire"
	"devtools/screen/keys"
)

const (
	// pipePiece is how many bytes are written at once: as many as a pipe holds, pipe(7).
	pipePiece = 64 << 10

	// pipeLook is how long a write waits for room before it is seen whether the client or the program is gone. The queue
	// behind a client that is gone waits so long: nobody notices that.
	pipeLook = 50 * time.Millisecond
)

// preparePipe prepares a request for a program that reads a pipe. A pipe has no modes, and loses nothing that comes before the
// program reads: the request is written at once, whatever the program does.
func (in *input) preparePipe(t *typed, strokes []keys.Stroke) error {
	ask := t.req.Type
	switch {
	case in.program.Input == nil:
		return in.named(fmt.Errorf("%w, and its standard input is not kept open", wire.ErrNoTerminal))
	case ask.IfHash != "":
		return in.named(fmt.Errorf("%w, and so no screen", wire.ErrNoTerminal))
	case t.waiter != nil && slices.ContainsFunc(slices.Concat(t.waiter.until, t.waiter.fail), in.waits.needsTerminal):
		return in.named(fmt.Errorf("%w, and so no prompt", wire.ErrNoTerminal))
	}
	data, err := ask.Keys.Piped(strokes)
	if err != nil {
		return in.named(err)
	}
	t.pieces, t.size = []keys.Piece{{Data: data}}, len(data)
	return in.begin(t)
}

// enqueuePipe queues a request behind all earlier ones. After one that closes the pipe, there are no others.
func (in *input) enqueuePipe(t *typed) error {
	if in.closing {
		return in.named(wire.ErrInputClosed)
	}
	if err := in.queue.add(keystrokes{link: t.link, typed: t, until: t.until()}); err != nil {
		return in.named(fmt.Errorf("%w: %w", wire.ErrInputFull, err))
	}
	in.closing = t.req.Type.EOF
	return nil
}

// writePipe is the goroutine that writes into the pipe of a program without a terminal, one request after the other.
func (in *input) writePipe() {
	for k := range in.keys {
		r, err := in.pipe(k.typed)
		in.done <- func() {
			if err != nil && k.typed.req.Type.EOF {
				in.closing = false // the pipe is open: the text before its end was not written
			}
			in.written(k, r, err)
		}
	}
}

// pipe writes a request into the pipe. On an error, the receipt tells how many bytes were written.
func (in *input) pipe(t *typed) (r wire.Receipt, err error) {
	pipe := in.program.Input
	if err := in.checkHalfLine(t.req.Type); err != nil {
		return r, err
	}
	deadline := time.Now().Add(t.limit)
	for rest := t.pieces[0].Data; len(rest) > 0; {
		if t.link.left.Load() {
			return r, errClientGone
		}
		piece := rest[:min(len(rest), pipePiece)]
		n, err := pipe.Write(piece, soonest(deadline, time.Now().Add(pipeLook)))
		if n > 0 {
			rest, deadline = rest[n:], time.Now().Add(t.limit) // the reader goes on
			r.Written += int64(n)
			in.notePiped(piece[:n], t.req.Type.Typist())
		}
		switch {
		case err == nil:
		case in.ended.Load():
			return r, fmt.Errorf("%w%s", wire.ErrProgramEnded, t.writtenText(r.Written))
		case errors.Is(err, syscall.EPIPE):
			return r, fmt.Errorf("%w: nobody reads it any more%s", wire.ErrInputClosed, t.writtenText(r.Written))
		case !errors.Is(err, os.ErrDeadlineExceeded):
			return r, err
		case !time.Now().Before(deadline):
			return r, fmt.Errorf("%w: the program has not read it for %v%s", wire.ErrInputFull, t.limit, t.writtenText(r.Written))
		}
	}
	if t.end = pipe.Written(); t.req.Type.EOF && t.req.Type.NoWait {
		r.Closed, err = true, pipe.Close()
	}
	return r, err
}

// writtenText says, after a message, how much of a request was written.
func (t *typed) writtenText(written int64) string {
	return fmt.Sprintf("; %d of %d bytes were written", written, t.size)
}

// notePiped notes in the transcript how many bytes were written. Nothing shows them, so that their text is not kept.
func (in *input) notePiped(data []byte, by string) {
	now := time.Now()
	in.typed.Store(&typedAt{at: now, inputs: in.typed.Load().count() + 1})
	in.done <- func() {
		in.log.Note(transcript.Entry{At: now.Sub(in.started), Kind: transcript.Input, Bytes: int64(len(data)), By: by})
		in.half.take(data, false)
		in.display.mark(order{typed: &lastInput{Typed: prompt.Typed{Text: string(data)}}, at: in.log.Next()})
	}
}

// followPipe waits until the program has read what was written, at most until the limit of the request, and makes the loop
// answer. Only then is the pipe closed, if the request says so: nobody can tell what is read of it afterwards. It runs in a
// goroutine of its own.
func (in *input) followPipe(t *typed, r wire.Receipt) {
	pipe := in.program.Input
	var read int64
	var readers bool
	var err error
	known := await(t.limit, func() bool {
		over := in.ended.Load() || t.link.left.Load() // before the look, which then sees all that the program has read
		read, readers, err = pipe.Read()
		return err != nil || read >= t.end || !readers || over
	})
	consumed := known && err == nil && read >= t.end
	switch {
	case err != nil: // the system does not tell
	case consumed || t.size == 0:
		got := true
		r.Delivery, r.Consumed = wire.Read, &got
	default:
		r.Delivery, r.Consumed = wire.Unread, &consumed
	}
	if r.Reason = t.reason(r.Delivery, int(t.end-read)); err == nil && !consumed {
		if r.Reason = bytesWait(int(t.end-read)) + " to be read"; !readers {
			r.Reason += ", and nobody reads any more"
		}
	}
	if t.req.Type.EOF {
		if r.Closed = pipe.Close() == nil; r.Closed && r.Reason != "" {
			r.Reason = wire.ErrInputClosed.Error() + "; " + r.Reason
		}
	}
	watch := watchPipe(in.program)
	defer watch.Close()
	if _, waiting := in.settle(t, watch, consumed); watch.Sees() {
		r.Waiting = &waiting
	}
	if t.waiter != nil {
		in.done <- func() { in.waits.lookForStates(t.waiter) }
	}
	in.done <- func() { in.followed(t, r) }
}

// closePipe closes the pipe for what is left of the program: nobody can type any more.
func (in *input) closePipe() {
	if in.closing = true; in.program.Input != nil {
		_ = in.program.Input.Close() // it may be closed already
	}
}

// doingPiped describes what the program does that does not read its pipe.
func (in *input) doingPiped() string {
	return busiest(blocked.Activities(context.Background(), pty.Tree(), 0))
}
