package hold

import (
	"errors"
	"fmt"
	"unicode"
	"unicode/utf8"

	"devtools/runner/wire"
	"devtools/screen/keys"
)

// request types the keys of a client's request. On an error, the receipt tells how many bytes were written.
func (t *inputWriter) request(ask *typed) (r wire.Receipt, err error) {
	t.entered = false
	for i := range ask.pieces {
		for done := 0; done < len(ask.pieces[i].Data); {
			n, err := t.typeNext(ask, i, done)
			r.Written += int64(n)
			if err != nil {
				return r, ask.notTyped(err, r.Written)
			}
			done += n
		}
	}
	ask.partial = t.partial
	if t.input.ended.Load() && ask.size > 0 && r.Written == 0 {
		return r, wire.ErrProgramEnded
	}
	return r, nil
}

// typeNext waits until the rest of the piece i of a request may be typed, of which done bytes are typed. It types the rest,
// or as much of it as is typed at once.
func (t *inputWriter) typeNext(ask *typed, i, done int) (n int, err error) {
	ask.itself = done == 0 && t.tty.TakesItself(ask.pieces[i].Data)
	ask.tried = 0
	if err = t.awaitTurn(ask, i, done); err != nil || ask.tried > 0 {
		ask.noted = t.noted
		return ask.tried, err
	}
	if !ask.started {
		if err = t.checkQuestion(ask); err == nil {
			err = t.input.checkHalfLine(ask.req.Type)
		}
	} else if ask.req.Type.Judged && t.noted != ask.noted {
		err = wire.ErrTypedBefore
	}
	if err != nil {
		return 0, err
	}
	rest := ask.rest(i, done)
	if !ask.itself && t.flushes(ask, rest, done) {
		rest.Data = firstKey(rest)
	}
	ask.started = true
	n, err = t.typeKeys(ask, rest)
	ask.noted = t.noted
	return n, err
}

// rest returns the piece i without the bytes that are done.
func (t *typed) rest(i, done int) keys.Piece {
	p := t.pieces[i]
	p.Data = p.Data[done:]
	return p
}

// awaitTurn waits until the rest of the piece i of a request may be typed. A key that the terminal takes itself waits for
// nothing.
func (t *inputWriter) awaitTurn(ask *typed, i, done int) (err error) {
	noWait := ask.req.Type.NoWait
	switch {
	case ask.link.left.Load():
		return errClientGone
	case ask.itself:
		return nil
	case noWait && ask.started:
		return nil
	case noWait:
		if !t.hasRoom(ask) && !t.awaitRoom(ask) {
			return t.interrupted(fmt.Errorf("%w, and the terminal takes no %d bytes ahead of it", errNotReading, ask.size))
		}
		return t.check(ask, i)
	case !ask.started || ask.signalled:
		if err = t.awaitReader(ask, i, done); err == nil {
			err = t.awaitEscapeRead(ask)
		}
		ask.signalled = false
	default:
		err = t.awaitTaken(ask, i, done)
	}
	if err == nil {
		err = t.check(ask, i)
	}
	if err != nil || ask.tried > 0 {
		return err
	}
	t.awaitEscape()
	if done == 0 {
		t.renew(ask, i)
	}
	return nil
}

// errClientGone says that nobody is there any more who has asked for the keys.
var errClientGone = errors.New("the client is gone")

// notTyped returns the error of a request of which only a part was typed.
func (t *typed) notTyped(err error, written int64) error {
	some := ""
	if written > 0 {
		some = fmt.Sprintf("; %d of %d bytes were typed", written, t.size)
	}
	switch {
	case errors.Is(err, errNotReading) && !t.req.Type.NoWait:
		return fmt.Errorf("%w: %w for %v%s", wire.ErrWithheld, err, t.limit, some)
	case errors.Is(err, wire.ErrAnswered), errors.Is(err, wire.ErrTypedBefore) && written == 0, errors.Is(err, wire.ErrProgramEnded) && written == 0:
		return err
	case errors.Is(err, wire.ErrNotTyped), errors.Is(err, wire.ErrNotRead):
		return fmt.Errorf("%w%s", err, some)
	}
	return fmt.Errorf("%w: %w%s", wire.ErrNotTyped, err, some)
}

// dividedBytes is the longest text that is typed key by key. One of 96 kB would take minutes.
const dividedBytes = 256

// flushes reports whether only the next key of a text is typed, because the program may throw away its input between two keys.
// That is so for the first key if any program of the session has ever thrown input away. It is so for a later key if input was
// thrown away since the key before it; otherwise the rest follows at once. A program with threads, such as fzf, or with other
// processes beside it gets the whole text: it reads again before it has done anything with a key.
func (t *inputWriter) flushes(ask *typed, rest keys.Piece, done int) bool {
	discards := t.tty.Discards()
	if rest.Paste || ask.req.Type.NoWait || discards <= t.caused || done+len(rest.Data) > dividedBytes || t.canonical() {
		return false
	}
	if done > 0 {
		return discards != ask.proof.discards
	}
	block, reads := t.watch.Blocked()
	return reads && block.Only
}

// firstKey returns the first character of a text, or all of a key and of what looks like one.
func firstKey(p keys.Piece) []byte {
	r, n := utf8.DecodeRune(p.Data)
	if p.Paste || unicode.IsControl(r) || r == utf8.RuneError {
		return p.Data
	}
	return p.Data[:n]
}
