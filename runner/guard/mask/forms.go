package mask

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
)

// forms returns the forms in which a secret is found. None is shorter than the secret.
func forms(value string) []string {
	list := []string{value}
	if strings.Contains(value, "\n") { // a terminal prints a line feed with a carriage return before it
		list = append(list, strings.ReplaceAll(value, "\n", "\r\n"))
	}
	for _, alphabet := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		list = append(list, inBase64(value, alphabet)...)
	}
	list = append(list, inURL(value)...)
	list = append(list, quoted(value)...)
	slices.Sort(list)
	return slices.Compact(list)
}

// quoted returns value as it is written in the mark of an integrated shell, in a string of JSON, and in one that may stand in HTML, as Go
// and others write it.
func quoted(value string) []string {
	mark := strings.NewReplacer(`\`, `\\`, "\n", `\n`).Replace(value)
	text := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(value)
	return []string{mark, text, strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`).Replace(text)}
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
