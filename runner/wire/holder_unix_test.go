//go:build unix

package wire

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"devtools/ledger"
)

// patience is how long a test waits for something that must happen.
const patience = time.Minute

func withPatience(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

// A fakeHolder answers on the socket of a session as a test wants it.
type fakeHolder struct {
	dir      ledger.Dir
	session  ledger.Session
	listener net.Listener
	served   sync.WaitGroup
}

// newHolder makes a session in a state folder of its own, and lets serve answer each client.
func newHolder(t *testing.T, serve func(conn net.Conn, r *bufio.Reader)) *fakeHolder {
	t.Helper()
	dir, err := ledger.Create(filepath.Join(t.TempDir(), ledger.FolderName))
	if err != nil {
		t.Fatal(err)
	}
	id, err := dir.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	h := &fakeHolder{dir: dir, session: ledger.Session{ID: id, Name: "web", Status: ledger.StatusRunning, Command: []string{"cat"}}}
	dir.Stamp(&h.session)
	if h.listener, err = Listen(id, h.dir); err != nil {
		t.Fatal(err)
	}
	h.session.Socket = h.listener.Addr().String()
	if err := dir.SaveSession(h.session); err != nil {
		t.Fatal(err)
	}
	h.served.Go(func() {
		for {
			conn, err := h.listener.Accept()
			if err != nil {
				return
			}
			h.served.Go(func() {
				defer conn.Close()
				serve(conn, bufio.NewReader(conn))
			})
		}
	})
	t.Cleanup(h.leave)
	return h
}

// leave closes the socket, as a holder does at its end.
func (h *fakeHolder) leave() {
	_ = h.listener.Close() // it may be closed
	h.served.Wait()
}

// dial connects to the holder.
func (h *fakeHolder) dial(t *testing.T) *Conn {
	t.Helper()
	c, err := Dial(h.dir, h.session)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// next reads a request, and reports whether there is one.
func next(r *bufio.Reader) (req Request, ok bool) {
	return req, ReadLine(r, MaxRequest, &req) == nil
}

// Answers may come in any order: each goes to its request. Each request says the version.
func TestAnswersInAnyOrder(t *testing.T) {
	t.Parallel()
	const n = 10
	h := newHolder(t, func(conn net.Conn, r *bufio.Reader) {
		var all []Request
		for len(all) < n {
			req, ok := next(r)
			if !ok {
				return
			}
			all = append(all, req)
		}
		for i := len(all) - 1; i >= 0; i-- {
			resp := Response{V: all[i].V, ID: all[i].ID, Next: all[i].Offset, Payload: []byte{byte(i)}}
			if WriteResponse(conn, resp) != nil {
				return
			}
		}
	})
	c := h.dial(t)
	var answers []<-chan Response
	for i := range n {
		answers = append(answers, c.Send(Request{Op: OpRead, Offset: int64(100 + i)}))
	}
	for i, answer := range answers {
		resp, err := c.Await(withPatience(t), answer)
		if err != nil || resp.Next != int64(100+i) || resp.V != Version || len(resp.Payload) != 1 || resp.Payload[0] != byte(i) {
			t.Errorf("the answer to %d: %+v, %v", i, resp, err)
		}
	}
}

// An answer that is an error names nobody else's request and keeps its identity.
func TestAnswerIsError(t *testing.T) {
	t.Parallel()
	h := newHolder(t, func(conn net.Conn, r *bufio.Reader) {
		for req, ok := next(r); ok; req, ok = next(r) {
			resp := Response{ID: req.ID}
			if req.Op == OpModes {
				resp.Error = NewFault(ErrNoTerminal)
			}
			if WriteResponse(conn, resp) != nil {
				return
			}
		}
	})
	c := h.dial(t)
	if _, err := c.Call(withPatience(t), Request{Op: OpModes}); !errors.Is(err, ErrNoTerminal) {
		t.Errorf("modes: %v", err)
	}
	if _, err := c.Call(withPatience(t), Request{Op: OpState}); err != nil {
		t.Errorf("state: %v", err)
	}
}

// A holder that leaves, or dies, ends every request that waits for it and every later one, and the error names the session.
func TestHolderLeaves(t *testing.T) {
	t.Parallel()
	h := newHolder(t, func(_ net.Conn, r *bufio.Reader) {
		next(r)
		next(r)
	})
	c := h.dial(t)
	first := c.Send(Request{Op: OpFollow})
	second := c.Send(Request{Op: OpResult})
	for _, answer := range []<-chan Response{first, second} {
		if _, err := c.Await(withPatience(t), answer); !errors.Is(err, ErrHolderGone) || err.Error() != `session "web": its holder is gone` {
			t.Errorf("a request that waits: %v", err)
		}
	}
	if _, err := c.Call(withPatience(t), Request{Op: OpState}); !errors.Is(err, ErrHolderGone) {
		t.Errorf("a later request: %v", err)
	}
	if _, err := c.Record(); !errors.Is(err, ErrHolderGone) {
		t.Errorf("its record has no end: %v", err)
	}
}

// A holder without a descriptor for another client refuses all requests at once.
func TestHolderRefuses(t *testing.T) {
	t.Parallel()
	h := newHolder(t, func(conn net.Conn, r *bufio.Reader) {
		next(r)
		next(r)
		_ = WriteResponse(conn, Response{Error: NewFault(ErrNoDescriptors)})
		next(r) // until the client closes
	})
	c := h.dial(t)
	first, second := c.Send(Request{Op: OpFollow}), c.Send(Request{Op: OpResult})
	for _, answer := range []<-chan Response{first, second, c.Send(Request{Op: OpState})} {
		if _, err := c.Await(withPatience(t), answer); !errors.Is(err, ErrNoDescriptors) {
			t.Errorf("refused by %v", err)
		}
	}
}

// A call ends with its context, and the connection goes on.
func TestCallIsCalledOff(t *testing.T) {
	t.Parallel()
	h := newHolder(t, func(conn net.Conn, r *bufio.Reader) {
		for req, ok := next(r); ok; req, ok = next(r) {
			if req.Op != OpResult && WriteResponse(conn, Response{ID: req.ID, Next: 5}) != nil {
				return
			}
		}
	})
	c := h.dial(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := c.Call(ctx, Request{Op: OpResult}); !errors.Is(err, context.Canceled) {
		t.Errorf("called off: %v", err)
	}
	if resp, err := c.Call(withPatience(t), Request{Op: OpState}); err != nil || resp.Next != 5 {
		t.Errorf("afterwards: %+v, %v", resp, err)
	}
}

// A holder that does not answer is told from one that is gone.
func TestHolderIsSilent(t *testing.T) {
	t.Parallel()
	quiet := make(chan struct{})
	h := newHolder(t, func(net.Conn, *bufio.Reader) { <-quiet })
	t.Cleanup(func() { close(quiet) }) // before the holder leaves
	_, err := Ask(withPatience(t), h.dir, h.session, Request{Op: OpState})
	if !errors.Is(err, ErrNoAnswer) || errors.Is(err, ErrHolderGone) {
		t.Errorf("a silent holder: %v", err)
	}
}

// A connection to nobody says why: the holder is gone, its socket is, or the session is another folder's.
func TestNobodyListens(t *testing.T) {
	t.Parallel()
	h := newHolder(t, func(net.Conn, *bufio.Reader) {})
	copied := h.session
	copied.Folder, copied.FolderInode = "/other", copied.FolderInode+1
	if _, err := Dial(h.dir, copied); !errors.Is(err, ErrHolderGone) {
		t.Errorf("of a copy: %v", err)
	}
	h.leave()
	if _, err := Dial(h.dir, h.session); !errors.Is(err, ErrHolderGone) || errors.Is(err, ErrNoSocket) {
		t.Errorf("without a holder: %v", err)
	}
	if err := h.dir.Claim(h.session.ID); err != nil { // as the holder does
		t.Fatal(err)
	}
	if _, err := Dial(h.dir, h.session); !errors.Is(err, ErrNoSocket) || errors.Is(err, ErrHolderGone) {
		t.Errorf("with a holder: %v", err)
	}
}

// A request that the holder has not read, because it had to give way, is made again, and the error of the last time says why.
func TestGivesWay(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		refused int32
		want    error
	}{{2, nil}, {mostTries, ErrManyClients}} {
		var tries atomic.Int32
		h := newHolder(t, func(conn net.Conn, r *bufio.Reader) {
			// While it waits, the client asks for the state, to see whether the holder lives. That is no try.
			head, _ := r.Peek(len(`{"v":1,"op":"state"`))
			if bytes.Contains(head, []byte(`"op":"sta`)) || tries.Add(1) > test.refused {
				if req, ok := next(r); ok {
					_ = WriteResponse(conn, Response{ID: req.ID, Bytes: len(req.Data)})
				}
				return
			}
			_ = WriteResponse(conn, Response{Error: NewFault(fmt.Errorf("%w: it came too slowly", ErrManyClients))})
		})
		_, err := Exchange(withPatience(t), h.dir, h.session, Request{Op: OpInput, Data: make([]byte, 4<<20)})
		if !errors.Is(err, test.want) || err != nil && !strings.HasPrefix(err.Error(), `session "web": its holder serves as many`) {
			t.Errorf("refused %d times: %v", test.refused, err)
		}
	}
}
