package blocked

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"devtools/runner/proc"
)

// maxThreads bounds how many threads of a process are examined.
const maxThreads = 256

// An activityScan holds what is the same for all processes of one call of [Activities].
type activityScan struct {
	device  uint64            // device number of the terminal
	openers map[string][]peer // processes that have each pipe open, by its name; nil until findOpeners runs
}

// A peer is a process that has a pipe open.
type peer struct {
	pid    int
	writes bool
	reads  bool
}

func newActivityScan(tty int) *activityScan {
	return &activityScan{device: uint64(uint32(tty))}
}

// describe sets what the process of a does.
func (s *activityScan) describe(a *Activity) {
	s.readStatus(a)
	if group := proc.FrozenGroup(a.PID); group != "" && !a.Ended() {
		a.Doing, a.Text = DoingFrozen, "is frozen with its control group "+group
		return
	}
	if a.plainly() {
		if a.Doing == DoingTraced && a.Tracer != 0 {
			a.Text, a.On = "is held by the debugger "+nameOf(a.Tracer), []int{a.Tracer}
		}
		return
	}
	files := &fdCache{}
	defer files.close()
	in := &inspector{Info: a.Info, device: s.device, files: files}
	tids := files.threads(nil, a.PID)
	best := rank(DoingUnknown) + 1
	for _, tid := range tids[:min(len(tids), maxThreads)] {
		doing, text, on := s.thread(in, tid)
		if r := rank(doing); doing != "" && r < best {
			best, a.Doing, a.Text, a.On = r, doing, text, on
		}
	}
}

// mostInformative are the kinds of activity of a thread, the most informative first.
var mostInformative = [...]Doing{
	DoingRuns, DoingDisk, DoingOutput, DoingInput, DoingFull, DoingLock, DoingChild, DoingListens, DoingNetwork, DoingPipe,
	DoingSleeps, DoingEvents, DoingSignal, DoingThreads, DoingUnknown,
}

func rank(d Doing) int { return slices.Index(mostInformative[:], d) }

// readStatus reads the signal sets and the tracer from proc_pid_status(5).
func (s *activityScan) readStatus(a *Activity) {
	data, err := os.ReadFile(proc.Folder(a.PID) + "/status")
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
			a.Tracer = proc.FromProc(a.Tracer)
		}
	}
	a.Ignores, a.Catches, a.Blocks = mask("SigIgn:"), mask("SigCgt:"), mask("SigBlk:")
	a.Pending = mask("SigPnd:") | mask("ShdPnd:")
}

// nameOf returns the name and pid of a process, for people.
func nameOf(pid int) string {
	info, err := uncached.stat(pid)
	if err != nil {
		return fmt.Sprintf("pid %d", pid)
	}
	return fmt.Sprintf("%s (pid %d)", info.Name, pid)
}

// namesOf returns the names and pids of processes, for people.
func namesOf(pids []int) string {
	const most = 3
	var names []string
	for _, pid := range pids[:min(len(pids), most)] {
		names = append(names, nameOf(pid))
	}
	if rest := len(pids) - most; rest > 0 {
		names = append(names, fmt.Sprintf("%d others", rest))
	}
	return joinWords(names)
}

// joinWords joins words with commas, and with "and" before the last.
func joinWords(words []string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
}

// thread returns the kind of activity of a thread, its text, and the processes that it waits for. The kind is "" if the
// thread has ended.
func (s *activityScan) thread(in *inspector, tid int) (Doing, string, []int) {
	var buf [4096]byte
	place := "" // kernel function in which the thread sleeps
	if where, err := proc.ReadInto(buf[:128], procFile{in.PID, tid, "wchan"}.path()); err == nil && string(where) != "0" {
		place = string(where)
	}
	if line, err := proc.ReadInto(buf[:], procFile{in.PID, tid, "stat"}.path()); err == nil {
		if info, err := proc.ParseStat(line); err == nil && info.State == 'D' {
			return describeUninterruptible(place)
		}
	}
	line, err := proc.ReadInto(buf[:], procFile{in.PID, tid, "syscall"}.path())
	if errors.Is(err, proc.ErrGone) {
		return "", "", nil
	}
	if err != nil {
		return describeKernelFunction(place)
	}
	b, err := parseSyscall(line)
	switch {
	case err != nil || b.number < 0 && !b.running:
		return describeKernelFunction(place)
	case b.running:
		return DoingRuns, "runs", nil
	}
	if name := otherCallName(b.number); name != "" {
		return s.describeCall(in, name, b)
	}
	var waited []descriptor
	in.onDescriptor = func(fd int, events uint32) { waited = append(waited, descriptor{fd, events}) }
	w, err := in.decode(tid, line)
	in.onDescriptor = nil
	switch {
	case err != nil || w.call == "":
		return describeKernelFunction(place)
	case len(waited) > 0 && !w.child && w.call != "futex":
		return s.describeWait(in, waited, w.timeout)
	}
	return describeSleep(w, absolute(b))
}

// describeUninterruptible describes a thread in a sleep that no signal ends.
func describeUninterruptible(place string) (Doing, string, []int) {
	if strings.Contains(place, "clone") || strings.Contains(place, "vfork") {
		return DoingChild, "waits for a child to start its program", nil
	}
	return DoingDisk, "waits for a disk, or for what no signal ends" + inKernelFunction(place), nil
}

// describeSleep describes a wait for no descriptor. If absolute is true, the thread sleeps until a fixed time.
func describeSleep(w wait, absolute bool) (Doing, string, []int) {
	switch {
	case w.child:
		return DoingChild, "waits for a child to end", nil
	case w.call == "futex":
		return DoingThreads, "waits for other threads, or for processes that share its memory" + atMost(w.timeout), nil
	case (w.call == "nanosleep" || w.call == "clock_nanosleep") && w.timeout >= 0 && !absolute:
		// This is the whole time: the kernel does not show how much of it has passed.
		return DoingSleeps, "sleeps for " + duration(w.timeout), nil
	case w.timeout >= 0:
		return DoingSleeps, "sleeps" + atMost(w.timeout), nil
	}
	return DoingSignal, "waits for a signal (" + w.call + ")", nil
}

// absolute reports whether a call of clock_nanosleep(2) sleeps until a fixed time.
func absolute(b syscallLine) bool {
	return b.number < len(calls) && calls[b.number].timeout == inClockTime && b.args[1]&unix.TIMER_ABSTIME != 0
}

// atMost returns the longest time that a wait can still last. Part of it may have passed.
func atMost(timeout time.Duration) string {
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

func inKernelFunction(place string) string {
	if place == "" {
		return ""
	}
	return " (in the kernel's " + place + ")"
}

// describeKernelFunction derives the activity from the kernel function in which the thread sleeps. place is its name,
// "" if it is unknown.
func describeKernelFunction(place string) (Doing, string, []int) {
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
	return DoingUnknown, "waits" + inKernelFunction(place), nil
}
