// Package mask finds secrets in text, and masks them: each byte becomes a *, so that nothing else moves. It knows a secret as it
// is, in base64, URL-encoded, in quotes, and in JSON and HTML. It also reads the values of secrets. It keeps them in memory alone.
package mask

import (
	"bytes"
	"strings"
)

// A Matcher finds the forms of secrets (Aho and Corasick, Efficient string matching, 1975). It does not change: any goroutine may use
// it. The nil Matcher knows no secret.
type Matcher struct {
	nodes []node // nodes[0] is the root
	first [256]int32
	skips [1 << skipBits]uint8
	least int // length of the shortest form
	most  int // length of the longest form
	ahead int // how many bytes ahead a search looks to skip some
}

// A node stands for a beginning of a form. Most nodes have one child, so the children are a list.
type node struct {
	fail        int32 // node of the longest proper end of this beginning that is a beginning, too
	child, next int32 // first child, and next child of the parent; 0: none
	depth       int32 // length of the beginning
	match       int32 // length of the longest form with which the beginning ends; 0: none
	char        byte
}

// Shown is how many bytes of the beginning of a secret are shown if nothing follows them. More are masked.
const Shown = 3

// New returns a matcher for the values of secrets, or nil if there are none.
func New(values []string) *Matcher {
	if len(values) == 0 {
		return nil
	}
	var all []string
	for _, value := range values {
		all = append(all, forms(value)...)
	}
	size := 1
	for _, form := range all {
		size += len(form)
	}
	m := &Matcher{nodes: make([]node, 1, size)} // all at once: a copy that grows leaves its forerunners in memory
	m.least = len(all[0])
	for _, form := range all {
		m.least = min(m.least, len(form))
		m.add(form)
	}
	m.link()
	m.setSkips(all)
	return m
}

// add adds a form to the tree.
func (m *Matcher) add(form string) {
	m.most = max(m.most, len(form))
	at := int32(0)
	for i := range len(form) {
		next := m.childOf(at, form[i])
		if next == 0 {
			next = int32(len(m.nodes))
			m.nodes = append(m.nodes, node{next: m.nodes[at].child, depth: int32(i) + 1, char: form[i]})
			m.nodes[at].child = next
		}
		at = next
	}
	m.nodes[at].match = int32(len(form))
}

func (m *Matcher) childOf(at int32, char byte) int32 {
	c := m.nodes[at].child
	for c != 0 && m.nodes[c].char != char {
		c = m.nodes[c].next
	}
	return c
}

// link sets where each node goes on if the next byte is not that of a child.
func (m *Matcher) link() {
	for c := m.nodes[0].child; c != 0; c = m.nodes[c].next {
		m.first[m.nodes[c].char] = c
	}
	queue := []int32{0}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for c := m.nodes[at].child; c != 0; c = m.nodes[c].next {
			if at != 0 {
				m.nodes[c].fail = m.step(m.nodes[at].fail, m.nodes[c].char)
			}
			if m.nodes[c].match == 0 {
				m.nodes[c].match = m.nodes[m.nodes[c].fail].match
			}
			queue = append(queue, c)
		}
	}
}

// step returns the node after one more byte.
func (m *Matcher) step(at int32, char byte) int32 {
	for at != 0 {
		if c := m.childOf(at, char); c != 0 {
			return c
		}
		at = m.nodes[at].fail
	}
	return m.first[char]
}

// skipBits is the size of the table of skips: it must stay in the fastest cache. The forms together take at most mostSkips of its
// entries, or each takes leastAhead of them: a fuller table skips little.
const (
	skipBits   = 13
	mostSkips  = 1 << 12
	leastAhead = 8
)

func skipIndex(a, b byte) int { return (int(a) ^ int(b)<<6) & (1<<skipBits - 1) }

// setSkips computes how far a search that is at the root may go on, by the two bytes at the end of the next m.ahead bytes (Wu and
// Manber, A fast algorithm for multi-pattern searching, 1994): no form begins in between.
func (m *Matcher) setSkips(forms []string) {
	m.ahead = min(m.least, max(leastAhead, min(mostSkips/len(forms), 255)))
	for i := range m.skips {
		m.skips[i] = uint8(m.ahead - 1)
	}
	for _, form := range forms {
		for i := range m.ahead - 1 {
			skip := &m.skips[skipIndex(form[i], form[i+1])]
			*skip = min(*skip, uint8(m.ahead-2-i))
		}
	}
}

// stretch is how many bytes are searched in two halves at once: a processor waits as long for two look-ups as for one.
const stretch = 2048

// skip returns the first place from i on where a form may begin, as far as the table tells.
func (m *Matcher) skip(text []byte, i int) int {
	for len(text)-i >= stretch+m.ahead {
		middle := i + stretch/2
		low, high := m.skipBoth(text, i, middle)
		if i = m.skipTo(text, low, middle); i < middle {
			return i
		}
		i = max(i, high)
	}
	return m.skipTo(text, i, len(text))
}

