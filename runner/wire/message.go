package wire

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"devtools/ledger"
	"devtools/runner/proc"
	"devtools/runner/prompt"
	"devtools/screen"
)

// Version is the version of the requests. A holder refuses newer ones by name.
const Version = 1

// The limits of one line, in bytes. The first line of a holder's start carries the whole environment.
const (
	MaxRequest  = 16 << 20
	MaxResponse = 4 << 20
	MaxStart    = 64 << 20
	maxPayload  = 64 << 20
)

// What one client can keep waiting: bytes in one request to type, and requests without their answers.
const (
	MaxInput   = 64 << 10
	MaxPending = 16
)

// The requests that a holder answers, each with one response.
const (
	OpFollow       = "follow"   // when the transcript has grown beyond Offset, or will not (with Complete: or the command is finished): Next, Closed
	OpRead         = "read"     // bytes from Offset on that a full disk has refused: Data, Offset
	OpResult       = "result"   // when the command is finished: Session
	OpStopped      = "stopped"  // when the main process has been stopped by a signal: Next, the output before
	OpContinue     = "continue" // continue what was stopped
	OpState        = "state"    // Session as it is now, and the times of all output are on disk; Run, the command in its shell whose end nobody has got, with its Offset
	OpInput        = "input"    // type Data, as a terminal does
	OpType         = "type"     // type what Type says: Receipt, and Wait when that is asked for
	OpResize       = "resize"   // Size, Scrollback: what is given
	OpView         = "view"     // On: a person's terminal shows the session and answers its queries
	OpModes        = "modes"    // Modes of the terminal
	OpScreen       = "screen"   // the picture of View, and what has changed Since: Offset, Next, and a payload
	OpWait         = "wait"     // when what Wait says has come true, or cannot any more: Wait
	OpInputState   = "outlook"  // what the program does about input: InputState; with On what was found last, if somebody looks; with Question whether it still waits for that one to be answered: Stands
	OpQuestion     = "question" // when the program waits for input with the confidence Least, and not for the answer to Question: InputState, Question, Offset; Closed when it has ended; with Answered what became of that question: Field, Asked
	OpReported     = "reported" // who ran the command has taken its output up to Offset, and leaves
	OpTether       = "tether"   // end with process PID, and not with the one before
	OpSignal       = "signal"   // send Signal to the foreground process group
	OpHangUp       = "hangup"   // nobody reads any more: hang the command up as a closed terminal does
	OpKill         = "kill"     // end the tree, or that of PID: Signal, GraceMs
	OpHolderStatus = "insight"  // what the holder alone knows of why the session goes on: Insight, Session
	OpCapture      = "capture"  // start, stop or list captures, as Capture says: Captures

	OpAttach   = "attach"   // a person's terminal is in front of the session, with ReadOnly to look on: Session
	OpDetach   = "detach"   // it is not any more; with On the person is done: Session with the requests that this answers
	OpSize     = "size"     // when the terminal has another size than Size: Session
	OpRedraw   = "redraw"   // output that draws the terminal: Size, Offset from which on the output goes on, Next, and a payload
	OpAsk      = "ask"      // ask a person for Message: when one has attached and detached again
	OpWithdraw = "withdraw" // forget what persons were asked for, with On only by this client: Session with these requests
)

// A Request is one line from a client.
type Request struct {
	V        int         `json:"v"`
	ID       int         `json:"id"`
	Op       string      `json:"op"`
	Offset   int64       `json:"offset,omitzero"`
	Data     []byte      `json:"data,omitempty"`
	Size     ledger.Size `json:"size,omitzero"`
	On       bool        `json:"on,omitzero"`
	Complete bool        `json:"complete,omitzero"`
	Run      int         `json:"run,omitzero"`
	PID      int         `json:"pid,omitzero"`
	Signal   string      `json:"signal,omitzero"`
	GraceMs  int64       `json:"graceMs,omitzero"`
	ReadOnly bool        `json:"readOnly,omitzero"`
	Message  string      `json:"message,omitzero"`
	Question int         `json:"question,omitzero"`
	Answered int         `json:"answered,omitzero"`
	Least    string      `json:"least,omitzero"`

	Scrollback *int            `json:"scrollback,omitempty"`
	View       *screen.View    `json:"view,omitempty"`
	Since      string          `json:"since,omitzero"`
	Wait       *WaitRequest    `json:"wait,omitempty"`
	Type       *TypeRequest    `json:"type,omitempty"`
	Capture    *CaptureRequest `json:"capture,omitempty"`
}

