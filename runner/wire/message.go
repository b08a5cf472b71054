// Package wire defines what a client and a holder say to each other. It has the requests, answers and errors,
// their framing, the socket and the check of the peer. It does not decide how a holder answers: package hold does,
// and package runner has the calls that commands make.
package wire

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"devtools/ledger"
	"devtools/ledger/codec"
	"devtools/runner/proc"
	"devtools/runner/prompt"
	"devtools/screen"
)

// Version is the version of the requests. VersionReader is that of a request to type that is withheld while the program does
// not read, VersionEOF that of one that closes the standard input. A holder refuses those
// after VersionNewest.
const (
	Version       = 1
	VersionReader = 2
	VersionEOF    = 3
	VersionNewest = VersionEOF
)

// The limits of one line, in bytes. The first line to a new holder carries the whole environment.
const (
	MaxRequest  = 16 << 20
	MaxResponse = 4 << 20
	MaxStart    = 64 << 20
	maxPayload  = 64 << 20
)

// The limits for one client: bytes to type in one OpInput request, and requests without their answers.
const (
	MaxInput   = 64 << 10
	MaxPending = 16
)

// The requests that a holder answers. Each request gets one response. The comments name the fields of the request,
// and after "Answer:" those of the response.
const (
	// OpFollow waits until the transcript has grown beyond Offset or will not grow any more. With Complete it also
	// ends when the command is finished. Answer: Next, Closed.
	OpFollow = "follow"
	// OpRead gets the bytes from Offset on that are not in the transcript on disk: a full disk has refused them, or the files
	// were removed. Answer: Data, Offset.
	OpRead = "read"
	// OpResult waits until the command is finished. Answer: Session.
	OpResult = "result"
	// OpStopped waits until a signal has stopped the main process. Answer: Next, the end of the output before the stop.
	OpStopped = "stopped"
	// OpContinue continues the stopped program.
	OpContinue = "continue"
	// OpState gets the Session as it is now. Before the answer, the holder writes the times of all output to disk.
	// If nobody has got the end of the last command in the session's shell, Run is its number.
	// Offset is then the beginning of its output, and Shell says what is known of it.
	// Answer: Session, Run, Offset, Shell, and Prompt where it is known.
	// With On, the answer has nothing but Data: what was typed since an Enter behind which a shell does not read on.
	OpState = "state"
	// OpMoveIn makes the session, whose files were removed, live on in the state folder that stands in their place.
	// Answer: Session; none if its files are there.
	OpMoveIn = "movein"
	// OpInput types Data, as a terminal does.
	OpInput = "input"
	// OpType types what Type says. Answer: Receipt, and Wait when the request has a wait.
	OpType = "type"
	// OpResize sets the Size and the Scrollback, where they are given. Answer: Session.
	OpResize = "resize"
	// OpView says with On that a person's terminal shows the session and answers its queries.
	OpView = "view"
	// OpModes gets the Modes of the terminal.
	OpModes = "modes"
	// OpScreen gets the picture of View and what has changed Since. Answer: Offset, Next, Known, Changed, and a payload.
	OpScreen = "screen"
	// OpWait waits until the conditions of Wait have come true or cannot come true any more. Answer: Wait.
	OpWait = "wait"
	// OpInputState gets what the program does about input. With On the answer is the latest result, if the holder is
	// looking already. With Question it is whether the program still waits for the answer to that question.
	// Answer: InputState, or with Question: Stands.
	OpInputState = "outlook"
	// OpQuestion waits until the program waits for input with the confidence Least. The question with the number
	// Question does not count. Closed says that the program has ended. With Answered, the response also says what
	// became of that question: Field. With On, the answer also comes when the terminal has stopped a background process
	// other than PID, of which its parent takes no notice: Processes has it. Answer: InputState, Question, Offset.
	OpQuestion = "question"
	// OpCommands gets the names and command lines of the session's processes, with the secrets masked. Answer: Processes.
	OpCommands = "commands"
	// OpReported says that the client took the output of its command up to Offset and leaves. Answer: Session; none from an
	// older holder.
	OpReported = "reported"
	// OpTether makes the session end together with process PID, and no longer with the process of an earlier request. With PID 0
	// it ends with none.
	OpTether = "tether"
	// OpRename gives the session the Name, if no other session has it, and if it is still called Was, where that is given.
	// Answer: Session, PreviousName.
	OpRename = "rename"
	// OpLabel sets the Labels, and removes those with the keys in Unlabel. Answer: Session.
	OpLabel = "label"
	// OpSignal sends Signal to the foreground process group.
	OpSignal = "signal"
	// OpHangUp hangs the command up as a closed terminal does. The client sends it when nobody reads any more.
	OpHangUp = "hangup"
	// OpKill ends the process tree, or that of PID, with Signal and GraceMs. Answer: Outcome.
	OpKill = "kill"
	// OpRestart ends the process tree with TERM and GraceMs, and starts the session again. Answer: Session, the new one.
	OpRestart = "restart"
	// OpHolderStatus gets what only the holder knows about why the session goes on. Answer: Insight, Session.
	OpHolderStatus = "insight"
	// OpCapture starts, stops or lists captures, as Capture says. Answer: Captures.
	OpCapture = "capture"

	// OpAttach says that a person's terminal is in front of the session. With ReadOnly the person only watches.
	// Answer: Session.
	OpAttach = "attach"
	// OpDetach says that the person's terminal is no longer in front of the session. With On the person is done.
	// Answer: Session, with the requests to persons that this answers.
	OpDetach = "detach"
	// OpSize waits until the terminal's size differs from Size. Answer: Session.
	OpSize = "size"
	// OpRedraw gets output that draws the terminal. The output goes on from Offset.
	// Answer: Size, Offset, Next, and a payload.
	OpRedraw = "redraw"
	// OpAsk asks a person for Message. The answer comes when a person has attached and detached again. With On the request takes the
	// place of the earlier ones of this client, which get no answer.
	OpAsk = "ask"
	// OpAsked waits until somebody asks a person for something of which this client does not know: after it has attached, and
	// after the last answer. A person who is told so is done with it at OpDetach. Answer: Session, with these requests.
	OpAsked = "asked"
	// OpWithdraw forgets the requests to persons. Answer: Session, with these requests. With On it forgets only
	// the requests of this client, and Session has the others.
	OpWithdraw = "withdraw"
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
	Cwd      string      `json:"cwd,omitzero"`
	Env      []string    `json:"env,omitempty"`
	REPL     bool        `json:"repl,omitzero"`

	// Agent says that the call is that of an agent, for which pins of the isolation may hold.
	Agent bool `json:"agent,omitzero"`

	Caller ledger.Caller `json:"caller,omitzero"` // of OpShell: who has the command run

	// FirstMs is how long the first prompt of OpShell's shell may take; 0: as long as any other.
	FirstMs int64 `json:"firstMs,omitzero"`

	Name    string            `json:"name,omitzero"`
	Was     string            `json:"was,omitzero"`
	Labels  map[string]string `json:"labels,omitempty"`
	Unlabel []string          `json:"unlabel,omitempty"`

	Scrollback *int            `json:"scrollback,omitempty"`
	View       *screen.View    `json:"view,omitempty"`
	Since      string          `json:"since,omitzero"`
	Wait       *WaitRequest    `json:"wait,omitempty"`
	Type       *TypeRequest    `json:"type,omitempty"`
	Capture    *CaptureRequest `json:"capture,omitempty"`
}

