package ledger

import (
	"encoding/json"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
	"unsafe"
)

// EventKinds lists the kinds of events, those of a process in the order in which they happen to it.
var EventKinds = []string{EventStarted, EventSpawned, EventReady, EventAsks, EventAnswered, EventCompleted, EventKilled, EventOrphaned, EventRan, EventFailed, EventRenamed, EventWatched}

// A Query selects events of the log. The zero value selects all events.
type Query struct {
	Since, Until time.Time      // earliest and latest time; zero: no limit
	Session      string         // name, for all events of sessions with it, or id
	Kinds        []string       // any of these kinds; empty: all
	Commands     bool           // only the ends of commands: of main processes, and of what ran in shells and REPLs
	Sessions     bool           // no beginnings and ends of processes other than the main one
	Failed       bool           // only ends of processes with a code other than 0, by a signal, or with an unknown code, and starts that failed
	Pattern      *regexp.Regexp // must match in the command line or in the name of the program
	Tail         int            // maximum number of events, counted from the end; 0: all
}

// chooses reports whether q selects e. It ignores Tail.
func (q *Query) chooses(e *Event) bool {
	switch {
	case q.Session != "" && !q.about(e),
		!q.Since.IsZero() && e.TS.Before(q.Since),
		!q.Until.IsZero() && e.TS.After(q.Until),
		len(q.Kinds) > 0 && !slices.Contains(q.Kinds, e.Event),
		q.Commands && e.By == "",
		q.Sessions && e.By == "" && (e.Event == EventSpawned || e.Event == EventCompleted || e.Event == EventKilled),
		q.Failed && !e.Failed():
		return false
	}
	return q.Pattern == nil || q.matches(e.Cmd) || q.matches(e.Name)
}

// about reports whether e belongs to the session of q.
func (q *Query) about(e *Event) bool {
	return e.SessionID == q.Session || e.Terminal == q.Session || e.PreviousName == q.Session
}

func (q *Query) matches(text string) bool {
	if literal, whole := q.Pattern.LiteralPrefix(); literal != "" { // a search for literal text is much faster than the pattern
		if at := strings.Index(text, literal); at < 0 || whole {
			return at >= 0
		}
	}
	return q.Pattern.MatchString(text)
}

// Failed reports whether e is the end of a process that did not exit with code 0, or a start that failed.
func (e *Event) Failed() bool {
	return e.Event == EventKilled || e.Event == EventFailed || e.Signal != "" || e.ExitCode != nil && *e.ExitCode != 0
}

// A Show appends the output for an event to text and returns the result. line is the event's line in the log: one
// JSON object in UTF-8, without its newline. A Show must not keep line or e. Several goroutines call it at the same
// time.
type Show func(text []byte, line string, e *Event) []byte

// A piece is the output for one block of the log.
type piece struct {
	text  []byte
	ends  []int // end of each event in text; only for a query with Tail
	known bool  // the block has events of the requested session
	err   error
}

// History shows the events that q selects, oldest first. It passes the texts of many events at a time to write, which
// must not keep them. The events come in the order in which they were written, because a clock can be set back. The
// error is ErrNoSession when the log has no event of the requested session.
func (d Dir) History(q Query, show Show, write func(text []byte) error) error {
	l, err := d.openLog()
	if err != nil {
		return err
	}
	defer l.close()
	known := q.Session == ""
	texts := make(memory, 2*runtime.GOMAXPROCS(0)+2)
	if q.Tail > 0 {
		last := tail{most: q.Tail}
		for _, part := range l.newestFirst() { // most queries are answered by the newest file
			if err := d.show(part, &q, show, texts, func(p piece) error {
				known = known || p.known
				last.add(p)
				return nil
			}); err != nil {
				return err
			}
			if last.full() {
				break
			}
			last.begin()
		}
		err = last.write(write)
	} else {
		err = d.show(l, &q, show, texts, func(p piece) error {
			known = known || p.known
			if len(p.text) == 0 {
				return nil
			}
			defer texts.put(p.text)
			return write(p.text)
		})
	}
	if err == nil && !known {
		err = SessionError(q.Session, ErrNoSession)
	}
	return err
}

// newestFirst returns each file of the log separately, the newest first.
func (l logFiles) newestFirst() (parts []logFiles) {
	if l.newest != nil {
		parts = append(parts, logFiles{newest: l.newest})
	}
	for _, n := range slices.Backward(l.segments) {
		parts = append(parts, logFiles{segments: []int{n}})
	}
	return parts
}

