package blocked

import (
	"strings"
	"testing"
	"time"
)

// A moment is a probe of a sequence.
type moment struct {
	at, quiet int // milliseconds
	reading   snapshot
	want      State
	conf      Confidence
}

// ran is a reading whose thread has run n times, and whose processes have used
// so many milliseconds of the processor.
func ran(r snapshot, n uint64, cpu int) snapshot {
	r.cpu = time.Duration(cpu) * time.Millisecond
	p := r.processes[0]
	p.threads = append([]thread(nil), p.threads...)
	for i := range p.threads {
		p.threads[i].switches = n
	}
	r.processes = []process{p}
	return r
}

// moved is a reading whose processes have read and written so many bytes.
func moved(r snapshot, bytes int64) snapshot {
	r.moved, r.counted = bytes, true
	return r
}

func TestJudge(t *testing.T) {
	one := of(cooked, inFront(reads(terminalSource)))
	guess := of(cooked, inFront(wait{call: "read", read: true, guessed: true, sources: []source{terminalSource}, timeout: -1}))
	two := of(rawMode, inFront(on(terminalSource), wait{call: "futex", timeout: -1}))
	timed := of(rawMode, inFront(on(terminalSource).within(time.Second)))
	lines := of(cooked, inFront(on(terminalSource).within(time.Second)))
	loop := of(rawMode, inFront(on(terminalSource, ownSource).within(time.Second), wait{call: "futex", timeout: -1}))
	server := of(cooked, inFront(on(terminalSource, socketSource)))
	client := of(rawMode, inFront(on(terminalSource, ownSource, idleSource)))
	nap := wait{call: "nanosleep", noFiles: true, timeout: 50 * time.Millisecond}
	naps, awaits := of(rawMode, inFront(nap)), of(cooked, inFront(nap))
	sleeps := of(rawMode, inFront(nap.within(time.Second)))
	none := of(cooked, inFront(wait{}))
	hidden := process{pid: 10, foreground: true, hidden: true, threads: []thread{{tid: 10}}}

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
		{"a full screen polls", true, []moment{
			{30, 30, ran(timed, 1, 0), AcceptsInput, ""},
			{130, 130, ran(timed, 2, 0), AcceptsInput, ""},
			{399, 399, ran(timed, 3, 0), AcceptsInput, ""},
			{430, 430, ran(timed, 4, 0), Waiting, Medium},
		}},
		{"it polls, and asks nothing", false, []moment{
			{30, 30, ran(timed, 1, 0), AcceptsInput, ""},
			{1500, 1500, ran(timed, 2, 0), AcceptsInput, ""},
			{2999, 2999, ran(timed, 3, 0), AcceptsInput, ""},
			{3000, 3000, ran(timed, 4, 0), Waiting, Medium},
		}},
		{"it works meanwhile", true, []moment{
			{30, 30, ran(timed, 1, 0), AcceptsInput, ""},
			{250, 250, ran(timed, 2, 200), AcceptsInput, ""},
			{450, 450, ran(timed, 3, 300), AcceptsInput, ""},
			{660, 660, ran(timed, 4, 310), AcceptsInput, ""},
			{860, 860, ran(timed, 5, 310), Waiting, Medium},
		}},
		{"a process has ended, which used the processor", true, []moment{
			{30, 30, ran(timed, 1, 500), AcceptsInput, ""},
			{250, 250, ran(timed, 2, 500), AcceptsInput, ""},
			{450, 450, ran(timed, 3, 0), AcceptsInput, ""},
			{560, 560, ran(timed, 4, 0), AcceptsInput, ""},
			{850, 850, ran(timed, 5, 0), Waiting, Medium},
		}},
		{"lines are polled", true, []moment{
			{30, 30, lines, AcceptsInput, ""}, {500, 500, lines, AcceptsInput, ""}, {699, 699, lines, AcceptsInput, ""}, {700, 700, lines, Waiting, Medium},
		}},
		{"threads poll", true, []moment{
			{30, 30, loop, AcceptsInput, ""}, {500, 500, loop, AcceptsInput, ""}, {699, 699, loop, AcceptsInput, ""}, {700, 700, loop, Waiting, Medium},
		}},
		{"threads poll, and ask nothing", false, []moment{
			{30, 30, loop, AcceptsInput, ""}, {1000, 1000, loop, AcceptsInput, ""}, {9000, 9000, loop, AcceptsInput, ""}, {10000, 10000, loop, AcceptsInput, ""},
		}},
		{"bytes move meanwhile", true, []moment{
			{30, 30, moved(loop, 0), AcceptsInput, ""},
			{300, 300, moved(loop, 900), AcceptsInput, ""},
			{500, 500, moved(loop, 1900), AcceptsInput, ""},
			{800, 800, moved(loop, 1900), AcceptsInput, ""},
			{1200, 1200, moved(loop, 1950), Waiting, Medium},
		}},
		{"a clock that ticks each second", true, []moment{
			{30, 30, loop, AcceptsInput, ""},
			{300, 300, loop, AcceptsInput, ""},
			{950, 950, loop, Waiting, Medium},
			{1030, 30, loop, AcceptsInput, ""},
			{1950, 950, loop, Waiting, Medium},
			{2030, 30, loop, AcceptsInput, ""},
			{2950, 950, loop, AcceptsInput, ""},
			{3030, 30, loop, AcceptsInput, ""},
			{3950, 950, loop, AcceptsInput, ""},
			{4670, 1670, loop, AcceptsInput, ""},
			{4680, 1680, loop, Waiting, Medium},
		}},
		{"a signal wakes it", true, []moment{
			{30, 30, ran(one, 1, 0), AcceptsInput, ""},
			{400, 400, ran(one, 2, 0), AcceptsInput, ""},
			{700, 700, ran(one, 3, 0), Waiting, Medium},
		}},
		{"short sleeps", true, []moment{
			{30, 30, naps, AcceptsInput, ""}, {1499, 1499, naps, AcceptsInput, ""}, {1500, 1500, naps, Waiting, Heuristic},
		}},
		{"short sleeps, and it asks nothing", false, []moment{{30, 30, naps, AcceptsInput, ""}, {1500, 1500, naps, AcceptsInput, ""}}},
		{"a long sleep", true, []moment{{30, 30, sleeps, NotWaiting, ""}, {1500, 1500, sleeps, NotWaiting, ""}}},
		{"short sleeps of who reads lines", true, []moment{{30, 30, awaits, NotWaiting, ""}, {1500, 1500, awaits, NotWaiting, ""}}},
		{"a server without prompt", false, []moment{{1500, 1500, server, AcceptsInput, ""}, {9000, 9000, server, AcceptsInput, ""}}},
		{"a server with a prompt", true, []moment{{1499, 1499, server, AcceptsInput, ""}, {1500, 1500, server, Waiting, Heuristic}}},
		{"a client at its prompt", true, []moment{
			{30, 30, client, AcceptsInput, ""}, {500, 500, client, AcceptsInput, ""}, {699, 699, client, AcceptsInput, ""}, {700, 700, client, Waiting, Medium},
		}},
		{"a client that works", true, []moment{
			{30, 30, ran(client, 1, 0), AcceptsInput, ""},
			{500, 500, ran(client, 2, 100), AcceptsInput, ""},
			{700, 700, ran(client, 3, 110), AcceptsInput, ""},
			{1200, 1200, ran(client, 4, 110), Waiting, Medium},
		}},
		{"a client that always works", true, []moment{
			{30, 30, ran(client, 1, 0), AcceptsInput, ""},
			{1000, 1000, ran(client, 2, 500), AcceptsInput, ""},
			{2000, 2000, ran(client, 3, 1000), Waiting, Heuristic},
		}},
		{"hidden without prompt", false, []moment{{1500, 1500, of(cooked, hidden), Unknown, ""}}},
		{"hidden with a prompt", true, []moment{{1499, 1499, of(cooked, hidden), Unknown, ""}, {1500, 1500, of(cooked, hidden), Waiting, Heuristic}}},
		{"hidden with a password", false, []moment{{30, 30, of(password, hidden), AcceptsInput, ""}, {60, 60, of(password, hidden), Waiting, High}}},
		{"a prompt of who does not read", true, []moment{{1500, 1500, none, NotWaiting, ""}}},
		{"a relay of who does not read", true, []moment{
			{1500, 1500, of(rawMode, inFront(on(terminalSource, masterSource).around(none))), NotWaiting, ""},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var m history
			start := time.Now()
			for i, step := range tt.steps {
				v := m.judge(start.Add(time.Duration(step.at)*time.Millisecond), time.Duration(step.quiet)*time.Millisecond,
					step.reading, 0, Picture{Prompt: func(Verdict, bool) bool { return tt.prompt }, Offers: func(Verdict, Wanted) bool { return tt.prompt }})
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

// shows is a picture that has at most this for a person to act on.
func shows(most Wanted) Picture {
	return Picture{
		Prompt: func(Verdict, bool) bool { return most >= Question },
		Offers: func(_ Verdict, wanted Wanted) bool { return wanted <= most },
	}
}

// Keys on the screen are not enough where another thread sleeps, perhaps between two steps of its work, or where a signal wakes a
// program of several threads: it must ask a question. A client must show the prompt of a console, or ask for yes or no.
func TestJudgeWanted(t *testing.T) {
	nap := func(timeout time.Duration) wait {
		return wait{call: "clock_nanosleep", noFiles: true, timeout: timeout}
	}
	signalled := on(terminalSource)
	signalled.call, signalled.signal = "futex", true
	worker := wait{call: "futex", noFiles: true, timeout: -1}
	client := on(terminalSource, ownSource, idleSource)
	for name, tt := range map[string]struct {
		reading snapshot
		picture Wanted
		want    Confidence
	}{
		"a step of a second":                {of(rawMode, inFront(on(terminalSource), nap(time.Second))), Anything, ""},
		"a step, and a question":            {of(rawMode, inFront(on(terminalSource), nap(time.Second))), Question, Medium},
		"a monitor of 10 ms":                {of(rawMode, inFront(on(terminalSource), nap(10*time.Millisecond))), Anything, Medium},
		"a ticker of 50 ms":                 {of(rawMode, inFront(on(terminalSource), nap(50*time.Millisecond))), Anything, Medium},
		"a timer of another thread":         {of(rawMode, inFront(on(terminalSource), worker.within(time.Second))), Anything, Medium},
		"a sleep of a minute":               {of(rawMode, inFront(on(terminalSource), nap(time.Minute))), Anything, High},
		"a signal":                          {of(rawMode, inFront(signalled)), Anything, High},
		"a signal beside threads":           {of(rawMode, inFront(signalled, worker)), Anything, ""},
		"a signal beside threads, a field":  {of(rawMode, inFront(signalled, worker)), Question, Medium},
		"a client with a field":             {of(rawMode, inFront(client)), Question, Heuristic},
		"a client with a prompt":            {of(rawMode, inFront(client)), Command, Medium},
		"a client with a socket":            {of(rawMode, inFront(on(terminalSource, ownSource, idleSource, socketSource))), Command, Heuristic},
		"a client with another terminal":    {of(rawMode, inFront(on(terminalSource, ownSource, idleSource, otherSource))), Command, Heuristic},
		"a client without an event loop":    {of(rawMode, inFront(on(terminalSource, idleSource))), Command, Heuristic},
		"a client with a thread that works": {of(rawMode, inFront(client, wait{running: true})), Command, Heuristic},
		"a client with a child that waits":  {of(rawMode, inFront(client), startedBy10(worker)), Command, Medium},
		"a client with a child that polls":  {of(rawMode, inFront(client), startedBy10(on(socketSource).within(time.Second))), Command, Heuristic},
		"keys that are passed on":           {of(rawMode, inFront(reads(terminalSource), on(ownSource, idleSource))), Command, Heuristic},
		"a line beside an idle connection":  {of(cooked, inFront(reads(terminalSource), on(ownSource, idleSource))), Command, Medium},
	} {
		t.Run(name, func(t *testing.T) {
			var h history
			var v Verdict
			for start, at := time.Now(), time.Duration(0); at <= 2*time.Second; at += 250 * time.Millisecond {
				v = h.judge(start.Add(at), at, tt.reading, 0, shows(tt.picture))
			}
			if v.Confidence != tt.want {
				t.Errorf("%s %q, want %q: %+v", v.State, v.Confidence, tt.want, v)
			}
		})
	}
}

// A thread that sleeps until a time seems to sleep for a short time before it is over.
func TestJudgeRestOfStep(t *testing.T) {
	step := func(rest time.Duration) snapshot {
		return of(rawMode, inFront(on(terminalSource), wait{call: "clock_nanosleep", noFiles: true, timeout: rest}))
	}
	var h history
	for start, at := time.Now(), time.Duration(0); at <= 5*time.Second; at += 250 * time.Millisecond {
		rest := 500*time.Millisecond - at%(500*time.Millisecond) - 200*time.Millisecond // 300 ms and 50 ms in turn
		if v := h.judge(start.Add(at), at, step(rest), 0, shows(Anything)); v.State == Waiting {
			t.Fatalf("after %v: %+v", at, v)
		}
	}
}

// Where the prompt of a REPL is back, a program that reads the terminal among other things waits after 100 ms. It does not
// while it does not read, nor in the sleep in which it was when something was typed.
func TestJudgeBack(t *testing.T) {
	back := func() bool { return true }
	timed := of(rawMode, inFront(on(terminalSource).within(time.Second)))
	for name, tt := range map[string]struct {
		reading snapshot
		quiet   time.Duration
		want    State
	}{
		"polls":     {timed, 100 * time.Millisecond, Waiting},
		"serves":    {of(cooked, inFront(on(terminalSource, socketSource))), 100 * time.Millisecond, Waiting},
		"too early": {timed, 99 * time.Millisecond, AcceptsInput},
		"works":     {of(cooked, inFront(wait{})), time.Second, NotWaiting},
	} {
		if v := new(history).judge(time.Now(), tt.quiet, tt.reading, -1, Picture{Back: back}); v.State != tt.want {
			t.Errorf("%s: %s, want %s", name, v.State, tt.want)
		}
	}
	typed := new(history)
	typed.typed(time.Now(), Block{TID: 10, Switches: 1}.Number())
	if v := typed.judge(time.Now(), time.Second, ran(timed, 1, 0), -1, Picture{Back: back}); v.State != AcceptsInput {
		t.Errorf("typed: %s", v.State)
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
			{9400, 9400, ran(timed, 101, 0), Waiting, Medium},
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
			var m history
			start := time.Now()
			for i, step := range tt.steps {
				v := m.judge(start.Add(time.Duration(step.at)*time.Millisecond), time.Duration(step.quiet)*time.Millisecond, step.reading, -1, Picture{Offers: func(Verdict, Wanted) bool { return true }})
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

	var m history
	m.typed(at(0), block.Number())
	for _, step := range []struct {
		at   int
		want State
	}{{1, AcceptsInput}, {40, AcceptsInput}, {149, AcceptsInput}, {150, AcceptsInput}, {180, Waiting}} {
		if v := m.judge(at(step.at), time.Hour, r, -1, Picture{}); v.State != step.want {
			t.Errorf("the same sleep after %d ms: %s, want %s", step.at, v.State, step.want)
		}
	}
	m = history{}
	m.typed(at(0), block.Number()-1)
	for _, step := range []struct {
		at   int
		want State
	}{{1, AcceptsInput}, {30, AcceptsInput}, {31, Waiting}} {
		if v := m.judge(at(step.at), time.Hour, r, -1, Picture{}); v.State != step.want {
			t.Errorf("another sleep after %d ms: %s, want %s", step.at, v.State, step.want)
		}
	}
}

// In a nested terminal the thread that sleeps in front is not the one that reads.
func TestJudgeAfterTypingBeyond(t *testing.T) {
	r := of(rawMode, inFront(on(terminalSource, masterSource).around(of(cooked, inFront(reads(terminalSource))))))
	start := time.Now()
	var m history
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
			m.typed(now, 1)
		}
		if v := m.judge(now, time.Hour, r, -1, Picture{}); v.State != step.want {
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
		var m history
		m.judge(at(0), time.Hour, r, -1, Picture{})
		m.judge(at(35), time.Hour, r, -1, Picture{})
		m.typed(at(10), tt.before)
		for i, ms := range []int{45, 75, 149, 160, 200} {
			if v := m.judge(at(ms), time.Hour, r, -1, Picture{}); v.State != tt.want[i] {
				t.Errorf("%s: %s after %d ms, want %s", tt.name, v.State, ms, tt.want[i])
			}
		}
	}
}

// A terminal within this one may not have been looked at before the write, and between two of them.
func TestJudgeAfterTypingBeyondUnseen(t *testing.T) {
	nested := func(switches uint64) snapshot {
		inner := inFront(reads(terminalSource))
		inner.threads[0].switches = switches
		return of(rawMode, inFront(on(terminalSource, masterSource).around(of(cooked, inner))))
	}
	start := time.Now()
	var m history
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
			m.typed(now, 1)
		}
		if v := m.judge(now, time.Hour, nested(step.switches), -1, Picture{}); v.State != step.want {
			t.Errorf("after %d ms: %s, want %s", step.at, v.State, step.want)
		}
	}
}

func TestSecret(t *testing.T) {
	for _, tt := range []struct {
		modes Modes
		want  bool
	}{{cooked, false}, {password, true}, {rawMode, false}, {Modes{Echo: true}, false}} {
		if v := new(history).judge(time.Now(), 0, of(tt.modes, inFront(reads(terminalSource))), -1, Picture{}); v.Secret != tt.want {
			t.Errorf("secret is %v with %+v", v.Secret, tt.modes)
		}
	}
	// The settings are those of the terminal that is read.
	inner := of(rawMode, inFront(on(terminalSource, masterSource).around(of(password, inFront(reads(terminalSource))))))
	if v := new(history).judge(time.Now(), 0, inner, -1, Picture{}); !v.Secret || !v.Canonical {
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

// After says how long a verdict stays. What another thread or a child does may end at any time.
func TestJudgeAfter(t *testing.T) {
	worker := wait{running: true}
	for _, tt := range []struct {
		name  string
		quiet time.Duration
		s     snapshot
		want  time.Duration
	}{
		{"a server", time.Second, of(cooked, inFront(on(terminalSource, socketSource))), 500 * time.Millisecond},
		{"a server that asks nothing", 2 * time.Second, of(cooked, inFront(on(terminalSource, socketSource))), Never},
		{"a thread runs", time.Second, of(rawMode, inFront(on(terminalSource), worker)), 0},
		{"a thread runs on", 2 * time.Second, of(rawMode, inFront(on(terminalSource), worker)), 0},
		{"it polls", 300 * time.Millisecond, of(rawMode, inFront(on(terminalSource).within(time.Second))), 100 * time.Millisecond},
		{"short sleeps", time.Second, of(rawMode, inFront(wait{call: "nanosleep", noFiles: true, timeout: time.Millisecond})), 500 * time.Millisecond},
	} {
		if v := new(history).judge(time.Now(), tt.quiet, tt.s, -1, Picture{}); v.After != tt.want {
			t.Errorf("%s: after %v, want %v", tt.name, v.After, tt.want)
		}
	}
}
