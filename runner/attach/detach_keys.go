package attach

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// DetachKeys are the keys that end an Attach when they are pressed one after the other. They are stored as the control
// characters and letters that they type.
type DetachKeys []byte

// DefaultDetachKeys is ctrl-\ alone.
var DefaultDetachKeys = DetachKeys{0x1c}

// ErrBadKeys reports keys that cannot be DetachKeys.
var ErrBadKeys = errors.New("invalid detach keys")

// ParseDetachKeys parses keys in the notation of docker, with commas between them. A key is a letter, or ctrl- followed
// by a letter or one of @ [ \ ] ^ _. The error is ErrBadKeys.
func ParseDetachKeys(text string) (DetachKeys, error) {
	var keys DetachKeys
	for key := range strings.SplitSeq(text, ",") {
		name, control := strings.CutPrefix(key, "ctrl-")
		switch {
		case len(name) != 1:
		case control && name[0] >= 'a' && name[0] <= 'z':
			keys = append(keys, name[0]&0x1f)
			continue
		case control && strings.Contains(`@[\]^_`, name):
			keys = append(keys, name[0]&0x1f)
			continue
		case !control && (name[0] >= 'a' && name[0] <= 'z' || name[0] >= 'A' && name[0] <= 'Z'):
			keys = append(keys, name[0])
			continue
		}
		return nil, fmt.Errorf("%q: %w: use a letter, or ctrl- with a letter or one of @ [ \\ ] ^ _; put commas between several keys", text, ErrBadKeys)
	}
	return keys, nil
}

// String returns the keys in the notation of ParseDetachKeys.
func (k DetachKeys) String() string {
	names := make([]string, len(k))
	for i, c := range k {
		switch {
		case c == 0 || c > 26 && c < 0x20:
			names[i] = "ctrl-" + string(rune(c|0x40))
		case c < 0x20:
			names[i] = "ctrl-" + string(rune(c|0x60))
		default:
			names[i] = string(rune(c))
		}
	}
	return strings.Join(names, ",")
}

// A detacher looks for the detach keys in typed input. It holds keys back that may begin them, until the next key
// decides. Pasted text, between the brackets of mode 2004, contains no keys.
type detacher struct {
	keys    DetachKeys
	held    []typedKey
	part    []byte // unfinished sequence
	pasting bool
}

// A typedKey is a key with the bytes that the terminal sent for it.
type typedKey struct {
	// key is the character that the key types. It is otherKey for a key that no DetachKeys have, and noKey for input that is
	// no key by itself.
	key   int
	bytes []byte
}

const (
	otherKey = -1
	noKey    = -2
)

var pasteBegin, pasteEnd = []byte("\x1b[200~"), []byte("\x1b[201~")

// take returns the part of the input for the session, and whether the input contained the detach keys. It drops the
// input after them.
func (d *detacher) take(input []byte) (pass []byte, detach bool) {
	input = append(d.part, input...)
	d.part = nil
	for len(input) > 0 {
		if d.pasting {
			n := bytes.Index(input, pasteEnd)
			if n < 0 {
				keep := partialSuffix(input, pasteEnd)
				pass = append(pass, input[:len(input)-keep]...)
				d.part = bytes.Clone(input[len(input)-keep:])
				return pass, false
			}
			n += len(pasteEnd)
			pass, input, d.pasting = append(pass, input[:n]...), input[n:], false
			continue
		}
		plain := 0
		for len(d.held) == 0 && plain < len(input) && input[plain] != 0x1b && input[plain] != d.keys[0] {
			plain++
		}
		if plain > 0 {
			pass, input = append(pass, input[:plain]...), input[plain:]
			continue
		}
		k, whole := nextKey(input)
		if !whole {
			d.part = bytes.Clone(input)
			return pass, false
		}
		input = input[len(k.bytes):]
		d.pasting = bytes.Equal(k.bytes, pasteBegin)
		d.held = append(d.held, typedKey{k.key, bytes.Clone(k.bytes)})
		if k.key == noKey && len(d.held) > 1 {
			continue
		}
		for d.matched() < 0 {
			pass = append(pass, d.held[0].bytes...)
			d.held = d.held[1:]
		}
		if d.matched() == len(d.keys) {
			d.held = nil
			return pass, true
		}
	}
	return pass, false
}

