package blocked

import (
	"testing"
	"time"
)

var (
	cooked   = Modes{Canonical: true, Echo: true}
	password = Modes{Canonical: true}
	rawMode  = Modes{}
)

// on is a wait for ever in a poll.
func on(sources ...source) wait {
	return wait{call: "poll", sources: sources, timeout: -1}
}

func reads(s source) wait {
	return wait{call: "read", read: true, sources: []source{s}, timeout: -1}
}

func (w wait) within(timeout time.Duration) wait {
	w.timeout = timeout
	return w
}

func (w wait) around(inner ...snapshot) wait {
	w.inner = inner
	return w
}

// inFront is a process of the foreground with a thread for each wait.
func inFront(waits ...wait) process {
	p := process{pid: 10, name: "program", foreground: true}
	for i, w := range waits {
		p.threads = append(p.threads, thread{tid: 10 + i, switches: 7, wait: w})
	}
	return p
}

// startedBy10 is a process of the foreground that inFront has started.
func startedBy10(w wait) process {
	return process{pid: 20, parent: 10, name: "child", foreground: true, threads: []thread{{tid: 20, switches: 7, wait: w}}}
}

func of(modes Modes, all ...process) snapshot { return snapshot{Modes: modes, processes: all} }

func TestFind(t *testing.T) {
	runs := wait{}
	worker := wait{call: "futex", timeout: -1}
	ticker := wait{call: "futex", timeout: 10 * time.Millisecond}
	sleeps := wait{call: "clock_nanosleep", noFiles: true, timeout: 10 * time.Second}
	hidden := process{pid: 10, foreground: true, hidden: true, threads: []thread{{tid: 10}}}
	stopped := inFront(reads(terminalSource))
	stopped.stopped = true
	stranger := inFront(reads(terminalSource))
	stranger.foreground = false

	for _, tt := range []struct {
		name    string
		reading snapshot
		class   class
		reason  string
	}{
		{"nobody", of(cooked), noReader, ""},
		{"runs", of(cooked, inFront(runs)), noReader, ""},
		{"read", of(cooked, inFront(reads(terminalSource))), readAlone, "blocked_read"},
		{"read of a pipe", of(cooked, inFront(reads(pipeSource))), noReader, ""},
		{"read by who has no terminal", of(cooked, stranger), readAlone, "blocked_read"},
		{"read with VTIME", of(Modes{Timed: true}, inFront(reads(terminalSource))), polled, "blocked_read_timeout"},
		{"lines with VTIME", of(Modes{Canonical: true, Timed: true}, inFront(reads(terminalSource))), readAlone, "blocked_read"},
		{"poll", of(rawMode, inFront(on(terminalSource))), polledAlone, "poll_tty_only"},
		{"poll with own", of(rawMode, inFront(on(ownSource, terminalSource))), polledAlone, "poll_tty_only"},
		{"poll with a timeout", of(rawMode, inFront(on(terminalSource).within(time.Hour))), polled, "poll_tty_timeout"},
		{"poll at once", of(rawMode, inFront(on(terminalSource).within(0))), polled, "poll_tty_timeout"},
		{"poll with a timer", of(rawMode, inFront(on(terminalSource, timerSource))), polled, "poll_tty_timeout"},
		{"poll with a socket", of(rawMode, inFront(on(terminalSource, socketSource))), mixed, "poll_tty_plus_socket"},
		{"poll with an idle connection", of(rawMode, inFront(on(terminalSource, idleSource))), mixed, "poll_tty_plus_idle"},
		{"poll with connections of which one is idle", of(rawMode, inFront(on(terminalSource, idleSource, socketSource))), mixed, "poll_tty_plus_socket"},
		{"poll with an idle connection beside what nobody knows", of(rawMode, inFront(on(terminalSource, idleSource, otherSource))), mixed, "poll_tty_plus"},
		{"poll with an idle connection beside a thread that works", of(rawMode, inFront(on(terminalSource, idleSource), wait{running: true})), mixed, "poll_tty_plus_idle"},
		{"poll with a pipe", of(rawMode, inFront(on(terminalSource, pipeSource))), mixed, "poll_tty_plus_pipe"},
		{"poll with inotify", of(rawMode, inFront(on(terminalSource, watchSource))), mixed, "poll_tty_plus_watch"},
		{"poll with a pidfd", of(rawMode, inFront(on(terminalSource, processSource))), mixed, "poll_tty_plus_process"},
		{"poll with what nobody knows", of(rawMode, inFront(on(terminalSource, otherSource))), mixed, "poll_tty_plus"},
		{"poll of a server", of(rawMode, inFront(on(terminalSource, listenerSource))), mixed, "poll_tty_plus_listen"},
		{"poll of a server that watches files", of(rawMode, inFront(on(terminalSource, socketSource, watchSource, listenerSource))), mixed, "poll_tty_plus_listen"},
		{"poll of a watcher with a child", of(rawMode, inFront(on(terminalSource, pipeSource, processSource, socketSource, watchSource))), mixed, "poll_tty_plus_watch"},
		{"poll of a client with a child", of(rawMode, inFront(on(terminalSource, pipeSource, processSource, socketSource))), mixed, "poll_tty_plus_socket"},
		{"poll without terminal", of(rawMode, inFront(on(socketSource))), noReader, ""},
		{"uring", of(cooked, inFront(wait{call: "io_uring_enter", uring: true, sources: []source{terminalSource}, timeout: -1})), polledAlone, "uring_pending_read"},
		{"a guess", of(cooked, inFront(wait{call: "read", guessed: true, sources: []source{terminalSource}, timeout: -1})), polledAlone, "blocked_read_wchan"},
		{"workers", of(cooked, inFront(worker, reads(terminalSource), worker)), readAlone, "blocked_read"},
		{"a monitor that sleeps long", of(cooked, inFront(reads(terminalSource), worker.within(time.Minute))), readAlone, "blocked_read"},
		{"a ticker of lines", of(cooked, inFront(reads(terminalSource), ticker)), readAlone, "blocked_read+thread_timer"},
		{"a ticker of a password", of(password, inFront(reads(terminalSource), ticker)), readAlone, "blocked_read+thread_timer"},
		{"a reader that a ticker has started", of(cooked, inFront(worker, ticker, reads(terminalSource))), polled, "blocked_read+thread_timer"},
		{"a reader beside a loop with a timer", of(cooked, inFront(reads(terminalSource), on(ownSource).within(10*time.Second))), polled, "blocked_read+thread_timer"},
		{"a reader beside a main thread that sleeps", of(cooked, inFront(sleeps, reads(terminalSource))), mixed, "blocked_read+thread_timer"},
		{"a thread that writes a file", of(rawMode, inFront(reads(terminalSource), wait{works: true})), mixed, "blocked_read+thread_call"},
		{"a thread that waits for the output of a child that works", of(rawMode, inFront(reads(terminalSource), reads(pipeSource)), startedBy10(sleeps)), mixed, "blocked_read+thread_child"},
		{"commands from other programs", of(rawMode, inFront(on(terminalSource, controlSource))), polled, "poll_tty_only"},
		{"a daemon with commands from other programs", of(cooked, inFront(on(terminalSource, controlSource))), mixed, "poll_tty_plus_listen"},
		{"a ticker of the language", of(cooked, process{pid: 10, foreground: true, threads: []thread{
			{tid: 10, wait: reads(terminalSource)}, {tid: 11, wait: ticker, runtime: true},
		}}), readAlone, "blocked_read"},
		{"a ticker of an interface", of(rawMode, inFront(reads(terminalSource), ticker)), polled, "blocked_read+thread_timer"},
		{"a connection", of(rawMode, inFront(reads(terminalSource), on(socketSource))), mixed, "blocked_read+thread_socket"},
		{"a server", of(rawMode, inFront(on(listenerSource), reads(terminalSource))), mixed, "blocked_read+thread_listen"},
		{"a watch and a connection", of(rawMode, inFront(on(socketSource), reads(terminalSource), on(watchSource))), mixed, "blocked_read+thread_watch"},
		{"a thread with a pipe", of(rawMode, inFront(reads(terminalSource), reads(pipeSource))), readAlone, "blocked_read"},
		{"a thread that works", of(cooked, inFront(reads(terminalSource), wait{running: true})), mixed, "blocked_read+thread_running"},
		{"a thread that waits for a child", of(cooked, inFront(wait{call: "wait4", child: true, timeout: -1}, reads(terminalSource))), mixed, "blocked_read+thread_child"},
		{"a child that works", of(rawMode, inFront(on(terminalSource)), startedBy10(wait{call: "nanosleep", timeout: time.Hour})), polledAlone, "poll_tty_only"},
		{"a child of a loop that works", of(rawMode, inFront(on(terminalSource, ownSource)), startedBy10(wait{call: "nanosleep", timeout: time.Hour})), mixed, "poll_tty_only+child_goes_on"},
		{"a child that waits", of(rawMode, inFront(on(terminalSource, ownSource)), startedBy10(reads(pipeSource))), polledAlone, "poll_tty_only"},
		{"a child that serves", of(rawMode, inFront(on(terminalSource, ownSource)), startedBy10(on(listenerSource))), mixed, "poll_tty_only+child_goes_on"},
		{"a read beside a child that works", of(cooked, inFront(reads(terminalSource)), startedBy10(wait{running: true})), readAlone, "blocked_read"},
		{"a stranger beside work", of(cooked, stranger, startedBy10(wait{running: true})), background, "blocked_read+foreground_goes_on"},
		{"a stranger who is waited for", of(cooked, stranger, startedBy10(on(socketSource))), readAlone, "blocked_read"},
		{"a connection and a ticker", of(rawMode, inFront(ticker, reads(terminalSource), on(socketSource))), mixed, "blocked_read+thread_socket"},
		{"the better of two", of(rawMode, inFront(on(terminalSource, socketSource)), inFront(reads(terminalSource))), readAlone, "blocked_read"},
		{"stopped", of(cooked, stopped), noReader, ""},
		{"hidden", of(cooked, hidden), undecided, "uninspectable"},
		{"hidden in raw mode", of(rawMode, hidden), undecided, "uninspectable"},
		{"hidden with a password", of(password, hidden), echoOff, "echo_off"},
		{"hidden behind", of(password, process{pid: 10, hidden: true, threads: []thread{{tid: 10}}}), noReader, ""},
		{"a reader beside hidden", of(cooked, hidden, inFront(reads(terminalSource))), readAlone, "blocked_read"},
		{"relay to a reader", of(rawMode, inFront(on(terminalSource, masterSource).around(of(cooked, inFront(reads(terminalSource)))))), readAlone, "nested_pty:blocked_read"},
		{"relay to a runner", of(rawMode, inFront(on(terminalSource, masterSource).around(of(cooked, inFront(runs))))), relayed, "relay_inner_not_reading"},
		{"relay to a server", of(rawMode, inFront(on(terminalSource, masterSource).around(of(cooked, inFront(on(terminalSource, socketSource)))))), mixed, "nested_pty:poll_tty_plus_socket"},
		{"relay to a server and a runner", of(rawMode, inFront(on(terminalSource, masterSource, masterSource).around(
			of(cooked, inFront(on(terminalSource, listenerSource))), of(cooked, inFront(runs))))), mixed, "nested_pty:poll_tty_plus"},
		{"relay to hidden", of(rawMode, inFront(on(terminalSource, masterSource).around(of(cooked, hidden)))), mixed, "nested_pty:poll_tty_plus"},
		{"relay to who knows", of(rawMode, inFront(on(terminalSource, masterSource))), mixed, "poll_tty_plus"},
		{"relay to two readers", of(rawMode, inFront(on(terminalSource, masterSource, masterSource).around(
			of(cooked, inFront(reads(terminalSource))), of(rawMode, inFront(on(terminalSource).within(0)))))), polled, "nested_pty:poll_tty_timeout"},
		{"relay to a reader and a runner", of(rawMode, inFront(on(terminalSource, masterSource, masterSource).around(
			of(cooked, inFront(reads(terminalSource))), of(rawMode, inFront(runs))))), mixed, "nested_pty:poll_tty_plus"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := tt.reading.find(0)
			if f.class != tt.class || f.reason.String() != tt.reason {
				t.Errorf("class %d %q, want %d %q", f.class, f.reason, tt.class, tt.reason)
			}
		})
	}
}

