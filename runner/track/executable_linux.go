package track

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Executable returns a path of this program that works even when its file was replaced or deleted
// since it was started, proc_pid_exe(5).
func Executable() (string, error) { return "/proc/self/exe", nil }

// holderName is what the kernel calls a holder, proc_pid_comm(5): the last part of the path by which it was executed.
const holderName = "exe"

// executesUs reports whether a process executes this program, or one of the same name: a holder goes on with the old
// file when a new one has taken its place. What may not be looked at is another user's, and taken for one.
func executesUs(pid int) bool {
	file, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/exe")
	own, ownErr := os.Readlink("/proc/self/exe")
	return err != nil || ownErr != nil || programName(file) == programName(own)
}

// programName returns the name of the file that a link /proc/PID/exe names.
func programName(link string) string { return filepath.Base(strings.TrimSuffix(link, " (deleted)")) }
