package doctor

import (
	"fmt"
	"os"

	"devtools/runner/proc"
)

// machineChecks reports what the kernel and its settings allow.
func machineChecks(m proc.Machine) []Check {
	if !m.Known {
		return nil
	}
	_, err := os.Stat("/proc/self/stat")
	checks := append(kernelChecks(m), procCheck(proc.Foreign(), proc.InProc(os.Getpid()) > 0, err), groupCheck(m.Group))
	if c, bad := limitCheck("processes of its control group", "raise pids.max of the group, such as the pids limit of the container", m.Group.Pids); bad {
		checks = append(checks, c)
	}
	return append(checks, limitsCheck(m)...)
}

// kernelChecks reports on the parts of the kernel that devtools uses.
func kernelChecks(m proc.Machine) []Check {
	c := Check{Name: "processes", Level: LevelOK, Message: "Processes are identified by handles and numbers that are never reused (pidfd, pidfs)."}
	switch {
	case m.Subreaper != nil:
		c = Check{"processes", LevelFail, fmt.Sprintf("Processes that lose their parents cannot be adopted (%v): processes that a command leaves behind escape.", m.Subreaper), "allow prctl(2) in the rules of the container"}
	case m.Pidfd != nil:
		c = Check{"processes", LevelWarn, fmt.Sprintf("Processes have no handles here (%v): devtools identifies them by their start times, and polls them.", m.Pidfd), "allow pidfd_open(2) in the rules of the container; it exists since Linux 5.3"}
	case !m.PidfdFS:
		c.Level, c.Message = LevelNote, "Processes are identified by handles and start times; numbers that are never reused (pidfs) exist since Linux 6.9."
	}
	checks := []Check{c}
	if !m.Children {
		checks = append(checks, Check{"children", LevelNote, "The kernel has no lists of children (CONFIG_PROC_CHILDREN), so devtools reads all processes each time.", ""})
	}
	clock := Check{Name: "clock", Level: LevelOK, Message: "The boot has an id, and the time since the boot can be read."}
	switch {
	case m.Clock != nil:
		clock.Level, clock.Message = LevelFail, fmt.Sprintf("The time since the boot cannot be read (%v), so the age of processes is unknown.", m.Clock)
	case !m.Boot:
		clock.Level, clock.Message = LevelWarn, "The boot has no id (/proc/sys/kernel/random/boot_id): devtools may confuse a process with one from before the last restart."
	}
	return append(checks, clock)
}

func groupCheck(g proc.Group) Check {
	c := Check{Name: "control groups", Level: LevelOK, Message: fmt.Sprintf("devtools can create control groups, and start processes in them (%s in %s).", g.Path, g.Mounted)}
	switch {
	case g.Mounted == "":
		c.Level, c.Message = LevelNote, "Control groups of version 2 are not mounted: processes are found by their parents and their environment."
	case g.Make != nil:
		c.Level, c.Message = LevelNote, fmt.Sprintf("devtools cannot create a control group below its own, %s in %s (%v): processes are found by their parents and their environment.", g.Path, g.Mounted, g.Make)
		if os.Geteuid() != 0 {
			c.Fix = "systemd-run --user --scope -p Delegate=yes SHELL gives you a group of your own"
		}
	case g.Enter != nil:
		c.Level, c.Message = LevelNote, fmt.Sprintf("devtools can create a control group, but cannot start a process in it (%v): clone3(2) can, since Linux 5.7.", g.Enter)
	}
	return c
}

// nearlyAll is the share of a limit from which on doctor warns.
const nearlyAll = 0.9

// limitCheck reports a limit that is nearly used up. Otherwise bad is false.
func limitCheck(what, fix string, l proc.Limit) (c Check, bad bool) {
	if l.Most < 0 || l.Used < 0 || float64(l.Used) < nearlyAll*float64(l.Most) {
		return c, false
	}
	c = Check{"limits", LevelWarn, fmt.Sprintf("%d of at most %d %s are in use.", l.Used, l.Most, what), fix}
	if l.Used >= l.Most {
		c.Level = LevelFail
	}
	return c, true
}

// The needs of a session: open files for a holder with its clients, and room for one page in an output file.
const (
	fewFiles    = 256
	smallOutput = 1 << 20
)

// limitsCheck reports the limits that sessions may reach. When there is enough room, it returns a single check.
func limitsCheck(m proc.Machine) []Check {
	var checks []Check
	for _, l := range []struct {
		what, fix string
		limit     proc.Limit
	}{
		{"processes and threads of this user", "raise it with ulimit -u, or end some processes", m.Processes},
		{"process numbers of the machine", "raise it with sysctl kernel.pid_max=4194304, or end some processes", m.AllProcesses},
		{"terminals", "raise it with sysctl kernel.pty.max=8192, or end sessions", m.Terminals},
	} {
		if c, bad := limitCheck(l.what, l.fix, l.limit); bad {
			checks = append(checks, c)
		}
	}
	if m.Files.Most >= 0 && m.Files.Most < fewFiles {
		checks = append(checks, Check{"limits", LevelWarn, fmt.Sprintf("A process can have only %d files open, too few for a session with many clients.", m.Files.Most), "raise it with ulimit -n"})
	}
	if m.FileSize.Most >= 0 {
		level := LevelNote
		if m.FileSize.Most < smallOutput {
			level = LevelWarn
		}
		checks = append(checks, Check{"limits", level, fmt.Sprintf("A file can have at most %s: output beyond that is not stored.", BytesText(m.FileSize.Most)), "raise it with ulimit -f unlimited"})
	}
	if len(checks) > 0 {
		return checks
	}
	text := fmt.Sprintf("%d of at most %s terminals", m.Terminals.Used, most(m.Terminals))
	if m.Terminals.Used < 0 {
		text = "terminals"
	}
	return []Check{{Name: "limits", Level: LevelOK, Message: fmt.Sprintf("There is room: %s and %d of at most %s processes and threads are in use, and a process can have %s files open.",
		text, m.AllProcesses.Used, most(m.AllProcesses), most(m.Files))}}
}

func most(l proc.Limit) string {
	if l.Most < 0 {
		return "any number of"
	}
	return fmt.Sprint(l.Most)
}
