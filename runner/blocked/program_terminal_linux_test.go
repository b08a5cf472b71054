package blocked

import (
	"testing"
	"time"
)

// An editor that compiles in a terminal of its own waits for a person all the same.
func TestProgramTerminal(t *testing.T) {
	need(t, "python3")
	const editor = `
import os, pty, select, sys, termios, tty
tty.setraw(0)
pid, master = pty.fork()
if pid == 0:
    how = termios.tcgetattr(0)
    how[3] &= ~termios.ECHO
    how[1] &= ~(termios.ONLCR if sys.argv[1] == "program" else 0)
    termios.tcsetattr(0, termios.TCSANOW, how)
    os.write(1, b"x")
    os.execvp("sleep", ["sleep", "100"])
os.read(master, 1)
os.write(1, b"up")
select.select([0, master], [], [])
`
	for name, want := range map[string]Way{"program": PollOnly, "person": InnerNotReading} {
		t.Run(name, func(t *testing.T) {
			s := perform(t, program(t, "python3", "-c", editor, name))
			s.untilPrinted("up")
			if v, ok := s.until(20*time.Second, func(v Verdict) bool { return v.Reason.Way == want }); !ok || (v.State == NotWaiting) != (name == "person") {
				t.Errorf("verdict %+v", v)
			}
		})
	}
}
