package line

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// unescapeC decodes the escapes of $'…' in bash.
func unescapeC(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		i++
		switch c := text[i]; c {
		case 'x', 'u', 'U':
			most := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
			end := i + 1
			for end < len(text) && end-i <= most && isHex(text[end]) {
				end++
			}
			n, _ := strconv.ParseUint("0"+text[i+1:end], 16, 32)
			if c == 'x' {
				b.WriteByte(byte(n))
			} else {
				b.Write(utf8.AppendRune(nil, rune(n)))
			}
			i = end - 1
		case '0', '1', '2', '3', '4', '5', '6', '7':
			end := i
			for end < len(text) && end-i < 3 && text[end] >= '0' && text[end] <= '7' {
				end++
			}
			n, _ := strconv.ParseUint(text[i:end], 8, 16)
			b.WriteByte(byte(n))
			i = end - 1
		case 'c':
			if i++; i < len(text) {
				b.WriteByte(text[i] & 0x1f)
			}
		default:
			b.WriteString(escapeC(c))
		}
	}
	return strings.Map(func(r rune) rune { // a sign that was escaped is no sign
		if r < ' ' && strings.ContainsRune(Signs+"\x00", r) {
			return -1
		}
		return r
	}, b.String())
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f'
}

// escapeC returns the character of an escape of one letter.
func escapeC(c byte) string {
	if i := strings.IndexByte("abeEfnrtv\\'\"?", c); i >= 0 {
		return "\a\b\x1b\x1b\f\n\r\t\v\\'\"?"[i : i+1]
	}
	return "\\" + string(rune(c))
}

// Unescape decodes the escapes that $'…' of bash has in common with the strings of most languages.
func Unescape(text string) string { return unescapeC(text) }
