package start

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"devtools/ledger"
	"devtools/runner/wire"
)

// reasonLength is the maximum length of what is told of a holder that could not run, in bytes: the first lines of Go's
// runtime. Its trace follows, which tells people nothing.
const reasonLength = 400

// readStart reads the answer of a holder that is to start a session. The error is ErrHolderFailed with the holder's last
// words when it could not run. The runtime may also say other things before the answer, as with GODEBUG=gctrace=1.
func readStart(r *bufio.Reader) (resp wire.Response, err error) {
	var words lastWords
	for {
		if first, err := r.Peek(1); err == nil && first[0] == '{' {
			err = wire.ReadLine(r, wire.MaxResponse, &resp)
			return resp, err
		}
		line, err := r.ReadSlice('\n')
		words.add(string(bytes.TrimSpace(line)))
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return resp, err
		}
		if err != nil && err != bufio.ErrBufferFull {
			return resp, fmt.Errorf("%w: %s", wire.ErrHolderFailed, words.text())
		}
	}
}

// lastWords collects the first paragraph of what a holder says, up to reasonLength.
type lastWords struct {
	lines  []string
	length int
	over   bool
}

func (w *lastWords) add(text string) {
	if text == "" {
		w.over = len(w.lines) > 0
	}
	if w.over || text == "" {
		return
	}
	text = strings.TrimPrefix(text, "devtools: ")
	if left := reasonLength - w.length; len(text) > left {
		text, w.over = strings.ToValidUTF8(text[:left], "")+"…", true
	}
	w.lines, w.length = append(w.lines, text), w.length+len(text)
}

func (w *lastWords) text() string {
	return cmp.Or(strings.Join(w.lines, "; "), "the system may have killed it for want of memory")
}

// reasonWait is how long a holder may take to say why it did not take what to start. It has ended before, and what it has said
// is there: only a holder that lives says nothing.
const reasonWait = time.Second

// reason returns why the holder did not take what to start, if it has said so, and otherwise err.
func (s *Starter) reason(err error) error {
	conn, ok := s.conn.(interface{ SetReadDeadline(time.Time) error })
	if !ok || conn.SetReadDeadline(time.Now().Add(reasonWait)) != nil {
		return err
	}
	if _, said := readStart(bufio.NewReader(s.conn)); errors.Is(said, wire.ErrHolderFailed) {
		return said
	}
	return err
}

// removeUnstarted removes what a holder has left that ended before it started the command of session id. With a record, the
// command may have been started: then the session stays, as one whose holder was killed.
func removeUnstarted(dir ledger.Dir, id string) error {
	if _, err := dir.LoadSession(id); err == nil || dir.Held(id) {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), wire.LockWait)
	defer cancel()
	return errors.Join(dir.RemoveSession(id), dir.UpdateOne(ctx, id, func(a *ledger.Active) error {
		a.Remove(id)
		return nil
	}))
}
