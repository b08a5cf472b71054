package line

import (
	"strconv"
	"strings"
)

// A fishReader writes a text of fish as bash would read it: quotes, backslashes, ( ) and blocks. See fish-language(1). What it does not
// know it leaves as it is: then the parser finds a mistake, or a command that is not there.
type fishReader struct {
	in      string
	at      int
	out     strings.Builder
	open    []byte      // quotes and brackets, from the outside in
	blocks  []fishBlock // that end with the word end, from the outside in
	begins  bool        // a word may begin here
	command bool        // a command may begin here
	dollar  bool        // a $ stands before
	brace   int         // place of a } that only ends {$X}
}

// A fishBlock is a block that has begun.
type fishBlock struct {
	depth   int    // of the brackets around it
	then    string // the word of bash between the first line and the others, as long as that was not written
	end     string // what ends it in bash
	isCases bool   // it is that of switch
}

// fromFish returns a text of fish as bash would read it. What has not ended is ended: quotes, brackets, blocks.
func fromFish(text string) string {
	r := &fishReader{in: text, begins: true, command: true}
	for r.at < len(r.in) {
		r.next()
		if len(r.blocks) > mostDepth {
			return text // bash does not know its words either
		}
	}
	for len(r.blocks)+len(r.open) > 0 {
		depth := 0
		if last := len(r.blocks) - 1; last >= 0 {
			depth = r.blocks[last].depth
		}
		switch {
		case depth > len(r.open): // a bracket has ended within a block
			return r.out.String()
		case depth == len(r.open) && len(r.blocks) > 0:
			r.out.WriteString("\n")
			r.separate()
			r.end()
		default:
			r.out.WriteString(closings[r.within()])
			r.open = r.open[:len(r.open)-1]
		}
	}
	return r.out.String()
}

// within returns the innermost quote or bracket, 0 outside.
func (r *fishReader) within() byte {
	if len(r.open) == 0 {
		return 0
	}
	return r.open[len(r.open)-1]
}

// put writes what bash reads for the next n bytes.
func (r *fishReader) put(text string, n int) {
	r.out.WriteString(text)
	r.at += n
}

// next reads the next character, or a word that begins or ends a block.
func (r *fishReader) next() {
	c, within, afterDollar := r.in[r.at], r.within(), r.dollar
	r.dollar = c == '$' && within != '\''
	plain := within == 0 || within == '('
	if plain && r.command && r.begins && r.word() {
		return
	}
	switch {
	case c == '\\' && r.at+1 < len(r.in):
		text, n := fishEscape(r.in[r.at:], within)
		r.put(text, n)
	case within != '\'' && afterDollar && c == '$': // $$X is what the variable is that X names
		n := nameLength(r.in[r.at+1:])
		r.dollar = false
		r.put("{!"+r.in[r.at+1:][:n]+"}", 1+n)
	case c == '`' && within != '\'':
		r.put("\\`", 1)
	case plain && c == '#' && r.begins:
		r.at += until(r.in[r.at:], "\n")
		return
	case (c == '\'' || c == '"') && within == c, c == ')' && within == '(':
		r.open = r.open[:len(r.open)-1]
		r.put(string(c), 1)
	case c == '\'' && plain, c == '"' && plain, c == '(' && afterDollar:
		r.open = append(r.open, c)
		r.put(string(c), 1)
	case plain && c == '(':
		r.open = append(r.open, c)
		r.put("$(", 1)
	case plain && (c == ';' || c == '\n'):
		r.put(string(c), 1)
		r.separate()
	case plain && strings.HasPrefix(r.in[r.at:], "&|"):
		r.put("|&", 2)
	case plain && strings.HasPrefix(r.in[r.at:], ">|"):
		r.put("|", 2)
		c = '|'
	case plain && c == '{' && r.single():
		r.put("", 1)
	case r.brace > 0 && r.at == r.brace:
		r.put(`""`, 1)
	default:
		r.put(r.in[r.at:r.at+1], 1)
	}
	r.begins = strings.IndexByte(" \t\n;|&(", c) >= 0
	r.command = c == '(' || plain && strings.IndexByte("\n;|&", c) >= 0 || r.command && (c == ' ' || c == '\t')
}

// single reports whether a { begins braces with one element, such as {$X}: they are only around it.
func (r *fishReader) single() bool {
	n := until(r.in[r.at:], "},\n;")
	if r.at+n < len(r.in) && r.in[r.at+n] == '}' && strings.Contains(r.in[r.at:r.at+n], "$") {
		r.brace = r.at + n
		return true
	}
	return false
}

// separate writes the word of bash that follows the first line of a block.
func (r *fishReader) separate() {
	last := len(r.blocks) - 1
	if last >= 0 && r.blocks[last].depth == len(r.open) && r.blocks[last].then != "" {
		r.out.WriteString(r.blocks[last].then + " " + noCommand + ";")
		r.blocks[last].then = ""
	}
}

