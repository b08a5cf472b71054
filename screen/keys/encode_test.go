package keys

import (
	"bytes"
	"strings"
	"testing"
)

// sent returns the bytes of pieces, with a | between pieces.
func sent(pieces []Piece) string {
	var parts []string
	for _, p := range pieces {
		parts = append(parts, string(p.Data))
	}
	return strings.Join(parts, "|")
}

var (
	application  = Modes{ApplicationCursor: true, ApplicationKeypad: true}
	disambiguate = Modes{ApplicationCursor: true, Kitty: 1}
)

var encodeTests = []struct {
	keys  string // arguments, separated by blanks
	modes Modes
	want  string
}{
	{"Up Down Right Left Home End", Modes{}, "\x1b[A|\x1b[B|\x1b[C|\x1b[D|\x1b[H|\x1b[F"},
	{"Up Down Right Left Home End", application, "\x1bOA|\x1bOB|\x1bOC|\x1bOD|\x1bOH|\x1bOF"},
	{"Insert Delete PageUp PageDown", application, "\x1b[2~|\x1b[3~|\x1b[5~|\x1b[6~"},
	{"S-Up M-Up C-Up C-M-S-End C-Delete", application, "\x1b[1;2A|\x1b[1;3A|\x1b[1;5A|\x1b[1;8F|\x1b[3;5~"},
	{"F1 F2 F3 F4 F5 F6 F7 F8 F9 F10 F11 F12", Modes{}, "\x1bOP|\x1bOQ|\x1bOR|\x1bOS|\x1b[15~|\x1b[17~|\x1b[18~|\x1b[19~|\x1b[20~|\x1b[21~|\x1b[23~|\x1b[24~"},
	{"F13 F24 S-F1 C-F13 C-F5 M-F3", Modes{}, "\x1b[1;2P|\x1b[24;2~|\x1b[1;2P|\x1b[1;6P|\x1b[15;5~|\x1b[1;3R"},
	{"C-a C-z C-@ C-[ C-] C-^ C-_ C-? C-Space C-/ C--", Modes{}, "\x01|\x1a|\x00|\x1b|\x1d|\x1e|\x1f|\x7f|\x00|\x1f|\x1f"},
	{"C-2 C-3 C-4 C-5 C-6 C-7 C-8 C-~", Modes{}, "\x00|\x1b|\x1c|\x1d|\x1e|\x1f|\x7f|\x1e"},
	{"M-x M-X M-é C-M-a M-Space C-M-Space", Modes{}, "\x1bx|\x1bX|\x1bé|\x1b\x01|\x1b |\x1b\x00"},
	{"Tab BTab M-Tab M-BTab Enter M-Enter Escape M-Escape", Modes{}, "\t|\x1b[Z|\x1b\t|\x1b\x1b[Z|\r|\x1b\r|\x1b|\x1b\x1b"},
	{"BSpace C-BSpace M-BSpace C-M-BSpace", Modes{}, "\x7f|\b|\x1b\x7f|\x1b\b"},
	{"Enter M-Enter C-m C-j", Modes{NewLine: true}, "\r\n|\x1b\r\n|\r|\n"},
	{"KP0 KP1 KP9 KP. KP/ KP* KP- KP+ KPEnter KP= KP, M-KP5", Modes{}, "0|1|9|.|/|*|-|+|\r|=|,|\x1b5"},
	{"KP0 KP1 KP9 KP. KP/ KP* KP- KP+ KPEnter KP= KP, M-KP5", application, "\x1bOp|\x1bOq|\x1bOy|\x1bOn|\x1bOo|\x1bOj|\x1bOm|\x1bOk|\x1bOM|\x1bOX|\x1bOl|\x1b\x1bOu"},
	{"ab Space cd Enter", Modes{}, "ab cd|\r"},
	{`a\e[Bc\x03d`, Modes{}, "a\x1b[Bc\x03d"},
	{`a\x0db\x0ac`, Modes{}, "a|\r|b|\n|c"},

	// The kitty keyboard protocol, flag by flag.
	{"a Enter Tab BSpace Escape", disambiguate, "a|\r|\t|\x7f|\x1b[27u"},
	{"C-c C-C M-x M-X C-S-c C-M-é C-é C-[ C-Space", disambiguate, "\x1b[99;5u|\x1b[99;5u|\x1b[120;3u|\x1b[120;4u|\x1b[99;6u|\x1b[233;7u|\x1b[233;5u|\x1b[91;5u|\x1b[32;5u"},
	{"S-Enter C-Enter M-Enter BTab C-BSpace S-Escape", disambiguate, "\x1b[13;2u|\x1b[13;5u|\x1b[13;3u|\x1b[9;2u|\x1b[127;5u|\x1b[27;2u"},
	{"Up C-Up Home F1 F3 S-F3 F5 F13 S-F24 Delete", disambiguate, "\x1b[A|\x1b[1;5A|\x1b[H|\x1b[P|\x1b[13~|\x1b[13;2~|\x1b[15~|\x1b[57376u|\x1b[57387;2u|\x1b[3~"},
	{"KP0 KP9 KPEnter KP,", disambiguate, "\x1b[57399u|\x1b[57408u|\x1b[57414u|\x1b[57416u"},
	{"Up F1", Modes{ApplicationCursor: true, Kitty: 2}, "\x1b[A|\x1bOP"},
	{"a Up C-c Enter Escape", Modes{Kitty: 3}, "a|\x1b[A\x1b[1;1:3A|\x1b[99;5u\x1b[99;5:3u|\r|\x1b[27u\x1b[27;1:3u"},
	{"M-X C-S-a M-x", Modes{Kitty: 5}, "\x1b[120:88;4u|\x1b[97:65;6u|\x1b[120;3u"},
	{"aA! Enter Tab S-Space", Modes{Kitty: 8}, "\x1b[97u\x1b[97;2u\x1b[33u|\x1b[13u|\x1b[9u|\x1b[32;2u"},
	{"aÉ C-a Up", Modes{Kitty: 8 + 16}, "\x1b[97;;97u\x1b[233;2;201u|\x1b[97;5u|\x1b[A"},
	{"A", Modes{Kitty: 31}, "\x1b[97:65;2;65u\x1b[97:65;2:3u"},
	{`\x03`, Modes{Kitty: 31}, "\x03"},
}

