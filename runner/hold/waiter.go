package hold

import (
	"context"
	"errors"
	"fmt"
	"time"

	"devtools/runner/condition"
	"devtools/runner/wire"
)

// A waiter is a client that waits for conditions.
type waiter struct {
	link     *link
	answer   func(wire.WaitAnswer, error) // called once
	until    []*awaited
	fail     []*awaited
	all      bool
	fresh    bool // it came with keys to type: only text counts that is printed from now on, and a state counts only once they are typed
	onlyNew  bool // only text counts that is printed from now on
	whole    bool // text counts that was ever shown
	deadline time.Time
	ctx      context.Context    // of the probes for its conditions
	stop     context.CancelFunc // cancels ctx
	looking  bool               // the last look is under way
	looked   bool               // the program has ended, and its last picture was looked at
	done     bool
}

// An awaited is a condition that a waiter waits for.
type awaited struct {
	cond  condition.Condition
	met   bool
	match string
	note  string // why it is not met yet

	looking         bool // the condition counts already
	screenCondition *screenCondition
}

// parseWait checks what a client wants to wait for. Paths are already absolute.
func parseWait(req *wire.WaitRequest) (*waiter, error) {
	if len(req.Until)+len(req.Fail) > condition.Most {
		return nil, fmt.Errorf("%d conditions: %d at most", len(req.Until)+len(req.Fail), condition.Most)
	}
	w := &waiter{all: req.All, whole: req.FromStart, onlyNew: req.OnlyNew}
	for list, texts := range map[*[]*awaited][]string{&w.until: req.Until, &w.fail: req.Fail} {
		for _, text := range texts {
			cond, err := condition.ParseCondition(text, "/")
			if err != nil {
				return nil, err
			}
			*list = append(*list, &awaited{cond: cond})
		}
	}
	if len(w.until) == 0 {
		return nil, errors.New("nothing to wait for")
	}
	if req.TimeoutMs > 0 {
		w.deadline = time.Now().Add(time.Duration(req.TimeoutMs) * time.Millisecond)
	}
	return w, nil
}
