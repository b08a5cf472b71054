//go:build unix

package runner_test

import (
	"testing"

	"devtools/runner/runnertest"
)

func TestMain(m *testing.M) {
	runnertest.PlayRole(m, map[string]func() error{"starter": runAsStarter, "pruner": runAsPruner, "listener": runAsListener})
}
