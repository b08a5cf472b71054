package commands

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/urfave/cli/v3"

	"devtools/completions"
)

// A cursor is the place on the command line where a word is completed.
type cursor struct {
	root, cmd *cli.Command      // cmd is root before the name of a command, and nil behind a wrong name
	args      []string          // the arguments of cmd before the word
	values    map[string]string // the values of the flags before it, by their first names
	word      string            // the word, up to the cursor
	at        int               // its index
	flag      cli.Flag          // the flag whose value it is, or nil
	prefix    string            // what stands in the word before this value, as --until=
	literal   bool              // a -- is before it: no flag follows
	program   int               // index of the word that names the program which cmd starts; 0: there is none before or at the cursor
}

// newCursor finds the place of the last of words.
func newCursor(root *cli.Command, words []string) *cursor {
	c := &cursor{root: root, cmd: root, values: map[string]string{}, at: len(words) - 1, word: words[len(words)-1]}
	for i := 1; i < c.at && c.cmd != nil && c.program == 0; i++ {
		switch word := words[i]; {
		case c.literal:
			c.argument(word, i)
		case word == "--":
			c.literal = true
		case isSignal(c.cmd, word):
		case isFlag(word):
			parts, last, open := flagWords(root, c.cmd, word)
			for _, part := range parts {
				c.keep(part)
			}
			switch i++; {
			case !open:
				i--
			case i < c.at:
				c.values[last.Names()[0]] = words[i]
			default:
				c.flag = last
			}
		default:
			c.argument(word, i)
		}
	}
	if c.program == 0 && c.flag == nil && c.cmd != nil {
		c.place()
	}
	return c
}

// argument takes the word at index i, which is no flag.
func (c *cursor) argument(word string, i int) {
	switch {
	case c.cmd == c.root:
		c.cmd = c.root.Command(word)
	case c.wraps():
		c.program = i
	default:
		c.args = append(c.args, word)
	}
}

// wraps reports whether the next argument is the name of a program, and others are for the program.
func (c *cursor) wraps() bool {
	_, wraps := wraps[c.cmd.Name]
	_, classifies := c.values["classify"]
	_, script := c.values["lang"]
	explains := c.cmd.Name == "policy" && slices.Equal(c.args, []string{"check"})
	return wraps && !script || classifies || explains
}

// keep notes the value of a flag that is written as --name=value or -n=value.
func (c *cursor) keep(part string) {
	name, value, _ := strings.Cut(strings.TrimLeft(part, "-"), "=")
	if flag := flagNamed(c.root, c.cmd, name); flag != nil {
		c.values[flag.Names()[0]] = value
	}
}

// place finds out what the word itself is.
func (c *cursor) place() {
	switch {
	case c.literal || !strings.HasPrefix(c.word, "-"):
		if c.cmd != c.root && c.wraps() {
			c.program = c.at
		}
	case len(c.word) > 1:
		c.attached()
	}
}

// attached finds the flag whose value stands in the word itself: --name=value, -n=value, -nvalue, also behind other short flags.
func (c *cursor) attached() {
	if name, _, ok := strings.Cut(c.word, "="); ok {
		if flag := flagNamed(c.root, c.cmd, strings.TrimLeft(name, "-")); takesValue(flag) {
			c.flag, c.prefix = flag, name+"="
			return
		}
	}
	if c.word[1] == '-' || flagNamed(c.root, c.cmd, c.word[1:]) != nil {
		return
	}
	for i, letter := range c.word[1:] {
		flag := flagNamed(c.root, c.cmd, string(letter))
		after := 1 + i + utf8.RuneLen(letter)
		if takesValue(flag) && after < len(c.word) {
			c.flag, c.prefix = flag, c.word[:after]
		}
		if flag == nil || takesValue(flag) {
			return
		}
	}
}

// answer returns what can come at the cursor.
func (c *cursor) answer() (a completions.Answer) {
	switch {
	case c.program > 0:
		return completions.Answer{Left: completions.Command, At: c.program}
	case c.flag != nil:
		c.complete(placeholderOf(c.flag), &a)
	case !c.literal && strings.HasPrefix(c.word, "-"):
		a.Words = c.flags()
	case c.cmd == c.root:
		a.Words = commandWords()
	default:
		c.complete(c.argumentKind(), &a)
	}
	for i := range a.Words {
		a.Words[i] = completions.Word{Text: c.prefix + a.Words[i].Text, About: oneLine(a.Words[i].About)}
	}
	if a.Left != "" && a.Left != completions.Command {
		a.At += utf8.RuneCountInString(c.prefix)
	}
	return a
}

// flags returns the flags of the command, and for kill the signals as kill -HUP takes them.
func (c *cursor) flags() (words []completions.Word) {
	flags := slices.Concat(c.cmd.Flags, []cli.Flag{cli.HelpFlag})
	if c.cmd == c.root {
		flags = append(flags, cli.VersionFlag)
	}
	for _, flag := range c.root.Flags {
		if c.cmd != c.root && !isRootOnly(c.root, flag) {
			flags = append(flags, flag)
		}
	}
	for _, flag := range flags {
		for _, name := range flag.Names() {
			words = append(words, completions.Word{Text: dash(name), About: flagUsage(flag)})
		}
	}
	if c.cmd.Name == "kill" && len(c.word) > 1 && unicode.IsUpper(rune(c.word[1])) {
		for _, signal := range signalWords(c.word[1:]) {
			words = append(words, completions.Word{Text: "-" + signal.Text})
		}
	}
	return words
}

// argumentKind returns the placeholder of the argument at the cursor in the usage of the command. The last one may be repeated.
func (c *cursor) argumentKind() string {
	kinds := argumentKinds(c.cmd)
	n := len(c.args)
	if c.values["t"] != "" {
		kinds = slices.DeleteFunc(kinds, func(kind string) bool { return strings.HasPrefix(kind, "NAME") })
	}
	switch {
	case n < len(kinds):
		return kinds[n]
	case len(kinds) > 0 && strings.Contains(kinds[len(kinds)-1], "…"):
		return kinds[len(kinds)-1]
	}
	return ""
}

// argumentKinds returns the placeholders in the usage of a command, without the alternatives after a vertical bar. One that may be
// repeated ends with "…".
func argumentKinds(cmd *cli.Command) (kinds []string) {
	usage, _, _ := strings.Cut(cmd.ArgsUsage, " | ")
	for word := range strings.FieldsSeq(usage) {
		if word = strings.Trim(word, "[]"); word != "--" {
			kinds = append(kinds, word)
		}
	}
	return kinds
}
