package hold

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"devtools/ledger"
	"devtools/ledger/transcript"
	"devtools/runner/fork"
	"devtools/runner/proc"
	"devtools/runner/pty"
	"devtools/runner/sandbox"
	"devtools/runner/track"
	"devtools/runner/wire"
)

// begin takes the name, starts the command, which gets the files if its spec has them, and records both. If it fails, it leaves nothing
// behind.
func (h *holder) begin(stdin *os.File, jobs []*os.File) (err error) {
	if err := pty.PrepareHolder(); err != nil {
		return err
	}
	if h.spec.ID == "" {
		return errors.New("devtools was replaced by another version while it started: run the command again")
	}
	opened := pty.OpenEarly(optionsOf(h.spec))
	if h.dir = ledger.Discarding(h.spec.Dir); !h.spec.NoFolder {
		if h.dir, err = ledger.Open(h.spec.Dir); err != nil {
			return err
		}
		h.dir = h.dir.Follow()
	}
	id := h.spec.ID
	defer func() {
		if err != nil {
			h.undo(id)
		}
	}()
	if err := h.open(id); err != nil {
		return err
	}
	return h.start(stdin, jobs, opened)
}

// open makes what the session needs before its command starts: its record, its claim, its transcript, its socket and its name.
func (h *holder) open(id string) (err error) {
	if err := h.describe(id); err != nil {
		return err
	}
	if err := h.dir.Claim(id); err != nil {
		return err
	}
	if h.log, err = transcript.Create(wire.Transcript(h.dir, h.session), h.spec.MaxLog); err != nil {
		return err
	}
	if !h.spec.NoFolder {
		if h.clients.listener, err = wire.Listen(id, h.dir); err != nil {
			return err
		}
		h.session.Socket = h.clients.listener.Addr().String()
	}
	if n := h.spec.Scrollback; n != nil { // a replay needs the scrollback, too
		h.log.Note(transcript.Entry{Kind: transcript.Resize, Text: sizeText(h.session.Size), Scrollback: *n})
	}
	return h.takeName(h.spec.Name, wire.LockWait, h.allowed)
}

// start starts the command in the terminal that opened waits for, and records it.
func (h *holder) start(stdin *os.File, jobs []*os.File, opened func() (*pty.Terminal, error)) (err error) {
	h.spec.Env = slices.Clip(track.Unmarked(h.spec.Env))
	h.asked = h.spec
	h.spec.Env = append(h.spec.Env, track.Variable+"="+h.session.ID)
	if !h.spec.NoCgroup {
		h.cgroup = proc.NewCgroup(h.session.ID)
		h.session.Cgroup = h.cgroup.Path
	}
	if err := h.isolate(); err != nil {
		return err
	}
	h.started = time.Now()
	h.lastBytes = h.started
	h.printedAt.Store(h.started.UnixNano())
	h.session.StartedAt = ledger.Time{Time: h.started}
	if err := h.dir.SaveSession(h.session); err != nil { // nothing starts without room for its record
		return err
	}
	if err := h.shell.integrate(); err != nil {
		return err
	}
	h.askStages()
	if h.spec.FewProcesses {
		h.prepareForScarcity()
	} else {
		time.AfterFunc(spareDelay, func() {
			ends := sandbox.Around().Ends
			h.done <- func() { h.prepareForScarcity(); h.endsWith(ends) }
		})
	}
	options := h.options()
	if h.spec.Jobs {
		options.Files = jobs
	}
	if h.program, err = pty.Start(options, stdin, opened, h.cgroup); err != nil {
		return err
	}
	if !h.program.InCgroup {
		h.cgroup.Remove()
		h.session.Cgroup = ""
	}
	h.completion.outputs = len(h.program.Outputs)
	h.note(h.recordStart()) // the command runs: a failed record must not end it
	return nil
}

// optionsOf returns the part of a spec that describes its program.
func optionsOf(s wire.Spec) pty.Options {
	return pty.Options{Path: s.Path, Command: s.Command, Env: s.Env, Cwd: s.Cwd, Size: s.Size, NoTerminal: s.NoTerminal, InputPipe: s.InputPipe, Settings: settingsOf(s)}
}

func settingsOf(s wire.Spec) fork.Settings {
	return fork.Settings{Umask: s.Umask, FileLimit: s.FileLimit}
}

// describe fills in what is known about the session before its command starts.
func (h *holder) describe(id string) error {
	self, err := proc.Identify(os.Getpid())
	if err != nil {
		return err
	}
	secrets := h.masking.begin()
	h.session = ledger.Session{
		ID:      id,
		Status:  ledger.StatusStarting,
		Command: h.masks.List(h.spec.Command),
		Cwd:     h.masks.String(h.spec.Cwd),
		Holder:  track.Process(self),
		Title:   h.masks.String(h.spec.Title),
		Labels:  h.maskLabels(h.spec.Labels),
		Awaited: h.spec.Foreground,
		Caller:  h.spec.Caller,

		OnExitOf:  h.spec.OnExitOf,
		RestartOf: h.spec.RestartOf,
		NoRecord:  h.spec.NoRecord,

		Share:   h.spec.Share,
		Secrets: secrets,

		StartedAt:  ledger.Time{Time: time.Now()}, // until its program has started
		Scrollback: h.spec.Scrollback,
	}
	h.dir.Stamp(&h.session)
	h.session.Namespace, h.session.EndsWith = proc.Namespace(), h.spec.EndsWith
	if !h.spec.NoTerminal {
		h.session.Size = h.spec.Size
	}
	if h.spec.Tether != 0 {
		_, err = h.limits.tetherTo(h.spec.Tether)
	}
	return err
}

// endsWith records what ends the sandbox of the session. A command that is over sooner does not pay for the question.
func (h *holder) endsWith(ends string) {
	if ends != "" && h.session.EndsWith == "" {
		h.session.EndsWith = ends
		h.put()
	}
}

// allowed returns an error if the workspace has as many sessions already as the spec allows. A session that is started again
// does not count twice.
func (h *holder) allowed(a *ledger.Active) error {
	if most := h.spec.MaxSessions; most > 0 && h.spec.Replaces == "" && a.Counted() >= most {
		return fmt.Errorf("%w: %d run in this workspace, and the limit is %d", wire.ErrTooMany, a.Counted(), most)
	}
	return nil
}

func (h *holder) recordStart() error {
	h.session.Main = track.Process(h.program.ID)
	h.session.Status = ledger.StatusRunning
	err := h.dir.SaveSession(h.session)
	ctx, cancel := context.WithTimeout(context.Background(), wire.LockWait)
	defer cancel()
	return errors.Join(err, h.dir.UpdateOne(ctx, h.session.ID, func(a *ledger.Active) error {
		a.Put(h.session)
		a.Log(track.Event(ledger.EventStarted, h.session))
		return nil
	}))
}

// undo takes back what begin did before it failed. What it cannot remove, for the reason for which begin failed, the starter
// removes, and the next reconciliation of the ledger.
func (h *holder) undo(id string) {
	h.cgroup.Remove()
	h.removeTemp()
	h.clients.closeDoor()
	if h.log != nil {
		_ = h.log.Close()
	}
	if h.session.Name != "" {
		ctx, cancel := context.WithTimeout(context.Background(), wire.LockWait)
		defer cancel()
		_ = h.dir.UpdateOne(ctx, id, func(a *ledger.Active) error {
			a.Remove(id)
			return nil
		})
	}
	_ = h.dir.RemoveSession(id)
}
