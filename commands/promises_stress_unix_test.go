//go:build unix

package commands

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"devtools/runner/runnertest"
)

// The scripts named promise_ hold what the manual promises. TestScript runs each once. Here each runs 50 times on busy processors.
func TestStressPromises(t *testing.T) {
	runnertest.NeedStress(t)
	scripts, err := filepath.Glob(filepath.Join("testdata", "script", "promise_*.txtar"))
	if err != nil || len(scripts) == 0 {
		t.Fatalf("%d scripts, %v", len(scripts), err)
	}
	t.Cleanup(runnertest.Load(t, 10))
	for round := range 50 {
		t.Run(fmt.Sprint(round+1), func(t *testing.T) {
			params := scriptParams(t.TempDir())
			params.Files = scripts
			testscript.Run(t, params)
		})
	}
}
