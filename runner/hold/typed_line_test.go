package hold

import (
	"slices"
	"strings"
	"testing"
	"time"

	"devtools/ledger"
	"devtools/runner/wire"
)

// A typingStep is what the terminal gets in a test: output of the program, hidden input, or time that goes by.
type typingStep struct {
	prints, types string
	rests         time.Duration
	reset         bool // the terminal echoes, or takes lines without an echo
	prompt        bool // the prompt of the shell ends
	accepts       bool // the shell takes the line
	ends          bool // the program has ended
}

func prints(text string) typingStep      { return typingStep{prints: text} }
func types(text string) typingStep       { return typingStep{types: text} }
func rests(d time.Duration) typingStep   { return typingStep{rests: d} }
func shows(text string) (l []typingStep) { return append(l, types(text), prints(text)) }

const (
	onAlternate = "\x1b[?1049h\x1b[H"
	tooLong     = maxTypedLine + 1
)

var enter, settled = []typingStep{types("\r"), prints("\r\n")}, []typingStep{rests(typedPatience)}

var typingCases = []struct {
	name  string
	steps [][]typingStep
	want  []string
}{
	{"a line", [][]typingStep{shows("ls"), enter}, []string{"ls\r"}},
	{"a line in one write", [][]typingStep{{types("ls\r"), prints("ls\r\nfile\r\n")}}, []string{"ls\r"}},
	{"key by key", [][]typingStep{shows("l"), shows("s"), enter}, []string{"ls\r"}},
	{"a character in two writes", [][]typingStep{{types("\xc3"), types("\xa4b"), prints("äb")}, enter}, []string{"äb\r"}},
	{"two lines", [][]typingStep{shows("ls"), enter, {prints("> ")}, shows("pwd"), enter}, []string{"ls\r", "pwd\r"}},
	{"no echo", [][]typingStep{{types("secret")}, enter, {prints("$ ")}, settled}, nil},
	{"a mask", [][]typingStep{{types("secret"), prints("******")}, enter, settled}, nil},
	{"a mask that shows each character for a moment", [][]typingStep{
		{types("a"), prints("a"), rests(time.Second), prints("\b*"), types("b"), prints("b"), rests(time.Second), prints("\b*")}, enter, settled,
	}, nil},
	{"one character in such a mask", [][]typingStep{{types("a"), prints("a"), types("\r"), rests(typedPatience / 2), prints("\b*\r\n")}, settled}, nil},
	{"one character", [][]typingStep{shows("y"), enter, {rests(typedPatience / 2)}, settled}, []string{"y\r"}},
	{"one character at the prompt of the shell", [][]typingStep{shows("w"), {types("\r"), {accepts: true}}}, []string{"w\r"}},
	{"cleared at once", [][]typingStep{{types("clear\r"), prints("clear\r\n\x1b[H\x1b[2J")}, settled}, nil},
	{"erased", [][]typingStep{{types("secret"), prints("secret"), types("\x15"), prints("\x1b[G\x1b[K> "), types("ls"), prints("ls")}, enter}, []string{"ls\r"}},
	{"erased and given up", [][]typingStep{{types("secret"), prints("secret"), types("\x03"), prints("^C\r\n> "), types("ls"), prints("ls")}, enter}, []string{"ls\r"}},
	{"erased after a rest", [][]typingStep{{types("secret"), prints("secret"), rests(time.Minute), types("\x15"), prints("\x1b[G\x1b[K> "), types("\r")}, settled}, nil},
	{"corrected", [][]typingStep{{types("lx\x7fs"), prints("ls")}, enter}, []string{"ls\r"}},
	{"edited", [][]typingStep{shows("secret"), {types("\x01\x0b"), prints("\x1b[G\x1b[K> "), types("ls"), prints("ls")}, enter, settled}, []string{"ls\r"}},
	{"completed", [][]typingStep{shows("cd /us"), {types("\t"), prints("r/"), types("b"), prints("bin")}, enter, settled}, nil},
	{"after an edited line", [][]typingStep{shows("cd /us"), {types("\t"), prints("r/")}, enter, {prints("> ")}, shows("ls"), enter}, []string{"ls\r"}},
	{"pasted", [][]typingStep{{types("\x1b[200~ls -l\x1b[201~"), prints("ls -l")}, enter}, []string{"ls -l\r"}},
	{"lines pasted", [][]typingStep{{types("\x1b[200~ls\rpwd\x1b[201~"), prints("ls\r\npwd")}, enter, settled}, []string{"ls\rpwd\r"}},
	{"typed ahead", [][]typingStep{{types("ls\rpwd\r"), prints("ls\r\n> pwd\r\n")}, settled}, []string{"ls\r"}},
	{"typed ahead of the prompt of the shell", [][]typingStep{{
		types("ls\rpwd\rdf\r"), prints("ls\r\n"),
		{accepts: true},
		prints("> "),
		{prompt: true},
		prints("pwd\r\n"),
		{accepts: true},
		prints("> "),
		{prompt: true},
		prints("df\r\n"),
		{accepts: true},
	}}, []string{"ls\r", "pwd\r", "df\r"}},
	{"typed ahead into a command", [][]typingStep{{
		types("read -s x\rsecret\r"), prints("read -s x\r\n"), {accepts: true}, prints("\r\n> "), {prompt: true},
	}, settled}, []string{"read -s x\r"}},
	{"typed before the prompt", [][]typingStep{{types("l"), prints("\r\n$ "), {prompt: true}, prints("l")}, shows("s"), enter}, []string{"ls\r"}},
	{"reports of the terminal between", [][]typingStep{shows("l"), {types("\x1b[I\x1b[<0;1;1M\x1b[?62c\x1b]11;rgb:0/0/0\x1b\\")}, shows("s"), enter}, []string{"ls\r"}},
	{"an answer without Enter", [][]typingStep{{types("y"), prints("y\r\ngoing on\r\n")}, settled}, []string{"y"}},
	{"a line at the end", [][]typingStep{shows("y"), {{ends: true}}}, []string{"y"}},
	{"a hidden line at the end", [][]typingStep{{types("secret"), {ends: true}}}, nil},
	{"a line without Enter", [][]typingStep{shows("hello"), settled}, nil},
	{"while lines are read without echo", [][]typingStep{{types("sec"), {reset: true}, types("ret"), prints("ret")}, enter}, []string{"ret\r"}},
	{"too long", [][]typingStep{shows(strings.Repeat("x", tooLong)), enter}, nil},
	{"in an editor", [][]typingStep{{prints(onAlternate), types("ihello"), prints("hello"), types("\x1b")}}, []string{"hello"}},
	{"in an editor, without a key after it", [][]typingStep{{prints(onAlternate), types("ihello"), prints("hello")}, settled, {{ends: true}}}, []string{"hello"}},
	{"a mask in such a program", [][]typingStep{{prints(onAlternate), types("secret"), prints("*****t"), types("\r")}, settled}, nil},
	{"an editor that is left", [][]typingStep{{prints(onAlternate), types("hello"), types("\r"), prints("\x1b[?1049lhello")}, settled}, nil},
	{"with a hidden cursor", [][]typingStep{{prints("\x1b[?25l")}, shows("ls"), enter, shows("y"), enter, settled}, []string{"ls\r"}},
	{"in an editor behind a shell", [][]typingStep{{types("\x18\x05"), prints(onAlternate), types("ihello"), prints("hello"), types("\x1b")}}, []string{"hello"}},
	{"in an editor after a command", [][]typingStep{{prints(onAlternate), types("\x02:")}, {prints("\x1b[4H:"), types("new"), prints("new\x1b[5m"), types("\r")}}, []string{":new\r"}},
	{"a name and a password before the late echo of the name", [][]typingStep{{types("admin\r"), types("admin\r"), rests(time.Second), prints("admin\r\n")}, settled}, []string{"admin\r"}},
	{"the same, slowly", [][]typingStep{{types("admin\r")}, settled, {types("admin\r")}, settled, {prints("admin\r\n")}, settled}, []string{"admin\r"}},
	{"a password that the name begins with", [][]typingStep{{types("admin\r"), types("adm\r"), rests(time.Second), prints("admin\r\n")}, settled}, []string{"admin\r"}},
	{"a password that the name ends with", [][]typingStep{{types("admin\r"), prints("adm"), types("in\r"), rests(time.Second), prints("in\r\n")}, settled}, []string{"admin\r"}},
	{"a mask that shows the last character until the next key", [][]typingStep{
		{prints(onAlternate)}, shows("q"), settled, {types("Z"), prints("\b*Z")}, settled, {types("7"), prints("\b*7")}, settled, {types("\r"), prints("\b*\r\n")}, settled,
	}, nil},
	{"one character in such a mask at the end", [][]typingStep{{prints(onAlternate)}, shows("q"), settled, {{ends: true}}}, nil},
	{"erased after a rest in an editor", [][]typingStep{{prints(onAlternate), types("isecret"), prints("secret")}, settled, {types("\x15"), prints("\r\x1b[K")}, settled, {types("\x1b")}, {{ends: true}}}, nil},
	{"an answer without Enter, and a line after it", [][]typingStep{shows("y"), settled, {prints("\r\nname: ")}, settled, shows("bob"), enter}, []string{"y", "bob\r"}},
	{"Enter of the keypad", [][]typingStep{shows("ls"), {types("\x1bOM"), prints("\r\n> ")}, shows("pwd"), enter}, []string{"ls\r", "pwd\r"}},
	{"a key that is the beginning of a string", [][]typingStep{shows("ls "), {types("\x1b_\r"), prints("-l\r\n> ")}, shows("pwd"), enter}, []string{"pwd\r"}},
}

func TestTyping(t *testing.T) {
	for _, c := range typingCases {
		var got []string
		p := &screenFeed{terminal: wire.NewTerminal(ledger.Size{Cols: 20, Rows: 4}, 1000)}
		p.typing.note = func(shown shownText) { got = append(got, shown.text) }
		now := time.Now()
		p.write([]byte("> "))
		for _, step := range slices.Concat(c.steps...) {
			switch {
			case step.types != "":
				p.typeHidden(&takenInput{data: []byte(step.types), at: now})
			case step.reset:
				p.typing.interrupt()
			case step.accepts:
				p.judgeAccepted()
			case step.prompt:
				p.promptShown()
			case step.ends:
				p.judgeLast()
			default:
				p.write([]byte(step.prints))
				now = now.Add(step.rests)
			}
			p.judgeLines(now)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