// matched returns how many of the detach keys are held, or -1 if the held keys do not begin them.
func (d *detacher) matched() int {
	n := 0
	for i, k := range d.held {
		switch {
		case k.key == noKey && i > 0:
		case n < len(d.keys) && k.key == int(d.keys[n]):
			n++
		default:
			return -1
		}
	}
	return n
}

// partialSuffix returns how many bytes at the end of data are the beginning of sought.
func partialSuffix(data, sought []byte) int {
	for n := min(len(sought)-1, len(data)); n > 0; n-- {
		if bytes.HasPrefix(sought, data[len(data)-n:]) {
			return n
		}
	}
	return 0
}

// nextKey returns the first key of the input. whole is false when the input is the beginning of a sequence whose rest
// will come. A lone ESC is a key.
func nextKey(input []byte) (k typedKey, whole bool) {
	const longest = 64
	if len(input) > 2 && input[0] == 0x1b && input[1] == '[' {
		end := 2
		for end < len(input) && end < longest && (input[end] >= '0' && input[end] <= ';') {
			end++
		}
		switch {
		case end == len(input) && end < longest:
			return k, false
		case end < len(input) && end > 2 && (input[end] == 'u' || input[end] == '~'):
			key := otherKey
			if report, ok := parseReport(string(input[2:end]), input[end]); ok {
				key = report.key()
			}
			return typedKey{key, input[:end+1]}, true
		}
	}
	if input[0] < utf8.RuneSelf {
		return typedKey{int(input[0]), input[:1]}, true
	}
	return typedKey{otherKey, input[:1]}, true
}

// The bits of modifiers, and the codes of keys that are modifiers, in the kitty keyboard protocol.
const (
	shiftBit, controlBit    = 1, 4
	lockBits                = 64 | 128
	firstLock, lastLock     = 57358, 57360 // caps lock, scroll lock, num lock
	firstShift, lastShift   = 57441, 57454 // left shift to level 5 shift
	releaseEvent, otherKeys = "3", "27"
)

// A keyReport is the report of one key: CSI CODE:SHIFTED;MODIFIERS:EVENT u (the kitty keyboard protocol) or
// CSI 27;MODIFIERS;CODE ~ (xterm's modifyOtherKeys).
type keyReport struct {
	code      int // character of the key, or the number of a key without a character
	shifted   int // character of the key with shift; 0 if not reported
	modifiers int // bits
	released  bool
}

// parseReport parses the parameters and the final byte of a report. ok is false when they do not report a key.
func parseReport(params string, final byte) (r keyReport, ok bool) {
	fields := strings.Split(params, ";")
	code, modifiers := fields[0], "1"
	switch {
	case final == 'u' && len(fields) > 1:
		modifiers = fields[1]
	case final == 'u':
	case len(fields) == 3 && fields[0] == otherKeys:
		code, modifiers = fields[2], fields[1]
	default:
		return r, false
	}
	code, shifted, _ := strings.Cut(code, ":")
	shifted, _, _ = strings.Cut(shifted, ":")
	modifiers, event, _ := strings.Cut(modifiers, ":")
	var err error
	r.code, err = strconv.Atoi(code)
	r.shifted, _ = strconv.Atoi(shifted) // 0 if there is none
	bits, _ := strconv.Atoi(modifiers)   // none if they are not a number
	r.modifiers, r.released = max(bits-1, 0)&^lockBits, event == releaseEvent
	return r, err == nil
}

// key returns the character that the key types, otherKey or noKey.
func (r keyReport) key() int {
	if r.released || isModifier(r.code) {
		return noKey
	}
	c, bits := r.code, r.modifiers
	if bits&shiftBit != 0 && r.shifted != 0 {
		c, bits = r.shifted, bits&^shiftBit
	}
	switch {
	case bits == 0 && c < utf8.RuneSelf:
		return c
	case bits&^shiftBit == controlBit && c >= '@' && c <= '_' && (c < 'A' || c > 'Z'):
		return c & 0x1f
	case bits == controlBit && (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'):
		return c & 0x1f
	case bits == controlBit && c == ' ':
		return 0
	}
	return otherKey
}

// isModifier reports whether a code of the kitty keyboard protocol is a modifier key, such as shift or caps lock.
func isModifier(code int) bool {
	return code >= firstLock && code <= lastLock || code >= firstShift && code <= lastShift
}
