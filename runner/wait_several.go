package runner

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"
	"time"

	"devtools/ledger"
	"devtools/runner/wire"
)

// A WaitEnd says how the wait for one of several sessions ended.
type WaitEnd struct {
	Waited
	Index int           // place of the session in the list of all
	Took  time.Duration // duration of the wait
	Err   error
}

// FindEach returns the sessions with these names or ids in this order, each of them once. The error has each name that no
// session has: it is ErrNoSession.
func FindEach(dir ledger.Dir, names []string) (sessions []ledger.Session, err error) {
	var errs []error
	for _, name := range names {
		s, err := dir.Session(name)
		switch {
		case err != nil:
			errs = append(errs, err)
		case !slices.ContainsFunc(sessions, func(other ledger.Session) bool { return other.ID == s.ID }):
			sessions = append(sessions, s)
		}
	}
	return sessions, errors.Join(errs...)
}

// WaitEach waits for the conditions of w in all of the sessions at the same time, over one connection each. It yields how the
// waits ended, in this order: first of the sessions that had ended before, by the times of their ends, then of the others, as
// they come to their end. When the caller takes no more, the other waits end.
func WaitEach(ctx context.Context, dir ledger.Dir, sessions []ledger.Session, w Wait) iter.Seq[WaitEnd] {
	return func(yield func(WaitEnd) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		many := &manyWaits{wait: w, begin: time.Now(), reports: make(chan report, 2*len(sessions)), running: map[int]*sessionWait{}}
		defer many.close()
		var ended []int
		for i, s := range sessions {
			if s.Closed {
				ended = append(ended, i)
				continue
			}
			many.start(ctx, dir, s, i)
		}
		slices.SortStableFunc(ended, func(a, b int) int { return sessions[a].EndedAt.Compare(sessions[b].EndedAt.Time) })
		for _, i := range ended { // one after another: each look at a picture takes the memory of a terminal
			waited, err := w.in(ctx, dir, sessions[i])
			if !yield(many.end(i, waited, err)) {
				return
			}
		}
		for len(many.running) > 0 {
			for _, end := range many.next() {
				if !yield(end) {
					return
				}
			}
		}
	}
}

// The manyWaits are the waits of one WaitEach for sessions that have not ended.
type manyWaits struct {
	wait    Wait
	begin   time.Time
	reports chan report
	running map[int]*sessionWait // those that have not reported an end, by their index
}

// A sessionWait is the wait for one session.
type sessionWait struct {
	client *Client // nil if the holder cannot be reached
	answer <-chan wire.Response
	asked  chan struct{} // holds a value when another wait has ended: had this one ended before?
}

// A report is the end of a wait, or if that is nil the answer that it had not ended when it was asked.
type report struct {
	index int
	end   *WaitEnd
	at    int64 // when the wait came to its end, Unix ns
}

func (m *manyWaits) close() {
	for _, one := range m.running {
		if one.client != nil {
			_ = one.client.Close() // only a wait is given up
		}
	}
}

func (m *manyWaits) end(i int, waited Waited, err error) WaitEnd {
	return WaitEnd{Waited: waited, Index: i, Took: time.Since(m.begin), Err: err}
}

// start begins the wait for a session.
func (m *manyWaits) start(ctx context.Context, dir ledger.Dir, session ledger.Session, i int) {
	one := &sessionWait{asked: make(chan struct{}, 1)}
	m.running[i] = one
	if c, err := Dial(dir, session); err == nil {
		one.client, one.answer = c, c.Send(wire.Request{Op: wire.OpWait, Wait: m.wait.request()})
		go m.follow(ctx, one, i)
		return
	}
	go func() {
		waited, err := m.wait.in(ctx, dir, session)
		m.report(i, waited, err, 0)
	}()
}

// earlierTime is how long WaitEach waits for a holder to say that its wait had not ended before another one. A holder answers
// within a millisecond. When 50 calls asked 20 holders each on two busy processors, all had their answers within 0.7 s. A
// stopped holder gives none.
const earlierTime = time.Second

// follow reports the end of a wait, and when asked that it has not come.
func (m *manyWaits) follow(ctx context.Context, one *sessionWait, i int) {
	for {
		select {
		case resp, ok := <-one.answer:
			m.answered(ctx, one, i, resp, ok)
			return
		case <-ctx.Done():
			m.report(i, Waited{Session: one.client.Session}, ctx.Err(), 0)
			return
		case <-one.asked:
		}
		soon, cancel := context.WithTimeout(ctx, earlierTime)
		_, _ = one.client.Call(soon, wire.Request{Op: wire.OpState}) // an answer to the wait that was given before comes first
		cancel()
		select {
		case resp, ok := <-one.answer:
			m.answered(ctx, one, i, resp, ok)
			return
		default:
			m.reports <- report{index: i}
		}
	}
}

func (m *manyWaits) answered(ctx context.Context, one *sessionWait, i int, resp wire.Response, ok bool) {
	resp, err := wire.Answered(resp, ok)
	at := int64(0)
	if resp.Wait != nil {
		at = resp.Wait.AtNs
	}
	waited, err := one.client.waited(ctx, m.wait, resp, err)
	m.report(i, waited, err, at)
}

func (m *manyWaits) report(i int, waited Waited, err error, at int64) {
	end := m.end(i, waited, err)
	m.reports <- report{i, &end, cmp.Or(at, time.Now().UnixNano())}
}

// next returns the ends that have come since the last call, at least one, in their order. The one that this process has heard
// of first need not be the first: next also asks the others.
func (m *manyWaits) next() (ends []WaitEnd) {
	var ended []report
	unheard := map[int]bool{}
	take := func(r report) {
		delete(unheard, r.index)
		if r.end == nil {
			return
		}
		ended = append(ended, r)
		if c := m.running[r.index].client; c != nil {
			_ = c.Close()
		}
		delete(m.running, r.index)
	}
	for len(ended) == 0 {
		take(<-m.reports)
	}
	for i, one := range m.running {
		if one.client != nil {
			unheard[i] = true
			one.asked <- struct{}{}
		}
	}
	for len(unheard) > 0 {
		take(<-m.reports)
	}
	slices.SortStableFunc(ended, func(a, b report) int { return cmp.Compare(a.at, b.at) })
	for _, r := range ended {
		ends = append(ends, *r.end)
	}
	return ends
}
