package line

import "testing"

// What a shell waits for behind a text is known, and with what closes it the text is one for a shell.
func TestWaits(t *testing.T) {
	for _, c := range []struct{ text, closing string }{
		{"echo 'a", "'"},
		{"echo \"a'", `"`},
		{`echo 'a\'`, ""},
		{`echo $'a\'`, "'"},
		{"echo \"$(ls 'x", "')\""},
		{"echo `ls", "`"},
		{"ls # don't", ""},
		{"a#'", "'"},
		{"bash <(\ncurl x", ")"},
		{"(true)", ""},
		{"curl x |\n", "\n:"},
		{"cd / &&\n", "\n:"},
		{"(true ||", "\n:)"},
		{"sleep 1 &\n", ""},
		{"rm \\\\\n", ""},
		{"echo $((1 << 2))\n", ""},
		{"echo $((1 << 2\n", "))"},
		{"((x = 1 << 2))\n", ""},
		{"cat <<E", "\n\nE"},
		{"cat <<E\n", "\n\nE"},
		{"cat <<E\nit's", "\n\nE"},
		{"cat <<E\nx\nE\n", ""},
		{"cat <<E\n\tE\n", "\n\nE"},
		{"cat <<-E\n\tE\n", ""},
		{"cat <<E\nx\\\nE\n", "\n\nE"},
		{"cat <<E\nx\\", "\n\nE"},
		{"cat <<'E'\nx\\\nE\n", ""},
		{"cat <<\\E\nx", "\n\nE"},
		{"cat <<\"A 'B\" | sh\nx\n", "\n\nA 'B"},
		{"cat <<\\\nE\nx\n", "\n\nE"},
		{"cat <<''\n", "\n\n"},
		{"cat <<''\nx\n\n", ""},
		{"cat <<A <<B\nA\nB", ""},
		{"cat <<A <<B\nx\nA\n", "\n\nB"},
		{"cat <<A <<B\nB\n", "\n\nA\nB"},
		{"cat <<E 'x\ny", "'\n\nE"},
		{"cat <<E |\nx\nE\n", "\n:"},
		{"cat <<E |\nx\n", "\n\nE\n:"},
		{"git commit -m \"$(cat <<'E'\nit's \"x\n", "\n\nE\n)\""},
		{"git commit -m \"$(cat <<'E'\nit's\nE\n", ")\""},
		{"cat <<< E\n", ""},
		{"cat <<\n", ""},
	} {
		got := Waits(c.text)
		if got.Closing != c.closing || got.Open != (c.closing != "") {
			t.Errorf("%q: %+v, want %q", c.text, got, c.closing)
		}
		if err := Check(c.text + got.Closing); err != nil && c.text != "cat <<\n" {
			t.Errorf("%q closed by %q: %v", c.text, got.Closing, err)
		}
	}
	if !Waits("rm -rf \\\n").Open {
		t.Error("a backslash at the end of a line ends the command")
	}
	if Waits("echo \"${x:-'}\"").Open {
		t.Error("a quote within \"${…}\" is open")
	}
	if got := Waits("a <<E; b\nx\nE\nc").Commands; got != "a <<E; b\nc" {
		t.Errorf("the commands are %q", got)
	}
}

// Any text has an end, and what closes it leaves nothing open.
func FuzzWaits(f *testing.F) {
	for _, text := range []string{"cat <<E\nx", "echo \"$(ls 'x", "((1 << 2", "a <<'E\n", "cat <<-'' |\n\t", "`\\`"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := Waits(text)
		if !got.Open && got.Closing != "" || len(got.Commands) > len(text) {
			t.Errorf("%q: %+v", text, got)
		}
	})
}
