package blocked

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"

	"devtools/runner/proc"

	"golang.org/x/sys/unix"
)

// A lookout is what a watch keeps on Linux. It has the thread that Blocked found, with files of /proc that stay those
// of this thread. It also has the files of a probe.
type lookout struct {
	last            Block
	status, syscall *os.File
	files           kept
	found           []proc.Info
}

// look examines what runs on the terminal.
func (w *Watch) look() (reading, error) {
	w.found = w.files.present(w.found[:0], w.root)
	r, err := w.tty.read(w.found, 0, &w.files)
	w.files.sweep()
	return r, err
}

// Blocked reports whether a foreground thread sleeps at this moment in a read or a poll of the terminal. This is
// unconfirmed: the thread may be about to run. A call costs little as long as the same thread is the reader. Otherwise
// it costs as much as a probe.
func (w *Watch) Blocked() (Block, bool) {
	if b, ok := w.stillBlocked(); ok {
		return b, true
	}
	w.forget()
	r, err := w.look()
	if err != nil {
		return Block{}, false
	}
	var best Block
	for _, p := range r.processes {
		for i, t := range p.threads {
			if p.hidden || p.stopped || !t.wait.has(terminalSource) {
				continue
			}
			alone := p.classify(i, r).class > echoOff
			if best.TID == 0 || alone && !best.Alone {
				best = Block{PID: p.pid, TID: t.tid, Alone: alone, Registered: t.wait.registered()}
			}
		}
	}
	if best.TID == 0 {
		return Block{}, false
	}
	if w.status, err = os.Open(procFile{best.PID, best.TID, "status"}.path()); err != nil {
		return Block{}, false
	}
	if w.syscall, err = os.Open(procFile{best.PID, best.TID, "syscall"}.path()); err != nil {
		w.forget()
		return Block{}, false
	}
	w.last = best
	return w.stillBlocked()
}

// Close frees what w has open. w may be used again afterwards.
func (w *Watch) Close() {
	w.forget()
	w.files.close()
}

func (w *Watch) forget() {
	w.last = Block{}
	for _, file := range []*os.File{w.status, w.syscall} {
		if file != nil {
			_ = file.Close()
		}
	}
	w.status, w.syscall = nil, nil
}

// stillBlocked checks only the thread that was found before.
func (w *Watch) stillBlocked() (Block, bool) {
	b := w.last
	if b.TID == 0 {
		return Block{}, false
	}
	buf := buffers.Get().(*[4096]byte)
	defer buffers.Put(buf)
	// The count is read first. If the thread runs in between, the count is too small by one, and the thread seems to
	// sleep on.
	n, err := unix.Pread(int(w.status.Fd()), buf[:], 0)
	if err != nil {
		return Block{}, false
	}
	status, ok := parseStatus(buf[:n])
	if !ok || status.state == 'T' || status.state == 't' {
		return Block{}, false
	}
	b.Switches = status.switches
	// A process of the foreground group belongs to the terminal. Asking for its group costs less than reading its
	// terminal from /proc.
	front, err := w.tty.Foreground()
	if err != nil {
		return Block{}, false
	}
	in := inspector{Info: proc.Info{ID: proc.ID{PID: b.PID}}, device: w.tty.Device, filesystem: w.tty.Filesystem}
	if group, err := unix.Getpgid(b.PID); err == nil && group == front {
		in.TTY = int(w.tty.Device)
	} else if in.Info, err = uncached.stat(b.PID); err != nil || uint64(uint32(in.TTY)) == w.tty.Device {
		return Block{}, false
	}
	if n, err = unix.Pread(int(w.syscall.Fd()), buf[:], 0); err != nil {
		return Block{}, false
	}
	waits, err := in.decode(b.TID, buf[:n])
	if err != nil || !waits.has(terminalSource) {
		return Block{}, false
	}
	b.Alone = b.Alone && !waits.external() // a relay also waits for the side to which it passes the input
	b.Registered = waits.registered()
	return b, true
}

// registered reports whether the thread waits in epoll(7).
func (w wait) registered() bool { return strings.HasPrefix(w.call, "epoll") }

