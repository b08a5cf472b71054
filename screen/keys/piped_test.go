package keys

import "testing"

func TestPiped(t *testing.T) {
	for _, c := range []struct{ notation, want, fault string }{
		{notation: "hello Enter", want: "hello Enter"},
		{notation: "a[Enter]b\\n", want: "a\nb\n"},
		{notation: "a\r\nb\tc", want: "a\nb\tc"},
		{notation: `\x03\x04`, want: "\x03\x04"},
		{notation: "[Up][KPEnter]", want: "\x1b[A\n"},
		{notation: "a^C", fault: "C-c makes the signal INT only in a terminal"},
		{notation: "[C-d]", fault: "C-d ends the input only in a terminal"},
		{notation: "<C-z>", fault: "C-z makes the signal TSTP only in a terminal"},
		{notation: "[C-\\]", fault: `C-\ makes the signal QUIT only in a terminal`},
		{notation: "[S-Enter]", fault: "S-Enter cannot be sent: a terminal has no code for it unless the program turns on the kitty keyboard protocol"},
	} {
		strokes, err := Parse([]string{c.notation})
		if err != nil {
			t.Fatal(err)
		}
		got, err := Piped(strokes)
		fault := ""
		if err != nil {
			fault = err.Error()
		}
		if string(got) != c.want || fault != c.fault {
			t.Errorf("%q: %q, %q", c.notation, got, fault)
		}
	}
	pasted, _ := ParsePaste([]string{"a\nb\n"})
	if got, err := Piped(pasted); err != nil || string(got) != "a\nb\n" {
		t.Errorf("pasted: %q, %v", got, err)
	}
}
