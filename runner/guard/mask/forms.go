package mask

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
)

// forms returns the forms in which a secret is found: its own and those of its lines.
func forms(value string) []string {
	value = hidden(value)
	list := written(value)
	if strings.Contains(value, "\n") {
		list = append(list, strings.ReplaceAll(value, "\n", "\r\n")) // a terminal prints a line feed with a carriage return before it
		list = append(list, strings.ReplaceAll(value, "\n", " "))    // a shell does so where a variable has no quotes
		list = append(list, strings.Join(strings.Fields(value), " "))
		for line := range strings.Lines(value) {
			if line = strings.TrimSpace(line); Check(line) == nil && !isBoundary(line) {
				list = append(append(list, line), quoted(line)...)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// hidden returns what of a value is hidden: all but a beginning that says only of what kind it is, the scheme of a URL or the first
// line of a PEM file. Text of the same kind would be held back, and masked where a program pauses in it.
func hidden(value string) string {
	rest := value
	if scheme, after, ok := strings.Cut(value, "://"); ok && len(scheme) <= mostScheme && strings.Trim(scheme, schemeChars) == "" {
		rest = after
	} else if line, after, ok := strings.Cut(value, "\n"); ok && isBoundary(strings.TrimSpace(line)) {
		rest = after
	}
	if Check(rest) != nil {
		return value
	}
	return rest
}

// The schemes of URLs that hidden knows: most have fewer letters.
const (
	mostScheme  = 20
	schemeChars = "abcdefghijklmnopqrstuvwxyz0123456789+"
)

// isBoundary reports whether a line is the first or last one of a key or certificate, RFC 7468 (section 2).
func isBoundary(line string) bool {
	label, ok := strings.CutSuffix(line, "-----")
	if !ok {
		return false
	}
	begin, isBegin := strings.CutPrefix(label, "-----BEGIN ")
	end, isEnd := strings.CutPrefix(label, "-----END ")
	return isBegin && isLabel(begin) || isEnd && isLabel(end)
}

func isLabel(text string) bool {
	return strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ") == ""
}

// written returns value as programs write it.
func written(value string) []string {
	list := append([]string{value}, quoted(value)...)
	for _, alphabet := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		list = append(list, inBase64(value, alphabet)...)
	}
	return append(list, inURL(value)...)
}

// inBase64 returns what stands for value in the base64 of texts that contain it: each of the three alignments, without the
// characters that stand for bits of its neighbours, too. It also returns the whole base64 of value, in the lines of base64(1) and of
// PEM.
func inBase64(value string, alphabet *base64.Encoding) []string {
	whole := alphabet.EncodeToString([]byte(value))
	list := []string{whole}
	var lines []string // texts that are broken into lines
	for before := range 3 {
		text := alphabet.EncodeToString([]byte("\x00\x00"[:before] + value))
		inner := text[(8*before+5)/6 : 8*(before+len(value))/6]
		list = append(list, inner)
		if before == 0 {
			lines = []string{whole, inner}
		}
	}
	for _, text := range lines {
		for _, width := range []int{76, 64} {
			if len(text) > width {
				list = append(list, wrapped(text, width, "\n"), wrapped(text, width, "\r\n"))
			}
		}
	}
	return list
}

// wrapped returns text with a line break after each width bytes.
func wrapped(text string, width int, lineBreak string) string {
	var b strings.Builder
	for len(text) > width {
		b.WriteString(text[:width] + lineBreak)
		text = text[width:]
	}
	return b.String() + text
}

// The bytes that an encoder of URLs leaves as they are, besides letters and digits.
var unreserved = []string{
	"-_.~",                 // RFC 3986, section 2.3; url.QueryEscape, quote of Python without safe characters
	"-_.~/",                // quote of Python
	"-_.",                  // older RFCs; urlencode of PHP
	"*-._",                 // application/x-www-form-urlencoded
	"-_.!~*'()",            // encodeURIComponent of JavaScript
	"-_.!~*'();/?:@&=+$,#", // encodeURI of JavaScript
	"-_.~$&+=:@",           // url.PathEscape
	"-_.~!$&'()*+,;=:@/",   // path of RFC 3986, section 3.3
}

// inURL returns the forms of value in a URL that differ from it.
func inURL(value string) (list []string) {
	for _, kept := range unreserved {
		for _, format := range []string{"%%%02X", "%%%02x"} {
			for _, space := range []string{"+", "%20"} {
				if form := percent(value, kept, format, space); form != value {
					list = append(list, form)
				}
			}
		}
	}
	return list
}

func percent(value, kept, format, space string) string {
	var b strings.Builder
	for _, c := range []byte(value) {
		switch {
		case c == ' ':
			b.WriteString(space)
		case c < 0x80 && (c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || strings.IndexByte(kept, c) >= 0):
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, format, c)
		}
	}
	return b.String()
}
