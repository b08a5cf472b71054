package blocked

import (
	"slices"
	"time"

	"devtools/runner/proc"
)

// The kernel hides the threads of a program that runs as another user, as sudo(8) starts one, or with more rights than we have.
// What anybody sees of it are its processes, their names and states, how often they have slept, and whether a thread reads the
// terminal.

// A readLook is an answer of beingRead.
type readLook struct {
	switches    uint64 // of all hidden threads: as long as they sleep on, the answer holds
	reading, ok bool
}

// stillFor is how long a program behind another terminal must not have run before the screen may say that it waits. A program that
// reads a line sleeps until it is typed. A loop that prints a line with a question mark and then looks each second what has become of its
// work runs sooner.
const stillFor = 1200 * time.Millisecond

// A pulse remembers when threads ran that nobody is known to have woken.
type pulse struct {
	at, ran  time.Time // of the last look, and of the last one that saw them run
	switches uint64
}

// beats takes a look into account, and reports whether the threads have run in the last time.
func (p *pulse) beats(now time.Time, switches uint64) bool {
	if switches != p.switches && now.Sub(p.at) < stillFor {
		p.ran = now
	}
	p.at, p.switches = now, switches
	return now.Sub(p.ran) < stillFor
}

// reveal finds out for the hidden programs in front whether they read the terminal. A program of which it finds nothing stays
// hidden: then the echo and the screen decide.
func (w *Watch) reveal(s *snapshot) {
	hidden := func(p process) bool { return p.hidden && p.foreground && !p.stopped }
	first := slices.IndexFunc(s.processes, hidden)
	if first < 0 || slices.ContainsFunc(s.processes, process.readsTerminal) {
		return
	}
	var inside []proc.Info // the hidden programs and all that they have started
	for _, p := range s.processes {
		if hidden(p) {
			inside = w.family(inside, p.pid)
		}
	}
	for _, info := range inside {
		s.examined += info.Threads
	}
	leaves := slices.DeleteFunc(slices.Clone(inside), w.hasChild)
	if len(leaves) == 0 || slices.ContainsFunc(inside, hiddenWhole) {
		return
	}
	look := w.lookForReader(inside)
	switch {
	case look.ok && look.reading:
		// A password is found by its echo. What the other threads do is not known, nor what is behind another terminal.
		reader := inside[0]
		if len(leaves) == 1 {
			reader = leaves[0]
		}
		if (s.Echo || !s.Canonical) && !slices.ContainsFunc(inside, threaded) && !slices.ContainsFunc(inside, w.onOtherTerminal) {
			s.processes[first].reads(reader, look.switches)
		}
	case look.ok && s.Canonical && !slices.ContainsFunc(leaves, isShell), slices.ContainsFunc(inside, runs),
		!slices.ContainsFunc(leaves, notSleep), w.stirs(leaves):
		for i, p := range s.processes {
			if hidden(p) {
				s.processes[i].hidden, s.processes[i].threads = false, []thread{{tid: p.pid}}
			}
		}
	}
}

// stirs reports whether a program runs now and then. The threads of a language's runtime do so too, so a program counts that has
// one.
func (w *Watch) stirs(leaves []proc.Info) bool {
	single := slices.DeleteFunc(slices.Clone(leaves), threaded)
	return w.pulse.beats(time.Now(), w.switchesOf(single))
}

// reads makes p the process that reads the terminal. switches identifies the sleep.
func (p *process) reads(reader proc.Info, switches uint64) {
	wait := forEver
	wait.call, wait.read, wait.guessed, wait.sources = "read", true, true, []source{terminalSource}
	p.pid, p.parent, p.name, p.hidden = reader.PID, reader.Parent, reader.Name, false
	p.threads = []thread{{tid: reader.PID, switches: switches, wait: wait}}
}

// lookForReader asks whether a thread reads the terminal, unless the last answer still holds.
func (w *Watch) lookForReader(inside []proc.Info) readLook {
	look := readLook{switches: w.switchesOf(inside)}
	if look.switches == 0 || look.switches != w.lastRead.switches || !w.lastRead.ok || slices.ContainsFunc(inside, runs) {
		look.reading, look.ok = w.tty.beingRead()
		w.lastRead = look
	}
	return w.lastRead
}

// switchesOf returns how often the threads of these processes have left the processor, or 0 if that cannot be seen of one of them.
func (w *Watch) switchesOf(all []proc.Info) (sum uint64) {
	for _, info := range all {
		in := inspector{Info: info, files: &w.files}
		tids := []int{info.PID}
		if info.Threads > 1 {
			tids = w.files.threads(nil, info.PID)
		}
		for _, tid := range tids {
			n, err := in.switches(tid)
			if err != nil {
				return 0
			}
			sum += n
		}
	}
	return sum
}

// family appends the process and all its living descendants to found.
func (w *Watch) family(found []proc.Info, pid int) []proc.Info {
	begin := len(found)
	for _, info := range w.processes {
		inside := info.PID == pid || slices.ContainsFunc(found[begin:], func(p proc.Info) bool { return p.PID == info.Parent })
		known := slices.ContainsFunc(found, func(p proc.Info) bool { return p.PID == info.PID })
		if inside && !known && !info.Ended() {
			found = append(found, info)
		}
	}
	return found
}

// hasChild reports whether the process has a living child.
func (w *Watch) hasChild(info proc.Info) bool {
	return slices.ContainsFunc(w.processes, func(p proc.Info) bool { return p.Parent == info.PID && !p.Ended() })
}

// onOtherTerminal reports whether the process runs on another terminal than the watched one.
func (w *Watch) onOtherTerminal(info proc.Info) bool {
	return info.TTY != 0 && uint64(uint32(info.TTY)) != w.tty.Device
}

// hiddenWhole reports whether the option hidepid of proc(5) hides all of the process.
func hiddenWhole(info proc.Info) bool { return info.State == 0 }

// isShell reports whether the process is a shell. One without a child waits for hardly anything but input, and may poll for it:
// that of busybox always does, and bash for read -t.
func isShell(info proc.Info) bool { return proc.IsShell(info.Name) || info.Name == "busybox" }

func threaded(info proc.Info) bool { return info.Threads > 1 }

func runs(info proc.Info) bool { return info.State == 'R' || info.State == 'D' }

// notSleep reports whether the process does something else than sleep(1), which a script waits for.
func notSleep(info proc.Info) bool { return info.Name != "sleep" }
