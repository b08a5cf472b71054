package doctor

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"devtools/runner/pty"
	"devtools/runner/sandbox"
)

// sandboxChecks reports what is around this process, and tries what a sandbox may refuse to every session.
func sandboxChecks(s sandbox.Sandbox) []Check {
	_, nullErr := os.ReadFile(os.DevNull)
	return append([]Check{lifeCheck(s)}, deviceChecks(s, nullErr, pty.Try())...)
}

// lifeCheck says how long what is started here lives.
func lifeCheck(s sandbox.Sandbox) Check {
	c := Check{Name: "sandbox", Level: LevelOK, Message: "What is started here outlives the call that starts it."}
	if s.Ends != "" {
		c.Level, c.Fix = LevelNote, "use a session in the call that starts it; see IN A SANDBOX in devtools help run"
		c.Message = fmt.Sprintf("What is started here ends when %s ends, which is with the call: the next call finds no session.", s.Ends)
	}
	if s.Name != "" {
		c.Message = "This is the sandbox of " + s.Name + ". " + c.Message
	}
	return c
}

// deviceChecks reports on /dev/null and terminals, each with the error of its use.
func deviceChecks(s sandbox.Sandbox, nullErr, ptyErr error) []Check {
	var checks []Check
	if nullErr != nil {
		checks = append(checks, Check{"devices", LevelFail, fmt.Sprintf("Nothing can be started: %v.", nullErr), "give " + the(s) + " the usual devices, as bwrap --dev /dev does"})
	}
	switch {
	case ptyErr == nil:
		checks = append(checks, Check{Name: "terminal", Level: LevelOK, Message: "Commands get a terminal."})
	case !errors.Is(ptyErr, errors.ErrUnsupported):
		checks = append(checks, Check{"terminal", LevelFail, fmt.Sprintf("There is no terminal for commands: %v. Only pipes work (--no-pty).", ptyErr), "let " + the(s) + " open /dev/ptmx, and mount devpts at /dev/pts"})
	}
	return checks
}

// procCheck reports whether /proc shows our processes: it is foreign, and may show us all the same. err is that of reading there.
func procCheck(foreign, shown bool, err error) Check {
	switch {
	case err != nil:
		return Check{"/proc", LevelFail, fmt.Sprintf("There is no /proc (%v), so nothing is known of processes.", err), "mount it: mount -t proc proc /proc, bwrap --proc /proc"}
	case foreign && shown:
		return Check{Name: "/proc", Level: LevelOK, Message: "/proc is that of an outer PID namespace, whose numbers of our processes are known."}
	case foreign:
		return Check{"/proc", LevelWarn, "/proc shows another PID namespace, and none of our processes: whether they wait for input, for example, is unknown.", "mount the /proc of this namespace: unshare --mount-proc, bwrap --proc /proc"}
	}
	return Check{Name: "/proc", Level: LevelOK, Message: "/proc shows the processes of this PID namespace."}
}

// the names the sandbox, in the middle of a sentence.
func the(s sandbox.Sandbox) string { return strings.TrimSuffix("the sandbox of "+s.Name, " of ") }
