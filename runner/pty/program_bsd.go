//go:build darwin || freebsd

package pty

import (
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"devtools/runner/proc"
)

// blockingMaster says whether the master of a PTY is read in blocking mode. When kqueue(2) polls it, reading
// it was reported to take a whole processor on macOS (github.com/creack/pty issue 162).
const blockingMaster = true

// inputQueue asks how much input waits: FIONREAD of sys/filio.h, _IOR('f', 127, int).
const inputQueue = 0x4004667f

// readQueue is FREAD of sys/fcntl.h.
const readQueue = 1

func discardInput(fd int) error { return unix.IoctlSetPointerInt(fd, unix.TIOCFLUSH, readQueue) }

// HangUp closes the holder's slave in the background. The last close waits until the output is read, for at
// most 0.6 s on macOS (ptsclose of XNU's tty_dev.c) and 5 min on FreeBSD (kern.tty_drainwait). After that it
// throws the rest away. Meanwhile the holder's loop must go on taking the output that is read.
func (t *Terminal) HangUp() error {
	go func() { _ = t.Slave.Close() }() // it ends with the holder at the latest
	return nil
}

// TellsDiscards says whether this system tells when input is thrown away unread. Packet mode was not tried here.
const TellsDiscards = false

// readNow is read(2).
func readNow(fd int, p []byte) (n int, err error) { return syscall.Read(fd, p) }

const getTermios = unix.TIOCGETA

// startedAlone reports whether the starter has closed all descriptors that are not for the holder.
func startedAlone() bool { return false }

const (
	// treePace is the least time between two looks of the follower. Each look reads the list of all processes.
	// The time is short because a forked process must be seen while its parent lives.
	treePace = time.Millisecond

	// treeRecheck is how often, in seconds, the follower looks even if the kernel reports nothing.
	treeRecheck = 1
)

// A lineage knows which processes are ours on macOS and FreeBSD. macOS has no child subreaper; that of FreeBSD
// (procctl(2)) is not used. A process that outlives its parent becomes a child of launchd(8) or init(8). A process
// is ours if it was once seen to be our descendant. It is also ours if it is in the session of one of ours
// (setsid(2)), which no stranger can enter.
//
// A lineage misses a process that has left every session we know, and lost its parent, between two looks. A
// double fork with setsid can be as fast. Nothing of this file was tried on either system.
type lineage struct {
	mu       sync.Mutex
	known    map[proc.ID]bool
	sessions map[int]bool
}

// descent is the lineage of this process, which leads its session.
var descent = lineage{sessions: map[int]bool{os.Getpid(): true}}

// descendants returns the tree of this process, with zombies and with those that launchd or init has adopted.
func descendants() []proc.Info {
	descent.mu.Lock()
	defer descent.mu.Unlock()
	return descent.pick(proc.Tree(1)) // kern.proc, sysctl(3)
}

// pick returns those processes of all that are ours. It remembers them and their sessions in place of the last
// ones. A pid that none of our processes has any more names a stranger when it comes back. Parents come first
// in all.
func (l *lineage) pick(all []proc.Info) []proc.Info {
	self := os.Getpid()
	family := map[int]bool{self: true}
	known, sessions := map[proc.ID]bool{}, map[int]bool{self: true}
	var picked []proc.Info
	for _, info := range all {
		if info.PID == self || !family[info.Parent] && !l.known[info.ID] && !l.sessions[info.Session] {
			continue
		}
		family[info.PID], known[info.ID] = true, true
		if info.Session != 0 { // the session of a zombie is not told
			sessions[info.Session] = true
		}
		picked = append(picked, info)
	}
	l.known, l.sessions = known, sessions
	return picked
}

// followTree begins to follow the tree. It returns a function that waits until the tree is gone. followTree
// must be called before a child is waited for, so that it can see the command.
func followTree() (gone func()) {
	descendants()
	done := make(chan struct{})
	go func() {
		defer close(done)
		follow()
	}()
	return func() { <-done }
}

// follow looks at the tree whenever one of its processes forks or exits (EVFILT_PROC, kqueue(2)), until it is
// gone. One look at a tree that changes can miss a process, so the end must be seen twice.
func follow() {
	// Without a queue, waiting fails at once, and treePace makes it a poll.
	queue, _ := unix.Kqueue()
	defer unix.Close(queue)
	watched := map[proc.ID]bool{}
	for empty := 0; empty < 2; time.Sleep(treePace) {
		living := Tree()
		if len(living) == 0 {
			empty++
			continue
		}
		empty = 0
		fresh, before := false, watched
		watched = map[proc.ID]bool{}
		for _, info := range living {
			watched[info.ID] = true
			if !before[info.ID] {
				fresh = true
				watch(queue, info.PID)
			}
		}
		if fresh {
			continue // the kernel does not report events from before the watch
		}
		var events [64]unix.Kevent_t
		_, _ = unix.Kevent(queue, nil, events[:], &unix.Timespec{Sec: treeRecheck}) // every return is a reason to look
	}
}

// watch has forks and the exit of pid reported. A process that is gone already is missing at the next look.
func watch(queue, pid int) {
	event := unix.Kevent_t{Fflags: unix.NOTE_FORK | unix.NOTE_EXIT}
	unix.SetKevent(&event, pid, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_CLEAR)
	_, _ = unix.Kevent(queue, []unix.Kevent_t{event}, nil, nil)
}
