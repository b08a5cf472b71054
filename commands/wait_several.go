package commands

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/runner"
	"devtools/runner/wire"
)

// A waitListing is the output of wait --json with several names, --any or --label.
type waitListing struct {
	First   string        `json:"first,omitzero"` // with --any: name of the first session of which the conditions came true
	Results []waitResult  `json:"results"`        // one for each session whose wait has ended, in the order of these ends
	Errors  []errorDetail `json:"errors"`         // what else went wrong, such as a session whose end nobody knows
}

// waitForSeveral waits for each of the sessions, or with --any for the first of which the conditions come true.
func waitForSeveral(ctx context.Context, cmd *cli.Command, dir ledger.Dir, names []string, what runner.Wait) error {
	sessions, err := runner.FindEach(dir, names)
	if err != nil {
		return err
	}
	listing := waitListing{Results: []waitResult{}, Errors: []errorDetail{}}
	faults := make([]error, len(sessions)) // in the order of the arguments
	for end := range runner.WaitEach(ctx, dir, sessions, what) {
		waited, err := answeredWait(end.Waited, end.Err)
		name, how := sessions[end.Index].Name, "unknown"
		if err == nil {
			waited.Session.Name, how = name, waitedHow(waited)
			faults[end.Index] = waitCode(waited, what)
			listing.Results = append(listing.Results, newWaitResult(waited, end.Took))
		} else {
			faults[end.Index] = &sessionError{err: err, name: name}
			listing.Errors = append(listing.Errors, errorDetails(faults[end.Index])...)
		}
		met := err == nil && waitFault(waited, what) == nil
		if met || !cmd.Bool("any") {
			if err := sayWaited(cmd, name, how); err != nil {
				return err
			}
		}
		if met && cmd.Bool("any") {
			listing.First = name
			faults = faults[end.Index : end.Index+1]
			break
		}
	}
	if cmd.Bool("json") {
		if err := printJSON(cmd, listing); err != nil {
			return err
		}
	}
	remind(ctx, cmd, dir, idsOf(sessions)...)
	if cmd.Bool("any") && listing.First == "" {
		return failWaits(cmd, faults, slices.IndexFunc(faults, is(wire.ErrTimeout))) // who still runs may come to it
	}
	return failWaits(cmd, faults, -1)
}

// sayWaited prints how the wait for one session ended.
func sayWaited(cmd *cli.Command, name, how string) error {
	if cmd.Bool("json") {
		return nil
	}
	_, err := io.WriteString(cmd.Root().Writer, oneLine(name+" "+how)+"\n")
	return err
}

// waitedHow says in a few words how a wait ended: by which condition, or with which exit code.
func waitedHow(w runner.Waited) string {
	switch {
	case w.Failed != "":
		return "failed " + w.Failed
	case w.TimedOut:
		return "timeout"
	case w.Ended:
		return "ended"
	case w.Exited() && w.Session.Signal != "":
		return "signal " + w.Session.Signal
	case w.Exited() && w.Session.ExitCode != nil:
		return fmt.Sprintf("exit %d", *w.Session.ExitCode)
	}
	return "met " + strings.Join(w.Met, ", ")
}

// failWaits prints the faults, in the order of the arguments, and returns the exit code of the one at the index, or if that is
// -1 of the first.
func failWaits(cmd *cli.Command, faults []error, index int) error {
	if index < 0 {
		index = slices.IndexFunc(faults, func(err error) bool { return err != nil })
	}
	if index < 0 {
		return nil
	}
	for i, err := range faults {
		if err == nil || cmd.Bool("json") || isA[exitCode](err) {
			continue
		}
		message(cmd.Root().ErrWriter, "%v", err)
		if i == index {
			hint(cmd.Root().ErrWriter, newErrorDetail(cmd.Name, err).Hint)
		}
	}
	return exitCode(report(io.Discard, cmd.Name, faults[index], nil))
}
