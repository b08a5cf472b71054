package blocked

import (
	"strings"
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

func (w wait) around(inner ...reading) wait {
	w.inner = inner
	return w
}

// inFront is a process of the foreground with a thread for each wait.
func inFront(waits ...wait) member {
	p := member{pid: 10, name: "program", front: true}
	for i, w := range waits {
		p.threads = append(p.threads, thread{tid: 10 + i, switches: 7, wait: w})
	}
	return p
}

// startedBy10 is a process of the foreground that inFront has started.
func startedBy10(w wait) member {
	return member{pid: 20, parent: 10, name: "child", front: true, threads: []thread{{tid: 20, switches: 7, wait: w}}}
}

func of(modes Modes, all ...member) reading { return reading{Modes: modes, processes: all} }

func TestFind(t *testing.T) {
	runs := wait{}
	worker := wait{call: "futex", timeout: -1}
	ticker := wait{call: "futex", timeout: 10 * time.Millisecond}
	hidden := member{pid: 10, front: true, hidden: true, threads: []thread{{tid: 10}}}
	stopped := inFront(reads(terminalSource))
	stopped.stopped = true
	stranger := inFront(reads(terminalSource))
	stranger.front = false

	for _, tt := range []struct {
		name    string
		reading reading
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
		{"a ticker of lines", of(cooked, inFront(reads(terminalSource), ticker)), mixed, "blocked_read+thread_timer"},
		{"a ticker of a password", of(password, inFront(reads(terminalSource), ticker)), polled, "blocked_read+thread_timer"},
		{"a ticker of the language", of(cooked, member{pid: 10, front: true, threads: []thread{
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
		{"a stranger beside work", of(cooked, stranger, startedBy10(wait{running: true})), behind, "blocked_read+foreground_goes_on"},
		{"a stranger who is waited for", of(cooked, stranger, startedBy10(on(socketSource))), readAlone, "blocked_read"},
		{"a connection and a ticker", of(rawMode, inFront(ticker, reads(terminalSource), on(socketSource))), mixed, "blocked_read+thread_socket"},
		{"the better of two", of(rawMode, inFront(on(terminalSource, socketSource)), inFront(reads(terminalSource))), readAlone, "blocked_read"},
		{"stopped", of(cooked, stopped), noReader, ""},
		{"hidden", of(cooked, hidden), undecided, "uninspectable"},
		{"hidden in raw mode", of(rawMode, hidden), undecided, "uninspectable"},
		{"hidden with a password", of(password, hidden), echoOff, "echo_off"},
		{"hidden behind", of(password, member{pid: 10, hidden: true, threads: []thread{{tid: 10}}}), noReader, ""},
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
	job := func(front, stopped bool, w wait) member {
		p := inFront(w)
		p.front, p.stopped = front, stopped
		return p
	}
	read := reads(terminalSource)
	for _, tt := range []struct {
		name    string
		reading reading
		want    string
	}{
		{"nothing", of(cooked), ""},
		{"in front", of(cooked, job(true, true, wait{})), "stopped_foreground"},
		{"one of two in front", of(cooked, job(true, true, wait{}), job(true, false, wait{})), ""},
		{"behind, reading", of(cooked, job(false, true, read)), "stopped_sigttin"},
		{"behind, not reading", of(cooked, job(false, true, wait{})), ""},
		{"behind one that runs", of(cooked, job(false, true, read), job(true, false, wait{})), ""},
	} {
		v := new(memory).judge(time.Now(), time.Second, tt.reading, nil)
		state := NotWaiting
		if tt.want != "" {
			state = Stopped
		}
		if v.State != state || v.Reason.String() != tt.want {
			t.Errorf("%s: %s %q, want %s %q", tt.name, v.State, v.Reason, state, tt.want)
		}
	}
}

// A moment is a probe of a sequence.
type moment struct {
	at, quiet int // milliseconds
	reading   reading
	want      State
	conf      Confidence
}

// ran is a reading whose thread has run n times, and whose processes have used
// so many milliseconds of the processor.
func ran(r reading, n uint64, cpu int) reading {
	r.cpu = time.Duration(cpu) * time.Millisecond
	p := r.processes[0]
	p.threads = append([]thread(nil), p.threads...)
	for i := range p.threads {
		p.threads[i].switches = n
	}
	r.processes = []member{p}
	return r
}

func TestJudge(t *testing.T) {
	one := of(cooked, inFront(reads(terminalSource)))
	guess := of(cooked, inFront(wait{call: "read", read: true, guessed: true, sources: []source{terminalSource}, timeout: -1}))
	two := of(rawMode, inFront(on(terminalSource), wait{call: "futex", timeout: -1}))
	timed := of(rawMode, inFront(on(terminalSource).within(time.Second)))
	lines := of(cooked, inFront(on(terminalSource).within(time.Second)))
	server := of(cooked, inFront(on(terminalSource, socketSource)))
	none := of(cooked, inFront(wait{}))
	hidden := member{pid: 10, front: true, hidden: true, threads: []thread{{tid: 10}}}

	for _, tt := range []struct {
		name   string
		prompt bool
		steps  []moment
	}{
		{"a block of 30 ms", false, []moment{
			{30, 30, one, AcceptsInput, ""}, {59, 59, one, AcceptsInput, ""}, {60, 60, one, Waiting, Certain}, {61, 0, one, Waiting, Certain},
		}},
		{"a guess", false, []moment{
			{30, 30, guess, AcceptsInput, ""}, {60, 60, guess, Waiting, High}, {9000, 9000, guess, Waiting, High},
		}},
		{"two blocks", false, []moment{
			{30, 30, ran(one, 1, 0), AcceptsInput, ""}, {60, 60, ran(one, 2, 0), AcceptsInput, ""}, {90, 90, ran(one, 2, 0), Waiting, Certain},
		}},
		{"it runs in between", false, []moment{
			{30, 30, one, AcceptsInput, ""}, {45, 45, none, NotWaiting, ""}, {60, 60, one, AcceptsInput, ""}, {90, 90, one, Waiting, Certain},
		}},
		{"threads draw", false, []moment{
			{30, 30, two, AcceptsInput, ""}, {110, 110, two, AcceptsInput, ""}, {120, 120, two, Waiting, High}, {130, 10, two, AcceptsInput, ""},
		}},
		{"a full screen polls", false, []moment{
			{30, 30, ran(timed, 1, 0), AcceptsInput, ""},
			{130, 130, ran(timed, 2, 0), AcceptsInput, ""},
			{250, 250, ran(timed, 3, 0), AcceptsInput, ""},
			{399, 399, ran(timed, 4, 0), AcceptsInput, ""},
			{400, 400, ran(timed, 5, 0), Waiting, Medium},
		}},
		{"it works meanwhile", false, []moment{
			{30, 30, ran(timed, 1, 0), AcceptsInput, ""},
			{250, 250, ran(timed, 2, 200), AcceptsInput, ""},
			{450, 450, ran(timed, 3, 300), AcceptsInput, ""},
			{660, 660, ran(timed, 4, 310), Waiting, Medium},
		}},
		{"a process has ended, which used the processor", false, []moment{
			{30, 30, ran(timed, 1, 500), AcceptsInput, ""},
			{250, 250, ran(timed, 2, 500), AcceptsInput, ""},
			{450, 450, ran(timed, 3, 0), AcceptsInput, ""},
			{560, 560, ran(timed, 4, 0), AcceptsInput, ""},
			{660, 660, ran(timed, 5, 0), Waiting, Medium},
		}},
		{"lines are polled", false, []moment{
			{30, 30, lines, AcceptsInput, ""}, {400, 400, lines, AcceptsInput, ""}, {1199, 1199, lines, AcceptsInput, ""}, {1200, 1200, lines, Waiting, Medium},
		}},
		{"a signal wakes it", false, []moment{
			{30, 30, ran(one, 1, 0), AcceptsInput, ""},
			{400, 400, ran(one, 2, 0), AcceptsInput, ""},
			{800, 800, ran(one, 3, 0), AcceptsInput, ""},
			{1200, 1200, ran(one, 4, 0), Waiting, Medium},
		}},
		{"a server without prompt", false, []moment{{1500, 1500, server, AcceptsInput, ""}, {9000, 9000, server, AcceptsInput, ""}}},
		{"a server with a prompt", true, []moment{{1499, 1499, server, AcceptsInput, ""}, {1500, 1500, server, Waiting, Heuristic}}},
		{"hidden without prompt", false, []moment{{1500, 1500, of(cooked, hidden), Unknown, ""}}},
		{"hidden with a prompt", true, []moment{{1499, 1499, of(cooked, hidden), Unknown, ""}, {1500, 1500, of(cooked, hidden), Waiting, Heuristic}}},
		{"hidden with a password", false, []moment{{30, 30, of(password, hidden), AcceptsInput, ""}, {60, 60, of(password, hidden), Waiting, High}}},
		{"a prompt of who does not read", true, []moment{{1500, 1500, none, NotWaiting, ""}}},
		{"a relay of who does not read", true, []moment{
			{1500, 1500, of(rawMode, inFront(on(terminalSource, masterSource).around(none))), NotWaiting, ""},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var m memory
			start := time.Now()
			for i, step := range tt.steps {
				v := m.judge(start.Add(time.Duration(step.at)*time.Millisecond), time.Duration(step.quiet)*time.Millisecond,
					step.reading, func(bool) bool { return tt.prompt })
				if v.State != step.want || v.Confidence != step.conf {
					t.Errorf("step %d: %s %q, want %s %q: %+v", i, v.State, v.Confidence, step.want, step.conf, v)
				}
				if v.Next <= 0 || v.Next > slowestProbe {
					t.Errorf("step %d: next in %v", i, v.Next)
				}
				if v.State == Waiting && (v.PID != 10 || v.TID == 0 || v.Reason == (Reason{}) || len(v.Evidence) < 2) {
					t.Errorf("step %d: %+v", i, v)
				}
			}
		})
	}
}

// After a long time without a probe a sleep that still lasts counts, and what came and went does not.
func TestJudgeAfterALongTime(t *testing.T) {
	one := of(cooked, inFront(reads(terminalSource)))
	timed := of(rawMode, inFront(on(terminalSource).within(time.Second)))
	for _, tt := range []struct {
		name  string
		steps []moment
	}{
		{"the same sleep", []moment{{30, 30, one, AcceptsInput, ""}, {9000, 9000, one, Waiting, Certain}}},
		{"another sleep", []moment{{30, 30, ran(one, 1, 0), AcceptsInput, ""}, {9000, 9000, ran(one, 2, 0), AcceptsInput, ""}, {9030, 9030, ran(one, 2, 0), Waiting, Certain}}},
		{"who polls", []moment{
			{30, 30, ran(timed, 1, 0), AcceptsInput, ""},
			{130, 130, ran(timed, 2, 0), AcceptsInput, ""},
			{500, 500, ran(timed, 3, 0), Waiting, Medium},
			{9000, 9000, ran(timed, 99, 0), AcceptsInput, ""},
			{9100, 9100, ran(timed, 100, 0), AcceptsInput, ""},
			{9300, 9300, ran(timed, 101, 0), Waiting, Medium},
		}},
		{"who works now", []moment{
			{30, 30, ran(timed, 1, 0), AcceptsInput, ""},
			{130, 130, ran(timed, 2, 0), AcceptsInput, ""},
			{500, 500, ran(timed, 3, 0), Waiting, Medium},
			{9000, 9000, ran(timed, 4, 300), AcceptsInput, ""},
			{9100, 9100, ran(timed, 5, 400), AcceptsInput, ""},
			{9300, 9300, ran(timed, 6, 600), AcceptsInput, ""},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var m memory
			start := time.Now()
			for i, step := range tt.steps {
				v := m.judge(start.Add(time.Duration(step.at)*time.Millisecond), time.Duration(step.quiet)*time.Millisecond, step.reading, nil)
				if v.State != step.want || v.Confidence != step.conf {
					t.Errorf("step %d: %s %q, want %s %q: %+v", i, v.State, v.Confidence, step.want, step.conf, v)
				}
			}
		})
	}
}

// What was typed wakes the reader, so its old sleep says nothing for a while.
func TestJudgeAfterTyping(t *testing.T) {
	r := of(cooked, inFront(reads(terminalSource)))
	block := r.find(0).block
	start := time.Now()
	at := func(ms int) time.Time { return start.Add(time.Duration(ms) * time.Millisecond) }

	var m memory
	m.write(at(0), block.Number())
	for _, step := range []struct {
		at   int
		want State
	}{{1, AcceptsInput}, {40, AcceptsInput}, {149, AcceptsInput}, {150, AcceptsInput}, {180, Waiting}} {
		if v := m.judge(at(step.at), time.Hour, r, nil); v.State != step.want {
			t.Errorf("the same sleep after %d ms: %s, want %s", step.at, v.State, step.want)
		}
	}
	m = memory{}
	m.write(at(0), block.Number()-1)
	for _, step := range []struct {
		at   int
		want State
	}{{1, AcceptsInput}, {30, AcceptsInput}, {31, Waiting}} {
		if v := m.judge(at(step.at), time.Hour, r, nil); v.State != step.want {
			t.Errorf("another sleep after %d ms: %s, want %s", step.at, v.State, step.want)
		}
	}
}

// In a nested terminal the thread that sleeps in front is not the one that reads.
func TestJudgeAfterTypingBeyond(t *testing.T) {
	r := of(rawMode, inFront(on(terminalSource, masterSource).around(of(cooked, inFront(reads(terminalSource))))))
	start := time.Now()
	var m memory
	for _, step := range []struct {
		at    int
		write bool
		want  State
	}{
		{0, false, AcceptsInput},
		{30, false, Waiting},
		{31, true, AcceptsInput},
		{70, true, AcceptsInput},
		{219, false, AcceptsInput},
		{220, false, AcceptsInput},
		{250, false, Waiting},
	} {
		now := start.Add(time.Duration(step.at) * time.Millisecond)
		if step.write {
			m.write(now, 1)
		}
		if v := m.judge(now, time.Hour, r, nil); v.State != step.want {
			t.Errorf("after %d ms: %s, want %s", step.at, v.State, step.want)
		}
	}
}

// The block of the moment may be told afterwards, by another watch: what was seen meanwhile is no evidence.
func TestJudgeToldOfTypingAfterwards(t *testing.T) {
	r := of(cooked, inFront(reads(terminalSource)))
	block := r.find(0).block.Number()
	start := time.Now()
	at := func(ms int) time.Time { return start.Add(time.Duration(ms) * time.Millisecond) }
	for _, tt := range []struct {
		name   string
		before uint64
		want   []State // at 45, 75, 149, 160 and 200 ms
	}{
		{"the old sleep", block, []State{AcceptsInput, AcceptsInput, AcceptsInput, AcceptsInput, Waiting}},
		{"the sleep that was seen before", block - 1, []State{AcceptsInput, AcceptsInput, AcceptsInput, AcceptsInput, Waiting}},
	} {
		var m memory
		m.judge(at(0), time.Hour, r, nil)
		m.judge(at(35), time.Hour, r, nil)
		m.write(at(10), tt.before)
		for i, ms := range []int{45, 75, 149, 160, 200} {
			if v := m.judge(at(ms), time.Hour, r, nil); v.State != tt.want[i] {
				t.Errorf("%s: %s after %d ms, want %s", tt.name, v.State, ms, tt.want[i])
			}
		}
	}
}

// A terminal within this one may not have been looked at before the write, and between two of them.
func TestJudgeAfterTypingBeyondUnseen(t *testing.T) {
	nested := func(switches uint64) reading {
		inner := inFront(reads(terminalSource))
		inner.threads[0].switches = switches
		return of(rawMode, inFront(on(terminalSource, masterSource).around(of(cooked, inner))))
	}
	start := time.Now()
	var m memory
	for _, step := range []struct {
		at       int
		write    bool
		switches uint64
		want     State
	}{
		{0, true, 1, AcceptsInput},
		{40, false, 1, AcceptsInput},
		{50, false, 2, AcceptsInput},
		{80, false, 2, Waiting},
		{90, true, 2, AcceptsInput},
		{91, true, 3, AcceptsInput},
		{130, false, 3, AcceptsInput},
		{140, false, 4, AcceptsInput},
		{170, false, 4, Waiting},
	} {
		now := start.Add(time.Duration(step.at) * time.Millisecond)
		if step.write {
			m.write(now, 1)
		}
		if v := m.judge(now, time.Hour, nested(step.switches), nil); v.State != step.want {
			t.Errorf("after %d ms: %s, want %s", step.at, v.State, step.want)
		}
	}
}

func TestSecret(t *testing.T) {
	for _, tt := range []struct {
		modes Modes
		want  bool
	}{{cooked, false}, {password, true}, {rawMode, false}, {Modes{Echo: true}, false}} {
		if v := new(memory).judge(time.Now(), 0, of(tt.modes, inFront(reads(terminalSource))), nil); v.Secret != tt.want {
			t.Errorf("secret is %v with %+v", v.Secret, tt.modes)
		}
	}
	// The settings are those of the terminal that is read.
	inner := of(rawMode, inFront(on(terminalSource, masterSource).around(of(password, inFront(reads(terminalSource))))))
	if v := new(memory).judge(time.Now(), 0, inner, nil); !v.Secret || !v.Canonical {
		t.Errorf("a password in a nested terminal: %+v", v)
	}
}

func TestNextProbe(t *testing.T) {
	var got []string
	for quiet := time.Duration(0); quiet < 9*time.Second; quiet += nextProbe(quiet) {
		got = append(got, nextProbe(quiet).Round(time.Millisecond).String())
	}
	const first, last = "30ms 15ms 23ms 34ms 51ms 76ms 100ms", " 100ms 253ms 285ms 321ms 361ms 406ms 457ms 514ms 578ms 650ms 732ms 823ms 926ms 1s"
	if text := strings.Join(got, " "); !strings.HasPrefix(text, first) || !strings.HasSuffix(text, last) {
		t.Errorf("probes come after %s, want %s…%s", text, first, last)
	}
}
