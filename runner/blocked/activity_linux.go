package blocked

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"devtools/runner/proc"

	"golang.org/x/sys/unix"
)

// maxThreads bounds how many threads of a process are examined.
const maxThreads = 256

// A look holds what is the same for all processes of one call of [Activities].
type look struct {
	device uint64            // device number of the terminal
	pipes  map[string][]peer // processes that have each pipe open, by its name; nil until findPipes runs
}

// A peer is a process that has a pipe open.
type peer struct {
	pid    int
	writes bool
	reads  bool
}

func newLook(tty int) *look {
	return &look{device: uint64(uint32(tty))}
}

// at sets what the process of a does.
func (l *look) at(a *Activity) {
	l.status(a)
	if group := proc.FrozenGroup(a.PID); group != "" && !a.Ended() {
		a.Doing, a.Text = DoingFrozen, "is frozen with its control group "+group
		return
	}
	if a.plainly() {
		if a.Doing == DoingTraced && a.Tracer != 0 {
			a.Text, a.On = "is held by the debugger "+called(a.Tracer), []int{a.Tracer}
		}
		return
	}
	files := &kept{}
	defer files.close()
	in := &inspector{Info: a.Info, device: l.device, files: files}
	tids := files.threads(nil, a.PID)
	best := rank(DoingUnknown) + 1
	for _, tid := range tids[:min(len(tids), maxThreads)] {
		doing, text, on := l.thread(in, tid)
		if r := rank(doing); doing != "" && r < best {
			best, a.Doing, a.Text, a.On = r, doing, text, on
		}
	}
}

// ranks are the kinds of activity of a thread, the most informative first.
var ranks = [...]Doing{
	DoingRuns, DoingDisk, DoingOutput, DoingInput, DoingFull, DoingLock, DoingChild, DoingListens, DoingNetwork, DoingPipe,
	DoingSleeps, DoingEvents, DoingSignal, DoingThreads, DoingUnknown,
}

func rank(d Doing) int { return slices.Index(ranks[:], d) }

// status reads the signal sets and the tracer from proc_pid_status(5).
func (l *look) status(a *Activity) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(a.PID) + "/status")
	if err != nil {
		return
	}
	mask := func(label string) uint64 {
		bits, _ := strconv.ParseUint(proc.Field(data, label), 16, 64) // a missing line gives 0
		return bits
	}
	// TracerPid is a thread. The tracer is the process of its Tgid.
	if a.Tracer, _ = strconv.Atoi(proc.Field(data, "TracerPid:")); a.Tracer != 0 {
		if tracer, err := os.ReadFile("/proc/" + strconv.Itoa(a.Tracer) + "/status"); err == nil {
			a.Tracer, _ = strconv.Atoi(proc.Field(tracer, "Tgid:"))
		}
	}
	a.Ignores, a.Catches, a.Blocks = mask("SigIgn:"), mask("SigCgt:"), mask("SigBlk:")
	a.Pending = mask("SigPnd:") | mask("ShdPnd:")
}

// called returns the name and pid of a process, for people.
func called(pid int) string {
	info, err := uncached.stat(pid)
	if err != nil {
		return fmt.Sprintf("pid %d", pid)
	}
	return fmt.Sprintf("%s (pid %d)", info.Name, pid)
}

// calledAll returns the names and pids of processes, for people.
func calledAll(pids []int) string {
	const most = 3
	var names []string
	for _, pid := range pids[:min(len(pids), most)] {
		names = append(names, called(pid))
	}
	if rest := len(pids) - most; rest > 0 {
		names = append(names, fmt.Sprintf("%d others", rest))
	}
	return joined(names)
}

// joined joins words with commas, and with "and" before the last.
func joined(words []string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
}

// thread returns the kind of activity of a thread, its text, and the processes that it waits for.
func (l *look) thread(in *inspector, tid int) (Doing, string, []int) {
	var buf [4096]byte
	place := ""
	if where, err := uncached.read(buf[:128], procFile{in.PID, tid, "wchan"}); err == nil && string(where) != "0" {
		place = string(where)
	}
	if line, err := uncached.read(buf[:], procFile{in.PID, tid, "stat"}); err == nil {
		if info, err := proc.ParseStat(line); err == nil && info.State == 'D' {
			if strings.Contains(place, "clone") || strings.Contains(place, "vfork") {
				return DoingChild, "waits for a child to start its program", nil
			}
			return DoingDisk, "waits for a disk, or for what no signal ends" + within(place), nil
		}
	}
	line, err := uncached.read(buf[:], procFile{in.PID, tid, "syscall"})
	if err != nil {
		if errors.Is(err, proc.ErrGone) {
			return "", "", nil
		}
		return guessed(place)
	}
	b, err := parseSyscall(line)
	switch {
	case err != nil:
		return guessed(place)
	case b.running:
		return DoingRuns, "runs", nil
	case b.number < 0:
		return guessed(place)
	}
	if name := lasting(b.number); name != "" {
		return l.lasting(in, name, b)
	}
	var waited []descriptor
	in.noted = func(fd int, events uint32) { waited = append(waited, descriptor{fd, events}) }
	defer func() { in.noted = nil }()
	w, err := in.decode(tid, line)
	if err != nil || w.call == "" {
		return guessed(place)
	}
	switch {
	case w.child:
		return DoingChild, "waits for a child to end", nil
	case w.call == "futex":
		return DoingThreads, "waits for other threads, or for processes that share its memory" + until(w.timeout), nil
	case (w.call == "nanosleep" || w.call == "clock_nanosleep") && w.timeout >= 0 && !absolute(b):
		// This is the whole time: the kernel does not show how much of it has passed.
		return DoingSleeps, "sleeps for " + duration(w.timeout), nil
	case len(waited) == 0 && w.timeout >= 0:
		return DoingSleeps, "sleeps" + until(w.timeout), nil
	case len(waited) == 0:
		return DoingSignal, "waits for a signal (" + w.call + ")", nil
	}
	return l.waits(in, waited, w.timeout)
}

