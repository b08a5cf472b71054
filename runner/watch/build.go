package watch

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"devtools/ledger/transcript"
	"devtools/runner"
	"devtools/runner/blocked"
	"devtools/runner/wire"
)

// lastLines is how much of a failed build's output an event has, in bytes.
const lastLines = 4 << 10

// build runs the build to its end and reports whether it has succeeded. The error is errRedo if the build was ended to
// start again.
func (w *watcher) build(ctx context.Context, changed []string) (ok bool, err error) {
	if w.Build == nil {
		return true, nil
	}
	begin := time.Now()
	code, output, why, err := w.runBuild(ctx, changed)
	w.buildTime = time.Since(begin)
	if errors.Is(err, errRedo) {
		w.say(Event{Event: EventBuilt, DurationMs: w.buildTime.Milliseconds(), Reason: errRedo.Error()})
	}
	if err != nil {
		return false, err
	}
	e := Event{Event: EventBuilt, Code: &code, DurationMs: w.buildTime.Milliseconds()}
	if code != 0 {
		e.Output, e.Reason = output, why
	} else {
		w.state.BuiltAt.Time = begin
	}
	w.say(e)
	w.state.Failed, w.code = code != 0, code
	return code == 0, nil
}

// runBuild returns the exit code of the build and the end of its output. If the build was ended because it waited for
// input, why says so. Nobody answers the questions of a build, so a build that waits for input is ended.
func (w *watcher) runBuild(ctx context.Context, changed []string) (code int, output, why string, err error) {
	spec := w.withPaths(*w.Build, changed)
	spec.Labels = map[string]string{labelBuild: w.ID}
	starter := runner.Prepare(nil)
	defer starter.Close()
	client, err := startSession(ctx, starter, spec)
	if err != nil {
		return 0, "", "", err
	}
	defer client.Close()
	w.say(Event{
		Event: EventBuild, Name: client.Session.Name, SessionID: client.Session.ID, PID: client.Session.Main.PID,
		CommandLine: strings.Join(client.Session.Command, " "),
	})
	var tail outputTail
	sink, done := w.showBuild(&tail)
	building, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	built := w.onRedo(func() { cancel(errRedo) })
	result, err := client.Run(building, runner.RunOptions{
		Sink: sink, Grace: w.KillAfter, Input: runner.InputOptions{OnInput: runner.OnInputKill, MinConfidence: string(blocked.High)},
	})
	built()
	if cause := context.Cause(building); cause != nil {
		return 0, "", "", errors.Join(cause, w.endBuild(ctx, client))
	}
	done() // not for a build that was ended: nobody waits for a reader that does not read
	if err != nil {
		return 0, "", "", err
	}
	code, why = buildResult(result)
	return code, text(tail), why, nil
}

// An outputTail is the end of a build's output, at most 2*lastLines bytes.
type outputTail []byte

func (t *outputTail) add(b []byte) {
	if *t = append(*t, b...); len(*t) > 2*lastLines {
		*t = append((*t)[:0], (*t)[len(*t)-lastLines:]...)
	}
}

// showBuild returns a sink that shows the output of a build and keeps its end in tail.
func (w *watcher) showBuild(tail *outputTail) (sink wire.Sink, done func()) {
	done = func() {}
	if w.Show != nil {
		sink, done = w.Show()
	}
	show := sink.Write
	sink.Write = func(b []byte, kind transcript.Kind, offset int64) error {
		tail.add(b)
		if show == nil {
			return nil
		}
		return show(b, kind, offset)
	}
	return sink, done
}

// onRedo calls again when a new build is requested, until built is called. A later request is for the loop.
func (w *watcher) onRedo(again func()) (built func()) {
	stop, listened := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(listened)
		select {
		case <-w.Redo:
			again()
		case <-stop:
		}
	}()
	return func() {
		close(stop)
		<-listened
	}
}

// endBuild ends a build before its time.
func (w *watcher) endBuild(ctx context.Context, client *runner.Client) error {
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), w.KillAfter+endPatience)
	defer cancel()
	defer w.hurries(ending, client.Session.ID)()
	err := w.endSession(ending, client)
	if errors.As(err, new(*takenError)) {
		return nil // the port belongs to a process that has nothing to do with this build
	}
	return err
}

// buildResult returns the exit code of a build. It is not 0 if the build waited for input, and why says so.
func buildResult(r runner.RunResult) (code int, why string) {
	code = 1
	if r.Session.ExitCode != nil {
		code = *r.Session.ExitCode
	}
	if r.Status != runner.WaitingForInput {
		return code, ""
	}
	why = "it waits for input, and nobody answers a build"
	if asked := r.Input.Waiting; asked != nil && asked.Prompt != "" {
		why += fmt.Sprintf(": %q", asked.Prompt)
	}
	return max(code, 1), why
}

// errRedo ends a build that is to start again.
var errRedo = errors.New("a new build was requested")

// quiet waits until nothing changes any more, and adds what has changed until then.
func (w *watcher) quiet(ctx context.Context, changed []string) ([]string, error) {
	if err := w.sources.settle(ctx, w.Debounce); err != nil {
		return changed, err
	}
	now, err := w.sources.scan(ctx, false)
	if err != nil {
		return changed, err
	}
	changed = union(changed, names(w.sources.changes(w.seen, now)))
	w.seen = now
	return changed, nil
}

// endPatience is how much longer than KillAfter the end of a build may take.
const endPatience = 5 * time.Second
