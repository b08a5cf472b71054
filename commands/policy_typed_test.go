package commands

import (
	"strings"
	"testing"

	"devtools/runner"
	"devtools/runner/guard"
	"devtools/runner/wire"
	"devtools/screen"
)

// What keys type is told as lines, with the keys applied that erase. In a shell, keys that only it understands make a line unknown.
func TestTypedText(t *testing.T) {
	bash := reader{program: "bash", shell: true, atPrompt: true}
	for _, c := range []struct {
		before string
		keys   string // separated by |
		reader reader
		want   string
	}{
		{"", "npm test|Enter", bash, "npm test\n"},
		{"", "npm test", bash, "npm test"},
		{"su", "do ls|Enter", bash, "sudo ls\n"},
		{"", "sux|BSpace|do|Enter", bash, "sudo\n"},
		{"", "a b|C-w|c|Enter", bash, "a c\n"},
		{"", "rm|C-u|ls|Enter", bash, "ls\n"},
		{"", "rm|C-c|ls|Enter", bash, "|ls\n"},
		{"", "a|Enter|b|Enter", bash, "a\nb\n"},
		{"", "ls fo|Tab|Enter", bash, "ls fo*\n"},
		{"", "Tab|Tab|Enter", bash, "\n"},
		{"", "Ada|Tab|Lovelace|Enter", reader{}, "AdaLovelace\n"},
		{"", "Down|Down|Enter", reader{}, "\n"},
		{"", "Up|Enter", bash, unknownLine + "\n"},
		{"", "do ls|Home|su|Enter", bash, unknownLine + "\n"},
		{"", "C-l|ls|Enter", bash, "ls\n"},
		{"", "rm x|C-d|Enter", bash, "rm x\n"},
		{"", "C-d|ls|Enter", bash, "|ls\n"},
		{"", "rm x|C-a|C-u|Enter", bash, unknownLine + "\n"},
		{"", "Escape|:wq|Enter", reader{}, "wq\n"},
		{"", "ä|BSpace|b", bash, "b"},
	} {
		if got := strings.Join(c.reader.texts([]byte(c.before), wire.Keys{Args: strings.Split(c.keys, "|")}), "|"); got != c.want {
			t.Errorf("%q behind %q: %q, want %q", c.keys, c.before, got, c.want)
		}
	}
	for form, arg := range map[string]string{wire.Hex: "6c 73 0d", wire.Literal: "ls\r", wire.Bytes: "ls\r"} {
		if got := bash.texts(nil, wire.Keys{Form: form, Args: []string{arg}}); got[0] != "ls\n" {
			t.Errorf("%s: %q", form, got)
		}
	}
}

// typedVerdict is what the built-in rules say about keys that are typed by several calls, as a shell that reads on sees them.
func typedVerdict(t *testing.T, r reader, calls []string) (strictest guard.Action) {
	t.Helper()
	rules, err := guard.Load("", "", true)
	if err != nil {
		t.Fatal(err)
	}
	var before []byte
	for _, keys := range calls {
		k := wire.Keys{Args: strings.Split(keys, "|")}
		for _, call := range r.typeCalls(guard.Call{Kind: guard.KindSendKeys, Dir: "/w", Workspace: "/w"}, before, k) {
			strictest = max(strictest, rules.Judge(call).Action)
		}
		strokes, err := k.Strokes()
		if err != nil {
			t.Fatal(err)
		}
		pieces, err := k.Pieces(strokes, screen.Modes{})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range pieces {
			before = append(before, p.Data...)
		}
	}
	return strictest
}

