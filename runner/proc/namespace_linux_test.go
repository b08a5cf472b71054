package proc

import (
	"os"
	"os/exec"
	"testing"
)

// Without --mount-proc, /proc shows the namespace outside: the tests of this package hold there as well.
func TestForeignProc(t *testing.T) {
	if Foreign() {
		return
	}
	unshare := []string{"unshare", "--user", "--map-root-user", "--pid", "--fork", "--kill-child"}
	if err := exec.Command(unshare[0], append(unshare[1:], "true")...).Run(); err != nil {
		t.Skipf("no namespaces can be made here: %v", err)
	}
	const tests = "^Test(Await|Identity|Other|Signal|ReadOf|CommandLine|KillTree|KillWith|KillOf|MembersAre|MembersOfThreads|Stillness|Tree|Children|MainThread|ForeignNumbers)"
	out, err := exec.Command(unshare[0], append(unshare[1:], os.Args[0], "-test.v", "-test.run", tests)...).CombinedOutput()
	if err != nil {
		t.Errorf("%v:\n%s", err, out)
	}
}

func TestForeignNumbers(t *testing.T) {
	for _, pid := range []int{os.Getpid(), shell(t, "read line").Process.Pid} {
		if got := FromProc(InProc(pid)); got != pid {
			t.Errorf("process %d has number %d in /proc, which is process %d", pid, InProc(pid), got)
		}
	}
	if Foreign() {
		if self, err := os.Readlink("/proc/self"); err != nil || "/proc/"+self != Folder(os.Getpid()) {
			t.Errorf("our folder is %s, and /proc/self is %s, %v", Folder(os.Getpid()), self, err)
		}
		if got := FromProc(1); got != 0 {
			t.Errorf("the first process of the namespace outside is process %d here", got)
		}
	}
}
