package track

import (
	"os"
	"path/filepath"
	"strings"

	"devtools/runner/proc"
)

// Executable returns a path of this program, proc_pid_exe(5). The path works even when the program's file was
// replaced or deleted after the start.
func Executable() (string, error) { return "/proc/self/exe", nil }

// holderName is the kernel's name for a holder, proc_pid_comm(5): the last element of the path that was executed.
const holderName = "exe"

// executesUs reports whether a process executes this program, or one with the same name: a holder goes on with the old
// file when a new one has replaced it. A process that may not be inspected belongs to another user and counts as one.
func executesUs(pid int) bool {
	file, err := os.Readlink(proc.Folder(pid) + "/exe")
	own, ownErr := os.Readlink("/proc/self/exe")
	return err != nil || ownErr != nil || programName(file) == programName(own)
}

// programName returns the name of the file to which a link /proc/PID/exe points.
func programName(link string) string { return filepath.Base(strings.TrimSuffix(link, " (deleted)")) }
