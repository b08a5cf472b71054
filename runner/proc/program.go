package proc

import (
	"path/filepath"
	"strings"
)

// WorkingDirectory returns the working directory of the process that has pid now. If the directory was deleted, it
// returns the path that it had. It returns "" if we have no permission to look, or if the platform does not tell.
func WorkingDirectory(pid int) string { return workingDirectory(pid) }

// Variable returns the value of an environment variable of the process that has pid now. It is the value at the time
// when its program was executed, proc_pid_environ(5). ok is false for processes of other users, for a process in the
// middle of an exec, and on other systems than Linux.
func Variable(pid int, name string) (value string, ok bool) {
	if pid <= 0 {
		return "", false
	}
	return variable(pid, name)
}

// StartedWith reports whether text is in the arguments or the environment with which the program of the process was
// executed (proc_pid_cmdline(5), proc_pid_environ(5)). It also returns true where these cannot be read, as on
// other systems than Linux.
func StartedWith(pid int, text string) bool { return startedWith(pid, text) }

// Image returns a text that differs after each execve(2) of the process that has pid now, also of the same program: where the kernel
// has placed it in memory, proc_pid_auxv(5). It is the same where the kernel places all alike, as in setarch -R. It is "" for
// processes of other users, and on other systems than Linux.
func Image(pid int) string { return image(pid) }

// OldBuild reports whether the program file of the process was deleted or replaced since the process started.
func OldBuild(pid int) bool { return oldBuild(pid) }

// IsShell reports whether a program is a shell, by its name.
func IsShell(name string) bool {
	switch strings.TrimPrefix(filepath.Base(name), "-") {
	case "bash", "zsh", "fish", "sh", "dash", "ash", "ksh", "ksh93", "mksh", "tcsh", "csh", "nu", "xonsh", "pwsh", "elvish":
		return true
	}
	return false
}

// Interactive reports whether the process is a shell in front of a person. Such a shell outlives SIGTERM, and ends when its
// terminal hangs up. A script that protects itself from SIGTERM by a trap has job control off; only with job control a shell
// also ignores SIGTTOU. A shell with a trap of its own for SIGTERM does not outlive it, but ksh and mksh hide such a trap.
func Interactive(info Info) bool {
	return (IsShell(info.Name) || info.Name == "busybox") && interactive(info)
}