func TestEncode(t *testing.T) {
	for _, test := range encodeTests {
		strokes, err := Parse(strings.Fields(test.keys))
		if err != nil {
			t.Errorf("%s: %v", test.keys, err)
			continue
		}
		if pieces, err := Encode(strokes, test.modes, false); err != nil || sent(pieces) != test.want {
			t.Errorf("%s with %+v: %q, %v, want %q", test.keys, test.modes, sent(pieces), err, test.want)
		}
	}
}

func TestEncodeErrors(t *testing.T) {
	const noCode = " cannot be sent: a terminal has no code for it unless the program turns on the kitty keyboard protocol"
	const noControl = " cannot be sent: there is no such control character unless the program turns on the kitty keyboard protocol"
	for _, test := range []struct{ key, want string }{
		{"C-é", "C-é" + noControl},
		{"C-1", "C-1" + noControl},
		{"C-;", "C-;" + noControl},
		{"C-M-!", "C-M-!" + noControl},
		{"C-Enter", "C-Enter" + noCode},
		{"S-Enter", "S-Enter" + noCode},
		{"C-Tab", "C-Tab" + noCode},
		{"C-S-a", "C-S-a" + noCode},
		{"S-Escape", "S-Escape" + noCode},
		{"S-BSpace", "S-BSpace" + noCode},
		{"C-KP5", "C-KP5" + noCode},
		{"S-F13", "S-F13" + noCode},
		{"S-1", "S-1 cannot be sent: its character depends on the keyboard; type that character itself"},
	} {
		strokes, err := Parse([]string{"ab", test.key})
		if err != nil {
			t.Fatal(err)
		}
		if pieces, err := Encode(strokes, Modes{}, false); err == nil || err.Error() != test.want || pieces != nil {
			t.Errorf("%s: %q, error\n\t%v, want\n\t%s", test.key, sent(pieces), err, test.want)
		}
	}
}

func TestPieces(t *testing.T) {
	strokes, err := Parse([]string{`a\nb`, "C-j", "C-m", "KPEnter", "M-Enter", "Escape", "C-[", "Up"})
	if err != nil {
		t.Fatal(err)
	}
	pieces, err := Encode(append(strokes, Literal([]string{"x\ny"})...), Modes{}, false)
	if err != nil {
		t.Fatal(err)
	}
	var marks strings.Builder
	for _, p := range pieces {
		switch {
		case p.Enter:
			marks.WriteByte('E')
		case p.Escape:
			marks.WriteByte('e')
		default:
			marks.WriteByte('.')
		}
	}
	if got, want := marks.String(), ".E.EEEEee..E."; got != want {
		t.Errorf("%q is marked %s, want %s", sent(pieces), got, want)
	}
}

