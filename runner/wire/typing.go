package wire

// Who types into a session, or what. The transcript has these words.
const (
	BySendKeys = "send-keys"
	ByPaste    = "paste"    // send-keys --paste
	ByAnswer   = "answer"   // an answer of run --answer
	ByAttach   = "attach"   // a person who is attached
	ByAsk      = "ask"      // a person who is attached, while an ask waits for one
	ByRun      = "run"      // the person in whose terminal run waits for the command
	ByRunIn    = "run --in" // the command of a run --in
)

// A TypeRequest says what a client types.
type TypeRequest struct {
	Keys
	By     string       `json:"by,omitzero"` // ByAnswer; "" is send-keys
	Args   [][]byte     `json:"args"`
	NoWait bool         `json:"noWait,omitzero"` // do not wait for the program to read
	IfHash string       `json:"ifHash,omitzero"` // type only if the picture has this hash
	Wait   *WaitRequest `json:"wait,omitempty"`  // conditions to wait for afterwards

	// LimitMs is how long the program may go without reading, in milliseconds. 0 is the holder's own limit, and a negative
	// number none. A request without NoWait needs VersionReader: before, holders typed after half a second.
	LimitMs int64 `json:"limitMs,omitzero"`

	EOF bool `json:"eof,omitzero"` // without a terminal: close the standard input afterwards; needs VersionEOF

	// Judged says that a policy has judged the keys behind Behind, which was typed before them. They are typed only behind that.
	Judged bool   `json:"judged,omitzero"`
	Behind []byte `json:"behind,omitempty"`

	Question int  `json:"question,omitzero"` // type only while the program waits for the answer to this question
	GoesOn   int  `json:"goesOn,omitzero"`   // the text continues the answer to this question
	Whole    bool `json:"whole,omitzero"`    // nothing follows that belongs to the answer: no rest of it and no Enter
	Erases   bool `json:"erases,omitzero"`   // the key erases a part of what stands in the field; the first one has Question and GoesOn, too
}

// MaxHalfLine is how much a holder keeps of a command that is typed and not ended, in bytes: its end.
const MaxHalfLine = 64 << 10

// NotToShell stands in such a command before a line that a shell may not have got at its prompt, and where a signal may have made the
// shell drop what it has got. The character NUL does nothing in a line.
const NotToShell = '\x00'

// Typist returns who types, for the transcript.
func (t TypeRequest) Typist() string {
	switch {
	case t.By == ByAnswer:
		return ByAnswer
	case t.Paste:
		return ByPaste
	}
	return BySendKeys
}

// LeavesOpen reports whether more is to follow that belongs to the same answer, such as its Enter.
func (t TypeRequest) LeavesOpen() bool { return (t.Question != 0 || t.Erases) && !t.Enter && !t.Whole }

// A Delivery says what became of typed keys.
type Delivery string

const (
	Read      Delivery = "read"      // the program has read them, or the terminal itself has acted on them
	HalfLine  Delivery = "half_line" // the program reads lines, and they wait for Enter
	Unread    Delivery = "unread"    // the program has not read them yet, and they wait in the terminal
	Discarded Delivery = "discarded" // the program has thrown them away without reading them
	Unknown   Delivery = "unknown"   // this system does not tell
)

// Lost reports whether the program has not got the keys, or nobody knows.
func (d Delivery) Lost() bool { return d == Unread || d == Discarded || d == Unknown }

// A Receipt says what became of typed keys.
type Receipt struct {
	Written       int64    `json:"written"`                 // bytes given to the terminal
	Consumed      *bool    `json:"consumed,omitempty"`      // the program has read them; nil when nobody waited for that
	Echoed        *bool    `json:"echoed,omitempty"`        // the keys appear in the output since
	ScreenChanged *bool    `json:"screenChanged,omitempty"` // the screen differs from the one before
	Waiting       *bool    `json:"waiting,omitempty"`       // the foreground program reads the terminal again; nil if unknown
	Reason        string   `json:"reason,omitzero"`         // why the keys were not consumed
	Delivery      Delivery `json:"delivery,omitzero"`       // what became of them; "" when nobody waited for that

	Foreground string `json:"foreground,omitzero"` // name of the foreground program
	PID        int    `json:"pid,omitzero"`
	Canonical  bool   `json:"canonical"` // the program reads lines
	Echo       bool   `json:"echo"`      // the terminal shows typed text
	Offset     int64  `json:"offset"`    // end of the output when the keys were typed
	NextOffset int64  `json:"nextOffset"`
	Hash       string `json:"hash,omitzero"` // hash of the screen afterwards

	Closed bool `json:"closed,omitzero"` // the standard input is closed
}
