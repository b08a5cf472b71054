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
	Running   = "running"   // the command goes on
	TimedOut  = "timeout"   // the time is over; the command goes on unless its end was asked for

	// the command waits for input, with at least the confidence that was asked for; it goes on unless its end was asked for
	WaitingForInput = "waiting_for_input"
)

// RunOptions say how Run waits.
type RunOptions struct {
	Callers  []proc.ID        // ancestors of this process, for callerGone
	Timeout  time.Duration    // 0: no time limit
	Sink     wire.Sink        // takes the output
	Terminal *os.File         // person's terminal, whose keys go to the session; or nil
	Signals  <-chan os.Signal // signals that this process gets
	From     int64            // offset of the first output for Sink
	Input    InputOptions
	Until    Wait          // return when it is over; without conditions, only the end of the command counts
	KillLate func() bool   // asked when the time is over: whether to end the command then; nil: it goes on
	Grace    time.Duration // time between TERM and KILL, for KillLate and OnInputKill
}

// A RunResult is what became of a command.
type RunResult struct {
	Status  string
	Session ledger.Session
	Next    int64           // offset up to which Sink has the output
	Missing int64           // bytes before Next that could not be stored
	Deleted int64           // bytes before Next that were deleted before they could be read, to keep within the size of the log
	Signal  os.Signal       // signal that ended the wait or was passed on to the command; SIGPIPE when a caller ended with the reader of the output
	Input   wire.InputState // what the command does about input, if it goes on
	Answers []AnswerReport
	Until   Waited // what became of RunOptions.Until
	Quit    bool   // ctrl-\ of the person has ended the command

	// SinkBusy says that Sink takes no more output: a goroutine is still in a call of it, or its reader is gone.
	SinkBusy bool
}

// Run waits for the command of a session. It passes on the command's output, and passes signals of the keyboard to the
// command. Run returns when the command is finished, when opts.Until is over, when the command waits for input, or when
// the time is over. It also returns when this process is told to end (SIGTERM, SIGHUP); then the command goes on. So it does
// when a caller ends together with the reader of the output. Any other error of the sink is returned. If nobody takes the
// output any more, it also hangs the command up.
func (c *Client) Run(ctx context.Context, opts RunOptions) (result RunResult, err error) {
	if opts.Terminal != nil {
		view, err := openView(c, opts.Terminal)
		if err != nil {
			return RunResult{Status: Running, Session: c.Session}, err
		}
		defer view.close()
		defer func() {
			code := result.Session.ExitCode
			result.Quit = view.quitPressed() && code != nil && *code == 128+int(syscall.SIGQUIT)
		}()
	}
	following, stop := context.WithCancel(ctx)
	defer stop()
	w := runWait{client: c, from: opts.From, callers: opts.Callers, done: make(chan RunResult, 1), failed: make(chan error, 1), stop: stop}
	w.until = c.awaitUntil(following, opts.Until)
	go w.follow(following, opts.Sink)
	questions := c.watchInput(following, opts.Input, 0)
	result, err = w.wait(ctx, opts, questions.found)
	result.Answers = questions.reports(stop, result.Status == Completed)
	return result, err
}

