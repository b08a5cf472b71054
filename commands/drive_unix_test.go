//go:build unix

package commands

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
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
func TestDrive(t *testing.T) { drive(t, 1) }

// Each script does it 50 times in a row.
func TestStressDrive(t *testing.T) {
	if os.Getenv("DEVTOOLS_STRESS") != "1" {
		t.Skip("takes long: DEVTOOLS_STRESS=1 runs it")
	}
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
			needPrograms(t, driven[name])
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

// needPrograms skips a test that cannot do without the programs. On CI a missing one fails it.
func needPrograms(t *testing.T, programs []string) {
	t.Helper()
	if programs == nil {
		t.Fatal("what it needs is not known")
	}
	for _, program := range programs {
		if _, err := exec.LookPath(program); err == nil {
			continue
		}
		if os.Getenv("CI") == "true" {
			t.Fatalf("%s is not installed, see .ci/run", program)
		}
		t.Skipf("%s is not installed", program)
	}
}
