package guard

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// workspace makes a workspace with scripts and links, and returns its folder.
func workspace(t testing.TB) string {
	t.Helper()
	root := filepath.Join(newScene(t).home, "ws") // not below a folder for temporary files
	for name, text := range map[string]string{
		"build/a.o": "", "sub/deep/x": "", "node_modules/a/index.js": "", "venv/bin/activate": "deactivate () {\n  unset -f x\n}\nPATH=\"$VIRTUAL_ENV/bin:$PATH\"\n",
		"bad.sh": "#!/bin/sh\necho start\nsudo rm -rf /\n", "good.sh": "#!/bin/bash\nset -e\nmake \"$@\"\nrm -rf \"$OUT\"\neval \"$(cat x)\"\n$CMD\n",
		"calls.sh": "#!/bin/sh\n./bad.sh\n", "bad.py": "import os\nos.system('sudo id')\n", "good.py": "import sys\nprint(sys.argv)\n",
		"nested/bad.js": "require('child_process').execSync('rm -rf /etc')\n", "Makefile": "TOOL = sudo\nall: build\n\techo hi\nbuild:\n\t@rm -rf $(OUT) build\n\t$(MAKE) -C sub\ninstall: all\n\t$(TOOL) cp a /usr/bin\nclean: ; rm -rf ../x\n",
		".git/HEAD": "ref: refs/heads/main\n", ".git/config": "[alias]\n\tfp = push --force\n\tst = status\n\troot = !sudo x\n[remote \"mirror\"]\n\tpush = +refs/heads/*\n", "hooks/pre-commit": "#!/bin/sh\nsudo id\n", ".git/hooks/pre-push": "#!/bin/sh\nmake\n",
		"tools/ls": "#!/bin/sh\nsudo id\n", "tools/plain": "#!/bin/sh\nmake\n",
		"package.json": `{"scripts": {"build": "tsc && rm -rf dist", "bad": "sudo x", "prebuild2": "sudo x", "build2": "tsc", "arg": "rm -rf"}}`,
	} {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"etc": "/etc", "up": "..", "tool": "/bin/rm", "inside": "build"} {
		if err := os.Symlink(to, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// agentEnv returns the environment of the calls in tests for a workspace, which is in the home folder.
func agentEnv(root string) []string {
	return []string{
		"HOME=" + filepath.Dir(root), "PATH=/usr/local/bin:/usr/bin:/bin", "TMPDIR=/tmp", "CMDVAR=sudo", "EMPTY=", "SHELL=/bin/bash", "NAME=world",
	}
}

// table returns the lines of a table in testdata, without comments.
func table(t testing.TB, name string) (lines []string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	for l := range strings.SplitSeq(string(data), "\n") {
		if l != "" && l[0] != '#' {
			lines = append(lines, strings.ReplaceAll(l, "⏎", "\n"))
		}
	}
	return lines
}

// The built-in rules stop each line of one table, and none of another one. What they do not see is in the third: code, and what is
// computed, decoded or hidden in a file of another kind.
func TestJudge(t *testing.T) {
	root := workspace(t)
	p, err := Load("", "", true)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]Action{"stopped.txt": Confirm, "free.txt": Free, "not_seen.txt": Free} {
		for _, l := range table(t, name) {
			v, commands := p.Explain(Call{Kind: KindRun, Line: l, Shell: "bash", Dir: root, Workspace: root, Env: agentEnv(root)})
			if v.Action != want {
				t.Errorf("%q is %v (%s, %s: %s), want %v; commands %+v", l, v.Action, v.Rule, v.Reason, v.Command, want, commands)
			}
		}
	}
}

// A call need not be a line for a shell.
func TestCalls(t *testing.T) {
	root := workspace(t)
	p, err := Load("", "", true)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		call Call
		want Action
	}{
		{Call{Kind: KindRun, Argv: []string{"sudo", "ls"}}, Confirm},
		{Call{Kind: KindRun, Argv: []string{"echo", "sudo; ls"}}, Free},
		{Call{Kind: KindRun, Argv: []string{"echo", "$(sudo x)"}}, Free},
		{Call{Kind: KindRun, Argv: []string{"bash", "-c", "sudo ls"}}, Confirm},
		{Call{Kind: KindSendKeys, Line: "os.system('sudo x')\n", Shell: "python3"}, Free}, // code
		{Call{Kind: KindRun, Argv: []string{"rm", "-rf", "/"}}, Confirm},
		{Call{Kind: KindRun, Argv: []string{"./bad.sh"}}, Confirm},
		{Call{Kind: KindLaunch, Argv: []string{"npm", "start"}}, Free},
		{Call{Kind: KindRun, Code: "print(1)", Lang: "python"}, Free},
		{Call{Kind: KindRun, Code: "sudo x", Lang: "bash"}, Confirm},
		{Call{Kind: KindRun, Code: "cd /\nsudo x", Lang: "shell"}, Confirm},
		{Call{Kind: KindRun, Code: "make", Lang: "shell"}, Free},
		{Call{Kind: KindSendKeys, Line: "sudo ls\n"}, Confirm},
		{Call{Kind: KindSendKeys, Line: "echo 'it\n"}, Free},
		{Call{Kind: KindSendKeys, Line: "sudo 'it\n"}, Confirm},
		{Call{Kind: KindSendKeys, Line: "for i in 1 2; do\n"}, Free},
		{Call{Kind: KindSendKeys, Line: "if sudo x; then\n"}, Confirm},
		{Call{Kind: KindSendKeys, Line: "ls )\n"}, Confirm}, // nobody knows what the program makes of it
		{Call{Kind: KindSendKeys, Line: "for x in range(3):\n  print(x)\n", Shell: "python3"}, Free},
		{Call{Kind: KindSendKeys, Line: "select (1\n", Shell: "psql"}, Free},
		{Call{Kind: KindSendKeys, Line: "read F; git push $F\n"}, Confirm},
		{Call{Kind: KindRunIn, Line: "sudo ls"}, Confirm},
		{Call{Kind: KindAnswer, Line: "y"}, Free},
		{Call{Kind: KindAnswer, Line: "don't know (yet"}, Free},
		{Call{Kind: KindAnswer, Line: "sudo ls", Shell: "bash"}, Confirm},
		{Call{Kind: KindKill}, Free},
		{Call{Kind: KindAsk}, Free},
	} {
		c := test.call
		c.Dir, c.Workspace, c.Env = root, root, agentEnv(root)
		if v, commands := p.Explain(c); v.Action != test.want {
			t.Errorf("%+v is %+v; commands %+v", test.call, v, commands)
		}
	}
}

// Explain says how each command comes to be started.
func TestExplain(t *testing.T) {
	p, err := Load("", "", true)
	if err != nil {
		t.Fatal(err)
	}
	_, commands := p.Explain(Call{Kind: KindRun, Line: `env A=1 sh -c 'sudo ls "$X"' | $Y`, Dir: "/w", Workspace: "/w"})
	var got []string
	for _, c := range commands {
		known := ""
		if !c.Known {
			known = " ?"
		}
		got = append(got, c.Via+": "+c.Text+known+" "+c.Verdict.Action.String())
	}
	want := `: env A=1 sh -c 'sudo ls "$X"' free|env: sh -c 'sudo ls "$X"' free|env, sh: sudo ls … confirm|env, sh, sudo: ls … free|: … ? confirm`
	if strings.Join(got, "|") != want {
		t.Errorf("%s", strings.Join(got, "|"))
	}
}

// In a session whose folder is not known, a relative path may lead anywhere.
func TestUnknownFolder(t *testing.T) {
	p, err := Load("", "", true)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]Action{
		"ls": Free, "make": Free, "rm -rf /tmp/x": Free, "rm -rf build": Confirm, "rm -rf ..": Confirm, "rm -rf /x": Confirm, "> out": Confirm,
	} {
		for _, c := range []Call{{Kind: KindSendKeys, Line: text}, {Kind: KindSendKeys, Line: text, Dir: "/w", Moved: true}} {
			c.Workspace = "/w"
			if v := p.Judge(c); v.Action != want {
				t.Errorf("%q is %+v", text, v)
			}
		}
	}
}

