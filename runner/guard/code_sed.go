package guard

import "strings"

// A sedScript is what a script of sed does to the system, sed(1) "COMMAND SYNOPSIS".
type sedScript struct {
	commands []string // lines for a shell: those of e, and what s///e inserts
	files    []string // written by w, W and s///w
	space    bool     // e and s///e execute the text that sed reads
}

// readSed reads a script of sed, as far as it can be read.
func readSed(text string) (script sedScript) {
	r := sedReader{text: text}
	for r.skipAddress(); r.at < len(r.text); r.skipAddress() {
		command := r.text[r.at]
		r.at++
		switch command {
		case 's', 'y':
			if r.at == len(r.text) {
				return script
			}
			delimiter := r.text[r.at]
			r.at++
			r.until(delimiter)
			with := r.until(delimiter)
			if command == 's' {
				r.flags(&script, with)
			}
		case 'e':
			if line := strings.TrimSpace(r.until('\n')); line != "" {
				script.commands = append(script.commands, line)
			} else {
				script.space = true
			}
		case 'w', 'W':
			script.files = append(script.files, strings.TrimSpace(r.until('\n')))
		case 'a', 'i', 'c', 'r', 'R', '#':
			r.until('\n')
		}
	}
	return script
}

// A sedReader is at a place of a script.
type sedReader struct {
	text string
	at   int
}

// skipAddress goes to the letter of the next command.
func (r *sedReader) skipAddress() {
	for ; r.at < len(r.text); r.at++ {
		switch c := r.text[r.at]; {
		case c == '/':
			r.at++
			r.until('/')
			r.at--
		case c == '\\' && r.at+1 < len(r.text):
			r.at += 2
			r.until(r.text[r.at-1])
			r.at--
		case strings.IndexByte("0123456789,$!~+ \t\n;{}", c) < 0:
			return
		}
	}
}

// until returns the text before a delimiter, and goes behind that.
func (r *sedReader) until(delimiter byte) string {
	from := r.at
	for ; r.at < len(r.text); r.at++ {
		switch r.text[r.at] {
		case delimiter:
			r.at++
			return r.text[from : r.at-1]
		case '\\':
			r.at++
		}
	}
	r.at = len(r.text)
	return r.text[min(from, r.at):]
}

// flags reads what stands behind s/…/WITH/.
func (r *sedReader) flags(script *sedScript, with string) {
	for ; r.at < len(r.text) && strings.IndexByte(";}\n", r.text[r.at]) < 0; r.at++ {
		switch r.text[r.at] {
		case 'e':
			script.space = true
			script.commands = append(script.commands, strings.ReplaceAll(with, `\/`, "/"))
		case 'w':
			r.at++
			script.files = append(script.files, strings.TrimSpace(r.until('\n')))
			return
		}
	}
}
