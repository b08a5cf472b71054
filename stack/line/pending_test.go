package line

import (
	"strings"
	"testing"
)

// It is known whether a shell reads on behind a text, and with what closes it the text is one for a shell.
func TestWaits(t *testing.T) {
	for text, open := range map[string]bool{
		"echo 'a":              true,
		"echo \"a'":            true,
		`echo 'a\'`:            false,
		`echo $'a\'`:           true,
		"echo \"$(ls 'x":       true,
		"echo \"$(ls # 'x":     true,
		"echo `ls":             true,
		"ls # don't":           false,
		"a#'":                  true,
		"bash <(\ncurl x":      true,
		"(true)":               false,
		"curl x |\n":           true,
		"cd / &&\n":            true,
		"(true ||":             true,
		"sleep 1 &\n":          false,
		"rm \\\\\n":            false,
		"rm -rf \\":            true,
		"rm -rf \\\n":          true,
		"echo $((1 << 2))\n":   false,
		"echo $((1 << 2\n":     true,
		"((x = 1 << 2))\n":     false,
		"cat <<E":              true,
		"cat <<E\n":            true,
		"cat <<E\nit's":        true,
		"cat <<E\nx\nE\n":      false,
		"cat <<E\n\tE\n":       true,
		"cat <<-E\n\tE\n":      false,
		"cat <<E\nx\\\nE\n":    true,
		"cat <<E\nx\\":         true,
		"cat <<'E'\nx\\\nE\n":  false,
		"cat <<\\E\nx":         true,
		"cat <<A <<B\nA\nB":    false,
		"cat <<A <<B\nx\nA\n":  true,
		"cat <<A <<B\nB\n":     true,
		"cat <<E 'x\ny":        true,
		"cat <<E |\nx\nE\n":    true,
		"cat <<E |\nx\n":       true,
		"cat <<< E\n":          false,
		"cat <<\n":             false,
		"if a; then":           true,
		"while read x; do b":   true,
		"for i in a b\n":       true,
		"case x in a) b":       true,
		"f() {\n":              true,
		"[[ a &&\n":            true,
		"x=(a\n":               true,
		"fi\n":                 false,
		"print('don\\'t')":     false,
		"f() { if a; then b\n": true,
		"git commit -m \"$(cat <<'E'\nit's \"x\n": true,
		"git commit -m \"$(cat <<'E'\nit's\nE\n":  true,
	} {
		if got := Waits(text); got != open {
			t.Errorf("%q: %v, want %v", text, got, open)
		}
		if _, err := Tree(Closed(text)); err != nil && open {
			t.Errorf("%q closed as %q: %v", text, Closed(text), err)
		}
	}
}

// A shell replaces a ! or ^ in words and double quotes, but not where they mean something else.
func TestExpands(t *testing.T) {
	for text, want := range map[string]bool{
		"!!": true, "sudo !$": true, "a && !-2": true, "^a^b": true, "a\n^b^c": true, `echo "!x"`: true, "echo 'a' !x 'b": true, "!?echo rm?:1*": true,
		"echo 'hi!x' done! && ! test -e x && test a != b && ls [!a]* ${!x}; echo \"yes!\" $!": false, `echo a\!b`: false, "grep '^a' b^c": false,
		"cat > f <<E\nit's (!!\n^a^b": false, "cat <<E && !x\n!!\nE\n": true, "echo '\n!x'": false, "fi !x": true,
	} {
		if got := Expands(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// Any text can be closed, or stays as it is.
func FuzzWaits(f *testing.F) {
	for _, text := range []string{"cat <<E\nx", "echo \"$(ls 'x", "((1 << 2", "a <<'E\n", "cat <<-'' |\n\t", "`\\`"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !strings.HasPrefix(Closed(text), text) || Expands(text) && !strings.ContainsAny(text, "!^") {
			t.Errorf("%q is closed as %q, and Expands: %v", text, Closed(text), Expands(text))
		}
		Waits(text)
	})
}