// What a shell skips in a script, or is far behind its beginning, does not hide a command.
func TestScripts(t *testing.T) {
	root := workspace(t)
	p, err := Load("", "", true)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		text string
		want Action
	}{
		"sign":          {"# \x01\x02\x03\nsudo id\n", Confirm},
		"zero":          {"#!/bin/sh\n# \x00\nsu\x00do id\n", Confirm},
		"mark":          {"\ufeffsudo id\n", Confirm},
		"long":          {strings.Repeat("# x\n", 10_000) + "sudo id\n", Confirm},
		"longer":        {strings.Repeat("# x\n", 500_000) + "sudo id\n", Confirm},
		"brackets":      {strings.Repeat("# ((\n", 100) + "sudo id\n", Confirm},
		"mistake":       {"sudo id\n)\n", Confirm},
		"program":       {"\x7fELF\x00\x00sudo\nsudo id\n", Free},
		"long and free": {strings.Repeat("make x\n", 2000), Free},
	} {
		if err := os.WriteFile(filepath.Join(root, "script.sh"), []byte(test.text), 0o700); err != nil {
			t.Fatal(err)
		}
		for _, l := range []string{"bash script.sh", "./script.sh", "bash <script.sh", "cat script.sh | sh", ". ./script.sh"} {
			if test.want == Free && strings.ContainsAny(l, "<|") { // what flows is kept up to a limit
				continue
			}
			if v := p.Judge(Call{Kind: KindRun, Line: l, Shell: "bash", Dir: root, Workspace: root, Env: agentEnv(root)}); v.Action != test.want {
				t.Errorf("%s: %s is %v (%s %s), want %v", name, l, v.Action, v.Rule, v.Reason, test.want)
			}
		}
	}
}

// Nothing hides behind many scripts, nor behind many lines of a recipe.
func TestManyScripts(t *testing.T) {
	root := workspace(t)
	p, err := Load("", "", true)
	if err != nil {
		t.Fatal(err)
	}
	recipe := "all:\n" + strings.Repeat("\techo hi\n", 100)
	for name, text := range map[string]string{"Makefile": recipe + "\tsudo id\n", "long.mk": recipe, "quiet.sh": "echo hi\n"} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for l, want := range map[string]Action{
		"make all": Confirm, "make -f long.mk": Free, strings.Repeat("sh quiet.sh; ", 300) + "sh bad.sh": Confirm, strings.Repeat("sh quiet.sh; ", 100): Free,
	} {
		if v := p.Judge(Call{Kind: KindRun, Line: l, Shell: "bash", Dir: root, Workspace: root, Env: agentEnv(root)}); v.Action != want {
			t.Errorf("%s is %v (%s %s), want %v", l, v.Action, v.Rule, v.Reason, want)
		}
	}
}