// read reports what the members of a tree do on the terminal. depth is the number of terminals around it.
func (tty Terminal) read(all []proc.Info, depth int, files *kept) (reading, error) {
	var r reading
	front, err := tty.Foreground()
	if err != nil {
		return r, err
	}
	if r.Modes, err = tty.Modes(); err != nil {
		return r, err
	}
	r.looks = len(all)
	for _, info := range all {
		if info.Ended() {
			continue
		}
		p := member{
			pid: info.PID, parent: info.Parent, name: info.Name,
			running: info.State == 'R' || info.State == 'D',
			stopped: info.State == 'T' || info.State == 't',
		}
		switch {
		case info.State == 0: // the system hides it
			p.front, p.hidden = front > 0 && info.Group == front && depth == 0, true
			p.threads = []thread{{tid: info.PID}}
		case uint64(uint32(info.TTY)) == tty.Device:
			p.front = info.Group == front
			if !p.front && !p.stopped {
				continue // a background job: a read would have stopped it
			}
			fallthrough
		default:
			if p.front {
				r.cpu += info.CPU
			}
			in := inspector{Info: info, device: tty.Device, filesystem: tty.Filesystem, depth: depth, files: files}
			p.threads, p.hidden = in.threads(all)
			r.looks += len(p.threads)
			if p.hidden {
				p.threads = p.threads[:1]
			}
		}
		// A foreground process counts even if it does not wait for the terminal: it counts as one that does not read.
		if p.front || p.reads() {
			r.processes = append(r.processes, p)
		}
	}
	return r, nil
}

func (p member) reads() bool {
	for _, t := range p.threads {
		if t.wait.has(terminalSource) {
			return true
		}
	}
	return false
}

// threads examines every thread of the process. It leaves out threads that have ended meanwhile. hidden says that the
// kernel does not permit us to look. The result then has the first thread, with the number of its switches if the
// kernel tells it.
func (in *inspector) threads(all []proc.Info) (found []thread, hidden bool) {
	var room [64]int
	tids := append(room[:0], in.PID)
	if in.Threads > 1 {
		tids = in.files.threads(room[:0], in.PID)
	}
	for _, tid := range tids {
		in.masters = in.masters[:0]
		t, err := in.thread(tid)
		if errors.Is(err, proc.ErrNotPermitted) {
			switches, _ := in.switches(in.PID) // 0 never changes, which is right while nothing is known
			w, ok := in.guess()
			return []thread{{tid: in.PID, switches: switches, wait: w}}, !ok
		}
		if err != nil {
			continue
		}
		if t.wait.has(terminalSource) && in.depth < maxNested {
			for _, fd := range in.masters {
				if inner, err := in.behind(fd, all); err == nil {
					t.wait.inner = append(t.wait.inner, inner)
				}
			}
			if len(t.wait.inner) < len(in.masters) {
				t.wait.inner = nil // if one of them is unknown, nothing can be said
			}
		}
		found = append(found, t)
	}
	if len(found) == 0 && in.concealed() {
		return []thread{{tid: in.PID}}, true
	}
	in.markRuntime(found)
	return found, false
}

// concealed reports whether the process lives but has changed to another user, and the option hidepid of proc(5) hides
// it. Its files that were open before can still be read.
func (in *inspector) concealed() bool {
	if err := unix.Access(in.path(""), unix.F_OK); !errors.Is(err, unix.ENOENT) {
		return false
	}
	err := unix.Kill(in.PID, 0)
	return err == nil || errors.Is(err, unix.EPERM)
}

// markRuntime marks the threads of the language's runtime. It does so only for a process with a reader, where it
// matters.
func (in *inspector) markRuntime(found []thread) {
	if len(found) == 1 || !slices.ContainsFunc(found, func(t thread) bool { return t.wait.has(terminalSource) }) {
		return
	}
	var buf [32]byte
	for i, t := range found {
		if !t.wait.timed(idleTimer) && !t.wait.child {
			continue
		}
		name, _ := in.files.read(buf[:], procFile{in.PID, t.tid, "comm"}) // a thread without a name counts as the program's
		found[i].runtime = slices.Contains(runtimeThreads, strings.TrimSuffix(string(name), "\n"))
	}
}

