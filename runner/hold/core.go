package hold

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"devtools/ledger"
	"devtools/ledger/regular"
	"devtools/ledger/transcript"
	"devtools/runner/guard/mask"
	"devtools/runner/proc"
	"devtools/runner/pty"
	"devtools/runner/wire"
)

// A core is what the parts of a holder share. The loop owns it. Other goroutines use the atomics of its activity, and what
// does not change after begin: spec, dir, program, masks, started and the id of the session.
type core struct {
	spec    wire.Spec
	asked   wire.Spec // the spec before the mark and the integration of a shell were added
	dir     ledger.Dir
	session ledger.Session
	log     *transcript.Writer
	program *pty.Program
	cgroup  proc.Cgroup
	started time.Time
	masks   *mask.Matcher
	done    chan func() // results of other goroutines, which the loop runs
	activity
}

// An activity is what has last happened in the terminal.
type activity struct {
	ended        atomic.Bool             // the main process has ended
	printedAt    atomic.Int64            // last output, Unix ns
	printedBytes atomic.Int64            // bytes of output so far
	repliedAt    atomic.Int64            // last reply to a query of the program, Unix ns
	typed        atomic.Pointer[typedAt] // last input; nil before the first
	held         atomic.Bool             // output is held back that may be the beginning of a secret
	idle         [2]atomic.Bool          // the pump of each output waits for output and has handed over all that it read, or has ended
	lastBytes    time.Time               // last output; the loop owns it
}

// A typedAt is a moment at which something was typed, with the sleep of the reader at that moment.
type typedAt struct {
	at     time.Time
	before uint64 // number of that sleep, in a read of the terminal; 0 for none
	inputs int    // number of inputs so far that a program could read; half a line does not count
}

// count returns how many times input that a program can read was typed. t may be nil.
func (t *typedAt) count() int {
	if t == nil {
		return 0
	}
	return t.inputs
}

// exited reports whether the main process has ended.
func (a *activity) exited() bool { return a.ended.Load() }

// maxRedrawn is how many bytes of output are looked at, behind an answer or a prompt.
const maxRedrawn = 64 << 10

// outputBetween returns the output between two offsets. It returns less if there is more than maxRedrawn
// bytes, or if a full disk has refused the output.
func (c *core) outputBetween(from, to int64) string {
	reader := transcript.Open(c.log.Place())
	defer reader.Close()
	output := make([]byte, min(max(to-from, 0), maxRedrawn))
	n, _, err := reader.ReadAt(output, from)
	if err != nil {
		n = 0
	}
	return string(output[:n])
}

// note writes down a failure that does not end the session.
func (c *core) note(err error) {
	if err == nil {
		return
	}
	f, openErr := c.openLog()
	if openErr != nil {
		return // no place is left to report it
	}
	fmt.Fprintf(f, "%s %s\n", time.Now().UTC().Format(time.RFC3339Nano), c.masks.String(c.dir.Told(err.Error())))
	_ = f.Close()
}

// openLog opens holder.log, the file for what goes wrong in the holder.
func (c *core) openLog() (*os.File, error) {
	f, _, err := regular.OpenOwn(c.dir.SessionFolder(c.session.ID)+"/holder.log", os.O_WRONLY|os.O_CREATE|os.O_APPEND)
	return f, err
}

// prepareForScarcity prepares for a command that leaves its user no processes: it makes threads in advance. If the runtime of Go
// ends the holder all the same, holder.log will have the reason.
func (c *core) prepareForScarcity() {
	proc.KeepThreads()
	if f, err := c.openLog(); err == nil {
		_ = debug.SetCrashOutput(f, debug.CrashOptions{}) // it fails without descriptors; then the reason is missing
		_ = f.Close()
	}
}

// dropEmptyLog removes holder.log if nothing went wrong.
func (c *core) dropEmptyLog() {
	path := c.dir.SessionFolder(c.session.ID) + "/holder.log"
	if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && info.Size() == 0 {
		_ = os.Remove(path) // an empty file harms nobody
	}
}

// save writes the session's record to the disk.
func (c *core) save() { c.note(c.dir.SaveSession(c.session)) }

