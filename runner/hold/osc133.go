package hold

import (
	"bytes"
	"strconv"
	"strings"
)

// The marks that an integrated shell prints. Each is an OSC 133 whose parameter aid is the secret of the
// session. Without the secret, the same sequence belongs to a program, or to another shell.
const (
	markPrompt   = 'A' // the prompt begins; s is the exit code, where the shell can tell
	markReady    = 'B' // the prompt ends: the shell reads a line; h as in C
	markMore     = 'P' // a prompt for the rest of a command; t as in C
	markStart    = 'C' // the command begins; h: number of the next entry of the history, t: seconds since 1970; last c: the line that was typed, where the shell knows it
	markEnd      = 'D' // the command is over; first the exit code, then p: the codes of its last pipeline; n: which entry of the history was written
	markRejected = 'X' // the command was not taken; e is the reason
)

const (
	markIntro = "\x1b]133;"

	// maxMark is the most bytes of a mark, enough for a pipeline of some hundred stages, and for a line of 900 characters: the
	// scripts of the shells send none that is longer.
	maxMark = 4096
)

// A shellMark is one of the marks. Its run is the parameter r: the number of the command of ours that it is
// about. 0 means none.
type shellMark struct {
	kind       byte
	begin, end int64 // offsets in the transcript
	run        int
	code       int // -1 if unknown
	stages     []int
	complete   bool // parameter p is there: the mark has said everything
	reason     string
	typed      string // line that was typed; "" if it is not known
	history    int    // number that the next entry of the history gets; 0 if unknown
	time       int64  // in seconds since 1970, by the clock of the shell; 0 if unknown
	written    int    // how many entries of the history the shell has written, this one last; 0 for none
}

// A markScanner finds the marks of one session in its output. A mark may come in pieces.
type markScanner struct {
	aid  string
	held []byte // beginning of a possible mark
}

// scan looks at data, which begins at the offset at, and calls found for each mark in it.
func (s *markScanner) scan(data []byte, at int64, found func(shellMark)) {
	if len(s.held) > 0 {
		at -= int64(len(s.held))
		data = append(s.held, data...)
		s.held = nil
	}
	for pos := 0; ; {
		i := bytes.Index(data[pos:], []byte(markIntro))
		if i < 0 {
			s.held = bytes.Clone(introPrefix(data[pos:]))
			return
		}
		pos += i
		body := data[pos+len(markIntro) : min(len(data), pos+maxMark)]
		end := bytes.IndexAny(body, "\a\x1b")
		if end < 0 {
			if len(data)-pos < maxMark {
				s.held = bytes.Clone(data[pos:])
				return
			}
			pos += len(markIntro)
			continue
		}
		next := pos + len(markIntro) + end
		if body[end] == '\a' {
			next++
			if m, ok := s.parse(string(body[:end])); ok {
				m.begin, m.end = at+int64(pos), at+int64(next)
				found(m)
			}
		}
		pos = next
	}
}

// introPrefix returns the end of data that may be the beginning of a mark.
func introPrefix(data []byte) []byte {
	for n := min(len(markIntro)-1, len(data)); n > 0; n-- {
		if tail := data[len(data)-n:]; string(tail) == markIntro[:n] {
			return tail
		}
	}
	return nil
}

// parse reads the text of a mark after "133;".
func (s *markScanner) parse(text string) (m shellMark, ok bool) {
	text, typed, _ := strings.Cut(text, ";c=")
	fields := strings.Split(text, ";")
	if len(fields[0]) != 1 {
		return m, false
	}
	m = shellMark{kind: fields[0][0], code: -1, typed: typedEscapes.Replace(typed)}
	for i, field := range fields[1:] {
		key, value, named := strings.Cut(field, "=")
		switch {
		case !named && i == 0:
			m.code = exitCodeOf(key)
		case key == "aid":
			ok = value == s.aid
		case key == "r":
			m.run, _ = strconv.Atoi(value) // 0 without a number
		case key == "s":
			m.code = exitCodeOf(value)
		case key == "h":
			m.history, _ = strconv.Atoi(value)
		case key == "t":
			m.time, _ = strconv.ParseInt(value, 10, 64)
		case key == "n":
			m.written, _ = strconv.Atoi(value)
		case key == "e":
			m.reason = value
		case key == "p":
			m.complete = true
			m.stages = exitCodes(value)
		}
	}
	return m, ok
}

// typedEscapes brings back what the scripts of the shells have replaced in a typed line.
var typedEscapes = strings.NewReplacer(`\\`, `\`, `\n`, "\n")

func exitCodeOf(text string) int {
	if n, err := strconv.ParseUint(text, 10, 31); err == nil {
		return int(n)
	}
	return -1
}

// exitCodes reads the codes of the stages of a pipeline, such as "1,0". It returns nil if text is no list of
// codes.
func exitCodes(text string) (codes []int) {
	for code := range strings.SplitSeq(text, ",") {
		n := exitCodeOf(code)
		if n < 0 {
			return nil
		}
		codes = append(codes, n)
	}
	return codes
}

// A leadIn is the text that fish prints between the mark of a command's start and the output. It consists of
// the end of bracketed paste, the window title, the text attributes, and CR.
type leadIn struct {
	run  *shellRun // command that it belongs to, or nil
	from int64
	text []byte

	chunk []byte // chunk being scanned
	at    int64
}

// maxLead is the most bytes of a leadIn.
const maxLead = 4096

// see takes the chunk that begins at the offset at.
func (l *leadIn) see(chunk []byte, at int64) {
	l.chunk, l.at = chunk, at
	if l.run != nil && len(l.text) < maxLead {
		l.text = append(l.text, chunk[:min(len(chunk), maxLead)]...)
	}
}

// begin starts at the offset from, in the chunk or at its end.
func (l *leadIn) begin(run *shellRun, from int64) {
	rest := l.chunk[max(0, from-l.at):]
	l.run, l.from, l.text = run, from, bytes.Clone(rest[:min(len(rest), maxLead)])
}

// leadAttributes are the text attributes that fish sets. After a title, CR follows them.
const leadAttributes = "\x1b[30m\x1b(B\x1b[m"

// length returns how many bytes before the offset end belong to the leadIn, and whether that number is final.
func (l *leadIn) length(end int64) (n int, whole bool) {
	text := string(l.text[:min(int64(len(l.text)), end-l.from)])
	rest := strings.TrimPrefix(text, "\x1b[?2004l")
	attributes := leadAttributes
	if after, ok := strings.CutPrefix(rest, "\x1b]0;"); ok {
		if _, rest, ok = strings.Cut(after, "\a"); !ok {
			return 0, len(text) >= maxLead
		}
		attributes += "\r"
	}
	if after, ok := strings.CutPrefix(rest, attributes); ok {
		return len(text) - len(after), true
	}
	for _, next := range []string{"\x1b[?2004l", "\x1b]0;", attributes} {
		if strings.HasPrefix(next, rest) {
			return 0, false // more is to come
		}
	}
	return 0, true
}