// skipTo searches for a form that may begin in text[i:end].
func (m *Matcher) skipTo(text []byte, i, end int) int {
	for i < end && i+m.ahead <= len(text) {
		skip := int(m.skips[skipIndex(text[i+m.ahead-2], text[i+m.ahead-1])])
		if skip == 0 && m.first[text[i]] != 0 {
			return i
		}
		i += max(skip, 1)
	}
	return i
}

// skipBoth searches in both halves of a stretch, which begin at low and high. It returns the places up to which no form begins in the
// half: it stops both when one may have found a form.
func (m *Matcher) skipBoth(text []byte, low, high int) (int, int) {
	a, b := text[m.ahead-2:], text[m.ahead-1:] // the two bytes at the end of the next m.ahead bytes
	end, last := high, 2*high-low
	for low < end && high < last {
		skipLow, skipHigh := m.skips[skipIndex(a[low], b[low])], m.skips[skipIndex(a[high], b[high])]
		if skipLow == 0 || skipHigh == 0 {
			break
		}
		low, high = low+int(skipLow), high+int(skipHigh)
	}
	return low, high
}

// A span is a part of a text that was masked last.
type span struct{ begin, end int }

// scan masks what it finds in text[from:], and before it where a form began there. It returns the node at the end, and the last
// masked part.
func (m *Matcher) scan(text []byte, from int, at int32) (int32, span) {
	var last span
	for i := from; i < len(text); {
		if at == 0 {
			if i = m.skip(text, i); i == len(text) {
				break
			}
		}
		at = m.step(at, text[i])
		i++
		if n := int(m.nodes[at].match); n > 0 {
			last = cover(text, last, span{max(i-n, 0), i})
		}
	}
	return at, last
}

// cover masks the part found, which ends behind the last one, and returns the last masked part.
func cover(text []byte, last, found span) span {
	if found.begin < last.begin || found.begin > last.end {
		fill(text[found.begin:found.end])
		return found
	}
	fill(text[last.end:found.end])
	return span{last.begin, found.end}
}

func fill(text []byte) {
	for i := range text {
		text[i] = '*'
	}
}

// String returns the text with the secrets in it masked.
func (m *Matcher) String(text string) string {
	if m == nil || len(text) < m.least {
		return text
	}
	b := []byte(text)
	if _, last := m.scan(b, 0, 0); last.end == 0 {
		return text
	}
	return string(b)
}

// Join masks the secrets that begin in one text and end in the text behind it. Both are masked already, each by itself, and only behind
// is changed. Join returns the end of both texts together: it is the text before for the next call.
func (m *Matcher) Join(before, behind []byte) (end []byte) {
	n := min(len(behind), m.most)
	both := append(before[:len(before):len(before)], behind[:n]...)
	m.scan(both, 0, 0)
	copy(behind, both[len(before):])
	all := append(before[:len(before):len(before)], behind[max(0, len(behind)-m.most):]...)
	return all[max(0, len(all)-m.most):]
}

// Start masks the secrets in a text that may have been cut: also a beginning of at least 4 bytes at its end.
func (m *Matcher) Start(text string) string {
	if m == nil {
		return text
	}
	s := m.Stream()
	return string(append(bytes.Clone(s.Write([]byte(text))), s.End()...))
}

// List masks the secrets in the arguments of a command. One may stand in several of them, where a shell has split it at blanks.
func (m *Matcher) List(args []string) []string {
	if m == nil {
		return args
	}
	line := m.String(strings.Join(args, " "))
	masked := make([]string, len(args))
	for i, arg := range args {
		masked[i] = line[:len(arg)]
		line = line[min(len(arg)+1, len(line)):]
	}
	return masked
}

// A Stream masks a text that comes in pieces. It holds the bytes back that may begin a secret.
type Stream struct {
	m    *Matcher
	at   int32
	held []byte
	work []byte
}

// Stream returns a stream that nothing was written to.
func (m *Matcher) Stream() *Stream { return &Stream{m: m} }

// Write takes the next piece, which it may change. It returns what is decided. That is valid until the next call.
func (s *Stream) Write(p []byte) []byte {
	from := len(s.held)
	if from > 0 {
		s.work = append(append(s.work[:0], s.held...), p...)
		p = s.work
	}
	at, masked := s.m.scan(p, from, s.at)
	s.at = at
	keep := max(0, len(p)-int(s.m.nodes[at].depth))
	if masked.begin <= keep && masked.end > keep {
		keep = masked.end
	}
	s.held = append(s.held[:0], p[keep:]...)
	return p[:keep]
}

// Held returns how many bytes are held back.
func (s *Stream) Held() int { return len(s.held) }

// Begun returns how many bytes of the beginning of a secret have come last.
func (s *Stream) Begun() int { return int(s.m.nodes[s.at].depth) }

// Release returns what is held back: masked but for its line breaks, if at least 4 bytes of a secret have come. The search goes on.
func (s *Stream) Release() []byte {
	if s.Begun() > Shown {
		for i, c := range s.held {
			if c != '\n' && c != '\r' {
				s.held[i] = '*'
			}
		}
	}
	given := s.held
	s.held = nil
	return given
}

// End returns what is held back, as Release does. What is written next is another text.
func (s *Stream) End() []byte {
	given := s.Release()
	s.at = 0
	return given
}
