package hold

import (
	"bytes"
	"strings"
	"time"
	"unicode/utf8"

	"devtools/ledger/transcript"
	"devtools/runner/prompt"
	"devtools/runner/pty"
)

// echoPatience is how long input waits for its echo. The kernel echoes at once, unless the output is stopped (C-s).
const echoPatience = 100 * time.Millisecond

// A takenInput is input that was given to the terminal.
type takenInput struct {
	data []byte
	at   time.Time
	by   string // who has typed it, as in package wire

	whole bool // it is an answer behind which nothing follows
}

// noteInput notes input in the transcript at the moment when it is typed. If the terminal echoes the input,
// the entry has its text: a person sees it anyway. Otherwise the entry has only the number of bytes, as they
// may be a password. A program that has the terminal take lines without an echo asks for one.
//
// That a terminal echoes says little: the program may have turned the echo off before the kernel has taken the input. So such
// input is noted when the output after it has begun with the echo, and before that output.
func (in *input) noteInput(taken takenInput, m pty.Modes) {
	if !m.Echo {
		in.noteUnechoed()
	}
	asked := in.questions.standing(in.questions.question.number)
	if asked != nil {
		asked.picture = frame{} // it has the input before
	}
	typed := prompt.Typed{Text: string(taken.data), Whole: taken.whole, Echo: m.Echo}
	in.display.mark(order{typed: &lastInput{typed, m.Canonical, asked}, at: in.log.Next()})
	in.half.take(taken.data, !m.Canonical && in.shellInFront())
	in.shell.noteTyped(taken.data)
	in.masking.noteTyped(taken.data, taken.at)
	taken = in.maskInput(taken)
	switch {
	case m.Echo:
		in.echoed = append(in.echoed, taken)
	case m.Canonical:
		in.noteBytes(taken)
		in.display.mark(order{interrupted: true, at: in.log.Next()})
	default:
		in.noteHidden(taken)
	}
}

// noteBytes notes input without its text.
func (in *input) noteBytes(taken takenInput) {
	in.log.Note(transcript.Entry{At: taken.at.Sub(in.started), Kind: transcript.Input, Bytes: int64(len(taken.data)), By: taken.by})
}

// noteShown notes the text of earlier input, which the program has shown. The screen feed calls it, and waits until the
// loop takes the note: for ever if the holder has left its loop, when the picture serves nobody.
func (in *input) noteShown(t shownText) {
	in.done <- func() {
		in.log.Note(transcript.Entry{
			At: time.Since(in.started), Kind: transcript.Input, Text: in.masks.String(t.text), By: t.by,
			First: t.first.Sub(in.started), Last: t.last.Sub(in.started),
		})
	}
}

// noteEchoed notes the input whose echo output begins with. Of what follows in output, one echo begins where the one before ends.
func (in *input) noteEchoed(output []byte) {
	for len(in.echoed) > 0 && len(output) > 0 {
		rest, ok := echoOf(in.echoed[0].data, output)
		in.noteFirst(ok)
		output = rest
	}
}

// noteUnechoed notes the input that still waits for its echo.
func (in *input) noteUnechoed() {
	for len(in.echoed) > 0 {
		_, ok := echoOf(in.echoed[0].data, nil)
		in.noteFirst(ok)
	}
}

// noteFirst notes the first input that waits for its echo.
func (in *input) noteFirst(echoed bool) {
	input := in.echoed[0]
	if in.echoed = in.echoed[1:]; !echoed {
		in.noteHidden(input)
		return
	}
	text := strings.ToValidUTF8(string(input.data), string(utf8.RuneError))
	in.log.Note(transcript.Entry{At: input.at.Sub(in.started), Kind: transcript.Input, Text: text, By: input.by})
	in.display.mark(order{interrupted: true, at: in.log.Next()})
}

// noteHidden notes the number of bytes of input. The text follows if the picture shows it.
func (in *input) noteHidden(taken takenInput) {
	in.display.hidden = true
	in.noteBytes(taken)
	in.display.mark(order{hidden: &taken, at: in.log.Next()})
}

// echoOf reports whether output begins with the echo of data, and returns what follows. Of control characters the echo is not
// known.
func echoOf(data, output []byte) (rest []byte, ok bool) {
	control := func(r rune) bool { return r < ' ' || r == 0x7f }
	output = bytes.TrimLeftFunc(output, control) // of a control character before
	for i, text := range bytes.FieldsFunc(data, control) {
		at := bytes.Index(output, text)
		if at < 0 || at > 0 && i == 0 && !control(rune(data[0])) {
			return output, false
		}
		output = output[at+len(text):]
	}
	return output, true
}

// unechoedAt returns when the first input that waits for its echo has waited long enough, or a zero time. An echo may be held back.
func (in *input) unechoedAt() time.Time {
	if len(in.echoed) == 0 || in.held.Load() {
		return time.Time{}
	}
	return in.echoed[0].at.Add(echoPatience)
}
