package hold

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"devtools/ledger"
	"devtools/runner/start"
	"devtools/runner/track"
	"devtools/runner/wire"
)

const (
	// onExitLimit is how long the command of --on-exit may run, with what it has started.
	onExitLimit = 10 * time.Second

	// onExitPatience is how long its start may take. The holder does not leave before: the time is far beyond what a start takes,
	// and only keeps a holder from staying for ever beside a state folder that hangs.
	onExitPatience = 30 * time.Second
)

// An onExit starts the command of --on-exit, in a session of its own, when the result is known, recorded and answered. Only the
// holder starts it, and it remembers that in its memory: after a kill of the holder nobody starts it.
type onExit struct {
	*core
	begun chan struct{} // closed when the session has started or failed to; nil before
}

// start begins to start the command, once.
func (o *onExit) start() {
	if len(o.spec.OnExit) == 0 || o.begun != nil {
		return
	}
	o.begun = make(chan struct{})
	spec, failed := o.next(), track.FailedEvent(o.session, "on-exit")
	go func() {
		defer close(o.begun)
		ctx, cancel := context.WithTimeout(context.Background(), onExitPatience)
		defer cancel()
		starter := start.PrepareChild()
		conn, err := starter.Start(ctx, spec)
		if err == nil {
			err = conn.Close() // the session goes on
		}
		if err = errors.Join(err, starter.Close()); err != nil {
			o.recordFailure(failed, err)
		}
	}()
}

// await waits until the command has started or failed to.
func (o *onExit) await() {
	if o.begun != nil {
		<-o.begun
	}
}

// next returns the session of the command. It waits for what the command leaves behind, and ends that at its time limit. The command
// does not get the secrets, and they are masked in its output.
func (o *onExit) next() wire.Spec {
	dir := o.dir.Place()
	return wire.Spec{
		Dir: dir, Base: ledger.NameWith(o.session.Name, "-on-exit"), OnExitOf: o.session.ID,
		Command: o.spec.OnExit, Path: o.spec.OnExitPath, Cwd: o.asked.Cwd, Env: onExitEnv(withoutSecrets(o.asked.Env, o.asked.Secrets), dir, o.session), NoTerminal: true, Umask: o.asked.Umask, FileLimit: o.asked.FileLimit,
		Leftovers: wire.LeftoversWait, TimeLimit: onExitLimit, KillAfter: defaultGrace,
		Secrets: o.asked.Secrets, MaxLog: o.spec.MaxLog, NoRecord: o.spec.NoRecord, Retention: o.spec.Retention, NoCgroup: o.spec.NoCgroup, Isolation: o.spec.Isolation, Agent: o.spec.Agent,
	}
}

// onExitEnv returns the environment with the variables that tell how the session has ended. Its state folder is dir.
func onExitEnv(env []string, dir string, s ledger.Session) []string {
	status, code := ledger.StatusCompleted, ""
	if s.Signal != "" {
		status = ledger.StatusKilled
	}
	if s.ExitCode != nil {
		code = strconv.Itoa(*s.ExitCode)
	}
	set := []string{
		"DEVTOOLS_DIR=" + dir, "DEVTOOLS_EXIT_NAME=" + s.Name, "DEVTOOLS_EXIT_SESSION=" + s.ID, "DEVTOOLS_EXIT_STATUS=" + status,
		"DEVTOOLS_EXIT_CODE=" + code, "DEVTOOLS_EXIT_SIGNAL=" + s.Signal,
	}
	rest := slices.DeleteFunc(slices.Clone(env), func(pair string) bool {
		return strings.HasPrefix(pair, "DEVTOOLS_DIR=") || strings.HasPrefix(pair, "DEVTOOLS_EXIT_")
	})
	return append(rest, set...)
}
