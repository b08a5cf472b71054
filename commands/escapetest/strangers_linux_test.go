package escapetest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// What has our terminal open is not ours for that: a person may write to it, and the kernel gives its number to
// the next terminal.
func TestStrangersOnTerminal(t *testing.T) {
	p := newPrison(t, newYard(t), "p")
	line := p.expand("env -i {bin}/setsid {out} </dev/null >/dev/null 2>&1 & tty >{dir}/tty; exec {bin}/main 86400")
	if a := p.devtools("launch", "--name", "crash", "--", p.path("bin", "bash"), "-c", line); a.code != 0 {
		t.Fatal(a)
	}
	await(t, "the escapee is ready", func() bool {
		name, _ := os.ReadFile(p.path("tty"))
		return p.ready(1) && len(name) > 0
	})
	name, err := os.ReadFile(p.path("tty"))
	if err != nil {
		t.Fatal(err)
	}
	tty, err := os.OpenFile(strings.TrimSpace(string(name)), os.O_WRONLY|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	writer := exec.Command(p.path("others", "escapee"), "86400")
	writer.Stdout = tty
	p.start(t, writer)
	_ = tty.Close() // the writer has it
	s := p.session(t, "crash")
	escapee := []inmate{p.escapee(t)}
	await(t, "the journal names it", func() bool { return p.journalled(s.ID, escapee) })
	killHolder(t, s)
	await(t, "the main process is gone", func() bool { return len(p.inmates()) == 1 })
	wantOrphan(t, p, p.folder, escapee[0])
	p.untouched(t)

	_ = p.outside[0].Process.Kill() // nobody has the terminal open any more: its number is free
	_ = p.outside[0].Wait()
	p.outside = nil
	other := newPrison(t, filepath.Dir(p.dir), "other")
	number := func(name string) (n int) {
		if _, err := fmt.Sscanf(strings.TrimSpace(name), "/dev/pts/%d", &n); err != nil {
			t.Fatal(name, err)
		}
		return n
	}
	n := 0
	await(t, "the number of the terminal comes back", func() bool { // the kernel gives the lowest; another test may have it
		n++
		session := fmt.Sprint("s", n)
		if a := other.devtools("launch", "--max-sessions", "0", "--name", session, "--", other.path("others", "escapee"), "86400"); a.code != 0 {
			t.Fatal(a)
		}
		on, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/0", other.session(t, session).Main.PID))
		if err != nil {
			t.Fatal(err)
		}
		if number(on) > number(string(name)) {
			if a := other.devtools("kill", session); a.code != 0 {
				t.Fatal(a)
			}
		}
		return number(on) == number(string(name))
	})
	wantOrphan(t, p, p.folder, escapee[0])
	wantKilled(t, p, p.folder, escapee[0])
	if l := asked[listing](t, other, []int{0}, "ps"); len(l.Active) != len(l.Sessions) || len(l.Active) == 0 {
		t.Errorf("sessions with the same terminal were hit: %v", l.Active)
	}
}

// A session that was started in another one is nobody's orphan while its holder lives.
func TestNestedSession(t *testing.T) {
	p := newPrison(t, newYard(t), "p")
	line := p.expand("{program} launch --name inner -- {bin}/setsid -w {out}; exec {bin}/main 86400")
	if a := p.devtools("launch", "--name", "outer", "--", p.path("bin", "bash"), "-c", line); a.code != 0 {
		t.Fatal(a)
	}
	await(t, "the inner one is ready", func() bool { return p.ready(1) && p.inner(t) })
	inner := []inmate{p.escapee(t)}
	outer := p.session(t, "outer")
	await(t, "the journal names what is to be found", func() bool {
		return p.journalled(outer.ID, slices.DeleteFunc(p.inmates(), func(i inmate) bool { return i.name != "main" }))
	})
	killHolder(t, outer)
	await(t, "the main process is gone", func() bool {
		return !slices.ContainsFunc(p.inmates(), func(i inmate) bool { return i.name == "main" })
	})
	var l listing
	await(t, "nothing is an orphan", func() bool { // another process of the outer one may be just ending
		l = asked[listing](t, p, []int{0}, "ps")
		return len(l.Orphaned) == 0
	})
	if len(missing(inner, pidsOf(l.processes("inner")))) > 0 {
		t.Errorf("inner %v, want %v", l.processes("inner"), inner)
	}
	if k := asked[killing](t, p, []int{0}, "kill-orphans"); len(k.Killed)+len(k.Failed) > 0 || !inner[0].id.Alive() {
		t.Errorf("%v, inner %v", k, inner)
	}
}

// inner reports whether the session in a session is recorded.
func (p *prison) inner(t testing.TB) bool {
	s, err := p.state(t).Session("inner")
	return err == nil && s.Main.PID != 0
}

// What a server has started for a living session is that one's, though the server itself is the orphan of another: the
// mark says for whom it works.
func TestServerThatIsOrphan(t *testing.T) {
	p := newPrison(t, newYard(t), "p")
	jobServer(t, p)
	_ = p.outside[0].Process.Kill() // the session is to have one of its own
	_ = p.outside[0].Wait()
	p.outside = nil
	line := p.expand("setsid perl {dir}/server.pl & exec {bin}/main 86400")
	if a := p.devtools("launch", "--name", "crash", "--", p.path("bin", "bash"), "-c", line); a.code != 0 {
		t.Fatal(a)
	}
	server := func() []inmate {
		return slices.DeleteFunc(p.inmates(), func(i inmate) bool { return i.name != "perl" })
	}
	s := p.session(t, "crash")
	await(t, "the journal names the server", func() bool { return len(server()) == 1 && p.journalled(s.ID, server()) })
	if a := p.devtools("launch", "--name", "living", "--", p.path("bin", "bash"), "-c", p.expand(`(env -0; printf 'run\0') >{dir}/jobs; exec {bin}/escapee 86400`)); a.code != 0 {
		t.Fatal(a)
	}
	await(t, "the job is ready", func() bool { return p.ready(1) })
	killHolder(t, s)
	await(t, "the main process is gone", func() bool { return len(p.inmates()) == 3 })
	orphan := server()[0]
	wantOrphan(t, p, p.folder, orphan)
	wantKilled(t, p, p.folder, orphan)
	if left := p.inmates(); len(left) != 2 {
		t.Errorf("what works for a living session was hit: %v", left)
	}
}

// What a server has started for a session that has ended is found by its mark, when that is asked for.
func TestMarkOfEndedSession(t *testing.T) {
	p := newPrison(t, newYard(t), "p")
	jobServer(t, p)
	if a := p.devtools("run", "--name", "ended", "--", p.path("bin", "bash"), "-c", p.expand(`(env -0; printf 'run\0') >{dir}/jobs`)); a.code != 0 {
		t.Fatal(a)
	}
	await(t, "the job is ready", func() bool { return p.ready(1) })
	await(t, "the holder has closed the record", func() bool { return p.session(t, "ended").Closed })
	orphan := p.inmates()[0]
	wantNothing(t, p, p.folder, orphan)
	k := asked[killing](t, p, []int{0}, "kill-orphans", "--deep", "--kill-after", "1s")
	if !slices.Equal(k.Killed, []int{orphan.id.PID}) || orphan.id.Alive() {
		t.Errorf("%v, want %v", k, orphan)
	}
	p.untouched(t)
}
