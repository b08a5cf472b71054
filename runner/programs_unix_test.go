//go:build unix

package runner_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"devtools/ledger"
	"devtools/runner"
	"devtools/runner/runnertest"
	"devtools/runner/wire"
	"devtools/screen"
)

// A keyStep types keys and waits until the screen shows want. Without want it waits for the end.
type keyStep struct {
	keys string
	want string
}

// Full-screen programs driven by keys show in the session what they show a person.
func TestPicturePrograms(t *testing.T) {
	for _, test := range []struct {
		program string
		args    []string
		steps   []keyStep
		check   func(*testing.T, *screen.Snapshot, string) // of the last picture, in the program's folder
	}{
		{
			program: "vim", args: []string{"-u", "NONE", "-i", "NONE", "-n", "notes"},
			steps: []keyStep{
				{want: "\"notes\" [New"},
				{keys: "ihello\rworld 世界\x1b", want: "hello\nworld 世界\n~"},
				{keys: "ggdd", want: "world 世界\n~"},
				{keys: "u", want: "hello\nworld 世界\n~"},
				{keys: ":split\r", want: "hello\nworld 世界\n~\n~"},
				{keys: ":wq\r:q\r", want: ""},
			},
			check: func(t *testing.T, _ *screen.Snapshot, folder string) {
				if data, err := os.ReadFile(filepath.Join(folder, "notes")); err != nil || string(data) != "hello\nworld 世界\n" {
					t.Errorf("it wrote %q, %v", data, err)
				}
			},
		},
		{
			program: "less", args: []string{"-X", "lines"},
			steps: []keyStep{
				{want: "line 1\nline 2"},
				{keys: " ", want: "line 24\nline 25"},
				{keys: "/line 80\r", want: "line 80\nline 81"},
				{keys: "G", want: "line 99\nline 100\n(END)"},
				{keys: "g", want: "line 1\nline 2"},
			},
		},
		{
			program: "htop", args: []string{"-C"},
			steps: []keyStep{
				{want: "F1Help  F2Setup"},
				{keys: "\x1bOP", want: "Arrows: scroll process list"},
				{keys: " ", want: "F1Help  F2Setup"},
			},
		},
		{
			program: "mc", args: []string{"-u", "-a"},
			steps: []keyStep{
				{want: "1Help"},
				{keys: "\x1b[20~", want: "Left     File     Command"}, // F9
				{keys: "\r", want: "File listing"},
				{keys: "\x1b\x1b", want: "1Help"},
			},
		},
		{
			program: "dialog", args: []string{"--menu", "Which one?", "12", "40", "3", "a", "first", "b", "second", "c", "third"},
			steps: []keyStep{
				{want: "Which one?"},
				{keys: "\x1b[B", want: "b  second"},
			},
			check: func(t *testing.T, s *screen.Snapshot, _ string) {
				if frame := runnertest.Text(s); !strings.Contains(frame, "┌──────────────────────────────────────┐") || !strings.Contains(frame, "│ Which one?") {
					t.Errorf("no frame of lines:\n%s", frame)
				}
			},
		},
	} {
		t.Run(test.program, func(t *testing.T) {
			runnertest.Need(t, test.program)
			state := runnertest.NewState(t)
			spec := runnertest.SpecFor(t, state, append([]string{test.program}, test.args...)...)
			spec.Env = append(spec.Env, "HOME="+spec.Cwd, "LC_ALL=C.UTF-8", "LESS=")
			spec.Size = ledger.Size{Cols: 80, Rows: 24}
			var lines strings.Builder
			for i := range 100 {
				lines.WriteString("line " + strconv.Itoa(i+1) + "\n")
			}
			if err := os.WriteFile(filepath.Join(spec.Cwd, "lines"), []byte(lines.String()), 0o600); err != nil {
				t.Fatal(err)
			}
			c := runnertest.Begin(t, spec)
			dir := runnertest.OpenState(t, state)
			var last *screen.Snapshot
			for _, step := range test.steps {
				if step.keys != "" {
					typing := runner.Typing{Keys: wire.Keys{Args: []string{step.keys}, Form: wire.Bytes}} // when the program reads: mc throws away what comes before
					if _, _, err := runner.Send(runnertest.WithPatience(t), dir, c.Session.ID, typing); err != nil {
						t.Fatal(err)
					}
				}
				if step.want == "" {
					if _, err := c.Result(runnertest.WithPatience(t)); err != nil {
						t.Fatal(err)
					}
					continue
				}
				last = runnertest.Seen(t, dir, c.Session.ID, step.want, runnertest.Shows(step.want))
			}
			if test.check != nil {
				test.check(t, last, spec.Cwd)
			}
		})
	}
}
