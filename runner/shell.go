package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"devtools/ledger"
	"devtools/ledger/transcript"
	"devtools/runner/proc"
	"devtools/runner/track"
	"devtools/runner/wire"
)

// maxShellText is the maximum size of a command for a session's shell, in bytes.
const maxShellText = 512 << 10

// RunInOptions say how RunIn waits.
type RunInOptions struct {
	Callers []proc.ID     // ancestors of this process, for callerGone
	Timeout time.Duration // 0: no time limit
	// Interrupt ends the foreground processes when the time is over: first with INT, later with KILL.
	Interrupt bool
	KillAfter time.Duration  // time between INT and KILL
	Sink      wire.Sink      // takes the output
	Signals   chan os.Signal // signals that this process gets

	// Env and Cwd are for this command alone: the shell's own are as before when it is over.
	Env []string
	Cwd string

	Input InputOptions

	// Started, if it is not nil, is called once the command runs, before Sink gets its output.
	Started func(RunInResult) error

	// Background makes RunIn return as soon as the command runs.
	Background bool
}

// A RunInResult is what became of a command in a session's shell.
type RunInResult struct {
	wire.ShellResult // with Status Running and TimedOut only its Offset is known
	Status           string
	Name             string          // name of the session, if the command goes on
	Read             int64           // offset up to which Sink has the output
	Missing          int64           // bytes before Read that could not be stored
	Deleted          int64           // bytes before Read that were deleted before they could be read, to keep within the size of the log
	Signal           os.Signal       // as in RunResult
	Finished         bool            // the command is over, and ShellResult says how it ended
	SinkBusy         bool            // as in RunResult
	Input            wire.InputState // what the command does about input, if it goes on
	Answers          []AnswerReport
	CalledAt         time.Time // when the same caller had the command before run in this session; zero: not known
}

// DialShell connects to the holder of the session called name. The session must not have ended.
func DialShell(dir ledger.Dir, name string) (*Client, error) {
	session, err := dir.Session(name)
	if err == nil {
		session, err = dir.LoadSession(session.ID)
		err = asNamed(err, name)
	}
	if err != nil {
		return nil, err
	}
	if session.Ended() {
		return nil, ledger.SessionError(name, wire.ErrEnded)
	}
	return Dial(dir, session)
}

// RunIn makes the session's shell run text as if it had been typed at the prompt, and passes on the output. It waits for
// the end of the command, for the end of the time, or until this process is told to end. In the last two cases the command
// goes on, unless Interrupt ends it. A shell that has just started may take as long for its first prompt. In place of a shell there may be a REPL: a program that waits at a prompt for lines.
// The errors are ErrNoShell, ErrIncomplete, and ErrBusy when a command runs already or somebody types.
func (c *Client) RunIn(ctx context.Context, text string, opts RunInOptions) (RunInResult, error) {
	result := RunInResult{Status: Running}
	if len(text) > maxShellText {
		return result, fmt.Errorf("the command has %d bytes, and at most %d are allowed: write it into a file", len(text), maxShellText)
	}
	req := wire.Request{Op: wire.OpShell, Data: []byte(text), REPL: true, Env: opts.Env, Cwd: opts.Cwd, Caller: track.Caller(), FirstMs: opts.Timeout.Milliseconds()}
	if len(opts.Env) > 0 || opts.Cwd != "" {
		req.Op = wire.OpShellWith // an older holder would ignore them
	}
	started, err := c.startIn(ctx, req, opts)
	if req.Op == wire.OpShellWith && errors.Is(err, wire.ErrOlder) {
		return result, ledger.SessionError(c.Session.Name, fmt.Errorf("%w: set a variable or directory for one command", wire.ErrOlder))
	}
	if err != nil {
		return result, err
	}
	result.Offset, result.Read = started.Offset, started.Offset
	result.CalledAt = started.CalledAt.Time
	result.REPL = started.Shell != nil && started.Shell.REPL
	if opts.Background {
		return result, nil
	}
	if opts.Started != nil {
		if err := opts.Started(result); err != nil {
			return result, err
		}
	}
	return c.followRun(ctx, started.Run, result, opts)
}

