package attach

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Keys are pressed one after the other for something of attach itself. They are stored as the control characters and letters
// that they type, and altPageUp.
type Keys []byte

// altPageUp stands for the key PageUp with Alt.
const altPageUp = 0x80

const altPageUpName = "alt-pageup"

// The keys in force where a person chooses no others.
var (
	DefaultDetachKeys = Keys{0x1c} // ctrl-\
	DefaultCopyKeys   = Keys{altPageUp}
)

// ErrBadKeys reports a text that names no Keys.
var ErrBadKeys = errors.New("invalid keys")

// ParseKeys parses keys in the notation of docker, with commas between them. A key is a letter or one of @ [ \ ] ^ _, also with
// ctrl- before it, or alt-pageup. The error is ErrBadKeys.
func ParseKeys(text string) (Keys, error) {
	const signs = `@[\]^_`
	var keys Keys
	for key := range strings.SplitSeq(text, ",") {
		name, control := strings.CutPrefix(key, "ctrl-")
		switch {
		case key == altPageUpName:
			keys = append(keys, altPageUp)
			continue
		case len(name) != 1:
		case control && (name[0] >= 'a' && name[0] <= 'z' || strings.Contains(signs, name)):
			keys = append(keys, name[0]&0x1f)
			continue
		case !control && (name[0] >= 'a' && name[0] <= 'z' || name[0] >= 'A' && name[0] <= 'Z' || strings.Contains(signs, name)):
			keys = append(keys, name[0])
			continue
		}
		return nil, fmt.Errorf("%q: %w: use a letter or one of @ [ \\ ] ^ _, also with ctrl- before it, or alt-pageup; put commas between several keys", text, ErrBadKeys)
	}
	return keys, nil
}

// Begin reports whether the other keys begin with these, so that nobody can press the others whole.
func (k Keys) Begin(other Keys) bool { return bytes.HasPrefix(other, k) }

// String returns the keys in the notation of ParseKeys.
func (k Keys) String() string {
	names := make([]string, len(k))
	for i, c := range k {
		switch {
		case c == altPageUp:
			names[i] = altPageUpName
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

// A hotkey is what Keys are for.
type hotkey int

const (
	detachKey hotkey = iota
	copyKey
	noHotkey
)

// hotkeys look for the keys of hotkeys in typed input. They hold keys back that may begin some, until the next key decides.
// Pasted text, between the brackets of mode 2004, contains no keys.
type hotkeys struct {
	keys    [noHotkey]Keys
	copying bool // in copy mode only the keys that detach count
	held    []typedKey
	part    []byte // unfinished sequence
	pasting bool
}

// A typedKey is a key with the bytes that the terminal sent for it.
type typedKey struct {
	// key is the character that the key types, or altPageUp. It is otherKey for a key that no Keys have, and noKey for input
	// that is no key by itself.
	key   int
	bytes []byte
}

const (
	otherKey = -1
	noKey    = -2
)

var pasteBegin, pasteEnd = []byte("\x1b[200~"), []byte("\x1b[201~")

// take returns the part of the input that is before the first hotkey, that hotkey or noHotkey, and what follows it.
func (h *hotkeys) take(input []byte) (pass []byte, hit hotkey, rest []byte) {
	input = append(h.part, input...)
	h.part = nil
	for len(input) > 0 {
		if h.pasting {
			n := bytes.Index(input, pasteEnd)
			if n < 0 {
				keep := partialSuffix(input, pasteEnd)
				pass = append(pass, input[:len(input)-keep]...)
				h.part = bytes.Clone(input[len(input)-keep:])
				return pass, noHotkey, nil
			}
			n += len(pasteEnd)
			pass, input, h.pasting = append(pass, input[:n]...), input[n:], false
			continue
		}
		plain := 0
		for len(h.held) == 0 && plain < len(input) && input[plain] != 0x1b && !h.mayBegin(input[plain]) {
			plain++
		}
		if plain > 0 {
			pass, input = append(pass, input[:plain]...), input[plain:]
			continue
		}
		k, whole := nextKey(input)
		if !whole {
			h.part = bytes.Clone(input)
			return pass, noHotkey, nil
		}
		input = input[len(k.bytes):]
		h.pasting = bytes.Equal(k.bytes, pasteBegin)
		h.held = append(h.held, typedKey{k.key, bytes.Clone(k.bytes)})
		if k.key == noKey && len(h.held) > 1 {
			continue
		}
		hit, begun := h.matched()
		for ; !begun; hit, begun = h.matched() {
			pass = append(pass, h.held[0].bytes...)
			h.held = h.held[1:]
		}
		if hit != noHotkey {
			h.held = nil
			return pass, hit, input
		}
	}
	return pass, noHotkey, nil
}

// active returns the keys that count now.
func (h *hotkeys) active() []Keys {
	if h.copying {
		return h.keys[:copyKey]
	}
	return h.keys[:]
}

// mayBegin reports whether a character is the first key of a hotkey.
func (h *hotkeys) mayBegin(c byte) bool {
	return slices.ContainsFunc(h.active(), func(keys Keys) bool { return c == keys[0] })
}

// matched returns the hotkey that the held keys are, or noHotkey. begun is false if they do not even begin one.
func (h *hotkeys) matched() (hit hotkey, begun bool) {
	for which, keys := range h.active() {
		n := 0
		for i, k := range h.held {
			switch {
			case n < 0 || k.key == noKey && i > 0:
			case n < len(keys) && k.key == int(keys[n]):
				n++
			default:
				n = -1
			}
		}
		if n == len(keys) {
			return hotkey(which), true
		}
		begun = begun || n >= 0
	}
	return noHotkey, begun
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
	if bytes.HasPrefix(input, escapedPageUp) {
		return typedKey{altPageUp, input[:len(escapedPageUp)]}, true
	}
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
			} else if input[end] == '~' {
				key = pageUpKey(string(input[2:end]))
			}
			return typedKey{key, input[:end+1]}, true
		}
	}
	if input[0] < utf8.RuneSelf {
		return typedKey{int(input[0]), input[:1]}, true
	}
	return typedKey{otherKey, input[:1]}, true
}

// escapedPageUp is what some terminals send for PageUp with Alt.
var escapedPageUp = []byte("\x1b\x1b[5~")

// pageUpKey returns altPageUp if the parameters of CSI ~ report PageUp with Alt, noKey if they report that it is released, and
// otherwise otherKey.
func pageUpKey(params string) int {
	code, modifiers, _ := strings.Cut(params, ";")
	modifiers, event, _ := strings.Cut(modifiers, ":")
	bits, _ := strconv.Atoi(modifiers) // none if they are not a number
	switch {
	case code != "5" || (bits-1)&^lockBits != altBit:
		return otherKey
	case event == releaseEvent:
		return noKey
	}
	return altPageUp
}

// The bits of modifiers, and the codes of keys that are modifiers, in the kitty keyboard protocol.
const (
	shiftBit, altBit        = 1, 2
	controlBit              = 4
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
