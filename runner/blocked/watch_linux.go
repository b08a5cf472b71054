package blocked

import (
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"devtools/runner/proc"
)

// A watchState is what a watch keeps on Linux. It has the thread that Blocked found, with files of /proc that stay
// those of this thread. It also has the files of a probe.
type watchState struct {
	lastBlock       Block
	signalled       bool // the thread of lastBlock waits for a signal of the terminal
	status, syscall *os.File
	files           fdCache
	processes       []proc.Info
	lastRead        readLook
	pulse           pulse
	hides           bool  // see Hides
	asleep          int   // process of Asleep at the last examination of Blocked; 0 for none
	modes           Modes // of the last examination of Blocked
}

// examine examines what runs on the terminal, and what is hidden of it too.
func (w *Watch) examine() (snapshot, error) {
	s, err := w.examineShown()
	if err == nil && !s.pipe {
		w.reveal(&s)
	}
	w.files.sweep()
	return s, err
}

// examineShown examines what runs on the terminal, as far as the kernel shows it.
func (w *Watch) examineShown() (snapshot, error) {
	w.processes = w.files.descendants(w.processes[:0], w.root)
	return w.tty.read(w.processes, 0, &w.files)
}

// Blocked reports whether a foreground thread sleeps at this moment in a read or a poll of the terminal. This is
// unconfirmed: the thread may be about to run. A call costs little as long as the same thread is the reader. Otherwise
// it costs as much as a probe.
func (w *Watch) Blocked() (Block, bool) {
	w.hides, w.asleep = false, 0
	if b, ok := w.stillBlocked(false); ok {
		return b, true
	}
	w.forget()
	s, err := w.examineShown()
	w.files.sweep()
	if err != nil {
		return Block{}, false
	}
	w.modes = s.Modes
	var best Block
	for _, p := range s.processes {
		w.hides = w.hides || p.hidden && p.foreground && !p.stopped
		if p.foreground && !p.hidden && !p.stopped && len(p.threads) == 1 && p.threads[0].wait.onlyTime() {
			w.asleep = p.pid
		}
		for i, t := range p.threads {
			if p.hidden || p.stopped || !t.wait.has(terminalSource) {
				continue
			}
			class := p.classify(i, s).class
			if class == relayed {
				continue // the program that would get the input does not read
			}
			alone := class > echoOff
			if best.TID == 0 || alone && !best.Alone {
				best = Block{PID: p.pid, TID: t.tid, Alone: alone}
				best.Only = class >= polledAlone && w.living() == 1 && len(p.threads) == 1
				w.signalled = t.wait.signal
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
	w.lastBlock = best
	return w.stillBlocked(true)
}

// living returns how many processes there were at the last examination.
func (w *Watch) living() (n int) {
	for _, info := range w.processes {
		if !info.Ended() {
			n++
		}
	}
	return n
}

// Close frees what w has open. w may be used again afterwards.
func (w *Watch) Close() {
	w.forget()
	w.files.close()
}

func (w *Watch) forget() {
	w.lastBlock, w.signalled = Block{}, false
	for _, file := range []*os.File{w.status, w.syscall} {
		if file != nil {
			_ = file.Close()
		}
	}
	w.status, w.syscall = nil, nil
}

// stillBlocked checks only the thread that was found before. Of a relay it knows nothing unless all was examined just now: what
// counts is the program behind it.
func (w *Watch) stillBlocked(examined bool) (Block, bool) {
	b := w.lastBlock
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
	in := inspector{Info: proc.Info{ID: proc.ID{PID: b.PID}}, device: w.tty.Device, filesystem: w.tty.Filesystem, pipe: w.tty.Pipe}
	if group, err := unix.Getpgid(b.PID); err == nil && group == front {
		in.TTY = int(w.tty.Device)
	} else if in.Info, err = uncached.stat(b.PID); err != nil || w.tty.Pipe == nil && uint64(uint32(in.TTY)) == w.tty.Device {
		return Block{}, false
	}
	if n, err = unix.Pread(int(w.syscall.Fd()), buf[:], 0); err != nil {
		return Block{}, false
	}
	waits, err := in.decode(b.TID, buf[:n])
	if w.signalled && waits.noFiles && waits.timeout < 0 {
		waits.sources = []source{terminalSource}
	}
	if err != nil || !waits.has(terminalSource) || waits.has(masterSource) && !examined {
		return Block{}, false
	}
	b.Alone = b.Alone && !waits.external(w.modes) // a relay also waits for the side to which it passes the input
	b.Only = b.Only && b.Alone && waits.timeout < 0
	b.Read, b.Timeout = waits.read, waits.timeout
	b.Registered, b.Listens = waits.registered(), waits.has(listenerSource)
	return b, true
}

// registered reports whether the thread waits in epoll(7).
func (w wait) registered() bool { return strings.HasPrefix(w.call, "epoll") }

// onlyTime reports whether the thread sleeps until a time is over. A call that has just returned may have cleared its list of
// files, so an empty list proves nothing.
func (w wait) onlyTime() bool { return w.noFiles && w.timeout >= 0 }

// Asleep returns the sleep of a program in front that has one thread and sleeps until a time is over. It belongs to the last call
// of Blocked, which found no reader. The threads of a program such as fzf sleep while others are about to read.
func (w *Watch) Asleep() (Block, bool) {
	if w.asleep == 0 {
		return Block{}, false
	}
	in := inspector{Info: proc.Info{ID: proc.ID{PID: w.asleep}}, files: &w.files}
	switches, err := in.switches(w.asleep)
	return Block{PID: w.asleep, TID: w.asleep, Switches: switches}, err == nil
}

// Hides reports whether the last call of Blocked that found no reader met a program in front that the system hides. Nobody
// can tell whether that program reads.
func (w *Watch) Hides() bool { return w.hides }

// BytesRead returns how many bytes the process of a block has read so far, from whatever file (proc_pid_io(5)). ok is false
// if the system does not tell.
func (b Block) BytesRead() (n int64, ok bool) {
	if b.PID == 0 {
		return 0, false
	}
	n, _, ok = uncached.bytesMoved(b.PID)
	return n, ok
}

// Sees reports whether Blocked can see anything on this system.
func (w *Watch) Sees() bool { return true }
