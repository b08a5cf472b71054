package blocked

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A verdict after typing is about what was typed: it never comes before the reader
// has done what it was told.
func TestTyping(t *testing.T) {
	const loop = `stty -echo; n=0; while read x; do sleep 0.0$x; n=$((n+1)); echo "done $n."; done`
	for _, tt := range []piece{
		{name: "shell", run: loop},
		{name: "nested", needs: "script", run: `LOOP='` + loop + `' exec script -q -c 'eval "$LOOP"' /dev/null`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := tt.stage(t)
			s.untilWaiting()
			for n := 1; n <= 25; n++ {
				s.write(fmt.Sprintf("%d\n", n%7))
				v := s.untilWaiting()
				// The reader sleeps, but what it printed may be on its way to us.
				for deadline := time.Now().Add(5 * time.Second); !strings.Contains(s.text(), fmt.Sprintf("done %d.", n)); {
					if again := s.probe(); again.Block != v.Block || time.Now().After(deadline) {
						t.Fatalf("line %d: %+v, then %+v, and the output was %q", n, v, again, s.text())
					}
				}
			}
		})
	}
}

// The same where one watch types and another one probes, and is told of it afterwards.
func TestTypingOfAnotherWatch(t *testing.T) {
	const loop = `stty -echo; n=0; while read x; do sleep 0.0$x; n=$((n+1)); echo "done $n."; done`
	s := piece{run: loop}.stage(t)
	s.untilWaiting()
	typist := NewWatch(s.watch.root, s.watch.tty)
	defer typist.Close()
	for n := 1; n <= 25; n++ {
		before, ok := typist.Blocked()
		if !ok {
			t.Fatal("nobody reads")
		}
		at := time.Now()
		if _, err := s.master.WriteString(fmt.Sprintf("%d\n", n%7)); err != nil {
			t.Fatal(err)
		}
		s.probe()
		s.watch.Written(at, before.Number())
		v := s.untilWaiting()
		for deadline := time.Now().Add(5 * time.Second); !strings.Contains(s.text(), fmt.Sprintf("done %d.", n)); {
			if again := s.probe(); again.Block != v.Block || time.Now().After(deadline) {
				t.Fatalf("line %d: %+v, then %+v, and the output was %q", n, v, again, s.text())
			}
		}
	}
}

// unread returns how many typed bytes no program has read. The poll makes the line discipline take in what was written
// to the master.
func unread(slave int) (int, error) {
	if _, err := unix.Poll([]unix.PollFd{{Fd: int32(slave), Events: unix.POLLIN}}, 0); err != nil && err != unix.EINTR {
		return 0, err
	}
	return unix.IoctlGetInt(slave, unix.TIOCINQ)
}

// The receipt for keys: nothing is unread, and the reader sleeps anew.
func TestReceipt(t *testing.T) {
	s := perform(t, program(t, "sh", "-c", `stty -echo; exec cat >/dev/null`))
	s.untilWaiting()
	var longest time.Duration
	for range 300 {
		before, ok := s.watch.Blocked()
		if !ok {
			t.Fatal("cat is not blocked")
		}
		written := time.Now()
		s.write("x\n")
		for {
			if n, err := unread(int(s.slave.Fd())); err != nil {
				t.Fatal(err)
			} else if b, ok := s.watch.Blocked(); n == 0 && ok && b != before {
				if b.TID != before.TID || b.Switches < before.Switches {
					t.Fatalf("%+v after %+v", b, before)
				}
				break
			}
			if time.Since(written) > 10*time.Second {
				t.Fatal("no receipt")
			}
		}
		longest = max(longest, time.Since(written))
	}
	t.Logf("the longest took %v", longest)
}

// A program in front that only sleeps is told from one that waits for input.
func TestAsleep(t *testing.T) {
	for _, test := range []struct {
		run  string
		want bool
	}{{"exec sleep 1000", true}, {"exec cat", false}, {"while :; do sleep 0.01; done", true}} {
		s := piece{run: test.run}.stage(t)
		var sleep Block
		var reads, sleeps bool
		for deadline := time.Now().Add(5 * time.Second); !reads && !sleeps && time.Now().Before(deadline); <-time.After(time.Millisecond) {
			_, reads = s.watch.Blocked()
			sleep, sleeps = s.watch.Asleep()
		}
		if sleeps != test.want || reads == test.want || (sleep.PID != 0) != test.want {
			t.Errorf("%s: it reads: %v, and sleeps: %v, %+v", test.run, reads, sleeps, sleep)
		}
	}
}
