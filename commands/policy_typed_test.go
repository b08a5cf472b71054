package commands

import (
	"slices"
	"strings"
	"testing"

	"devtools/runner"
	"devtools/runner/guard"
	"devtools/runner/wire"
	"devtools/screen"
)

// What keys type is told as lines: keys that erase are applied, and what was erased is told apart. In a shell, keys that only it
// understands make a line unknown.
func TestTypedTexts(t *testing.T) {
	for _, c := range []struct {
		before  string
		keys    string // separated by |
		inShell bool
		want    string // texts, separated by |
	}{
		{"", "npm test|Enter", true, "npm test\n"},
		{"", "npm test", true, "npm test"},
		{"su", "do ls|Enter", true, "sudo ls\n"},
		{"", "sux|BSpace|do|Enter", true, "sudo\n|sux|suxdo"},
		{"", "a b|C-w|c|Enter", true, "a c\n|a b|a bc"},
		{"", "rm|C-u|ls|Enter", true, "ls\n|rm|rmls"},
		{"", "rm|C-c|ls|Enter", true, "ls\n|rm|rmls"},
		{"", "a|Enter|b|Enter", true, "a\nb\n"},
		{"", "ls fo|Tab|Enter", true, "ls fo*\n"},
		{"", "Tab|Tab|Enter", true, "\n"},
		{"", "Ada|Tab|Lovelace|Enter", false, "Ada\nLovelace\n"},
		{"", "Down|Down|Enter", false, "\n\n\n"},
		{"", "Up|Enter", true, guard.UnknownLine + "\n"},
		{"", "do ls|Home|su|Enter", true, guard.UnknownLine + "\n|do lssu"},
		{"", "C-l|ls|Enter", true, "ls\n"},
		{"", "Escape|:wq|Enter", false, "\n:wq\n"},
		{"", "ä|BSpace|b", true, "b|ä|äb"},
	} {
		got := typedTexts([]byte(c.before), wire.Keys{Args: strings.Split(c.keys, "|")}, c.inShell)
		if want := strings.Split(c.want, "|"); !slices.Equal(got, want) {
			t.Errorf("%q behind %q: %q, want %q", c.keys, c.before, got, want)
		}
	}
	for form, arg := range map[string]string{wire.Hex: "6c 73 0d", wire.Literal: "ls\r", wire.Bytes: "ls\r"} {
		if got := typedTexts(nil, wire.Keys{Form: form, Args: []string{arg}}, true); !slices.Equal(got, []string{"ls\n"}) {
			t.Errorf("%s: %q", form, got)
		}
	}
}

// typedVerdict is what the built-in rules say about keys that are typed by several calls, as a shell that reads on sees them.
func typedVerdict(t *testing.T, r readers, calls []string) (strictest guard.Action) {
	t.Helper()
	rules, err := guard.Load("", "", true)
	if err != nil {
		t.Fatal(err)
	}
	var before []byte
	for _, keys := range calls {
		k := wire.Keys{Args: strings.Split(keys, "|")}
		for _, call := range r.calls(guard.Call{Kind: guard.KindSendKeys, Dir: "/w", Workspace: "/w"}, r.texts(before, k)) {
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
	bash := readers{shell: "bash", atPrompt: true, programs: []string{"bash"}, history: true}
	dash := readers{shell: "dash", atPrompt: true, programs: []string{"dash"}}
	node := readers{shell: "bash", programs: []string{"node", someProgram}, history: true, interpreter: true}
	fish := readers{shell: "fish", atPrompt: true, programs: []string{"fish"}}
	less := readers{shell: "bash", programs: []string{"less", someProgram}, history: true}
	python := readers{programs: []string{"python3"}}
	wrapped := readers{programs: programsIn([]string{"env", "X=1", "python3", "-q"}, "/")}
	for _, c := range []struct {
		readers readers
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
		{bash, []string{"cat <<E|Enter|C-c|sudo id|Enter"}, true},
		{bash, []string{"cat <<E|Enter", "Up|Enter"}, true},
		{bash, []string{"ls|Enter|C-o|Enter"}, true},
		{bash, []string{"cat <<E|Enter", "\\x00|Enter", "sudo id|Enter"}, true},
		{fish, []string{"cat <<E|Enter", "sudo id|Enter"}, true},
		{less, []string{"cat <<E|Enter", "sudo id|Enter"}, true},
		{python, []string{"x <<E|Enter", "!sudo id|Enter"}, true},
		{dash, []string{`echo "a!b"|Enter`, "!!|Enter"}, false},
		{node, []string{"console.log(!x)|Enter", "if (!ready) f()|Enter", "x = !y|Enter"}, false},
		{node, []string{".exit|Enter|!!|Enter"}, true},
		{bash, []string{"echo 'sudo id|Enter", "'|Enter"}, false},
		{bash, []string{"r|C-c", "m -rf /srv|Enter"}, true},
		{bash, []string{"r|C-c|m -rf /srv|Enter"}, true},
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
		{less, []string{"!rm -rf /srv|Enter"}, true},
		{less, []string{":!rm -rf /srv|Enter"}, true},
		{less, []string{"/word|Enter|q"}, false},
		{less, []string{"!git status|Enter"}, true}, // the shell may get it
		{python, []string{"import os; os.system('rm -rf /srv')|Enter"}, true},
		{python, []string{"!rm -rf /srv|Enter"}, true},
		{python, []string{`print('don\\'t')|Enter`}, false},
		{wrapped, []string{"import shutil; shutil.rmtree('/srv')|Enter"}, true},
		{wrapped, []string{"1 + 1|Enter"}, false},
	} {
		if got := typedVerdict(t, c.readers, c.calls); (got >= guard.Confirm) != c.stopped {
			t.Errorf("%q for %q: %v", c.calls, c.readers.programs, got)
		}
	}
}

// Answers are judged for the program of the command, and as lines for a shell.
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
		{[]string{"python3", "-q"}, `import os; os.system("rm -rf /srv")`, true},
		{[]string{"bash", "-c", "env python3 -q"}, `import os; os.system("rm -rf /srv")`, true},
		{[]string{"python3", "-q"}, "sudo id", true},
		{[]string{"npm", "init"}, "don't", false},
		{[]string{"npm", "init"}, "y", false},
		{[]string{"bash"}, "rm -rf /srv", true},
		{[]string{"bash"}, "my project (new)", false},
		{[]string{"sqlite3"}, ".shell sudo id", true},
	} {
		var got guard.Action
		for _, call := range answerCalls([]runner.Answer{{Text: c.text}}, programsIn(c.command, "/")) {
			got = max(got, rules.Judge(call).Action)
		}
		if (got >= guard.Confirm) != c.stopped {
			t.Errorf("%q for %q: %v", c.text, c.command, got)
		}
	}
}

// Any bytes can be typed: there is always a text, without a key in it.
func FuzzTypedTexts(f *testing.F) {
	for _, data := range []string{"ls\r", "a\x7fb", "\x1b[1;5A", "\x1bO", "\x1b", "x\x17\x15\x03\x04\t", "\xff\xfe"} {
		f.Add(data, true)
	}
	f.Fuzz(func(t *testing.T, data string, inShell bool) {
		for _, text := range typedTexts(nil, wire.Keys{Form: wire.Bytes, Args: []string{data}}, inShell) {
			if i := strings.IndexFunc(text, func(r rune) bool { return r < ' ' && r != '\n' || r == 0x7f }); i >= 0 {
				t.Errorf("%q: %q", data, text)
			}
		}
	})
}
