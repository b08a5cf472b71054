package commands

import (
	"bytes"
	"context"
	"os"
	"syscall"
	"time"

	"github.com/urfave/cli/v3"

	"devtools/ledger"
	"devtools/runner/census"
)

// A followedEvent is a line of history --follow --json. It is the line of process-log.jsonl, with one more member.
type followedEvent struct {
	logged
	Next string `json:"next"` // with --follow: position behind this event, for --since
}

// logged is ledger.Event under another name: embedded as Event it would hide its own member Event.
type logged = ledger.Event

// historyRules are the rules about the flags of history.
var historyRules = []flagRule{
	{flags: []string{"follow"}, without: []string{"until", "tail"}, reason: "--follow prints what comes"},
	{flags: []string{"follow"}, needs: []string{"json", "fields"}, reason: "it is for programs"},
}

// lookForLost: each so many looks for events, a second, followHistory also looks for sessions whose holder was killed.
const lookForLost = int(time.Second / lookForNew)

// followHistory prints the events that are written from now on, or behind the place of --since, until its reader is gone.
func followHistory(ctx context.Context, cmd *cli.Command, path string, q ledger.Query) error {
	if err := checkFields(cmd, followedEvent{}); err != nil {
		return err
	}
	at, _ := ledger.ParseLogPlace(cmd.String("since")) // the beginning, if it is a TIME
	dir, err := ledger.Open(path)
	if err == nil && !cmd.IsSet("since") {
		if at, err = dir.LogEnd(); err != nil {
			return err
		}
	}
	say := func(why string) error { // in place of an event
		e := ledger.Event{Version: 1, Event: ledger.Following, PID: os.Getpid(), TS: ledger.Time{Time: time.Now()}, Reason: why}
		return encodeFor(cmd, followedEvent{e, at.String()})
	}
	lost := func() {
		_ = say("events are missing here: the log was removed, or its oldest events; what follows is from its beginning") // else write fails
	}
	same := func(text []byte, line string, _ *ledger.Event) []byte { return append(text, line...) }
	write := func(line []byte, behind ledger.LogPlace) error {
		object := append(bytes.TrimSuffix(line, []byte("}")), `,"next":"`+behind.String()+`"}`...)
		return fieldsOf(cmd).write(observed(cmd.Root().Writer), object)
	}
	err = say("")
	gone := readerGone(cmd.Root().Writer)
	tick := time.NewTicker(lookForNew)
	defer tick.Stop()
	for n := 0; err == nil || isMissing(err); n++ {
		if n%lookForLost == 0 {
			if dir, err := census.Open(ctx, path, nil); err == nil {
				_, _ = census.Reconcile(ctx, dir) // only who looks logs what was lost; where that fails, that is the next call
			}
		}
		if dir, err = ledger.Open(path); err == nil {
			at, err = dir.EventsAfter(at, &q, same, write, lost)
		}
		select {
		case <-gone:
			return syscall.EPIPE // as from a write
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
	return err
}
