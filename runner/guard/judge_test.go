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
	root := filepath.Join(t.TempDir(), "ws")
	for name, text := range map[string]string{
		"build/a.o": "", "sub/deep/x": "", "node_modules/a/index.js": "", "venv/bin/activate": "deactivate () {\n  unset -f x\n}\nPATH=\"$VIRTUAL_ENV/bin:$PATH\"\n",
		"bad.sh": "#!/bin/sh\necho start\nsudo rm -rf /\n", "good.sh": "#!/bin/bash\nset -e\nmake \"$@\"\nrm -rf \"$OUT\"\neval \"$(cat x)\"\n$CMD\n",
		"calls.sh": "#!/bin/sh\n./bad.sh\n", "bad.py": "import os\nos.system('sudo id')\n", "good.py": "import sys\nprint(sys.argv)\n",
		"nested/bad.js": "require('child_process').execSync('rm -rf /etc')\n", "Makefile": "all:\n\techo hi\n",
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

// agentEnv is the environment of the calls in tests.
var agentEnv = []string{"HOME=/home/me", "PATH=/usr/local/bin:/usr/bin:/bin", "TMPDIR=/tmp", "CMDVAR=sudo", "EMPTY=", "SHELL=/bin/bash", "NAME=world"}

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

// The built-in rules stop each line of one table, and none of the other.
func TestJudge(t *testing.T) {
	root := workspace(t)
	p, err := Load("", "", true)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]Action{"stopped.txt": Confirm, "free.txt": Free} {
		for _, l := range table(t, name) {
			v, commands := p.Explain(Call{Kind: KindRun, Line: l, Shell: "bash", Dir: root, Workspace: root, Env: agentEnv})
			if v.Action != want {
				t.Errorf("%q is %v (%s, %s: %s), want %v; commands %+v", l, v.Action, v.Rule, v.Reason, v.Command, want, commands)
			}
		}
	}
}