// withdrawPatience is how long the holder may take to say what became of a command that was withdrawn.
const withdrawPatience = 2 * wire.AnswerTime

// startIn waits until the session's shell runs the command of the request. A signal or the end of the time ends the wait, and the
// command does not run later. After a signal the error is context.Canceled.
func (c *Client) startIn(ctx context.Context, req wire.Request, opts RunInOptions) (wire.Response, error) {
	answer := c.Send(req)
	var late <-chan time.Time
	if opts.Timeout > 0 {
		late = time.After(opts.Timeout)
	}
	var passed os.Signal
	withdrawn := false
	for look := time.After(wire.AnswerTime); ; {
		leave := true
		select {
		case resp, ok := <-answer:
			resp, err := wire.Answered(resp, ok)
			if passed != nil && err != nil && ok {
				err = context.Canceled
			} else if passed != nil {
				select {
				case opts.Signals <- passed: // the command runs already, and the signal is for that
				default: // as many signals are already waiting
				}
			}
			return resp, err
		case passed = <-opts.Signals:
		case <-late:
		case <-look:
			leave, look = false, time.After(wire.AnswerTime)
		case <-ctx.Done():
			return wire.Response{}, ctx.Err()
		}
		switch stopped := isStopped(track.Identity(c.Session.Holder)); {
		case stopped:
			return wire.Response{}, c.unanswered(fmt.Sprintf(": it is stopped, and kill -CONT %d resumes it", c.Session.Holder.PID))
		case withdrawn && !leave:
			return wire.Response{}, c.unanswered("")
		case leave && !withdrawn:
			withdrawn, look = true, time.After(withdrawPatience)
			c.Send(wire.Request{Op: wire.OpShellWithdraw})
		}
	}
}

// unanswered returns the error for a command of which the holder does not say whether it runs. Once the connection is closed, the
// holder does not hand it to the shell.
func (c *Client) unanswered(why string) error {
	return ledger.SessionError(c.Session.Name, fmt.Errorf("%w%s; the command does not run later, unless its shell has it already", wire.ErrNoAnswer, why))
}

// followRun passes on the output of a command in the session's shell and waits for the command's end.
func (c *Client) followRun(ctx context.Context, run int, begin RunInResult, opts RunInOptions) (RunInResult, error) {
	if opts.Sink.Write == nil {
		opts.Sink.Write = func([]byte, transcript.Kind, int64) error { return nil }
	}
	w := shellWait{client: c, run: run, begin: begin, callers: opts.Callers, done: make(chan shellEnd, 1)}
	following, stop := context.WithCancel(ctx)
	defer stop()
	go w.follow(following, opts.Sink)
	questions := c.watchInput(following, opts.Input, w.run)
	result, err := w.wait(ctx, stop, opts, questions)
	result.Answers = questions.reports(stop, result.Finished)
	return result, err
}

// A shellWait has what runs while RunIn waits.
type shellWait struct {
	client  *Client
	run     int
	begin   RunInResult
	callers []proc.ID
	done    chan shellEnd
}

type shellEnd struct {
	result RunInResult
	err    error
}

// follow passes on the output up to the end of the command.
func (w shellWait) follow(ctx context.Context, sink wire.Sink) {
	end := shellEnd{result: w.begin}
	f := wire.NewFollower(w.client.Conn, w.begin.Offset, sink)
	defer f.Close()
	for {
		resp, err := f.Wait(ctx, wire.Request{Op: wire.OpShellFollow, Run: w.run})
		if err == nil {
			err = f.Copy(ctx, resp.Next)
		}
		if errors.Is(err, wire.ErrHolderGone) { // the shell has ended with the command
			resp.Closed, resp.Shell = true, &wire.ShellResult{Offset: w.begin.Offset, Ended: true, REPL: w.begin.REPL}
			if err = f.CopyRest(ctx); err == nil {
				err = w.client.fillEnd(resp.Shell, f.Next)
			}
		}
		end.result.Read, end.result.Missing, end.result.Deleted, end.err = f.Next, f.Missing, f.Deleted, err
		if err == nil && resp.Closed && resp.Shell.Incomplete {
			end.err = ledger.SessionError(w.client.Session.Name, fmt.Errorf("%w: the REPL waited for more, and was interrupted", wire.ErrIncomplete))
		}
		if err == nil && resp.Closed {
			end.result.ShellResult, end.result.Status, end.result.Finished = *resp.Shell, Completed, true
		}
		if errors.Is(err, syscall.EPIPE) {
			if callerGone(ctx, w.callers) {
				end.result.Signal, end.result.SinkBusy, end.err = syscall.SIGPIPE, true, nil
			} else if ctx.Err() == nil {
				w.signal(ctx, "HUP") // nobody reads any more
			}
		}
		if err != nil || resp.Closed {
			w.done <- end
			return
		}
	}
}

