package ledger

import (
	"errors"
	"strconv"
	"strings"
)

// A Position is a place in the output of a session. As text it is one word, SESSIONID:OFFSET, without characters that
// are special in a shell.
type Position struct {
	Session string // id of the session; "": the session with which the position is used
	Offset  int64  // number of bytes before the place
}

var errNoPosition = errors.New("invalid offset: use a number of bytes, or next from an earlier answer (SESSIONID:OFFSET)")

// ParsePosition parses a position or a bare offset.
func ParsePosition(text string) (Position, error) {
	id, digits, named := strings.Cut(text, ":")
	if !named {
		id, digits = "", text
	}
	offset, err := strconv.ParseUint(digits, 10, 63)
	if err != nil || named && !isID(id) {
		return Position{}, errNoPosition
	}
	return Position{Session: id, Offset: int64(offset)}, nil
}

// Of reports whether p can be a place in the output of session id.
func (p Position) Of(id string) bool { return p.Session == "" || p.Session == id }

// String returns the position in the notation of ParsePosition.
func (p Position) String() string {
	offset := strconv.FormatInt(p.Offset, 10)
	if p.Session == "" {
		return offset
	}
	return p.Session + ":" + offset
}

// MarshalText makes a position one string in JSON.
func (p Position) MarshalText() ([]byte, error) { return []byte(p.String()), nil }
