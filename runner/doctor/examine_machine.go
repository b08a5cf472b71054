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
	checks := append(kernelChecks(m), groupCheck(m.Group))
	if c, bad := limitCheck("processes of its control group", "raise pids.max of the group, as the container's limit of pids", m.Group.Pids); bad {
		checks = append(checks, c)
	}
	return append(checks, limitsCheck(m)...)
}

// kernelChecks reports on the parts of the kernel that devtools uses.
func kernelChecks(m proc.Machine) []Check {
	c := Check{Name: "processes", Level: LevelOK, Message: "A process is known by a handle and a number that never come back (pidfd, pidfs)."}
	switch {
	case m.Subreaper != nil:
		c = Check{"processes", LevelFail, fmt.Sprintf("Processes that lose their parents cannot be adopted (%v): what a command leaves behind escapes.", m.Subreaper), "allow prctl(2) in the rules of the container"}
	case m.Pidfd != nil:
		c = Check{"processes", LevelWarn, fmt.Sprintf("Processes have no handles here (%v): they are told apart by their start times, and looked at again and again.", m.Pidfd), "allow pidfd_open(2) in the rules of the container; it is there from Linux 5.3 on"}
	case !m.PidfdFS:
		c.Level, c.Message = LevelNote, "A process is known by its handle and start time; a number that never comes back (pidfs) is there from Linux 6.9 on."
	}
	checks := []Check{c}
	if !m.Children {
		checks = append(checks, Check{"children", LevelNote, "The kernel has no lists of children (CONFIG_PROC_CHILDREN), so that each look goes through all processes.", ""})
	}
	clock := Check{Name: "clock", Level: LevelOK, Message: "The boot has a name, and the time since then can be read."}
	switch {
	case m.Clock != nil:
		clock.Level, clock.Message = LevelFail, fmt.Sprintf("The time since the boot cannot be read (%v), and so not the age of a process.", m.Clock)
	case !m.Boot:
		clock.Level, clock.Message = LevelWarn, "The boot has no name (/proc/sys/kernel/random/boot_id): a process of before the last start of the machine may be taken for one of now."
	}
	return append(checks, clock)
}

func groupCheck(g proc.Group) Check {
	c := Check{Name: "control groups", Level: LevelOK, Message: fmt.Sprintf("Control groups of our own can be made, and processes started in them (%s in %s).", g.Path, g.Mounted)}
	switch {
	case g.Mounted == "":
		c.Level, c.Message = LevelNote, "Control groups of version 2 are not mounted: processes are found by their parents and by what they were started with."
	case g.Make != nil:
		c.Level, c.Message = LevelNote, fmt.Sprintf("No control group can be made below our own, %s in %s (%v): processes are found by their parents and by what they were started with.", g.Path, g.Mounted, g.Make)
		if os.Geteuid() != 0 {
			c.Fix = "systemd-run --user --scope -p Delegate=yes SHELL gives you a group of your own"
		}
	case g.Enter != nil:
		c.Level, c.Message = LevelNote, fmt.Sprintf("A control group can be made, but no process started in it (%v): clone3(2) does so from Linux 5.7 on.", g.Enter)
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
		{"processes and threads of this user", "ulimit -u raises it, or end some", m.Processes},
		{"process numbers of the machine", "sysctl kernel.pid_max=4194304, or end some", m.AllProcesses},
		{"terminals", "sysctl kernel.pty.max=8192, or end sessions", m.Terminals},
	} {
		if c, bad := limitCheck(l.what, l.fix, l.limit); bad {
			checks = append(checks, c)
		}
	}
	if m.Files.Most >= 0 && m.Files.Most < fewFiles {
		checks = append(checks, Check{"limits", LevelWarn, fmt.Sprintf("A process can have only %d files open, too few for a session with many clients.", m.Files.Most), "ulimit -n raises it"})
	}
	if m.FileSize.Most >= 0 {
		level := LevelNote
		if m.FileSize.Most < smallOutput {
			level = LevelWarn
		}
		checks = append(checks, Check{"limits", level, fmt.Sprintf("A file can have at most %s: output beyond that is not stored.", BytesText(m.FileSize.Most)), "ulimit -f unlimited"})
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