// thread examines one thread.
func (in *inspector) thread(tid int) (thread, error) {
	t := thread{tid: tid}
	var err error
	if t.wait, err = in.wait(tid); err != nil || !t.wait.has(terminalSource) {
		return t, err
	}
	// If the thread runs in between, the count belongs to another sleep than the wait. A verdict needs the same count
	// twice, and then that count belongs to the second sleep.
	t.switches, err = in.switches(tid)
	return t, err
}

// switches returns how often a thread has left the processor.
func (in *inspector) switches(tid int) (uint64, error) {
	buf := buffers.Get().(*[4096]byte)
	defer buffers.Put(buf)
	data, err := in.files.read(buf[:], procFile{in.PID, tid, "status"})
	if err != nil {
		return 0, err
	}
	status, _ := parseStatus(data) // 0 if the kernel does not tell
	return status.switches, nil
}

// A threadStatus is what proc_pid_status(5) reports about a thread.
type threadStatus struct {
	state    byte
	switches uint64 // number of times that it left the processor, voluntarily or not
}

// parseStatus reads the file status of a thread. ok says that both fields are there.
func parseStatus(data []byte) (s threadStatus, ok bool) {
	const voluntary, nonvoluntary = "\nvoluntary_ctxt_switches:\t", "\nnonvoluntary_ctxt_switches:\t"
	if _, rest, found := bytes.Cut(data, []byte("\nState:\t")); found && len(rest) > 0 {
		s.state = rest[0]
	}
	for _, label := range []string{voluntary, nonvoluntary} {
		_, rest, found := bytes.Cut(data, []byte(label))
		if !found {
			return s, false
		}
		number, _, _ := bytes.Cut(rest, []byte("\n"))
		n, err := strconv.ParseUint(string(number), 10, 64)
		if err != nil {
			return s, false
		}
		s.switches += n
	}
	return s, s.state != 0
}

// behind examines the terminal whose master is a descriptor of the process. It only queries its copy of the master.
func (in *inspector) behind(fd int, all []proc.Info) (reading, error) {
	master, err := in.copyFD(fd)
	if err != nil {
		return reading{}, err
	}
	defer unix.Close(master)
	number, err := unix.IoctlGetInt(master, unix.TIOCGPTN)
	if err != nil {
		return reading{}, err
	}
	inner := Terminal{
		Device:     unix.Mkdev(ptsMajor, uint32(number)),
		Foreground: func() (int, error) { return unix.IoctlGetInt(master, unix.TIOCGPGRP) },
		Modes: func() (Modes, error) {
			settings, err := unix.IoctlGetTermios(master, unix.TCGETS)
			if err != nil {
				return Modes{}, err
			}
			return modesOf(settings), nil
		},
	}
	return inner.read(all, in.depth+1, in.files)
}

// modesOf returns the modes from the settings of a terminal.
func modesOf(settings *unix.Termios) Modes {
	return Modes{
		Canonical: settings.Lflag&unix.ICANON != 0,
		Echo:      settings.Lflag&unix.ECHO != 0,
		Timed:     settings.Cc[unix.VMIN] == 0 && settings.Cc[unix.VTIME] != 0,
	}
}

// maxProcesses bounds how many processes of a tree are examined. It is far above what a system runs.
const maxProcesses = 1 << 16

// present appends the descendants of root, as [proc.Tree] lists them, but from a single walk. For a watch one moment is as
// good as another. It does not read their identities in full, which would cost more than everything else. A process
// that the system hides (the option hidepid of proc(5)) has no State.
func (k *kept) present(found []proc.Info, root int) []proc.Info {
	if !proc.ListsChildren() {
		return append(found, proc.Tree(root)...)
	}
	var room [64]int
	pids := k.children(room[:0], root, 2) // our process has several threads
	for i := 0; i < len(pids) && i < maxProcesses; i++ {
		pid := pids[i]
		p, err := k.stat(pid)
		if errors.Is(err, proc.ErrGone) {
			if err := unix.Kill(pid, 0); err != nil && !errors.Is(err, unix.EPERM) {
				continue
			}
			p.PID = pid
			p.Group, _ = unix.Getpgid(pid) // 0 means no group
			p.Name = strconv.Itoa(pid)
		} else if err != nil {
			continue
		}
		found = append(found, p)
		pids = k.children(pids, pid, p.Threads)
	}
	return found
}

// Sees reports whether Blocked can see anything on this system.
func (w *Watch) Sees() bool { return true }