// A Response is one line from a holder.
type Response struct {
	V       int             `json:"v"`
	ID      int             `json:"id"`
	Error   *Fault          `json:"error,omitempty"`
	Next    int64           `json:"next,omitzero"`
	Closed  bool            `json:"closed,omitzero"`
	Data    []byte          `json:"data,omitempty"`
	Offset  int64           `json:"offset,omitzero"`
	Session *ledger.Session `json:"session,omitempty"`
	Modes   *Modes          `json:"modes,omitempty"`
	Outcome *proc.Outcome   `json:"outcome,omitempty"`
	Known   bool            `json:"known,omitzero"`
	Changed []int           `json:"changed,omitempty"`
	Wait    *WaitAnswer     `json:"wait,omitempty"`
	Receipt *Receipt        `json:"receipt,omitempty"`

	Captures   []ledger.Capture `json:"captures,omitempty"`
	Size       *ledger.Size     `json:"size,omitempty"`
	Run        int              `json:"run,omitzero"`
	Shell      *ShellResult     `json:"shell,omitempty"`
	Prompt     *bool            `json:"prompt,omitempty"` // whether the shell is at its prompt, where that is known
	InputState *InputState      `json:"outlook,omitempty"`
	Question   int              `json:"question,omitzero"`
	Stands     bool             `json:"stands,omitzero"` // the question does
	Above      bool             `json:"above,omitzero"`  // what it seems to be stands above, and may be over
	Field      prompt.Field     `json:"field,omitzero"`
	Asked      string           `json:"asked,omitzero"`
	Insight    *HolderStatus    `json:"insight,omitempty"`

	Bytes   int    `json:"bytes,omitzero"` // of the payload, which follows the line
	Payload []byte `json:"-"`
}

// Modes are the settings of a terminal's line discipline that a client needs (termios(3)).
type Modes struct {
	Signals   bool `json:"signals"`   // ISIG: control characters send signals
	Canonical bool `json:"canonical"` // ICANON
	Echo      bool `json:"echo"`      // ECHO
	Timed     bool `json:"timed"`     // VMIN is 0 and VTIME is not: a read ends by itself
}

// ReadLine decodes one line of JSON of at most limit bytes into v. The error is io.EOF at the end of
// the stream.
func ReadLine(r *bufio.Reader, limit int, v any) error {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > limit {
			return fmt.Errorf("a line of more than %d bytes", limit)
		}
		if err == nil && line == nil {
			return json.Unmarshal(part, v)
		}
		line = append(line, part...)
		switch err {
		case nil:
			return json.Unmarshal(line, v)
		case bufio.ErrBufferFull:
		case io.EOF:
			if len(bytes.TrimSpace(line)) > 0 {
				return io.ErrUnexpectedEOF
			}
			return io.EOF
		default:
			return err
		}
	}
}

// ReadResponse reads a line and the payload behind it.
func ReadResponse(r *bufio.Reader) (resp Response, err error) {
	if err := ReadLine(r, MaxResponse, &resp); err != nil {
		return resp, err
	}
	resp.Payload, err = ReadPayload(r, resp.Bytes)
	return resp, err
}

// ReadPayload reads the n bytes behind a line.
func ReadPayload(r *bufio.Reader, n int) ([]byte, error) {
	if n < 0 || n > maxPayload {
		return nil, fmt.Errorf("a payload of %d bytes", n)
	}
	payload := make([]byte, n)
	_, err := io.ReadFull(r, payload)
	return payload, err
}

// WriteResponse writes a line and the payload behind it, in one write.
func WriteResponse(w io.Writer, resp Response) error {
	resp.Bytes = len(resp.Payload)
	line, err := json.Marshal(resp)
	if err != nil {
		return err
	}
	_, err = w.Write(append(append(line, '\n'), resp.Payload...))
	return err
}

// WriteLine writes v as one line of JSON in one write.
func WriteLine(w io.Writer, v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return err
}
