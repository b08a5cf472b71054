package line

import (
	"strings"
)

// Echo returns what echo writes.
func Echo(args []string) string {
	newline, escapes := "\n", false
	for len(args) > 0 && len(args[0]) > 1 && strings.Trim(args[0][1:], "neE") == "" && args[0][0] == '-' {
		if strings.Contains(args[0], "n") {
			newline = ""
		}
		escapes = strings.Contains(args[0], "e")
		args = args[1:]
	}
	text := strings.Join(args, " ")
	if escapes {
		text = unescapeC(strings.ReplaceAll(text, `\0`, `\`))
	}
	return text + newline
}

// Printf returns what printf writes.
func Printf(args []string) string {
	if args = operands(args); len(args) == 0 {
		return ""
	}
	return format(args)
}

// format formats arguments as printf of a shell does: the format is used again while there are arguments.
func format(args []string) string {
	layout, args := unescapeC(strings.ReplaceAll(args[0], `\0`, `\`)), args[1:]
	var b strings.Builder
	for round := 0; round == 0 || len(args) > 0 && round < 1000; round++ {
		before := len(args)
		for i := 0; i < len(layout); i++ {
			if b.Len() > mostOutput {
				return Unknown
			}
			if layout[i] != '%' || i+1 == len(layout) {
				b.WriteByte(layout[i])
				continue
			}
			if i++; layout[i] == '%' {
				b.WriteByte('%')
				continue
			}
			arg := ""
			if len(args) > 0 {
				arg, args = args[0], args[1:]
			}
			switch layout[i] {
			case 's', 'd', 'i':
				b.WriteString(arg)
			case 'b':
				b.WriteString(unescapeC(strings.ReplaceAll(arg, `\0`, `\`)))
			case 'c':
				b.WriteString(arg[:min(1, len(arg))])
			default:
				return Unknown
			}
		}
		if len(args) == before {
			break
		}
	}
	return b.String()
}
