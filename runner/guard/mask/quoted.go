package mask

import (
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// quoted returns value as it is written in the mark of an integrated shell, in JSON, in HTML and by bash.
func quoted(value string) []string {
	mark := strings.NewReplacer(`\`, `\\`, "\n", `\n`).Replace(value)
	return append(append(append(inJSON(value), inHTML(value)...), inBash(value)...), mark)
}

// inJSON returns value as a string of JSON: the shortest, for HTML, as Go writes it, with \/, as PHP does, and in ASCII, as Python does.
func inJSON(value string) []string {
	text := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(value)
	slashes := strings.ReplaceAll(text, "/", `\/`)
	return []string{
		text, strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`).Replace(text), slashes, inASCII(text), inASCII(slashes),
	}
}

// inASCII returns text with \uXXXX for each UTF-16 unit beyond ASCII.
func inASCII(text string) string {
	if !utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for _, unit := range utf16.Encode([]rune(text)) {
		if unit < 0x80 {
			b.WriteByte(byte(unit))
		} else {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}

// inHTML returns value as text of HTML and XML, and as the value of an attribute there. Encoders differ in the quotes.
func inHTML(value string) []string {
	text := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(value)
	list := []string{text}
	for _, double := range []string{"&quot;", "&#34;"} {
		half := strings.ReplaceAll(text, `"`, double)
		list = append(list, half)
		for _, single := range []string{"&#39;", "&#x27;", "&#039;", "&apos;"} {
			list = append(list, strings.ReplaceAll(half, "'", single))
		}
	}
	return list
}

// inBash returns value as bash(1) writes it in single quotes, in double quotes (declare -p), with backslashes (printf %q), and in $”
// if it has control characters.
func inBash(value string) []string {
	list := []string{
		strings.ReplaceAll(value, "'", `'\''`),
		strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(value),
	}
	var words, control strings.Builder
	for i, c := range []byte(value) {
		if strings.IndexByte(" !\"$&'()*,;<>?[\\]^`{|}", c) >= 0 || i == 0 && (c == '~' || c == '#') {
			words.WriteByte('\\')
		}
		words.WriteByte(c)
		switch name := strings.IndexByte("\a\b\x1b\f\n\r\t\v'\\", c); {
		case name >= 0:
			control.WriteString(`\` + `abEfnrtv'\`[name:name+1])
		case c < ' ', c == 0x7f:
			fmt.Fprintf(&control, `\%03o`, c)
		default:
			control.WriteByte(c)
		}
	}
	return append(list, words.String(), control.String())
}