// put writes the session into the record and the active set.
func (c *core) put() {
	c.save()
	ctx, cancel := context.WithTimeout(context.Background(), wire.LockWait)
	defer cancel()
	c.note(c.dir.UpdateOne(ctx, c.session.ID, func(active *ledger.Active) error {
		active.Put(c.session)
		return nil
	}))
}

// named returns err with the name of the session.
func (c *core) named(err error) error {
	if err == wire.ErrEnded {
		err = wire.Ended(c.session)
	}
	return ledger.SessionError(c.session.Name, err)
}

// record returns a copy of the session's record, for an answer.
func (c *core) record() *ledger.Session {
	session := c.session
	return &session
}

// caughtUp reports whether all output so far has been read, and reaches the loop before any later request
// does. The order of the two calls matters: the reader is not idle while it has output that the terminal no
// longer has.
func (c *core) caughtUp() bool { return !c.held.Load() && c.allRead() }

// allRead is caughtUp where output may be held back.
func (c *core) allRead() bool {
	if c.program.Printed() {
		return false
	}
	for i := range c.program.Outputs {
		if !c.idle[i].Load() {
			return false
		}
	}
	return true
}

// canType reports whether a client can type: into a terminal, or into the pipe in its place.
func (c *core) canType() bool { return c.program.Tty != nil || c.program.Input != nil }

// unread reports whether something was typed that no program has read.
func (c *core) unread() bool {
	if c.program.Tty == nil {
		read, _, err := c.program.Input.Read()
		return err == nil && read < c.program.Input.Written()
	}
	n, err := c.program.Tty.Unread()
	return err == nil && n > 0
}

// shellInFront reports whether the main process itself is in the foreground.
func (c *core) shellInFront() bool {
	group, err := c.program.Tty.Foreground()
	return err == nil && group == c.program.PID
}

// inFront returns the process group in front and its name. An unknown group is 0, and an unknown name is
// empty.
func (c *core) inFront() (pid int, name string) {
	group, err := c.program.Tty.Foreground()
	if err != nil || group == os.Getpid() {
		return 0, ""
	}
	info, err := proc.Read(group)
	if err != nil {
		return group, ""
	}
	return group, c.masks.Start(info.Name)
}

// front describes in words which program runs in front.
func (c *core) front() string {
	group, err := c.program.Tty.Foreground()
	if err != nil {
		return "nobody knows what runs in front"
	}
	pid := group
	for _, info := range pty.Tree() {
		if info.Group == group {
			pid = info.PID
			break // parents come first
		}
	}
	line := strings.Join(c.masks.List(proc.CommandLine(pid)), " ")
	if line == "" {
		return "what ran in front is just ending"
	}
	if pid == c.program.PID {
		return fmt.Sprintf("the shell itself is at work (pid %d, %s)", pid, line)
	}
	return fmt.Sprintf("%s runs in front (pid %d)", line, pid)
}

// stoppedText says that a signal has stopped the main process. It is empty if none has.
func (c *core) stoppedText() string {
	if info, err := proc.Read(c.program.PID); err != nil || info.State != 'T' {
		return ""
	}
	return fmt.Sprintf("it is stopped by a signal: kill -CONT %d resumes it", c.program.PID)
}

// starting describes in words what a shell does before its first prompt: the program that its start-up files run, or front.
// They run it in the process group of the shell. A subshell has the command line of the shell, and says nothing.
func (c *core) starting() string {
	own := proc.CommandLine(c.program.PID)
	for _, info := range pty.Tree() {
		if info.Group != c.program.PID || info.PID == c.program.PID {
			continue
		}
		if line := proc.CommandLine(info.PID); len(line) > 0 && !slices.Equal(line, own) {
			return fmt.Sprintf("its start-up files run %s (pid %d)", strings.Join(c.masks.List(line), " "), info.PID)
		}
	}
	return c.front()
}

// lastUse returns when something was last printed or typed.
func (c *core) lastUse() time.Time {
	if typed := c.typed.Load(); typed != nil {
		return later(c.lastBytes, typed.at)
	}
	return c.lastBytes
}
