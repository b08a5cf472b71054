package proc

import (
	"os/exec"
	"strings"
	"testing"
)

// A shell takes the line apart into the same arguments: bash, where there is one, as other shells may not know $'…'.
func TestLine(t *testing.T) {
	for want, args := range map[string][]string{
		"make test":              {"make", "test"},
		`sh -c 'exit 3'`:         {"sh", "-c", "exit 3"},
		`'A=1' --x=y '=z' ''`:    {"A=1", "--x=y", "=z", ""},
		`echo 'it'\''s' '$HOME'`: {"echo", "it's", "$HOME"},
		`$'A=\001' $'\377é\342\200\256' 'é ﬁ'`: {"A=\x01", "\xffé\u202e", "é ﬁ"},
		`echo $'it\'s\n\t\0331é\\' a`:          {"echo", "it's\n\t\x1b1é\\", "a"},
	} {
		if got := Line(args); got != want {
			t.Errorf("%q is %s, want %s", args, got, want)
		}
		shell, err := exec.LookPath("bash")
		if err != nil {
			continue
		}
		out, err := exec.Command(shell, "-c", `printf '%s\n' `+Line(args)).Output()
		if err != nil || string(out) != strings.Join(args, "\n")+"\n" {
			t.Errorf("the shell makes %q of %s, %v", out, want, err)
		}
	}
}
