package isolation

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"devtools/runner/fork"
)

// Check returns ErrUnavailable if this system cannot isolate at the level high. Without an error it may still lack namespaces.
func Check() error {
	if !machine.known {
		return fmt.Errorf("%w: it needs Linux on x86-64 or arm64", ErrUnavailable)
	}
	if abi := landlockABI(); abi < neededABI {
		return unavailable(abi)
	}
	return nil
}

// unavailable returns what the kernel lacks of Landlock.
func unavailable(abi int) error {
	if abi == 0 {
		return fmt.Errorf("%w: the kernel has no Landlock, or it is not started (landlock in the parameter lsm= of the kernel): it needs Linux 6.12", ErrUnavailable)
	}
	return fmt.Errorf("%w: Landlock has version %d, and signals are limited from version %d on (Linux 6.12)", ErrUnavailable, abi, neededABI)
}

// settings may forbid user namespaces, each with the value that allows them.
var settings = []struct{ name, allows string }{
	{"kernel/unprivileged_userns_clone", "1"},
	{"kernel/apparmor_restrict_unprivileged_userns", "0"},
}

// explain returns an error for a step that has failed.
func (p *Plan) explain(step *fork.StepError) error {
	if step.What != "namespaces" && !strings.HasPrefix(step.What, "/proc/self/") && !errors.Is(step.Err, unix.EPERM) {
		return fmt.Errorf("%w: %w", ErrUnavailable, step)
	}
	for _, setting := range settings {
		value, err := os.ReadFile("/proc/sys/" + setting.name)
		if err == nil && strings.TrimSpace(string(value)) != setting.allows && !privileged() {
			name := strings.ReplaceAll(setting.name, "/", ".")
			return fmt.Errorf("%w: user namespaces are forbidden: sysctl %s=%s allows them", ErrUnavailable, name, setting.allows)
		}
	}
	if errors.Is(step.Err, unix.ENOSPC) {
		return fmt.Errorf("%w: no user or mount namespace is left: sysctl user.max_user_namespaces and user.max_mnt_namespaces are their limits", ErrUnavailable)
	}
	return fmt.Errorf("%w: %w: a container may forbid namespaces and mounts", ErrUnavailable, step)
}

// Probe looks what this kernel has, by doing it in a process that executes nothing.
func Probe() Support {
	s := Support{Landlock: landlockABI(), Needed: neededABI}
	plan := &Plan{}
	plan.namespaces(NetNone)
	s.Namespaces = plan.attempt()
	plan = &Plan{}
	plan.call("no_new_privs", unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1)
	if machine.known {
		plan.call("seccomp filter", unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, plan.filter(NetNone))
	}
	s.Seccomp = plan.attempt()
	temp, err := os.MkdirTemp("", "devtools-")
	if err != nil {
		s.High = err
		return s
	}
	defer os.Remove(temp)
	temp = Resolve(temp)
	plan, s.High = Prepare(&Rules{Level: High, Workspace: temp, Net: NetNone}, Surroundings{Temp: temp, Cwd: temp, Private: []string{temp}})
	if s.High == nil {
		s.High = plan.attempt()
		plan.Close()
	}
	return s
}

// Inside reports whether this process seems to run at the level high: it may make no socket with a path.
func Inside() bool {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err == nil {
		_ = unix.Close(fd)
	}
	return err == unix.EACCES
}
