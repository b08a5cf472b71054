package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"devtools/ledger"
	"devtools/runner/condition"
	"devtools/runner/wire"
	"devtools/screen"
)

// A Wait says what to wait for.
type Wait struct {
	Until   []condition.Condition
	All     bool // all conditions of Until must come true, not just one
	Fail    []condition.Condition
	Timeout time.Duration // 0: no time limit

	// FromStart makes text count that the session has shown since its start. Otherwise it counts since the wait began.
	FromStart bool

	// OnlyNew makes text count only if the session prints it from now on. Otherwise text counts that is on the screen.
	OnlyNew bool
}

// A Waited says how the wait ended: with conditions that came true, or with Failed, Ended or TimedOut.
type Waited struct {
	Session  ledger.Session
	Met      []string // conditions that have come true
	Match    string   // text that matched
	Failed   string   // condition of Fail that came true
	Ended    bool     // the program ended before the conditions came true
	TimedOut bool
	FromLog  bool            // the holder cannot be reached: the files of the session say so
	Notes    []string        // why conditions have not come true
	Input    wire.InputState // set when the wait was for input, or when the time is over
}

// Exited reports whether the wait ended only because the command ended.
func (w Waited) Exited() bool { return len(w.Met) == 1 && w.Met[0] == condition.UntilExit }

// MetExit reports whether a condition about the end of the command has come true.
func (w Waited) MetExit() bool { return slices.ContainsFunc(w.Met, condition.AboutExit) }

// request returns the wait in the form that the holder takes.
func (w Wait) request() *wire.WaitRequest {
	req := &wire.WaitRequest{All: w.All, FromStart: w.FromStart, OnlyNew: w.OnlyNew}
	for _, c := range w.Until {
		req.Until = append(req.Until, c.Wire())
	}
	for _, c := range w.Fail {
		req.Fail = append(req.Fail, c.Wire())
	}
	if w.Timeout > 0 {
		req.TimeoutMs = max(1, w.Timeout.Milliseconds())
	}
	return req
}

// waited converts an answer of the holder.
func (w Wait) waited(c *Client, a *wire.WaitAnswer) Waited {
	if a == nil {
		return Waited{Session: c.Session}
	}
	given := map[string]string{}
	for _, cond := range slices.Concat(w.Until, w.Fail) {
		given[cond.Wire()] = cond.String()
	}
	waited := Waited{
		Session: *cmp.Or(a.Session, &c.Session), Match: a.Match, Failed: given[a.Failed],
		Ended: a.Ended, TimedOut: a.TimedOut, Notes: a.Notes,
	}
	if a.InputState != nil {
		waited.Input = *a.InputState
	}
	for _, met := range a.Met {
		waited.Met = append(waited.Met, given[met])
	}
	return waited
}

// Wait waits until the conditions come true or cannot come true any more. A session that has ended has only its last
// picture and its exit. The error is ErrHolderGone when the holder is gone and the record does not have the end.
func (c *Client) Wait(ctx context.Context, w Wait) (Waited, error) {
	resp, err := c.Call(ctx, wire.Request{Op: wire.OpWait, Wait: w.request()})
	return c.waited(ctx, w, resp, err)
}

// waited returns what came of the wait for w, from the answer of the holder.
func (c *Client) waited(ctx context.Context, w Wait, resp wire.Response, err error) (Waited, error) {
	if err == nil && w.OnlyNew && resp.Wait != nil && resp.Wait.AtNs == 0 { // older than AtNs, it has not understood OnlyNew
		err = ledger.SessionError(c.Session.Name, fmt.Errorf("%w: wait for new text", wire.ErrOlder))
	}
	if err == nil {
		return w.waited(c, resp.Wait), nil
	}
	if !errors.Is(err, wire.ErrHolderGone) {
		return Waited{Session: c.Session}, err
	}
	session, err := c.Record()
	if err != nil {
		return Waited{Session: session}, err
	}
	return w.checkEnded(ctx, c.Dir, session)
}

// WaitFor waits for conditions of the session called name, as Wait does.
func WaitFor(ctx context.Context, dir ledger.Dir, name string, w Wait) (Waited, error) {
	session, ok := dir.Living(name)
	var err error
	if !ok {
		if session, err = dir.Session(name); err != nil {
			return Waited{}, err
		}
	}
	return w.in(ctx, dir, session)
}

// in waits for the conditions in the session, of which a caller may know no more than Living tells.
func (w Wait) in(ctx context.Context, dir ledger.Dir, session ledger.Session) (Waited, error) {
	c, err := dialToRead(dir, session)
	if err == nil {
		defer c.Close()
		waited, err := c.Wait(ctx, w)
		waited.FromLog = c.FromFiles()
		return waited, err
	}
	if !errors.Is(err, wire.ErrHolderGone) {
		return Waited{Session: session}, err
	}
	if c, err = dialEnded(dir, session); err != nil {
		return Waited{Session: session}, err
	}
	defer c.Close()
	if session, err = c.Record(); err != nil {
		return Waited{Session: session}, err
	}
	return w.checkEnded(ctx, dir, session)
}

// checkEnded checks the conditions against a session that has ended.
func (w Wait) checkEnded(ctx context.Context, dir ledger.Dir, session ledger.Session) (Waited, error) {
	result := Waited{Session: session}
	var text []string
	if slices.ContainsFunc(slices.Concat(w.Fail, w.Until), func(c condition.Condition) bool { return c.Pattern != nil }) {
		pic, err := replay(ctx, dir, session, Look{View: screen.Visible()})
		if err != nil {
			return result, err
		}
		text = condition.LogicalText(pic.Snapshot, 0)
	}
	for _, c := range w.Fail {
		if w.OnlyNew && c.Kind == condition.UntilText {
			continue // nothing is printed any more
		}
		if match, met := c.AtLast(text, session.ExitCode); met {
			result.Failed, result.Match = c.String(), match
			return result, nil
		}
	}
	for _, c := range w.Until {
		if w.OnlyNew && c.Kind == condition.UntilText {
			continue
		}
		if match, met := c.AtLast(text, session.ExitCode); met {
			result.Met, result.Match = append(result.Met, c.String()), cmp.Or(result.Match, match)
		}
	}
	result.Ended = len(result.Met) == 0 || w.All && len(result.Met) < len(w.Until)
	return result, nil
}
