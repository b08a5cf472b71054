package blocked

import (
	"bytes"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"devtools/runner/proc"
)

// describeCall describes a thread in a system call that is not a wait for input.
func (s *activityScan) describeCall(in *inspector, name string, b syscallLine) (Doing, string, []int) {
	fd := int(int32(b.args[0]))
	switch name {
	case "write", "writev", "pwrite64", "sendto", "sendmsg":
		return s.describeWrite(in, fd)
	case "connect":
		return DoingNetwork, "waits for its connection" + in.address(fd) + " to be taken", nil
	case "flock", "fcntl":
		return s.describeLock(in, fd)
	case "open":
		return DoingPipe, "opens " + in.opened(b) + ", as a FIFO whose other end nobody has open", nil
	case "fsync":
		return DoingDisk, "waits for its data to be on the disk", nil
	case "sigsuspend":
		return DoingSignal, "waits for a signal", nil
	case "ioctl":
		if s.isTerminal(in, fd) { // tcdrain(3), or a change of settings that waits for pending output
			return DoingOutput, "waits for its terminal to take its output", nil
		}
		return DoingUnknown, "waits for a device (ioctl)", nil
	case "semop":
		return DoingLock, "waits for a semaphore that processes share", nil
	case "msgrcv":
		return DoingEvents, "waits for a message queue", nil
	}
	return DoingUnknown, "waits in the call " + name, nil
}

// opened returns the path that the process is opening.
func (in *inspector) opened(b syscallLine) string {
	address := b.args[1]
	if b.number == olderOpen {
		address = b.args[0]
	}
	const page = 4096
	raw := make([]byte, page-address%page) // the next page may not be mapped
	if err := in.readMemory(raw, address); err != nil {
		return "a file"
	}
	path, _, ended := bytes.Cut(raw, []byte{0})
	if !ended || len(path) == 0 {
		return "a file"
	}
	return string(path)
}

// isTerminal reports whether a descriptor is the terminal.
func (s *activityScan) isTerminal(in *inspector, fd int) bool {
	var st unix.Stat_t
	return in.stat(&st, fd) == nil && st.Mode&unix.S_IFMT == unix.S_IFCHR && in.isTerminal(&st)
}

// describeWrite describes a write that does not complete.
func (s *activityScan) describeWrite(in *inspector, fd int) (Doing, string, []int) {
	var st unix.Stat_t
	if in.stat(&st, fd) != nil {
		return DoingFull, "writes, and nobody takes it", nil
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFCHR:
		if in.isTerminal(&st) {
			return DoingOutput, "writes to its terminal, which takes nothing", nil
		}
		return DoingFull, "writes to " + in.link(fd) + ", which takes nothing", nil
	case unix.S_IFIFO:
		if readers := s.pipePeers(in, fd, false); len(readers) > 0 {
			return DoingFull, "writes to a pipe that " + namesOf(readers) + plural(len(readers), " does", " do") + " not read", readers
		}
		return DoingFull, "writes to a pipe that nobody reads", nil
	case unix.S_IFSOCK:
		return DoingFull, "writes to its connection" + in.address(fd) + ", whose other end does not read", nil
	}
	return DoingDisk, "writes to " + in.link(fd), nil
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// describeLock describes a wait for a file lock, from proc_locks(5). That file names the process that took the lock.
// The lock outlives this process while any process still has the file open by inheritance from it.
func (s *activityScan) describeLock(in *inspector, fd int) (Doing, string, []int) {
	file := in.link(fd)
	text := "waits for the lock of " + file
	locks, _ := os.ReadFile("/proc/locks") // without this file no owner is named
	var owners []int
	for _, pid := range lockOwners(locks, proc.InProc(in.PID)) {
		pid = proc.FromProc(pid)
		if _, err := uncached.stat(pid); err == nil {
			owners = append(owners, pid)
		}
	}
	if len(owners) > 0 {
		return DoingLock, text + ", which " + namesOf(owners) + plural(len(owners), " holds", " hold"), owners
	}
	s.findOpeners(file)
	for _, p := range s.openers[file] {
		if p.pid != in.PID {
			owners = append(owners, p.pid)
		}
	}
	if len(owners) == 0 {
		return DoingLock, text + ", which it may have itself, through another descriptor", nil
	}
	return DoingLock, text + ", whose owner has ended; " + namesOf(owners) + plural(len(owners), " has", " have") + " the file open", owners
}

// lockOwners returns the owners of the locks that the process pid waits for.
func lockOwners(locks []byte, pid int) []int {
	var owners []int
	owner := 0
	for line := range bytes.Lines(locks) {
		// 1: FLOCK  ADVISORY  WRITE 123 fd:01:456 0 EOF
		// 1: -> FLOCK  ADVISORY  WRITE 789 fd:01:456 0 EOF
		fields := strings.Fields(string(line))
		blocked := len(fields) > 1 && fields[1] == "->"
		at := 4
		if blocked {
			at++
		}
		if len(fields) <= at {
			continue
		}
		number, err := strconv.Atoi(fields[at])
		switch {
		case err != nil:
		case !blocked:
			owner = number
		case number == pid && owner > 0:
			owners = append(owners, owner)
		}
	}
	return owners
}
