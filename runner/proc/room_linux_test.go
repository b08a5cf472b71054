package proc

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// A user with too low a limit of processes has no room for a session. Root has.
func TestRoomForProcesses(t *testing.T) {
	const asked = "DEVTOOLS_TEST_ROOM"
	if os.Getenv(asked) != "" {
		limit := unix.Rlimit{Cur: 23, Max: 23}
		if err := unix.Setrlimit(unix.RLIMIT_NPROC, &limit); err != nil {
			t.Fatal(err)
		}
		low, enough := RoomForProcesses(24), RoomForProcesses(23)
		fmt.Printf("no fork: %v; %v; %v\n", errors.Is(low, ErrNoFork), low, enough)
		return
	}
	const refused = "no fork: true; no room for another process: this user can have 23 processes and threads, and a session needs 24; <nil>\n"
	wants := map[uint32]string{uint32(os.Geteuid()): refused}
	if os.Geteuid() == 0 {
		wants = map[uint32]string{0: "no fork: false; <nil>; <nil>\n", 65534: refused}
	}
	for user, want := range wants {
		cmd := exec.Command("/proc/self/exe", "-test.run", "^TestRoomForProcesses$") // its folder may be closed to the user
		cmd.Env, cmd.Dir = []string{asked + "=1"}, "/"
		if os.Geteuid() == 0 {
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: user, Gid: user}}
		}
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), want) {
			t.Errorf("user %d: %s, %v", user, out, err)
		}
	}
}