// noCommand is a line of bash that executes nothing.
const noCommand = "__="

// word reads a word that fish has for itself at the beginning of a command. Others it leaves.
func (r *fishReader) word() bool {
	text := r.in[r.at:]
	n := until(text, " \t\n;|&()<>\\'\"$#")
	begun := func(text, then, end string) {
		r.put(text, n)
		r.blocks = append(r.blocks, fishBlock{depth: len(r.open), then: then, end: end})
	}
	r.begins = false
	switch text[:n] {
	case "and":
		r.put(noCommand+" &&", n)
	case "or":
		r.put(noCommand+" ||", n)
	case "not", "!":
		r.put("", n)
	case "if":
		begun("if", "then", "fi")
	case "while":
		begun("while", "do", "done")
	case "for":
		begun("for", "do", "done")
		r.command = false
	case "begin":
		begun("{ "+noCommand, "", "}")
		r.close(text[n:])
	case "switch":
		begun(":", "", noCommand)
		r.blocks[len(r.blocks)-1].isCases = true
		r.command = false
	case "case":
		r.caseOf(n)
	case "else":
		r.otherwise(n)
	case "function":
		return r.function()
	case "end":
		if len(r.blocks) == 0 {
			r.begins = true
			return false
		}
		r.at += n
		r.end()
		r.command = false
	default:
		r.begins = true
		return false
	}
	return true
}

// close ends a command of bash that fish does not have, if the text behind it does not do that.
func (r *fishReader) close(rest string) {
	if rest = strings.TrimLeft(rest, " \t"); rest != "" && rest[0] != ';' && rest[0] != '\n' && rest[0] != '#' {
		r.out.WriteString(";")
	}
}

// caseOf reads the word case. What the words behind it match is not looked at.
func (r *fishReader) caseOf(n int) {
	last := len(r.blocks) - 1
	r.command = false
	if last < 0 || !r.blocks[last].isCases {
		r.put(":", n)
		return
	}
	if r.blocks[last].end == "fi" {
		r.out.WriteString("fi;")
	}
	r.blocks[last].then, r.blocks[last].end = "then", "fi"
	r.put("if :", n)
}

// otherwise reads the word else, or the words else if.
func (r *fishReader) otherwise(n int) {
	rest := r.in[r.at+n:]
	behind := strings.TrimLeft(rest, " \t")
	last := len(r.blocks) - 1
	switch {
	case last < 0:
		r.put(noCommand, n)
		r.close(rest)
	case strings.HasPrefix(behind, "if") && len(behind) > 2 && strings.IndexByte(" \t", behind[2]) >= 0:
		r.put("elif", n+len(rest)-len(behind)+2)
		r.blocks[last].then = "then"
	default:
		r.put("else "+noCommand, n)
		r.close(rest)
	}
}

// function reads the first line of a function. One that an event calls is called where it ends.
func (r *fishReader) function() bool {
	text := r.in[r.at:]
	n := until(text, ";\n$()\\|&<>")
	if n < len(text) && text[n] != ';' && text[n] != '\n' {
		r.begins = true
		return false
	}
	words := strings.Fields(strings.NewReplacer(" -a", " -a ", " --argument-names=", " --argument-names ").Replace(text[:n]))
	inQuotes := strings.Count(text[:n], "'")%2+strings.Count(text[:n], `"`)%2 > 0 // where it ends
	if len(words) < 2 || inQuotes || strings.ContainsAny(text[:n], "$()\\|&<>") || strings.ContainsAny(words[1], "'\"{*?") {
		r.begins = true
		return false
	}
	r.put(words[1]+"() { "+noCommand, n)
	end, named, place := "}", false, 0
	for _, word := range words[2:] {
		switch {
		case len(word) > 1 && word[0] == '-':
			named = word == "-a" || strings.HasPrefix("--argument-names", word)
			if strings.HasPrefix(word, "--on-") || word[1] != '-' && strings.ContainsAny(word[1:], "evjps") {
				end = "}; " + words[1]
			}
		case named && isName(word):
			place++
			r.out.WriteString("; " + word + "=${" + strconv.Itoa(place) + "}")
		}
	}
	r.blocks = append(r.blocks, fishBlock{depth: len(r.open), end: end})
	return true
}

// until returns the number of bytes before one of some characters, or before the end.
func until(text, characters string) int {
	if n := strings.IndexAny(text, characters); n >= 0 {
		return n
	}
	return len(text)
}

// end ends a block.
func (r *fishReader) end() {
	last := len(r.blocks) - 1
	r.out.WriteString(r.blocks[last].end)
	r.blocks = r.blocks[:last]
}
