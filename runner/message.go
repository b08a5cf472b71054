package runner

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

// protocol is the version of the requests. A holder refuses newer ones by name.
const protocol = 1

// The limits of one line, in bytes. The first line of a holder's start carries the whole environment.
const (
	maxRequest  = 16 << 20
	maxResponse = 4 << 20
	maxStart    = 64 << 20
	maxPayload  = 64 << 20
)

// What one client can keep waiting: bytes in one request to type, and requests without their answers.
const (
	maxInput   = 64 << 10
	maxPending = 16
)

// The requests that a holder answers, each with one response.
const (
	opFollow   = "follow"   // when the transcript has grown beyond Offset, or will not (with Complete: or the command is finished): Next, Closed
	opRead     = "read"     // bytes from Offset on that a full disk has refused: Data, Offset
	opResult   = "result"   // when the command is finished: Session
	opStopped  = "stopped"  // when the main process has been stopped by a signal: Next, the output before
	opContinue = "continue" // continue what was stopped
	opState    = "state"    // Session as it is now, and the times of all output are on disk; Run, the command in its shell whose end nobody has got, with its Offset
	opInput    = "input"    // type Data, as a terminal does
	opType     = "type"     // type what Type says: Receipt, and Wait when that is asked for
	opResize   = "resize"   // Size, Scrollback: what is given
	opView     = "view"     // On: a person's terminal shows the session and answers its queries
	opModes    = "modes"    // Modes of the terminal
	opScreen   = "screen"   // the picture of View, and what has changed Since: Offset, Next, and a payload
	opWait     = "wait"     // when what Wait says has come true, or cannot any more: Wait
	opOutlook  = "outlook"  // what the program does about input: Outlook; with On what was found last, if somebody looks; with Question whether it still waits for that one to be answered: Stands
	opQuestion = "question" // when the program waits for input with the confidence Least, and not for the answer to Question: Outlook, Question, Offset; Closed when it has ended; with Answered what became of that question: Field, Asked
	opReported = "reported" // who ran the command has taken its output up to Offset, and leaves
	opTether   = "tether"   // end with process PID, and not with the one before
	opSignal   = "signal"   // send Signal to the foreground process group
	opHangUp   = "hangup"   // nobody reads any more: hang the command up as a closed terminal does
	opKill     = "kill"     // end the tree, or that of PID: Signal, GraceMs
	opInsight  = "insight"  // what the holder alone knows of why the session goes on: Insight, Session
	opCapture  = "capture"  // start, stop or list captures, as Capture says: Captures

	opAttach   = "attach"   // a person's terminal is in front of the session, with ReadOnly to look on: Session
	opDetach   = "detach"   // it is not any more; with On the person is done: Session with the requests that this answers
	opSize     = "size"     // when the terminal has another size than Size: Session
	opRedraw   = "redraw"   // output that draws the terminal: Size, Offset from which on the output goes on, Next, and a payload
	opAsk      = "ask"      // ask a person for Message: when one has attached and detached again
	opWithdraw = "withdraw" // forget what persons were asked for, with On only by this client: Session with these requests
)

// A request is one line from a client.
type request struct {
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
	Wait       *waitRequest    `json:"wait,omitempty"`
	Type       *typeRequest    `json:"type,omitempty"`
	Capture    *captureRequest `json:"capture,omitempty"`
}

// A response is one line from a holder.
type response struct {
	V       int             `json:"v"`
	ID      int             `json:"id"`
	Error   *fault          `json:"error,omitempty"`
	Next    int64           `json:"next,omitzero"`
	Closed  bool            `json:"closed,omitzero"`
	Data    []byte          `json:"data,omitempty"`
	Offset  int64           `json:"offset,omitzero"`
	Session *ledger.Session `json:"session,omitempty"`
	Modes   *modes          `json:"modes,omitempty"`
	Outcome *proc.Outcome   `json:"outcome,omitempty"`
	Known   bool            `json:"known,omitzero"`
	Changed []int           `json:"changed,omitempty"`
	Wait    *waitAnswer     `json:"wait,omitempty"`
	Receipt *Receipt        `json:"receipt,omitempty"`

	Captures []ledger.Capture `json:"captures,omitempty"`
	Size     *ledger.Size     `json:"size,omitempty"`
	Run      int              `json:"run,omitzero"`
	Shell    *ShellResult     `json:"shell,omitempty"`
	Prompt   *bool            `json:"prompt,omitempty"` // whether the shell is at its prompt, where that is known
	Outlook  *Outlook         `json:"outlook,omitempty"`
	Question int              `json:"question,omitzero"`
	Stands   bool             `json:"stands,omitzero"` // the question does
	Above    bool             `json:"above,omitzero"`  // what it seems to be stands above, and may be over
	Field    prompt.Field     `json:"field,omitzero"`
	Asked    string           `json:"asked,omitzero"`
	Insight  *insight         `json:"insight,omitempty"`

	Bytes   int    `json:"bytes,omitzero"` // of the payload, which follows the line
	payload []byte `json:"-"`
}

// modes are the settings of a terminal's line discipline that a client needs (termios(3)).
type modes struct {
	Signals   bool `json:"signals"`   // ISIG: control characters send signals
	Canonical bool `json:"canonical"` // ICANON
	Echo      bool `json:"echo"`      // ECHO
	Timed     bool `json:"timed"`     // VMIN is 0 and VTIME is not: a read ends by itself
}

// readLine decodes one line of JSON of at most limit bytes into v. The error is io.EOF at the end of
// the stream.
func readLine(r *bufio.Reader, limit int, v any) error {
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

// readResponse reads a line and the payload behind it.
func readResponse(r *bufio.Reader) (resp response, err error) {
	if err := readLine(r, maxResponse, &resp); err != nil {
		return resp, err
	}
	resp.payload, err = readPayload(r, resp.Bytes)
	return resp, err
}

// readPayload reads the n bytes behind a line.
func readPayload(r *bufio.Reader, n int) ([]byte, error) {
	if n < 0 || n > maxPayload {
		return nil, fmt.Errorf("a payload of %d bytes", n)
	}
	payload := make([]byte, n)
	_, err := io.ReadFull(r, payload)
	return payload, err
}

// writeResponse writes a line and the payload behind it, in one write.
func writeResponse(w io.Writer, resp response) error {
	resp.Bytes = len(resp.payload)
	line, err := json.Marshal(resp)
	if err != nil {
		return err
	}
	_, err = w.Write(append(append(line, '\n'), resp.payload...))
	return err
}

// writeLine writes v as one line of JSON in one write.
func writeLine(w io.Writer, v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return err
}
