package runner

import (
	"context"
	"slices"
	"strings"
	"time"

	"devtools/ledger"
	"devtools/runner/proc"
	"devtools/runner/prompt"
)

// A Waiting says that a command waits for its terminal and for nothing else: what it asks, for what kind of answer, and
// how that is known.
type Waiting struct {
	Kind       string   `json:"kind"`       // password, confirm, line, choice, repl, pager, editor, tui or key
	Prompt     string   `json:"prompt"`     // what a person reads at the cursor, of several lines where the question is
	PID        int      `json:"pid"`        // of the process that reads
	Command    string   `json:"command"`    // its name
	Canonical  bool     `json:"canonical"`  // it reads lines, that Enter ends
	Echo       bool     `json:"echo"`       // the terminal shows what is typed
	Secret     bool     `json:"secret"`     // what is typed is not to be shown
	Drawn      bool     `json:"drawn"`      // the program draws all over the screen: it takes keys, not a line
	Confidence string   `json:"confidence"` // certain, high, medium or heuristic
	Evidence   []string `json:"evidence"`   // what was seen
}

// An Outlook is what can be expected of a command that goes on: that it waits for input, or why not.
type Outlook struct {
	Waiting      *Waiting `json:"waiting,omitempty"`
	AcceptsInput bool     `json:"acceptsInput,omitzero"` // it reads the terminal, among other things

	// Reason is what the kernel's evidence comes to: how it is blocked when it waits, such as blocked_read or
	// poll_tty_only; server_idle, watch_idle or relay_remote for what reads the terminal beside other things; and
	// not_reading, stopped_foreground, stopped_sigttin or uninspectable.
	Reason string `json:"reason,omitzero"`
}

// Confidences are the confidences of a verdict, the best first.
var Confidences = []string{string(proc.Certain), string(proc.High), string(proc.Medium), string(proc.Heuristic)}

// atLeast reports whether a confidence is as good as least, of which "" is any.
func atLeast(confidence, least string) bool {
	return least == "" || slices.Index(Confidences, confidence) <= slices.Index(Confidences, least)
}

// reasonOf returns the word for a verdict that is not of waiting, which callers know.
func reasonOf(v proc.Verdict) string {
	switch {
	case v.State == proc.NotWaiting && v.Reason == "":
		return "not_reading"
	case v.State != proc.AcceptsInput:
		return v.Reason
	case strings.Contains(v.Reason, "_listen"):
		return "server_idle"
	case strings.Contains(v.Reason, "_watch"):
		return "watch_idle"
	case strings.Contains(v.Reason, "_socket"):
		return "relay_remote"
	}
	return v.Reason
}

// outlookPatience is how long the holder may look until it says what it has: a verdict takes several looks.
const outlookPatience = 400 * time.Millisecond

// Outlook returns what the session does about input at this moment.
func (c *Client) Outlook(ctx context.Context) (Outlook, error) { return c.outlook(ctx, false) }

// outlook is Outlook, or what was found last where somebody looks already.
func (c *Client) outlook(ctx context.Context, last bool) (Outlook, error) {
	resp, err := c.call(ctx, request{Op: opOutlook, On: last})
	if err != nil || resp.Outlook == nil {
		return Outlook{}, err
	}
	return *resp.Outlook, nil
}

// outlooks asks what the living sessions of l do about input, and returns what waits for the answers. A holder that does
// not answer leaves it open.
func (l *Listing) outlooks(ctx context.Context, dir ledger.Dir) (wait func()) {
	ctx, cancel := context.WithTimeout(ctx, 2*outlookPatience)
	done := make(chan struct{}, len(l.Sessions))
	asked := 0
	for i := range l.Sessions {
		s := &l.Sessions[i]
		if s.Status != ledger.StatusRunning || s.Size == (ledger.Size{}) {
			continue
		}
		asked++
		record := s.Session
		go func() {
			defer func() { done <- struct{}{} }()
			c, err := Dial(dir, record)
			if err != nil {
				return
			}
			defer c.Close()
			if outlook, err := c.Outlook(ctx); err == nil {
				s.Outlook = outlook
			}
		}()
	}
	return func() {
		defer cancel()
		for range asked {
			<-done
		}
	}
}

// A question is what a command waits to be answered, as a client that waits for the command hears of it.
type question struct {
	Outlook
	number int    // of the question, which another one has not
	offset int64  // of the output, when it was asked
	above  bool   // the text may be of something that is over
	nested bool   // it is asked in a terminal within this one
	block  uint64 // the sleep of the reader, which ends when it goes on; 0 where it has many

	picture  Picture      // in which it is asked; the holder alone knows it
	settings string       // of the terminal then; likewise
	field    prompt.Field // what became of the question that the client has answered before; "" where it has not
	asked    string       // since then, in the same line
}

// stands reports whether the command waits for the answer to the question at this moment.
func (c *Client) stands(ctx context.Context, q question) bool {
	resp, err := c.call(ctx, request{Op: opOutlook, Question: q.number})
	return err == nil && resp.Stands
}

// lastOutlook is Outlook for who leaves the command, where a holder that does not answer leaves it open.
func (c *Client) lastOutlook() Outlook {
	ctx, cancel := context.WithTimeout(context.Background(), farewell)
	defer cancel()
	outlook, _ := c.outlook(ctx, true)
	return outlook
}
