package runner

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"

	"devtools/ledger"
	"devtools/runner/proc"
	"devtools/runner/wire"
)

// The statuses of a run.
const (
	Completed = "completed" // the main process exited, and its tree is gone or listed as leftovers
	Running   = "running"   // it goes on
	TimedOut  = "timeout"   // its time was over; it goes on unless the spec limited it

	WaitingForInput = "waiting_for_input" // that is proved; it goes on unless it was to be ended
)

// RunOptions say how Run waits.
type RunOptions struct {
	Timeout  time.Duration    // 0 waits for ever
	Sink     wire.Sink        // takes the output
	Terminal *os.File         // a person's terminal, whose keys are passed on; or nil
	Signals  <-chan os.Signal // what this process is told
	From     int64            // offset of the output that Sink takes first
	Input    InputOptions
	KillLate bool          // end the command when the time is over
	Grace    time.Duration // between TERM and KILL then, and for OnInputKill
}

// A RunResult is what became of a command.
type RunResult struct {
	Status  string
	Session ledger.Session
	Next    int64           // the offset up to which Sink has the output
	Missing int64           // bytes before Next that could not be kept
	Signal  os.Signal       // the one that ended the waiting, or that was passed on
	Input   wire.InputState // what the command does about input, if it goes on
	Answers []AnswerReport

	// SinkBusy says that Sink is still being called, by somebody who waits for a reader.
	SinkBusy bool
}

// Run waits for the command of a session, passing on its output, and the signals of the keyboard to it. The waiting ends
// when the command is finished, when it waits for input, when the time is over, and when this process is told to end
// (SIGTERM, SIGHUP): then the command goes on. An error of the sink hangs the command up and is returned.
func (c *Client) Run(ctx context.Context, opts RunOptions) (RunResult, error) {
	if opts.Terminal != nil {
		view, err := openView(c, opts.Terminal)
		if err != nil {
			return RunResult{Status: Running, Session: c.Session}, err
		}
		defer view.close()
	}
	following, stop := context.WithCancel(ctx)
	defer stop()
	w := attendance{client: c, from: opts.From, done: make(chan RunResult, 1), failed: make(chan error, 1), stop: stop}
	go w.follow(following, opts.Sink)
	questions := c.watchInput(following, opts.Input, 0)
	result, err := w.wait(following, opts, questions.found)
	result.Answers = questions.reports(stop, result.Status == Completed)
	return result, err
}

// wait waits until the command is finished or one of the other reasons ends the waiting.
func (w attendance) wait(ctx context.Context, opts RunOptions, questions <-chan question) (RunResult, error) {
	ending := "" // the status for which the command is ended
	var q question
	kill := func(status string) <-chan time.Time {
		ending = status
		go w.client.Kill(ctx, 0, "TERM", opts.Grace)
		return time.After(opts.Grace + killPatience)
	}
	var deadline <-chan time.Time
	if opts.Timeout > 0 {
		timer := time.NewTimer(opts.Timeout)
		defer timer.Stop()
		deadline = timer.C
	}
	var passed os.Signal
	for {
		select {
		case result := <-w.done:
			result.Signal = passed
			if ending != "" {
				result.Status = ending
			}
			return result.with(q), <-w.failed
		case q = <-questions:
			if opts.Input.OnInput != OnInputKill {
				return w.leave(WaitingForInput, nil).with(q), nil
			}
			deadline = kill(WaitingForInput)
		case <-deadline:
			switch {
			case ending != "": // we may not kill it
				return w.leave(ending, nil).with(q), nil
			case opts.KillLate:
				deadline = kill(TimedOut)
			default:
				return w.leave(TimedOut, nil), nil
			}
		case sig := <-opts.Signals:
			if !proc.FromKeyboard(sig) {
				return w.leave(Running, sig), nil
			}
			passed = sig
			if w.client.ended(ctx) { // what is left has no terminal to hear it from, and is not waited for any more
				return w.leave(Running, sig), nil
			}
			err := w.client.Signal(ctx, proc.SignalOf(sig))
			if err != nil && !errors.Is(err, wire.ErrHolderGone) && !errors.Is(err, proc.ErrNoProcess) {
				return w.leave(Running, sig), err
			}
		case <-ctx.Done():
			return w.leave(Running, nil), ctx.Err()
		}
	}
}

// An attendance is what goes on while Run waits.
type attendance struct {
	client *Client
	from   int64
	done   chan RunResult
	failed chan error
	stop   context.CancelFunc // ends follow
}

// follow passes on the output and then asks for the result.
func (w attendance) follow(ctx context.Context, sink wire.Sink) {
	result := RunResult{Status: Running, Session: w.client.Session}
	var err error
	answer := w.client.Send(wire.Request{Op: wire.OpResult}) // asked now, it comes together with the end of the output
	result.Next, result.Missing, err = w.client.FollowUntil(ctx, w.from, sink, true)
	if err == nil {
		result.Session, err = w.client.result(ctx, answer)
	} else if ctx.Err() == nil {
		w.hangUp(ctx, err)
	}
	if err == nil {
		result.Status = Completed
		if result.Session.TimedOut {
			result.Status = TimedOut
		}
	}
	w.done <- result
	w.failed <- err
}

// hangUp tells the command what a closed terminal says, if the error of the sink is that nobody takes
// the output any more. It goes on after any other, such as a full disk of the reader.
func (w attendance) hangUp(ctx context.Context, err error) {
	if errors.Is(err, syscall.EPIPE) {
		_ = w.client.HangUp(ctx) // it may have ended
	}
}

// ended reports whether the main process has exited.
func (c *Client) ended(ctx context.Context) bool {
	resp, err := c.Call(ctx, wire.Request{Op: wire.OpState})
	return err == nil && resp.Session.Ended()
}

// leave ends the waiting while the command goes on. A reader of the output that does not read gets a
// moment to take what is on its way.
func (w attendance) leave(status string, sig os.Signal) RunResult {
	w.stop()
	result := RunResult{Session: w.client.Session, SinkBusy: true}
	select {
	case result = <-w.done:
		if result.Status == Completed {
			return result // in this very moment
		}
	case <-time.After(wire.Farewell):
	}
	result.Status, result.Signal = status, sig
	w.client.reported(result.Next)
	if status == TimedOut {
		result.Input = w.client.lastInputState()
	}
	return result
}

// with returns r with the question that has ended the waiting, unless the command has ended in this very moment.
func (r RunResult) with(q question) RunResult {
	if r.Status == WaitingForInput {
		r.Input = q.InputState
	}
	return r
}
