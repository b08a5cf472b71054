package blocked

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"devtools/runner/proc"
)

func TestHidePID(t *testing.T) {
	const before, plain, hiding = "21 1 0:20 / /sys rw,nosuid shared:4 - sysfs sysfs rw\n",
		"22 1 0:21 / /proc rw,nosuid shared:5 - proc proc rw\n",
		"23 1 0:22 / /proc rw - proc proc rw,gid=4,hidepid=invisible\n"
	for mounts, want := range map[string]string{
		"":                      "",
		before + plain:          "",
		before + hiding:         "invisible",
		plain + hiding + before: "invisible",
		hiding + plain:          "", // the later one covers the other
		"22 1 0:21 / /proc rw shared:5 master:1 - proc proc rw,hidepid=2\n": "2",
		"22 1 0:21 / /proc rw - proc proc rw,hidepid=0\n":                   "",
		"22 1 0:21 / /mnt/proc rw - proc proc rw,hidepid=2\n":               "",
		"22 1 0:21 / /proc rw - tmpfs none rw\n22 / /proc - proc\n":         "",
	} {
		if got := hidePID(mounts); got != want {
			t.Errorf("%q hides %q, want %q", mounts, got, want)
		}
	}
}

func init() {
	roles["visibility"] = func() error {
		s := CheckVisibility()
		fmt.Println(s.Level, s.Syscall != "", s.HidePID)
		return nil
	}
	// A process of root, which the option hidepid hides, though stat was read before.
	roles["concealed"] = func() error {
		in := inspector{Info: proc.Info{ID: proc.ID{PID: os.Getppid()}, Threads: 1}}
		found, hidden := in.threads(nil)
		fmt.Println(len(found), hidden)
		return nil
	}
	for _, role := range []string{"visibility", "concealed"} {
		roles[role+" without others"] = func() error {
			err := errors.Join(
				unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""),
				unix.Mount("proc", "/proc", "proc", 0, "hidepid=2"))
			if err != nil {
				return err
			}
			cmd := play(role)
			cmd.Stdout, cmd.SysProcAttr = os.Stdout, ordinary()
			return cmd.Run()
		}
	}
	roles["visibility without proc"] = func() error {
		err := errors.Join(
			unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""),
			unix.Mount("none", "/proc", "tmpfs", 0, ""))
		if err != nil {
			return err
		}
		return roles["visibility"]()
	}
}

func TestHidden(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root mounts another /proc")
	}
	apart := exec.Command("true")
	apart.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	if err := apart.Run(); err != nil {
		t.Skipf("no mounts of our own: %v", err)
	}
	for role, want := range map[string]string{
		"visibility without others": "full false invisible",
		"visibility without proc":   "none false ",
		"concealed without others":  "1 true",
	} {
		cmd := play(role)
		cmd.Dir, cmd.SysProcAttr = "/", &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
		if got := start(t, cmd).line(); got != want {
			t.Errorf("%s: %q, want %q", role, got, want)
		}
	}
}
