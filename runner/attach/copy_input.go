package attach

import (
	"bytes"
	"unicode/utf8"
)

// A copyAction is what a key does in copy mode.
type copyAction struct {
	do   copyKind
	text string // what insertText inserts
}

type copyKind int

const (
	beginCopy copyKind = iota
	endCopy
	moveUp
	moveDown
	moveLeft
	moveRight
	pageUp
	pageDown
	halfUp
	halfDown
	moveTop
	moveBottom
	askForward  // ask what to search for, downwards
	askBackward // the same, upwards
	searchAgain
	searchBack // in the other direction
	insertText // into what is searched for
	eraseText  // its last character
	clearText
	search // for it
	dropText
	noAction
)

// A copyInput turns typed input into what it does in copy mode.
type copyInput struct {
	on        bool   // copy mode is on; take switches it off
	prompting bool   // a person types what to search for
	part      []byte // unfinished key
	pasting   bool
}

// begin switches copy mode on.
func (c *copyInput) begin() copyAction {
	*c = copyInput{on: true}
	return copyAction{do: beginCopy}
}

// take returns the actions of the input, and what is left of it when they have ended copy mode. ESC at the end is kept: it
// may be the beginning of a key whose rest will come.
func (c *copyInput) take(input []byte) (actions []copyAction, rest []byte) {
	input = append(c.part, input...)
	c.part = nil
	for len(input) > 0 && c.on {
		n := copyKeyLength(input)
		if n == 0 {
			c.part = bytes.Clone(input)
			return actions, nil
		}
		key := input[:n]
		input = input[n:]
		if a := c.action(string(key)); a.do != noAction {
			actions = append(actions, a)
		}
	}
	return actions, input
}

// settle returns the actions of the ESC that take has kept, because nothing has followed it.
func (c *copyInput) settle() (actions []copyAction) {
	for ; c.open(); c.part = c.part[1:] {
		actions = append(actions, c.action("\x1b"))
	}
	return actions
}

// open reports whether take has kept ESC alone.
func (c *copyInput) open() bool {
	return c.on && len(c.part) > 0 && len(bytes.Trim(c.part, "\x1b")) == 0
}

// action returns what a key does.
func (c *copyInput) action(key string) copyAction {
	switch {
	case key == string(pasteBegin), key == string(pasteEnd):
		c.pasting = key == string(pasteBegin)
		return copyAction{do: noAction}
	case c.prompting:
		return c.promptAction(key)
	case c.pasting: // pasted text is no command
		return copyAction{do: noAction}
	}
	a := copyAction{do: copyKindOf(key)}
	switch a.do {
	case endCopy:
		c.on = false
	case askForward, askBackward:
		c.prompting = true
	}
	return a
}

// promptAction returns what a key does while a person types what to search for.
func (c *copyInput) promptAction(key string) copyAction {
	switch {
	case key[0] >= ' ' && key[0] != 0x7f && utf8.ValidString(key):
		return copyAction{insertText, key}
	case c.pasting:
	case key == "\x7f", key == "\b":
		return copyAction{do: eraseText}
	case key == "\x15": // ctrl-u
		return copyAction{do: clearText}
	case key == "\r", key == "\n":
		c.prompting = false
		return copyAction{do: search}
	case key == "\x1b", key == "\x03":
		c.prompting = false
		return copyAction{do: dropText}
	}
	return copyAction{do: noAction}
}

// copyKindOf returns what a key does while nothing is typed to search for.
func copyKindOf(key string) copyKind {
	switch key {
	case "q", "\x1b", "\r", "\n", "\x03":
		return endCopy
	case "k", "\x10":
		return moveUp
	case "j", "\x0e":
		return moveDown
	case "h", "\b", "\x7f":
		return moveLeft
	case "l":
		return moveRight
	case "\x02":
		return pageUp
	case "\x06":
		return pageDown
	case "\x15":
		return halfUp
	case "\x04":
		return halfDown
	case "g":
		return moveTop
	case "G":
		return moveBottom
	case "/":
		return askForward
	case "?":
		return askBackward
	case "n":
		return searchAgain
	case "N":
		return searchBack
	}
	return sequenceKind(key)
}

// sequenceKind returns what an escape sequence of a key does, whatever the modifiers.
func sequenceKind(key string) copyKind {
	if len(key) < 3 || key[0] != 0x1b || bytes.Contains([]byte(key), []byte(":"+releaseEvent)) {
		return noAction
	}
	switch key[len(key)-1] {
	case 'A':
		return moveUp
	case 'B':
		return moveDown
	case 'C':
		return moveRight
	case 'D':
		return moveLeft
	case '~':
		switch params := key[2:]; {
		case params[0] == '5', key == string(escapedPageUp):
			return pageUp
		case params[0] == '6':
			return pageDown
		}
	}
	return noAction
}

// copyKeyLength returns the length of the first key of the input, or 0 if its rest is still to come.
func copyKeyLength(input []byte) int {
	const longest = 64 // bytes of a key, or of a reply of the terminal that came late
	if input[0] != 0x1b {
		if !utf8.FullRune(input) {
			return 0
		}
		_, n := utf8.DecodeRune(input)
		return n
	}
	begin := 1
	if bytes.HasPrefix(input, []byte("\x1b\x1b[")) {
		begin = 2 // a key with Alt
	}
	switch {
	case len(input) == begin, string(input) == "\x1b\x1b":
		return 0
	case input[begin] == 'O' && len(input) == begin+1:
		return 0
	case input[begin] == 'O':
		return begin + 2
	case input[begin] != '[' && input[begin] != 0x1b && input[begin] >= ' ':
		return begin + 1 // a character with Alt
	case input[begin] != '[':
		return begin
	}
	for n := begin + 1; n < len(input); n++ {
		if input[n] < ' ' || input[n] > '?' || n > longest {
			return n + 1
		}
	}
	return 0
}
