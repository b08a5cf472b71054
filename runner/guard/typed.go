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

// UnknownLine stands in typed text for a line of which nothing is known: no environment has this variable.
const UnknownLine = "$DEVTOOLS_TYPED_LINE"

// typed judges typed text as the program would get it that reads it. A shell reads on until the command has ended.
func (j *judge) typed(shell, dir string) {
	text := edited(j.call.Line)
	p, tabled := known(shell)
	if j.call.Unknown != "" {
		text, tabled = UnknownLine, false
	}
	if language := cmp.Or(p.words["file"], p.code); tabled && language != "" && j.call.Shell != "" {
		j.call.Lang, j.call.Code = language, text
		_ = j.ev.Start([]string{codeOfCall}, dir)
		return
	}
	if shell == "zsh" || shell == "csh" || shell == "tcsh" { // # begins no comment where they ask for lines: "INTERACTIVE_COMMENTS" in zshoptions(1)
		bare := strings.NewReplacer(" #", ` \#`, "\t#", "\t\\#", ";#", `;\#`, "|#", `|\#`, "&#", `&\#`, "\n#", "\n\\#").Replace("\n" + text)
		j.tolerant(func() { _ = j.ev.Evaluate(bare, shell, dir, nil) })
	}
	closed := text
	if p.has("sh") && shell != "fish" {
		closed += line.Waits(text).Closing
	}
	err := j.ev.Evaluate(closed, shell, dir, nil)
	if err == nil {
		return
	}
	isShell := p.has("sh") || j.call.Shell == ""
	for l := range strings.SplitSeq(text, "\n") {
		if l = strings.TrimSpace(l); l != "" && !j.typedLine(l, shell, dir) && isShell && j.call.Kind != KindAnswer {
			j.unknown(notUnderstood(err))
		}
	}
}

// typedLine judges a line that may be a part of a command, such as the beginning of a text in quotes or of a loop.
func (j *judge) typedLine(text, shell, dir string) bool {
	text += line.Waits(text).Closing
	for _, end := range []string{"", "\n:; done", "; do :; done", "\n:; fi", "; then :; fi", "\n:; }", "\n) :;; esac"} {
		ev := &line.Evaluation{Visit: j.visit, Read: j.read, Env: j.variable}
		if line.Check(text+end) != nil {
			continue
		}
		j.ev = ev
		return j.ev.Evaluate(text+end, shell, dir, nil) == nil
	}
	return false
}

// Interpreter reports whether a command starts an interpreter that has no program yet, and so asks for one line after the other, as
// python3 -q does.
func Interpreter(argv []string) bool {
	if len(argv) == 0 {
		return false
	}
	p, tabled := known(baseName(argv[0]))
	x := invocation{table: p}
	var operands []int
	x.options, operands = p.split(argv)
	return tabled && (p.has("file") || p.code != "") && len(operands)+len(x.values("code"))+len(x.values("module")) == 0
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