// ByAgent says that this process makes the requests of an agent. It is set before the first one.
var ByAgent atomic.Bool

// A Response is one line from a holder.
type Response struct {
	V            int             `json:"v"`
	ID           int             `json:"id"`
	Error        *Fault          `json:"error,omitempty"`
	Next         int64           `json:"next,omitzero"`
	Closed       bool            `json:"closed,omitzero"`
	Data         []byte          `json:"data,omitempty"`
	Offset       int64           `json:"offset,omitzero"`
	Session      *ledger.Session `json:"session,omitempty"`
	Removed      bool            `json:"removed,omitzero"`      // to OpState: the session's files were removed
	PreviousName string          `json:"previousName,omitzero"` // to OpRename: the name before
	Modes        *Modes          `json:"modes,omitempty"`
	Outcome      *proc.Outcome   `json:"outcome,omitempty"`
	Known        bool            `json:"known,omitzero"`
	Changed      []int           `json:"changed,omitempty"`
	Wait         *WaitAnswer     `json:"wait,omitempty"`
	Receipt      *Receipt        `json:"receipt,omitempty"`

	Captures   []ledger.Capture `json:"captures,omitempty"`
	Size       *ledger.Size     `json:"size,omitempty"`
	Run        int              `json:"run,omitzero"`
	Shell      *ShellResult     `json:"shell,omitempty"`
	CalledAt   ledger.Time      `json:"calledAt,omitzero"` // to OpShell: when the caller had the command before run; zero: not known
	Prompt     *bool            `json:"prompt,omitempty"`  // the shell is at its prompt; nil where that is not known
	InputState *InputState      `json:"outlook,omitempty"`
	Question   int              `json:"question,omitzero"`
	Stands     bool             `json:"stands,omitzero"` // the question still stands
	// Above says that the question seems to stand in text above the cursor, and may be over.
	Above   bool          `json:"above,omitzero"`
	Field   prompt.Field  `json:"field,omitzero"`
	Erase   int           `json:"erase,omitzero"`  // characters to erase, because the field shows the answer behind another text
	Erased  bool          `json:"erased,omitzero"` // the client has erased them, and the field is empty
	Insight *HolderStatus `json:"insight,omitempty"`

	Processes []ledger.Process `json:"processes,omitempty"`

	Bytes   int    `json:"bytes,omitzero"` // size of the payload, which follows the line
	Payload []byte `json:"-"`
}

