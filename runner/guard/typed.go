package guard

import (
	"cmp"
	"strings"

	"devtools/stack/line"
)

// typed reports whether the text of a call is typed into a running program.
func (c *Call) typed() bool {
	return c.Kind == KindSendKeys || c.Kind == KindAnswer || c.Kind == KindRunIn
}

// typed judges typed text as the program would get it that reads it.
func (j *judge) typed(shell, dir string) {
	text := edited(j.call.Line)
	p, tabled := known(shell)
	if language := cmp.Or(p.words["file"], p.code); tabled && language != "" && j.call.Shell != "" {
		j.call.Lang, j.call.Code = language, text
		_ = j.ev.Start([]string{codeOfCall}, dir)
		return
	}
	isShell := p.has("sh") || j.call.Shell == ""
	err := j.ev.Evaluate(text, shell, dir, nil)
	if err == nil {
		return
	}
	for l := range strings.SplitSeq(text, "\n") {
		if l = strings.TrimSpace(l); l != "" && !j.typedLine(l, shell, dir) && isShell && j.call.Kind != KindAnswer {
			j.unknown(notUnderstood(err))
		}
	}
}

// typedLine judges a line that may be a part of a command, such as the beginning of a text in quotes.
func (j *judge) typedLine(text, shell, dir string) bool {
	for _, end := range []string{"", "'", `"`, "\n:; done", "; do :; done", "\n:; fi", "; then :; fi", "\n:; }", ")", "`", "\n) :;; esac", "\n:"} {
		ev := &line.Evaluation{Visit: j.visit, Read: j.read, Env: j.variable}
		if line.Check(text+end) != nil {
			continue
		}
		j.ev = ev
		return j.ev.Evaluate(text+end, shell, dir, nil) == nil
	}
	return false
}

// edited returns the lines of typed text as a program gets them: keys that delete are applied.
func edited(text string) string {
	var b []byte
	begin := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '\r', '\n':
			b = append(b, '\n')
			begin = len(b)
		case 0x7f, '\b':
			if len(b) > begin {
				b = b[:len(b)-1]
			}
		case 0x03, 0x15: // Ctrl-C and Ctrl-U
			b = b[:begin]
		case 0x1b:
			i = escaped(text, i)
		case '\t':
			b = append(b, ' ')
		default:
			if c >= ' ' {
				b = append(b, c)
			}
		}
	}
	return string(b)
}

// escaped returns the index of the last byte of an escape sequence.
func escaped(text string, i int) int {
	if i+1 >= len(text) || text[i+1] != '[' && text[i+1] != 'O' {
		return min(i+1, len(text)-1)
	}
	for i += 2; i < len(text); i++ {
		if text[i] >= '@' && text[i] <= '~' {
			return i
		}
	}
	return len(text) - 1
}
