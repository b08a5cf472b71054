package line

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestArgv(t *testing.T) {
	program := filepath.Join(t.TempDir(), "my program")
	if err := os.WriteFile(program, nil, 0o700); err != nil {
		t.Fatal(err)
	}
	shell := defaultShell()
	for _, test := range []struct {
		args  []string
		shell string
		want  []string
	}{
		{[]string{"ls"}, "", []string{"ls"}},
		{[]string{"ls", "-l; rm x"}, "", []string{"ls", "-l; rm x"}},
		{[]string{"./a-b_c.d/e:f@g%h+i,j=k"}, "", []string{"./a-b_c.d/e:f@g%h+i,j=k"}},
		{[]string{"ls -l"}, "", []string{shell, "-c", "ls -l"}},
		{[]string{"a|b"}, "", []string{shell, "-c", "a|b"}},
		{[]string{"echo $HOME"}, "", []string{shell, "-c", "echo $HOME"}},
		{[]string{"a\nb"}, "", []string{shell, "-c", "a\nb"}},
		{[]string{"*"}, "", []string{shell, "-c", "*"}},
		{[]string{""}, "", []string{""}},
		{[]string{program}, "", []string{program}},
		{[]string{"./my program"}, "", []string{"./my program"}},
		{[]string{"my program"}, "", []string{shell, "-c", "my program"}},
		{[]string{"ls"}, "zsh", []string{"zsh", "-c", "ls"}},
		{[]string{"ls -l"}, "zsh", []string{"zsh", "-c", "ls -l"}},
	} {
		if got, err := Argv(test.args, test.shell, filepath.Dir(program)); err != nil || !slices.Equal(got, test.want) {
			t.Errorf("Argv(%q, %q) = %q, %v, want %q", test.args, test.shell, got, err, test.want)
		}
	}
	for _, args := range [][]string{nil, {"ls", "-l"}} {
		if got, err := Argv(args, "zsh", "/"); err == nil {
			t.Errorf("Argv(%q) = %q", args, got)
		}
	}
}