// Modes are the settings of a terminal's line discipline that a client needs (termios(3)).
type Modes struct {
	Signals   bool `json:"signals"`   // ISIG: control characters send signals
	Canonical bool `json:"canonical"` // ICANON
	Echo      bool `json:"echo"`      // ECHO
	Timed     bool `json:"timed"`     // VMIN is 0 and VTIME is not: a read returns after a time limit
}

// ErrLong says that a line has more bytes than were allowed.
var ErrLong = errors.New("the message is too long")

// ReadLine decodes one line of JSON into v. The line has at most limit bytes. The error is io.EOF at the end
// of the stream.
func ReadLine(r *bufio.Reader, limit int, v any) error {
	line, err := AppendLine(nil, r, limit)
	if err != nil {
		return err
	}
	return codec.Unmarshal(line, v)
}

// AppendLine appends to line, the beginning of a line or nil, what follows of it in r. The result may lie in the buffer of r: it
// holds until the next read. The error is ErrLong, with the line as far as it was read, once that has more than limit bytes. It
// is io.EOF at the end of the stream, and io.ErrUnexpectedEOF at its end within a line.
func AppendLine(line []byte, r *bufio.Reader, limit int) ([]byte, error) {
	for {
		part, err := r.ReadSlice('\n')
		if err == nil && line == nil && len(part) <= limit {
			return part, nil
		}
		line = append(line, part...)
		switch {
		case err != nil && err != bufio.ErrBufferFull:
			if err == io.EOF && len(bytes.TrimSpace(line)) > 0 {
				err = io.ErrUnexpectedEOF
			}
			return line, err
		case len(line) > limit:
			return line, fmt.Errorf("%w: it has more than %d bytes", ErrLong, limit)
		case err == nil:
			return line, nil
		}
	}
}

// ReadRequest decodes a line that AppendLine has read.
func ReadRequest(line []byte) (req Request, err error) {
	err = codec.Unmarshal(line, &req)
	return req, err
}

// ReadResponse reads a line and the payload that follows it.
func ReadResponse(r *bufio.Reader) (resp Response, err error) {
	if err := ReadLine(r, MaxResponse, &resp); err != nil {
		return resp, err
	}
	resp.Payload, err = readPayload(r, resp.Bytes)
	return resp, err
}

// readPayload reads the n bytes that follow a line.
func readPayload(r *bufio.Reader, n int) ([]byte, error) {
	if n < 0 || n > maxPayload {
		return nil, fmt.Errorf("the holder announces a payload of %d bytes", n)
	}
	payload := make([]byte, n)
	_, err := io.ReadFull(r, payload)
	return payload, err
}

// WriteResponse writes a line and its payload in one write.
func WriteResponse(w io.Writer, resp Response) error {
	resp.Bytes = len(resp.Payload)
	line, err := codec.Marshal(resp)
	if err != nil {
		return err
	}
	_, err = w.Write(append(append(line, '\n'), resp.Payload...))
	return err
}

// WriteLine writes v as one line of JSON in one write.
func WriteLine(w io.Writer, v any) error {
	line, err := Line(v)
	if err != nil {
		return err
	}
	_, err = w.Write(line)
	return err
}

// Line returns v as one line of JSON.
func Line(v any) ([]byte, error) {
	line, err := codec.Marshal(v)
	return append(line, '\n'), err
}