// absolute reports whether a call of clock_nanosleep(2) sleeps until a fixed time.
func absolute(b blocked) bool {
	return b.number < len(calls) && calls[b.number].kind == clockCall && b.args[1]&unix.TIMER_ABSTIME != 0
}

// until returns the longest time that a wait can still last. Part of it may have passed.
func until(timeout time.Duration) string {
	if timeout < 0 {
		return ""
	}
	return ", for at most " + duration(timeout)
}

func duration(d time.Duration) string {
	switch {
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < 10*time.Second:
		return fmt.Sprintf("%.1fs", d.Seconds())
	}
	return d.Round(time.Second).String()
}

func within(place string) string {
	if place == "" {
		return ""
	}
	return " (in the kernel's " + place + ")"
}

// guessed derives the activity from the kernel function in which the thread sleeps. place is its name, "" if it is
// unknown.
func guessed(place string) (Doing, string, []int) {
	for _, known := range []struct {
		place string
		doing Doing
		text  string
	}{
		{"futex", DoingThreads, "waits for other threads, or for processes that share its memory"},
		{"do_wait", DoingChild, "waits for a child to end"},
		{"nanosleep", DoingSleeps, "sleeps for a time"},
		{"n_tty_read", DoingInput, "reads its terminal"},
		{"n_tty_write", DoingOutput, "writes to its terminal, which takes nothing"},
		{"pipe_read", DoingPipe, "reads a pipe"},
		{"pipe_write", DoingFull, "writes to a pipe that nobody reads"},
		{"sigsuspend", DoingSignal, "waits for a signal"},
		{"inet_csk_accept", DoingListens, "waits for a connection"},
		{"flock", DoingLock, "waits for the lock of a file"},
	} {
		if strings.Contains(place, known.place) {
			return known.doing, known.text, nil
		}
	}
	return DoingUnknown, "waits" + within(place), nil
}

// lasting describes a thread in a system call that is not a wait for input.
func (l *look) lasting(in *inspector, name string, b blocked) (Doing, string, []int) {
	fd := int(int32(b.args[0]))
	switch name {
	case "write", "writev", "pwrite64", "sendto", "sendmsg":
		return l.writes(in, fd)
	case "connect":
		return DoingNetwork, "waits for its connection" + in.address(fd) + " to be taken", nil
	case "flock", "fcntl":
		return l.locked(in, fd)
	case "open":
		return DoingPipe, "opens " + in.opened(b) + ", as a FIFO whose other end nobody has open", nil
	case "fsync":
		return DoingDisk, "waits for its data to be on the disk", nil
	case "sigsuspend":
		return DoingSignal, "waits for a signal", nil
	case "ioctl":
		if l.terminal(in, fd) { // tcdrain(3), or a change of settings that waits for pending output
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
func (in *inspector) opened(b blocked) string {
	address := b.args[1]
	if b.number == olderOpen {
		address = b.args[0]
	}
	const page = 4096
	raw := make([]byte, page-address%page) // the next page may not be mapped
	if err := in.memory(raw, address); err != nil {
		return "a file"
	}
	path, _, ended := bytes.Cut(raw, []byte{0})
	if !ended || len(path) == 0 {
		return "a file"
	}
	return string(path)
}

// terminal reports whether a descriptor is the terminal.
func (l *look) terminal(in *inspector, fd int) bool {
	var st unix.Stat_t
	return in.stat(&st, fd) == nil && st.Mode&unix.S_IFMT == unix.S_IFCHR && in.ours(&st)
}

// writes describes a write that does not complete.
func (l *look) writes(in *inspector, fd int) (Doing, string, []int) {
	var st unix.Stat_t
	if in.stat(&st, fd) != nil {
		return DoingFull, "writes, and nobody takes it", nil
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFCHR:
		if in.ours(&st) {
			return DoingOutput, "writes to its terminal, which takes nothing", nil
		}
		return DoingFull, "writes to " + in.link(fd) + ", which takes nothing", nil
	case unix.S_IFIFO:
		if readers := l.ends(in, fd, false); len(readers) > 0 {
			return DoingFull, "writes to a pipe that " + calledAll(readers) + plural(len(readers), " does", " do") + " not read", readers
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

// locked describes a wait for a file lock, from proc_locks(5). That file names the process that took the lock. The lock
// outlives this process while any process still has the file open by inheritance from it.
func (l *look) locked(in *inspector, fd int) (Doing, string, []int) {
	file := in.link(fd)
	text := "waits for the lock of " + file
	locks, _ := os.ReadFile("/proc/locks") // without this file no owner is named
	var owners []int
	for _, pid := range lockOwners(locks, in.PID) {
		if _, err := uncached.stat(pid); err == nil {
			owners = append(owners, pid)
		}
	}
	if len(owners) > 0 {
		return DoingLock, text + ", which " + calledAll(owners) + plural(len(owners), " holds", " hold"), owners
	}
	l.findPipes(file)
	for _, p := range l.pipes[file] {
		if p.pid != in.PID {
			owners = append(owners, p.pid)
		}
	}
	if len(owners) == 0 {
		return DoingLock, text + ", which it may have itself, through another descriptor", nil
	}
	return DoingLock, text + ", whose owner has ended; " + calledAll(owners) + plural(len(owners), " has", " have") + " the file open", owners
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
