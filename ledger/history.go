package ledger

import (
	"encoding/json"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
	"unsafe"
)

// EventKinds are the kinds of events, in the order in which a process goes through them.
var EventKinds = []string{EventStarted, EventSpawned, EventCompleted, EventKilled, EventOrphaned}

// A Query chooses events of the log. Its zero value chooses all.
type Query struct {
	Since, Until time.Time      // the first and the last time; zero is none
	Session      string         // a name, for all sessions that had it, or an id
	Kinds        []string       // any of them
	Failed       bool           // only ends with another code than 0, or by a signal, or with an unknown code
	Pattern      *regexp.Regexp // found in the command line or in the name of the program
	Tail         int            // only so many, the last ones; 0 is all
}

// chooses reports whether e is one of those that q wants, whatever its number.
func (q *Query) chooses(e *Event) bool {
	switch {
	case q.Session != "" && !q.about(e),
		!q.Since.IsZero() && e.TS.Before(q.Since),
		!q.Until.IsZero() && e.TS.After(q.Until),
		len(q.Kinds) > 0 && !slices.Contains(q.Kinds, e.Event),
		q.Failed && !e.Failed():
		return false
	}
	return q.Pattern == nil || q.matches(e.Cmd) || q.matches(e.Name)
}

// about reports whether e is an event of the session that q wants.
func (q *Query) about(e *Event) bool { return e.SessionID == q.Session || e.Terminal == q.Session }

func (q *Query) matches(text string) bool {
	if literal, whole := q.Pattern.LiteralPrefix(); literal != "" { // much faster than the pattern is
		if at := strings.Index(text, literal); at < 0 || whole {
			return at >= 0
		}
	}
	return q.Pattern.MatchString(text)
}

// Failed reports whether e is the end of a process, and that not with the code 0.
func (e *Event) Failed() bool {
	return e.Event == EventKilled || e.Signal != "" || e.ExitCode != nil && *e.ExitCode != 0
}

// A Show appends an event to text and returns it. Its line is that of the log, one JSON object in UTF-8 without its
// newline. Neither line nor e may be kept. It is called by several goroutines at a time.
type Show func(text []byte, line string, e *Event) []byte

// A piece is what is shown of a block of the log.
type piece struct {
	text  []byte
	ends  []int // where each event ends in text, if that matters
	known bool  // there are events of the session that is asked for
	err   error
}

// History shows the events that q chooses, oldest first, and hands their texts to write, many at a time, which may not
// keep them. The order is that of writing, since a clock can be set back. The error is ErrNoSession when the log has no
// event of the session that is asked for.
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
		for _, part := range l.newestFirst() { // what is asked for is mostly in the newest file
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
		err = fmt.Errorf("session %q: %w", q.Session, ErrNoSession)
	}
	return err
}

// newestFirst returns each file of the log by itself.
func (l logFiles) newestFirst() (parts []logFiles) {
	if l.newest != nil {
		parts = append(parts, logFiles{newest: l.newest})
	}
	for _, n := range slices.Backward(l.segments) {
		parts = append(parts, logFiles{segments: []int{n}})
	}
	return parts
}

// show hands what is shown of the files l to take, in their order. They may be larger than the memory: they are read
// in pieces, which as many goroutines take apart as can run.
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
	defer func() { // the files are not read any more then
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
			jobs <- job{block, done} // it is taken: the workers never wait
		}
	}()
	for range workers {
		go func() {
			for j := range jobs {
				p := q.piece(unsafe.String(unsafe.SliceData(j.block), len(j.block)), show, texts.get(0))
				blocks.put(j.block) // of which nothing is left in p
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

// A memory keeps pieces of memory that are done with, to be used again.
type memory chan []byte

// get returns memory of at least so many bytes.
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

// piece shows the events of a block that q chooses, in text, the memory for it.
func (q *Query) piece(block string, show Show, text []byte) piece {
	p := piece{text: text[:0]}
	var e Event
	session := `"` + q.Session + `"` // neither an id nor a name has anything that is escaped in JSON
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
				continue // a time that cannot be written
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

// A tail keeps the last events of what is shown, of one file of the log after the other, the newest file first.
type tail struct {
	most   int
	files  [][]piece // of each file those that count, in their order
	events int       // in all of them
}

func (t *tail) full() bool { return t.events >= t.most }

// begin begins the file before the last one.
func (t *tail) begin() { t.files = append(t.files, nil) }

// add adds the next piece of the file.
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
	for t.events-len((*file)[0].ends) >= t.most { // the oldest of all
		t.events -= len((*file)[0].ends)
		(*file)[0] = piece{}
		*file = (*file)[1:]
	}
}

// write hands the last events to write.
func (t *tail) write(write func(text []byte) error) error {
	surplus := max(t.events-t.most, 0)
	for _, file := range slices.Backward(t.files) {
		for _, p := range file {
			if surplus > 0 { // in the first of all
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
