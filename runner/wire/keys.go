package wire

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"devtools/screen"
	"devtools/screen/keys"
)

// The forms of Keys.
const (
	Notation = ""        // names of keys and text, as package keys takes them
	Literal  = "literal" // text, each character as it is
	Bytes    = "bytes"   // raw bytes in one piece
	Hex      = "hex"     // bytes in hexadecimal digits
)

// MaxTyped is the largest number of bytes that one request types.
const MaxTyped = 8 << 20

// Keys says what to type.
type Keys struct {
	Args   []string `json:"-"`
	Form   string   `json:"form,omitzero"`   // Notation, Literal, Bytes or Hex
	Repeat int      `json:"repeat,omitzero"` // number of times; 0 is once
	Paste  bool     `json:"paste,omitzero"`  // type it as a paste, which programs can tell from typing
	Enter  bool     `json:"enter,omitzero"`  // press Enter at the end
}

// Check returns the error in k: wrong notation, or too many bytes. literally says how the caller types text without notation.
func (k Keys) Check(literally string) error {
	_, err := k.Strokes()
	if wrong, ok := errors.AsType[*keys.NotationError](err); ok {
		return errors.New(wrong.With(literally))
	}
	return err
}

// Strokes returns the keys in order. Raw bytes have none: 8 MiB of them took half a gigabyte.
func (k Keys) Strokes() (all []keys.Stroke, err error) {
	switch {
	case k.Form == Hex:
		all, err = keys.Hex(k.Args)
	case k.Paste && k.Form == Notation:
		all, err = keys.ParsePaste(k.Args)
	case k.Paste:
		all = keys.Literal(k.Args)
	case k.Form == Bytes:
	default:
		all, err = k.apart()
	}
	if err != nil {
		return nil, err
	}
	size := 0
	for _, arg := range k.Args {
		size += len(arg)
	}
	if times := max(k.Repeat, 1); size > MaxTyped/times {
		return nil, fmt.Errorf("%d bytes %d times: at most %d bytes can be typed at once", size, times, MaxTyped)
	}
	all = slices.Repeat(all, max(k.Repeat, 1))
	if k.Enter {
		enter, err := keys.Parse([]string{"Enter"})
		if err != nil {
			return nil, err
		}
		all = append(all, enter...)
	}
	return all, nil
}

// apart returns the keys of the arguments, so that the text of each one is a piece of its own. A program that reads several
// letters at once may know only one of them as a key.
func (k Keys) apart() (all []keys.Stroke, err error) {
	for i := range k.Args {
		strokes, arg := []keys.Stroke(nil), k.Args[i:i+1]
		if k.Form == Literal {
			strokes = keys.Literal(arg)
		} else if strokes, err = keys.Parse(arg); err != nil {
			return nil, err
		}
		if all = append(all, strokes...); len(k.Args) > 1 {
			all = append(all, keys.Stroke{})
		}
	}
	return all, nil
}

// Pieces returns what a terminal in the modes m sends for the strokes of k.
func (k Keys) Pieces(strokes []keys.Stroke, m screen.Modes) ([]keys.Piece, error) {
	if k.Form != Bytes || k.Paste {
		return keys.Encode(strokes, keyModes(m), k.Paste)
	}
	pieces := []keys.Piece{{Data: k.bytes()}}
	if k.Enter {
		pieces = append(pieces, keys.Piece{Data: []byte("\r"), Enter: true})
	}
	return pieces, nil
}

// bytes returns the raw bytes of k, without Enter.
func (k Keys) bytes() []byte {
	return []byte(strings.Repeat(strings.Join(k.Args, ""), max(k.Repeat, 1)))
}

// Piped returns what the strokes of k are to a program that reads a pipe. The error is ErrNotPiped.
func (k Keys) Piped(strokes []keys.Stroke) (data []byte, err error) {
	if k.Form == Bytes {
		if data = k.bytes(); k.Enter {
			data = append(data, '\n')
		}
		return data, nil
	}
	if data, err = keys.Piped(strokes); err != nil {
		err = fmt.Errorf("%w: %w", ErrNotPiped, err)
	}
	return data, err
}

// KeysOf returns what was typed in the notation of [Keys], as one argument.
func KeysOf(typed string) string { return keys.Notation(typed) }

// keyModes returns the terminal modes that decide what a key sends.
func keyModes(m screen.Modes) keys.Modes {
	return keys.Modes{
		ApplicationCursor: m.ApplicationCursor,
		ApplicationKeypad: m.ApplicationKeypad,
		BracketedPaste:    m.BracketedPaste,
		NewLine:           m.LineFeedNewLine,
		Kitty:             m.Keyboard,
	}
}
