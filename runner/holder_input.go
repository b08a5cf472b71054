package runner

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"devtools/runner/proc"
)

// probeMost is the time between two probes: nobody tells of output in between.
const probeMost = 250 * time.Millisecond

// promptCheck is how long a shell that says it is not at its prompt, though it reads, is left alone.
const promptCheck = 200 * time.Millisecond

// lookForInput looks for untilInput or untilPrompt. A shell that tells of its prompt knows better.
func (h *holder) lookForInput(ctx context.Context, w *waiter, a *awaited) {
	prompt := a.cond.kind == untilPrompt
	for h.awaitInput(ctx, prompt) {
		believed := make(chan bool, 1)
		h.done <- func() {
			known, at := h.atPrompt()
			believe := !prompt || !known || at
			if believe {
				h.met(w, a, "")
			}
			believed <- believe
		}
		if <-believed {
			return
		}
		select {
		case <-time.After(promptCheck):
		case <-ctx.Done():
			return
		}
	}
}

// awaitInput probes until what runs in front waits for input, and reports whether it does; not when ctx ends. With
// prompt it has to be the session's own program, a shell that waits for its next command.
func (h *holder) awaitInput(ctx context.Context, prompt bool) bool {
	watch := h.program.tty.watch()
	defer watch.Close()
	typed := int64(0)
	for {
		now := time.Now()
		if at := h.typedAt.Load(); at != typed {
			typed = at
			reader, _ := watch.Blocked()
			watch.Written(now, reader.Number())
		}
		v := watch.Probe(now, now.Sub(time.Unix(0, h.printedAt.Load())))
		next := min(v.Next, probeMost)
		if v.State == proc.Waiting && (!prompt || v.PID == h.program.pid && isShell(v.Comm) && (!v.Canonical || !editsLines(v.Comm))) {
			if h.caughtUp() {
				return true
			}
			next = lookMost // what it printed last is still to be read
		}
		select {
		case <-time.After(next):
		case <-ctx.Done():
			return false
		}
	}
}

// editsLines reports whether a shell reads its commands in raw mode, so that what it reads in canonical mode is
// something else.
func editsLines(shell string) bool {
	switch strings.TrimPrefix(filepath.Base(shell), "-") {
	case "bash", "zsh", "fish", "nu", "xonsh", "pwsh", "elvish":
		return true
	}
	return false
}

// isShell reports whether a program is a shell, by its name.
func isShell(name string) bool {
	switch strings.TrimPrefix(filepath.Base(name), "-") {
	case "bash", "zsh", "fish", "sh", "dash", "ash", "ksh", "mksh", "tcsh", "csh", "nu", "xonsh", "pwsh", "elvish":
		return true
	}
	return false
}