// wait waits until the command is finished or until another reason ends the wait.
func (w runWait) wait(ctx context.Context, opts RunOptions, questions <-chan question) (RunResult, error) {
	ending := "" // status for which the command is being ended
	var q question
	kill := func(status string) <-chan time.Time {
		ending = status
		go w.client.Kill(ctx, 0, "TERM", opts.Grace)
		return time.After(opts.Grace + KillPatience)
	}
	var deadline <-chan time.Time
	if opts.Timeout > 0 {
		timer := time.NewTimer(opts.Timeout)
		defer timer.Stop()
		deadline = timer.C
	}
	passed, over := os.Signal(nil), w.until.over
	for {
		select {
		case result := <-w.done:
			if passed != nil {
				result.Signal = passed
			}
			if ending != "" {
				result.Status = ending
			}
			result.Until = w.until.result(ctx, result.Session.Ended())
			return result.with(q), <-w.failed
		case <-over:
			if over = nil; ending == "" && w.until.endsRun() {
				w.stop() // follow then passes on the output up to there, which a slow reader may delay
			}
		case q = <-questions:
			if opts.Input.OnInput != OnInputKill {
				return w.leave(WaitingForInput, nil).with(q), nil
			}
			deadline = kill(WaitingForInput)
		case <-deadline:
			switch {
			case ending != "": // this user may not kill it
				return w.leave(ending, nil).with(q), nil
			case opts.KillLate != nil && opts.KillLate():
				deadline = kill(TimedOut)
			default:
				return w.leave(TimedOut, nil), nil
			}
		case sig := <-opts.Signals:
			if !proc.FromKeyboard(sig) {
				return w.leave(Running, sig), nil
			}
			passed = sig
			// The remaining processes have no terminal for the signal, and the client does not wait for them any more.
			if w.client.ended(ctx) {
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

// A runWait has what runs while Run waits.
type runWait struct {
	client  *Client
	from    int64
	callers []proc.ID
	done    chan RunResult
	failed  chan error
	stop    context.CancelFunc // ends follow
	until   *untilWait
}

// follow passes on the output and then gets the result.
func (w runWait) follow(ctx context.Context, sink wire.Sink) {
	result := RunResult{Status: Running, Session: w.client.Session}
	answer := w.client.Send(wire.Request{Op: wire.OpResult}) // asked now, the result comes together with the end of the output
	followed, err := w.client.FollowUntil(ctx, w.from, sink, true)
	result.Next, result.Missing, result.Deleted = followed.Next, followed.Missing, followed.Deleted
	var ended ledger.Session
	if err == nil {
		ended, err = w.client.result(ctx, answer)
	}
	switch {
	case err == nil:
		result.Session, result.Status = ended, Completed
		if ended.TimedOut {
			result.Status = TimedOut
		}
	case ctx.Err() == nil: // after an error such as one from a full disk of the reader, the command goes on
		if !errors.Is(err, syscall.EPIPE) {
			break
		}
		if callerGone(ctx, w.callers) {
			result.Signal, result.SinkBusy, err = syscall.SIGPIPE, true, nil
		} else if ctx.Err() == nil {
			_ = w.client.HangUp(ctx) // the command may have ended
		}
	case w.until.isOver(): // follow was told to end because of the conditions
		if err = w.until.err; err == nil {
			result.Session.Name = w.until.waited.Session.Name
			err = w.copyTo(&result, sink, w.until.waited.Session.OutputBytes)
		}
	}
	w.done <- result
	w.failed <- err
}

// copyTo passes on the output up to the offset end, although follow was told to end.
func (w runWait) copyTo(result *RunResult, sink wire.Sink, end int64) error {
	f := wire.NewFollower(w.client.Conn, result.Next, sink)
	defer f.Close()
	err := f.Copy(context.Background(), end)
	result.Next, result.Missing, result.Deleted = f.Next, result.Missing+f.Missing, result.Deleted+f.Deleted
	return err
}

// ended reports whether the main process has exited.
func (c *Client) ended(ctx context.Context) bool {
	resp, err := c.Call(ctx, wire.Request{Op: wire.OpState})
	return err == nil && resp.Session.Ended()
}

// leave ends the wait while the command goes on. If the reader of the output is slow, it gets a moment to take the
// output that is on its way.
func (w runWait) leave(status string, sig os.Signal) RunResult {
	w.stop()
	result := RunResult{Session: w.client.Session, SinkBusy: true}
	select {
	case result = <-w.done:
		if result.Status == Completed {
			return result // the command has finished in this very moment
		}
	case <-time.After(wire.Farewell):
	}
	result.Status, result.Signal = status, sig
	result.Session.Name = w.client.reported(result.Next)
	if status == TimedOut {
		result.Input = w.client.lastInputState()
	}
	return result
}

// with returns r with the question that has ended the wait, unless the command has ended in this very moment.
func (r RunResult) with(q question) RunResult {
	if r.Status == WaitingForInput {
		r.Input = q.InputState
	}
	return r
}
