//go:build unix

package programtest

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"devtools/runner/runnertest"
)

// driven lists the programs that the scripts of testdata/drive need, besides those that every system has.
var driven = map[string][]string{
	"fzf":        {"bash", "fzf"},
	"gdb":        {"gdb", "cc"},
	"git-add":    {"bash", "git", "vim"},
	"git-rebase": {"bash", "git", "vim"},
	"htop":       {"htop"},
	"less":       {"less"},
	"mc":         {"mc"},
	"npm":        {"npm", "jq"},
	"paste":      {"base64"},
	"python":     {"python3"},
	"start":      {"bash", "zsh", "fish", "dash", "python3"},
	"vim":        {"bash", "vim"},
}

// TestDrive runs each script of testdata/drive once: programs that are driven by send-keys, wait and screen alone.
func TestDrive(t *testing.T) {
	t.Parallel()
	drive(t, 1)
}

// Each script does it 50 times in a row.
func TestStressDrive(t *testing.T) {
	runnertest.NeedStress(t)
	drive(t, 50)
}

func drive(t *testing.T, rounds int) {
	scripts, err := filepath.Glob(filepath.Join("testdata", "drive", "*.sh"))
	if err != nil || len(scripts) != len(driven) {
		t.Fatalf("%d scripts, %d are known: %v", len(scripts), len(driven), err)
	}
	for _, script := range scripts {
		name := strings.TrimSuffix(filepath.Base(script), ".sh")
		t.Run(name, func(t *testing.T) {
			needs, known := driven[name]
			if !known {
				t.Fatal("what it needs is not known")
			}
			for _, program := range needs {
				runnertest.Need(t, program)
			}
			begun := time.Now()
			for i := range rounds {
				ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
				out, err := exec.CommandContext(ctx, "sh", script).CombinedOutput()
				cancel()
				if err != nil {
					t.Fatalf("round %d of %d: %v\n%s", i+1, rounds, err, out)
				}
			}
			t.Logf("%d of %d in %.1f s", rounds, rounds, time.Since(begun).Seconds())
		})
	}
}
