package hold

import (
	"errors"
	"slices"
	"time"
)

const (
	// maxQueued is how many bytes may wait to be typed. maxQueuedRequests is how many requests they may be in.
	maxQueued         = 16 << 20
	maxQueuedRequests = 8192
)

var errQueueFull = errors.New("too much input waits for the program already")

// keystrokes are bytes on their way to the program. They come from a client that types as a terminal does,
// from a request to type, or from the terminal's reply to a query. The holder also types keys of its own. Only
// keys of a client have a link.
type keystrokes struct {
	data  []byte
	link  *link
	id    int
	typed *typed
	until time.Time // when they are given up; zero means never

	urgency urgency
	asked   int64       // offset of the query that a reply answers
	by      string      // who types data, for the transcript, which does not have it if that is ""
	discard bool        // instead of typing, discard the replies that nobody has read
	still   func() bool // for the holder's own keys: the input writer asks it whether to type them
	wrote   func()      // for the holder's own keys: called when they were typed; may be nil
	failed  func(error) // for the holder's own keys: takes the reason why they were not typed; may be nil
}

// size returns how many bytes are to be typed.
func (k keystrokes) size() int {
	if k.typed != nil {
		return k.typed.size
	}
	return len(k.data)
}

// An inputQueue has the input that waits for the input writer, in order. The loop owns it.
type inputQueue struct {
	list    []keystrokes
	bytes   int // of list
	writing int // inputs that the input writer has taken and has not finished
	open    int // inputs that were accepted and are not finished
}

// An urgency says which keys go before others.
type urgency int

const (
	inTurn urgency = iota // they wait for a reader, and the next ones for them
	early                 // they wait for no reader: what persons type, and requests with NoWait
	atOnce                // the terminal takes all of the keys itself
	reply                 // the terminal's reply to a query, for which the program waits
)

// add queues keys behind all others of their urgency. The error is errQueueFull.
func (q *inputQueue) add(k keystrokes) error {
	if q.bytes+k.size() > maxQueued || len(q.list) >= maxQueuedRequests {
		return errQueueFull
	}
	at := len(q.list)
	if i := slices.IndexFunc(q.list, func(other keystrokes) bool { return other.urgency < k.urgency }); i >= 0 {
		at = i
	}
	q.list = slices.Insert(q.list, at, k)
	q.bytes += k.size()
	q.open++
	return nil
}

// idle reports whether nothing waits and nothing is being typed.
func (q *inputQueue) idle() bool { return len(q.list) == 0 && q.writing == 0 }

// replies reports whether replies of the terminal wait.
func (q *inputQueue) replies() bool { return len(q.list) > 0 && q.list[0].urgency == reply }

// next returns the keys to be typed next. ok is false when there are none.
func (q *inputQueue) next() (k keystrokes, ok bool) {
	if len(q.list) == 0 {
		return k, false
	}
	return q.list[0], true
}

// take removes the next keys, which the input writer has now.
func (q *inputQueue) take() {
	q.bytes -= q.list[0].size()
	q.list[0] = keystrokes{}
	q.list = q.list[1:]
	q.writing++
}

// has reports whether keys of a client wait.
func (q *inputQueue) has(l *link) bool {
	return slices.ContainsFunc(q.list, func(k keystrokes) bool { return k.link == l })
}

// finished notes that one input is over.
func (q *inputQueue) finished() { q.open-- }

// deadline returns when expired has something to return, or a zero time.
func (q *inputQueue) deadline() (at time.Time) {
	for _, k := range q.list {
		at = soonest(at, k.until)
	}
	return at
}

// expired removes and returns the requests that have waited too long behind others.
func (q *inputQueue) expired(now time.Time) (list []keystrokes) {
	q.list = slices.DeleteFunc(q.list, func(k keystrokes) bool {
		if k.until.IsZero() || now.Before(k.until) {
			return false
		}
		q.bytes -= k.size()
		q.open--
		list = append(list, k)
		return true
	})
	return list
}