// fillEnd fills in what the session's record says about the command with which the shell has ended.
func (c *Client) fillEnd(r *wire.ShellResult, next int64) error {
	session, err := c.Record()
	if err != nil {
		return err
	}
	r.Next, r.Signal = next, session.Signal
	if session.ExitCode != nil {
		r.ExitCode = *session.ExitCode
	}
	return nil
}

func (w shellWait) wait(ctx context.Context, stop context.CancelFunc, opts RunInOptions, questions *answerer) (RunInResult, error) {
	var deadline <-chan time.Time
	if opts.Timeout > 0 {
		deadline = time.After(opts.Timeout)
	}
	var passed os.Signal
	why := Completed // other reason for the end of the wait
	var input wire.InputState
	next := "INT"
	interrupt := func() {
		w.signal(ctx, next)
		if next == "INT" {
			next, deadline = "KILL", time.After(opts.KillAfter)
		} else {
			next, deadline = "", time.After(wire.Farewell)
		}
	}
	for {
		select {
		case end := <-w.done:
			if passed != nil {
				end.result.Signal = passed
			}
			if why != Completed && end.err == nil {
				end.result.Status, end.result.Input = why, input
			}
			return end.result, end.err
		case q := <-questions.found:
			why, input = WaitingForInput, q.InputState
			if opts.Input.OnInput != OnInputKill {
				return w.leave(stop, why, nil, input), nil
			}
			interrupt()
		case <-deadline:
			if why == Completed {
				why = TimedOut
			}
			if why == TimedOut && !opts.Interrupt || next == "" {
				if why == TimedOut {
					input = w.client.lastInputState()
				}
				return w.leave(stop, why, nil, input), nil
			}
			interrupt()
		case sig := <-opts.Signals:
			if !proc.FromKeyboard(sig) {
				return w.leave(stop, Running, sig, wire.InputState{}), nil
			}
			passed = sig
			w.signal(ctx, proc.SignalOf(sig))
		case <-ctx.Done():
			return w.leave(stop, Running, nil, wire.InputState{}), ctx.Err()
		}
	}
}

// signal sends a signal to the foreground process group of the command, if there still is one.
func (w shellWait) signal(ctx context.Context, name string) {
	_, _ = w.client.Call(ctx, wire.Request{Op: wire.OpShellSignal, Run: w.run, Signal: name})
}

// leave ends the wait while the command goes on.
func (w shellWait) leave(stop context.CancelFunc, status string, sig os.Signal, input wire.InputState) RunInResult {
	stop()
	result := w.begin
	result.SinkBusy = true
	select {
	case end := <-w.done:
		if result = end.result; result.Status == Completed {
			return result // the command has finished in this very moment
		}
	case <-time.After(wire.Farewell):
	}
	result.Status, result.Signal, result.Input = status, sig, input
	result.Name = w.client.reported(result.Read)
	return result
}

// AtPrompt reports whether the session's shell waits for a line at its prompt, and whether that is known.
func (c *Client) AtPrompt(ctx context.Context) (known, at bool, err error) {
	resp, err := c.Call(ctx, wire.Request{Op: wire.OpState})
	if err != nil || resp.Prompt == nil {
		return false, false, err
	}
	return true, *resp.Prompt, nil
}