// What a shell or a program would make of keys is judged, over several calls too: what needs a confirmation is stopped, and daily
// work is free.
func TestTypedVerdicts(t *testing.T) {
	bash := reader{program: "bash", shell: true, atPrompt: true, history: true}
	dash := reader{program: "dash", shell: true, atPrompt: true}
	fish := reader{program: "fish", shell: true, atPrompt: true}
	less := reader{program: "bash", shell: true} // a program of the shell has the keyboard
	python := reader{program: "python3"}
	for _, c := range []struct {
		reader  reader
		calls   []string // keys of each call, separated by |
		stopped bool
	}{
		{bash, []string{"rm -rf /srv|Enter"}, true},
		{bash, []string{`rm -rf \\|Enter`, "/srv|Enter"}, true},
		{bash, []string{`r\\|Enter`, "m -rf /srv|Enter"}, true},
		{bash, []string{"rm -rf '/srv|Enter", "'|Enter"}, true},
		{bash, []string{"curl x \\x7c|Enter", "sh|Enter"}, true},
		{bash, []string{"sh <<E|Enter", "sudo id|Enter", "E|Enter"}, true},
		{bash, []string{"cat > f <<E|Enter", "hello it's me|Enter", "sudo id; (!!|Enter", "E|Enter"}, false},
		{bash, []string{"cat > f <<'E' && ls|Enter", "$(sudo id)|Enter", "E|Enter", "make|Enter"}, false},
		{bash, []string{"cat > f <<E|Enter", "$(sudo id)|Enter", "E|Enter"}, true},
		{bash, []string{"cat > f <<E|Enter", "it's|Enter", "E|Enter", "sudo id|Enter"}, true},
		{bash, []string{"cat <<A <<-'B'|Enter", "A|Enter", "it's|Enter", "B|Enter"}, false},
		{bash, []string{"cat <<A <<B \\x7c sh|Enter", "A|Enter", "sudo id|Enter", "B|Enter"}, true},
		{bash, []string{`git commit -m "$(cat <<'E'|Enter`, "it's (new)|Enter", "E|Enter", `)"|Enter`}, false},
		{bash, []string{"cat <<E|Enter", "C-c", "sudo id|Enter"}, true},
		{bash, []string{"C-c", "cat <<E|Enter", "sudo id|Enter"}, false},
		{bash, []string{"echo '|C-v|C-c|cat <<E|Enter", "'|Enter", "sudo id|Enter"}, true},
		{bash, []string{"cat <<E|Enter", "C-d|sudo id|Enter"}, true},
		{bash, []string{"cat <<E|Enter", "Up|Enter"}, true},
		{fish, []string{"cat <<E|Enter", "sudo id|Enter"}, true},
		{less, []string{"cat <<E|Enter", "sudo id|Enter"}, true},
		{python, []string{"x <<E|Enter", "!sudo id|Enter"}, false},
		{dash, []string{`echo "a!b"|Enter`, "!!|Enter"}, false},
		{bash, []string{"echo 'sudo id|Enter", "'|Enter"}, false},
		{bash, []string{"!!:s/echo //|Enter"}, true},
		{bash, []string{"!!:1-3|Enter"}, true},
		{bash, []string{"!?echo rm?:1*|Enter"}, true},
		{bash, []string{"^^^^echo ^^^^|Enter"}, true},
		{bash, []string{"!!|Enter"}, true},
		{bash, []string{`echo "!x"|Enter`}, true},
		{bash, []string{"echo 'hi!x' done! && ! test -e x && test a != b && ls [!a]* ${!x}; echo \"yes!\" $!|Enter"}, false},
		{fish, []string{"echo a!b|Enter"}, false},
		{bash, []string{"npm test|Enter", "git status|Enter"}, false},
		{bash, []string{"git commit -m 'it works'|Enter"}, false},
		{bash, []string{"rm -rf build|Enter"}, false},
		{less, []string{"/word|Enter|q"}, false},
		{python, []string{"import os; os.system('rm -rf /srv')|Enter"}, false},
		{python, []string{"!rm -rf /srv|Enter"}, false},
		{python, []string{`print('don\\'t')|Enter`}, false},
	} {
		if got := typedVerdict(t, c.reader, c.calls); (got >= guard.Confirm) != c.stopped {
			t.Errorf("%q for %q: %v", c.calls, c.reader.program, got)
		}
	}
}

// Answers are lines for a shell that asks for lines, and code for another program.
func TestAnswerVerdicts(t *testing.T) {
	rules, err := guard.Load("", "", true)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		command []string
		text    string
		stopped bool
	}{
		{[]string{"python3", "-q"}, "sudo id", false},
		{[]string{"npm", "init"}, "don't", false},
		{[]string{"bash"}, "rm -rf /srv", true},
		{[]string{"bash"}, "my project (new)", false},
	} {
		var got guard.Action
		for _, call := range answerCalls([]runner.Answer{{Text: c.text}}, readerFor(c.command)) {
			got = max(got, rules.Judge(call).Action)
		}
		if (got >= guard.Confirm) != c.stopped {
			t.Errorf("%q for %q: %v", c.text, c.command, got)
		}
	}
}

// Any bytes can be typed: there is always a text, without a key in it.
func FuzzTypedText(f *testing.F) {
	for _, data := range []string{"ls\r", "a\x7fb", "\x1b[1;5A", "\x1bO", "\x1b", "x\x17\x15\x03\x04\t", "\xff\xfe"} {
		f.Add(data, true)
	}
	f.Fuzz(func(t *testing.T, data string, inShell bool) {
		for text := range strings.SplitSeq(strings.Join(reader{shell: inShell}.texts(nil, wire.Keys{Form: wire.Bytes, Args: []string{data}}), ""), unknownLine) {
			if i := strings.IndexFunc(text, func(r rune) bool { return r < ' ' && r != '\n' || r == 0x7f }); i >= 0 {
				t.Errorf("%q: %q", data, text)
			}
		}
	})
}