func TestFindStaysWithItsReader(t *testing.T) {
	r := of(cooked, inFront(reads(terminalSource), reads(terminalSource), reads(terminalSource)))
	for before, want := range map[int]int{0: 10, 10: 10, 11: 11, 12: 12, 99: 10} {
		if got := r.find(before).block.TID; got != want {
			t.Errorf("after thread %d it is %d, want %d", before, got, want)
		}
	}
}

func TestStopped(t *testing.T) {
	job := func(front, stopped bool, w wait) process {
		p := inFront(w)
		p.foreground, p.stopped = front, stopped
		return p
	}
	read := reads(terminalSource)
	for _, tt := range []struct {
		name    string
		reading snapshot
		want    string
	}{
		{"nothing", of(cooked), ""},
		{"in front", of(cooked, job(true, true, wait{})), "stopped_foreground"},
		{"one of two in front", of(cooked, job(true, true, wait{}), job(true, false, wait{})), ""},
		{"behind, reading", of(cooked, job(false, true, read)), "stopped_sigttin"},
		{"behind, not reading", of(cooked, job(false, true, wait{})), ""},
		{"behind one that runs", of(cooked, job(false, true, read), job(true, false, wait{})), ""},
	} {
		v := new(history).judge(time.Now(), time.Second, tt.reading, -1, Picture{})
		state := NotWaiting
		if tt.want != "" {
			state = Stopped
		}
		if v.State != state || v.Reason.String() != tt.want {
			t.Errorf("%s: %s %q, want %s %q", tt.name, v.State, v.Reason, state, tt.want)
		}
	}
}

// A background process that the terminal has stopped counts when a second look finds it: its parent takes no notice then.
func TestStoppedBehind(t *testing.T) {
	waits := of(cooked, inFront(wait{}))
	stopped := waits
	stopped.behind = stoppedProcess{7, "pager", StoppedForOutput}
	h := new(history)
	for i, look := range []struct {
		reading snapshot
		want    bool
	}{{stopped, false}, {stopped, true}, {waits, false}, {stopped, true}} {
		v := h.judge(time.Now(), time.Second, look.reading, -1, Picture{})
		if v.StoppedUnnoticed != look.want || look.want && (v.State != Stopped || v.Reason.String() != "stopped_sigttou" || v.PID != 7 || v.Comm != "pager") {
			t.Errorf("look %d: %+v, want %v", i, v, look.want)
		}
	}
}
