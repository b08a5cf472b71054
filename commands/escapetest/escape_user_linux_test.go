package escapetest

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"devtools/ledger"
	"devtools/runner/proc"
	"devtools/runner/runnertest"
)

// What sudo has started in the session of an ordinary user is root's: it is listed, and that it cannot be ended is
// said with what to do.
func TestRootInSessionOfUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can make a sudo of its own")
	}
	runnertest.Need(t, "setpriv")
	runnertest.Need(t, "sudo")
	runnertest.Need(t, "unshare")
	runnertest.Need(t, "mount")
	p := newPrison(t, newYard(t), "p")
	p.write(t, "sudoers", "Defaults !requiretty, !use_pty, !authenticate\nALL ALL=(ALL) NOPASSWD: ALL\n")
	if err := os.Mkdir(p.path("theirs"), 0o700); err != nil || os.Chown(p.path("theirs"), 65534, 65534) != nil {
		t.Fatal(err)
	}
	own := p.path("theirs", ledger.FolderName)
	as := func(args ...string) said {
		script := `mount --bind "$0" /etc/sudoers && exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@"`
		return p.call(exec.Command("unshare", append([]string{"-m", "sh", "-c", script, p.path("sudoers"), p.program, "--dir", own}, args...)...))
	}
	if a := p.call(exec.Command("unshare", "-m", "sh", "-c", `mount --bind "$0" /etc/sudoers && exec setpriv --reuid=65534 --regid=65534 --clear-groups sudo -n true`, p.path("sudoers"))); a.code != 0 {
		t.Skipf("sudo does not work here: %v", a)
	}
	begin := func(name string, ready int) ledger.Session {
		if a := as("launch", "--name", name, "--", p.path("bin", "bash"), "-c", p.expand("setsid sudo -n {out} & exec {bin}/main 86400")); a.code != 0 {
			t.Fatal(a)
		}
		await(t, "the escapee is ready", func() bool { return p.ready(ready) })
		var l listing
		a := as("--json", "ps", name)
		if err := json.Unmarshal([]byte(a.out), &l); err != nil || len(l.Sessions) != 1 {
			t.Fatal(err, a)
		}
		if lost := missing(p.inmates(), pidsOf(l.processes(name))); len(lost) > 0 {
			t.Errorf("not listed: %v", lost)
		}
		var s ledger.Session
		record, err := os.ReadFile(own + "/sessions/" + l.Sessions[0].SessionID + ".json")
		if err != nil || json.Unmarshal(record, &s) != nil {
			t.Fatal(err)
		}
		return s
	}
	begin("alive", 1)
	a := as("--json", "kill", "alive", "--signal", "KILL") // sudo would pass TERM on to its command
	t.Logf("kill: %v", a)
	var k killing
	if err := json.Unmarshal([]byte(a.out), &k); err != nil || a.code != 1 || len(k.Failed) == 0 || k.Failed[0].Reason != proc.NotPermitted {
		t.Errorf("kill: %v", a)
	}
	p.empty(t)
	s := begin("crash", 2)
	escapee := []inmate{p.escapee(t)}
	await(t, "the journal names it", func() bool {
		data, _ := os.ReadFile(own + "/process-log.jsonl")
		journal, _ := os.ReadFile(own + "/sessions/" + s.ID + "/processes.jsonl")
		return strings.Contains(string(data)+string(journal), fmt.Sprintf(`"pid":%d,`, escapee[0].id.PID))
	})
	killHolder(t, s)
	await(t, "the main process is gone", func() bool {
		return !slices.ContainsFunc(p.inmates(), func(i inmate) bool { return i.name == "main" })
	})
	for range 2 { // it stays an orphan
		var l listing
		a = as("--json", "ps", "--orphans")
		if err := json.Unmarshal([]byte(a.out), &l); err != nil || len(missing(escapee, pidsOf(l.Orphaned))) > 0 {
			t.Errorf("%v: %v", escapee, a)
		}
		a = as("--json", "kill-orphans", "--signal", "KILL")
		if err := json.Unmarshal([]byte(a.out), &k); err != nil || a.code != 1 || len(k.Failed) == 0 || k.Failed[0].Reason != proc.NotPermitted || k.Failed[0].Hint == "" {
			t.Errorf("kill-orphans: %v", a)
		}
	}
	t.Logf("kill-orphans: %v, and as text: %v", a, as("kill-orphans", "--signal", "KILL"))
	t.Logf("root in their folder: %v", p.devtools("--dir", own, "kill-orphans"))
}
