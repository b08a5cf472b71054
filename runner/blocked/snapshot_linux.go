package blocked

import (
	"bytes"
	"errors"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"devtools/runner/proc"
)

// read reports what the members of a tree do on the terminal. depth is the number of terminals around it.
func (tty Terminal) read(all []proc.Info, depth int, files *fdCache) (snapshot, error) {
	var s snapshot
	front, err := tty.Foreground()
	if err != nil {
		return s, err
	}
	if s.Modes, err = tty.Modes(); err != nil {
		return s, err
	}
	s.examined, s.counted, s.pipe = len(all), true, tty.Pipe != nil
	for _, info := range all {
		if info.Ended() {
			continue
		}
		background := uint64(uint32(info.TTY)) == tty.Device && info.Group != front // some stop themselves when the terminal wants it
		if signal := info.StopSignal; (signal == unix.SIGTTIN || signal == unix.SIGTTOU || signal != 0 && background) && sleeps(all, info.Parent) {
			s.behind = stoppedProcess{info.PID, info.Name, Way("stopped_" + strings.ToLower(proc.SignalName(signal)))}
		}
		p := process{
			pid: info.PID, parent: info.Parent, name: info.Name,
			running: info.State == 'R' || info.State == 'D',
			stopped: info.State == 'T' || info.State == 't',
		}
		switch {
		case info.State == 0: // the system hides it
			p.foreground, p.hidden = front > 0 && info.Group == front && depth == 0, true
			p.threads = []thread{{tid: info.PID}}
		case s.pipe, uint64(uint32(info.TTY)) == tty.Device:
			p.foreground = info.Group == front
			if !s.pipe && !p.foreground && !p.stopped {
				continue // a background job: a read would have stopped it
			}
			fallthrough
		default:
			if p.foreground {
				s.cpu += info.CPU
			}
			in := inspector{Info: info, device: tty.Device, filesystem: tty.Filesystem, pipe: tty.Pipe, depth: depth, files: files}
			p.threads, p.hidden = in.threads(all)
			if p.foreground && !p.hidden && !s.Canonical && !p.readsTerminal() {
				in.awaitSignal(p.threads)
			}
			s.examined += len(p.threads)
			if p.hidden {
				p.threads = p.threads[:1]
			} else if p.foreground && p.mayWorkAside(s.Modes) {
				read, written, ok := files.bytesMoved(p.pid)
				s.moved, s.counted = s.moved+read+written, s.counted && ok
			}
		}
		// A foreground process counts even if it does not wait for the terminal: it counts as one that does not read.
		if p.foreground || p.readsTerminal() {
			s.processes = append(s.processes, p)
		}
	}
	return s, nil
}

// sleeps reports whether the process sleeps.
func sleeps(all []proc.Info, pid int) bool {
	return slices.ContainsFunc(all, func(p proc.Info) bool { return p.PID == pid && p.State == 'S' })
}

// mayWorkAside reports whether the process may be at work although a thread of it waits for the terminal, or did just before. A program
// of one thread that reads lines does not look at the terminal between two sleeps.
func (p process) mayWorkAside(modes Modes) bool {
	if len(p.threads) != 1 {
		return len(p.threads) > 1
	}
	w := p.threads[0].wait
	return !modes.Canonical && (w.call == "" || w.noFiles) || w.has(ownSource)
}

func (p process) readsTerminal() bool {
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
		in.masterFDs = in.masterFDs[:0]
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
			in.ignoreProgramTerminals(&t.wait)
			for _, fd := range in.masterFDs {
				if inner, err := in.innerTerminal(fd, all); err == nil {
					t.wait.inner = append(t.wait.inner, inner)
				}
			}
			if len(t.wait.inner) < len(in.masterFDs) {
				t.wait.inner = nil // if one of them is unknown, nothing can be said
			}
		}
		found = append(found, t)
	}
	if len(found) == 0 && in.hiddenByUser() {
		return []thread{{tid: in.PID}}, true
	}
	in.markRuntime(found)
	return found, false
}

// awaitSignal finds out whether the main thread of a program waits, as far as itself is concerned, for a signal of the terminal. The
// program has then set O_ASYNC, fcntl(2).
func (in *inspector) awaitSignal(all []thread) {
	main := slices.IndexFunc(all, func(t thread) bool { return t.tid == in.PID })
	if main < 0 || all[main].wait.timeout >= 0 {
		return
	}
	w := &all[main].wait
	switch w.call {
	case "pause", "rt_sigsuspend":
	case "futex":
		if len(all) == 1 {
			return
		}
	default:
		return
	}
	if !in.catches(unix.SIGIO) || !in.signalled() {
		return
	}
	w.signal, w.sources = true, []source{terminalSource}
	all[main].switches, _ = in.switches(in.PID)
	in.markRuntime(all)
}

// maxAsync bounds how many descriptors are searched for one that sends a signal. Such programs open their terminal early.
const maxAsync = 32

// signalled reports whether the terminal sends the process a signal when there is input.
func (in *inspector) signalled() bool {
	for fd := range maxAsync {
		if in.signals(fd) {
			return true
		}
	}
	return false
}

// catches reports whether the main thread of the process catches a signal now, proc_pid_status(5).
func (in *inspector) catches(number unix.Signal) bool {
	buf := buffers.Get().(*[4096]byte)
	defer buffers.Put(buf)
	data, err := in.files.read(buf[:], procFile{in.PID, in.PID, "status"})
	if err != nil {
		return false
	}
	caught, _ := strconv.ParseUint(proc.Field(data, "SigCgt:"), 16, 64)
	blocked, _ := strconv.ParseUint(proc.Field(data, "SigBlk:"), 16, 64)
	return (caught&^blocked)>>(number-1)&1 != 0
}

// signals reports whether a descriptor is the terminal, and open with O_ASYNC.
func (in *inspector) signals(fd int) bool {
	var st unix.Stat_t
	return in.stat(&st, fd) == nil && st.Mode&unix.S_IFMT == unix.S_IFCHR && in.isTerminal(&st) && in.flags(fd)&unix.O_ASYNC != 0
}

// hiddenByUser reports whether the process lives but has changed to another user, and the option hidepid of proc(5)
// hides it. Its files that were open before can still be read.
func (in *inspector) hiddenByUser() bool {
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
		if !t.wait.wakesWithin(idleTimer) && !t.wait.child {
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

// innerTerminal examines the terminal whose master is a descriptor of the process. It only queries its copy of the
// master.
func (in *inspector) innerTerminal(fd int, all []proc.Info) (snapshot, error) {
	master, err := in.copyFD(fd)
	if err != nil {
		return snapshot{}, err
	}
	defer unix.Close(master)
	number, err := unix.IoctlGetInt(master, unix.TIOCGPTN)
	if err != nil {
		return snapshot{}, err
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
