//go:build unix

package guard

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"devtools/stack/line"
)

// The built-in rules stop what strangers have thought of as a way around them, and let daily work pass: testdata/strangers.txt. What they do
// not see is marked there.
func TestStrangers(t *testing.T) {
	for _, program := range []string{"bash", "git"} {
		_, err := exec.LookPath(program)
		switch {
		case err != nil && os.Getenv("CI") == "true":
			t.Fatalf("%s is not installed, see .ci/run", program)
		case err != nil:
			t.Skipf("%s is not installed", program)
		}
	}
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home, workspace := filepath.Join(base, "home"), filepath.Join(base, "ws")
	fill := exec.Command("bash", filepath.Join("testdata", "strangers.sh"), base)
	fill.Env = append(os.Environ(), "HOME="+home)
	if out, err := fill.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	p, err := Load("", "", true)
	if err != nil {
		t.Fatal(err)
	}
	env := []string{
		"HOME=" + home, "PWD=" + workspace, "USER=root", "LOGNAME=root", "SHELL=/bin/bash",
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
	}
	judged := map[string]int{}
	for _, row := range table(t, "strangers.txt") {
		want, rest, _ := strings.Cut(row, "\t")
		kind, text, _ := strings.Cut(rest, "\t")
		text = strings.NewReplacer("BASE", base, "␤", "\n").Replace(text)
		argv, err := line.Argv([]string{text}, "", workspace)
		if err != nil {
			t.Fatal(err)
		}
		v := p.Judge(Call{Kind: KindRun, Argv: argv, Dir: workspace, Workspace: workspace, Env: env})
		if got := v.Action >= Confirm; got != (want == "stop") {
			t.Errorf("%s: %q: %v, want %s", kind, text, v.Action, want)
		}
		judged[want]++
	}
	if judged["stop"]+judged["unseen"] != 200 || judged["pass"] != 100 {
		t.Errorf("judged %v", judged)
	}
}
