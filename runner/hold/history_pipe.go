package hold

import (
	"bytes"
	"strconv"
	"strings"
	"sync"
)

const (
	// maxEntry is the most bytes of an entry that are kept: those of a line that is told, with its number and its time.
	maxEntry = 4096

	// maxEntries is how many entries are kept: the shell may be some lines ahead of its marks.
	maxEntries = 64
)

// A historyPipe takes what an integrated bash writes of its history: at the end of a command that was typed, the newest entry. It is
// a pipe, so that no file has it, and it is always read, so that the shell never waits for it.
type historyPipe struct {
	path string // by which the shell opens it
	fd   int

	mu      sync.Mutex
	rest    []byte // beginning of an entry
	long    bool   // more of it was thrown away
	entries []string
}

// add takes what the shell has written. NUL ends an entry.
func (p *historyPipe) add(data []byte) {
	for {
		part, rest, ended := bytes.Cut(data, []byte{0})
		p.long = p.long || len(p.rest)+len(part) > maxEntry
		if !p.long {
			p.rest = append(p.rest, part...)
		}
		if !ended {
			return
		}
		if !p.long {
			p.entries = append(p.entries, string(p.rest))
		}
		p.entries = p.entries[max(0, len(p.entries)-maxEntries):]
		p.rest, p.long, data = p.rest[:0], false, rest
	}
}

// entry returns the entry that the shell has written as its nth, and forgets those before it.
func (p *historyPipe) entry(n int) (e historyEntry, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.drain()
	for i := len(p.entries) - 1; i >= 0; i-- {
		text, ok := strings.CutSuffix(p.entries[i], "\n"+strconv.Itoa(n))
		if ok {
			p.entries = p.entries[i+1:]
			return parseEntry(text)
		}
	}
	return e, false
}

// A historyEntry is an entry of the history of bash.
type historyEntry struct {
	number int
	time   int64 // when its first line was entered, in seconds since 1970
	line   string
}

// parseEntry reads what history(1) of bash prints with the HISTTIMEFORMAT "%s ": number, * if it was changed, time, line.
func parseEntry(text string) (e historyEntry, ok bool) {
	number, text, _ := strings.Cut(strings.TrimLeft(text, " "), " ")
	e.number, _ = strconv.Atoi(strings.TrimSuffix(number, "*"))
	seconds, line, found := strings.Cut(strings.TrimPrefix(text, " "), " ")
	e.time, _ = strconv.ParseInt(seconds, 10, 64)
	e.line = line
	return e, found && e.number > 0 && e.time > 0
}