// show passes the output for the files l to take, in the order of the log. The files may be larger than the memory.
// So show reads them in blocks, which several goroutines decode: one for each processor that Go may use.
func (d Dir) show(l logFiles, q *Query, show Show, texts memory, take func(piece) error) error {
	type job struct {
		block []byte
		done  chan piece
	}
	workers := runtime.GOMAXPROCS(0)
	blocks := make(memory, 2*workers+2)
	jobs := make(chan job)
	pieces := make(chan chan piece, workers) // in the order of the log
	stop, stopped := make(chan struct{}), make(chan struct{})
	defer func() { // after this, nothing reads the files any more
		close(stop)
		<-stopped
	}()
	go func() {
		defer close(stopped)
		defer close(pieces)
		defer close(jobs)
		for block, err := range d.blocks(l, func() []byte { return blocks.get(blockBytes) }) {
			done := make(chan piece, 1)
			select {
			case pieces <- done:
			case <-stop:
				return
			}
			if err != nil {
				done <- piece{err: err}
				return
			}
			jobs <- job{block, done} // a worker takes it, because the workers never wait
		}
	}()
	for range workers {
		go func() {
			for j := range jobs {
				p := q.piece(unsafe.String(unsafe.SliceData(j.block), len(j.block)), show, texts.get(0))
				blocks.put(j.block) // p does not refer to the block any more
				j.done <- p
			}
		}()
	}
	for done := range pieces {
		p := <-done
		if p.err != nil {
			return p.err
		}
		if err := take(p); err != nil {
			return err
		}
	}
	return nil
}

// A memory keeps unused blocks of memory for later use.
type memory chan []byte

// get returns at least the given number of bytes.
func (m memory) get(least int) []byte {
	select {
	case piece := <-m:
		if len(piece) >= least {
			return piece
		}
	default:
	}
	return make([]byte, least)
}

func (m memory) put(piece []byte) {
	select {
	case m <- piece[:cap(piece)]:
	default:
	}
}

// piece returns the output for the events of a block that q selects. It uses the memory of text.
func (q *Query) piece(block string, show Show, text []byte) piece {
	p := piece{text: text[:0]}
	var e Event
	session := `"` + q.Session + `"` // an id or a name needs no escape sequences in JSON
	for len(block) > 0 {
		if q.Session != "" {
			at := strings.Index(block, session)
			if at < 0 {
				break
			}
			block = block[strings.LastIndexByte(block[:at], '\n')+1:]
		}
		line, rest, _ := strings.Cut(block, "\n")
		block = rest
		if !e.decode(line) {
			continue
		}
		p.known = p.known || q.about(&e)
		if !q.chooses(&e) {
			continue
		}
		if !utf8.ValidString(line) {
			data, err := json.Marshal(e)
			if err != nil {
				continue // the event has a time that cannot be written
			}
			line = string(data)
		}
		p.text = show(p.text, line, &e)
		if q.Tail > 0 {
			p.ends = append(p.ends, len(p.text))
		}
	}
	return p
}

// A tail keeps the last events. It reads the files of the log one after another, the newest first.
type tail struct {
	most   int
	files  [][]piece // selected pieces of each file, in the order of the log
	events int       // number of events in all files
}

func (t *tail) full() bool { return t.events >= t.most }

// begin starts with the next older file.
func (t *tail) begin() { t.files = append(t.files, nil) }

// add adds the next piece of the current file.
func (t *tail) add(p piece) {
	if len(p.ends) == 0 {
		return
	}
	if len(t.files) == 0 {
		t.begin()
	}
	file := &t.files[len(t.files)-1]
	*file = append(*file, p)
	t.events += len(p.ends)
	for t.events-len((*file)[0].ends) >= t.most { // the first piece is the oldest of all
		t.events -= len((*file)[0].ends)
		(*file)[0] = piece{}
		*file = (*file)[1:]
	}
}

// write passes the last events to the function write.
func (t *tail) write(write func(text []byte) error) error {
	surplus := max(t.events-t.most, 0)
	for _, file := range slices.Backward(t.files) {
		for _, p := range file {
			if surplus > 0 { // only in the oldest piece
				p.text = p.text[p.ends[surplus-1]:]
				surplus = 0
			}
			if err := write(p.text); err != nil {
				return err
			}
		}
	}
	return nil
}