func TestPaste(t *testing.T) {
	for _, test := range []struct {
		text     string
		brackets bool
		want     string
	}{
		{"a\nb\r\nc\rd\n\n", false, "a\rb\rc\rd\r\r"},
		{"a\nb", true, "\x1b[200~a\rb\x1b[201~"},
		{"a\x1b[201~rm\n", true, "\x1b[200~arm\r\x1b[201~"},
		{"a\x1b[20\x1b[201~1~b", true, "\x1b[200~ab\x1b[201~"},
		{"a\x1b[201~b", false, "a\x1b[201~b"},
		{"Up [UP] ^C \\n", true, "\x1b[200~Up [UP] ^C \\n\x1b[201~"},
		{"\x00\xff\x03\té", true, "\x1b[200~\x00\xff\x03\té\x1b[201~"},
		{"", true, ""},
	} {
		pieces, err := Encode(Literal([]string{test.text}), Modes{BracketedPaste: test.brackets, Kitty: 31}, true)
		if err != nil || sent(pieces) != test.want {
			t.Errorf("%q with brackets %v: %q, %v, want %q", test.text, test.brackets, sent(pieces), err, test.want)
		}
		if test.want != "" && (len(pieces) != 1 || !pieces[0].Paste) {
			t.Errorf("%q is not one paste: %+v", test.text, pieces)
		}
	}
}

// In a paste, the characters of an argument are text, and the keys that it names are pressed.
func TestPasteNotation(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"text", "Enter", "more"}, "\x1b[200~text\x1b[201~|\r|\x1b[200~more\x1b[201~"},
		{[]string{"echo a\necho b"}, "\x1b[200~echo a\recho b\x1b[201~"},
		{[]string{"a\r\nb\rc\n", "\td"}, "\x1b[200~a\rb\rc\r\td\x1b[201~"},
		{[]string{`a\nb\tc`}, "\x1b[200~a\rb\tc\x1b[201~"},
		{[]string{"a\n[Tab]b\n"}, "\x1b[200~a\r\x1b[201~|\t|\x1b[200~b\r\x1b[201~"},
	} {
		strokes, err := ParsePaste(test.args)
		if err != nil {
			t.Fatal(err)
		}
		pieces, err := Encode(strokes, Modes{BracketedPaste: true}, true)
		if err != nil || sent(pieces) != test.want {
			t.Errorf("%q is pasted as %q, %v, want %q", test.args, sent(pieces), err, test.want)
		}
	}
}

// Literal and hexadecimal text arrives byte for byte, and a paste never ends early.
func FuzzLiteral(f *testing.F) {
	f.Add("a\x1b[201~[UP]^C\\n\r\n\xff\x00é", "b")
	f.Fuzz(func(t *testing.T, first, second string) {
		text := first + second
		pieces, err := Encode(Literal([]string{first, second}), Modes{ApplicationCursor: true, NewLine: true, BracketedPaste: true, Kitty: 7}, false)
		var got []byte
		for _, p := range pieces {
			got = append(got, p.Data...)
			if ends := bytes.ContainsAny(p.Data, "\r\n"); ends != p.Enter || ends && len(p.Data) > 1 {
				t.Errorf("piece %q, Enter %v", p.Data, p.Enter)
			}
		}
		if err != nil || string(got) != text {
			t.Errorf("%q arrives as %q, %v", text, got, err)
		}
		var hex strings.Builder
		for _, c := range []byte(text) {
			hex.WriteString(" 0x" + quoteRaw(string([]byte{c}))[2:])
		}
		if strokes, err := Hex([]string{hex.String()}); err != nil || text != "" && (len(strokes) != 1 || strokes[0].text != text) {
			t.Errorf("%q is %v in hexadecimal, %v", text, strokes, err)
		}
		pieces, err = Encode(Literal([]string{first, second}), Modes{BracketedPaste: true}, true)
		if err != nil || len(pieces) > 1 {
			t.Fatalf("%q is pasted as %q, %v", text, sent(pieces), err)
		}
		for _, p := range pieces {
			if n := bytes.Index(p.Data, []byte(pasteEnd)); n != len(p.Data)-len(pasteEnd) {
				t.Errorf("%q: the paste %q ends at %d", text, p.Data, n)
			}
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	strokes := Literal([]string{strings.Repeat("the quick brown fox jumps over the lazy dog\n", 20000)})
	for _, paste := range []bool{false, true} {
		b.Run(map[bool]string{false: "text", true: "paste"}[paste], func(b *testing.B) {
			for b.Loop() {
				if _, err := Encode(strokes, Modes{BracketedPaste: true}, paste); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
